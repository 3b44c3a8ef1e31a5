// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/coo/coo.hpp>
#include <einkorn/formats/csr/detail/expand_rows.hpp>
#include <einkorn/formats/csr/same_structure.hpp>
#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/from_csr.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn {

struct CooOptions {
  Checks checks = Checks::on;  ///< validate the structure of the CSR
};

/// Converts CSR to COO on the device. Entries keep their order; unsorted rows, repeated positions and stored
/// zeros are preserved. The result shares no memory with A.
/// @throws InvalidStructure (checks), OutOfMemory
/// Cost: reads A once (columns once more for checks and fingerprint), writes rows, columns and values; a binary
/// search among a few rows per entry. Fences exec.
template <>
struct FromCsr<Coo> {
  using Options = CooOptions;

  template <class Exec, class Scalar, class Ordinal, class Offset, class Device>
  static Coo<std::remove_const_t<Scalar>, Ordinal, Offset, Device> make(
      Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A, Options const& options) {
    using Value = std::remove_const_t<Scalar>;
    require_kokkos("from_csr");
    ScopedRegion const region("einkorn::from_csr[coo]");
    auto const source = detail::checked_fingerprint(exec, A, options.checks);
    Coo<Value, Ordinal, Offset, Device> F;
    F.num_rows = A.num_rows;
    F.num_cols = A.num_cols;
    F.source = source;
    auto const nnz = static_cast<std::size_t>(A.nnz());
    F.rows = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::Coo::rows", nnz);
    F.columns = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::Coo::columns", nnz);
    F.values = allocate<Kokkos::View<Value*, Device>>(exec, "einkorn::Coo::values", nnz);
    detail::expand_rows(exec, A.row_offsets, A.num_rows, F.rows);
    copy_vector(exec, F.columns, A.columns);
    copy_vector(exec, F.values, A.values);
    fence(exec, "einkorn::from_csr[coo]: A may change from here on");
    return F;
  }
};

namespace detail {

template <class Offset, class To, class From>
struct CopyCooValues {
  using Scalar = typename To::non_const_value_type;

  To to;
  From from;

  KOKKOS_FUNCTION void operator()(Offset k) const { to(k) = Scalar(from(k)); }
};

}  // namespace detail

/// F.values <- A.values for an A of unchanged structure.
/// @pre F was made by from_csr, or the caller has set F.source to fingerprint(exec, A).
/// @throws StalePlan (checks), before anything changes, if A has another structure than F.source.
/// Cost: one read and one write of the values; asynchronous on exec. Checks read A's structure once and fence
/// exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class Given>
void update_values(Exec const& exec, Coo<Scalar, Ordinal, Offset, Device> const& F,
                   Csr<Given, Ordinal, Offset, Device> const& A, Checks checks = Checks::on) {
  detail::require_structure_of(exec, F.source, A, checks);
  auto const to = F.values;
  auto const from = A.values;
  range_for<Offset>("einkorn::update_values[coo]", exec, A.nnz(),
                    detail::CopyCooValues<Offset, decltype(F.values), decltype(A.values)>{to, from});
}

}  // namespace einkorn
