// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/csr/row_lengths.hpp>
#include <einkorn/formats/csr/same_structure.hpp>
#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/ell/detail/fill_slots.hpp>
#include <einkorn/formats/ell/ell.hpp>
#include <einkorn/formats/fill_limit.hpp>
#include <einkorn/formats/from_csr.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn {

struct EllOptions {
  double fill_limit = default_fill_limit;  ///< maximum slots per entry of the CSR
  Checks checks = Checks::on;              ///< validate the structure of the CSR
};

/// Converts CSR to ELL on the device. Entries keep their order; unsorted rows, repeated positions and stored
/// zeros are preserved.
/// @throws FillLimit before the slots are allocated
/// @throws InvalidStructure (checks), OverflowError, OutOfMemory
/// Cost: reads A once (columns once more for checks and fingerprint), writes stride * width slots. Fences exec.
template <>
struct FromCsr<Ell> {
  using Options = EllOptions;

  template <class Exec, class Scalar, class Ordinal, class Offset, class Device>
  static Ell<std::remove_const_t<Scalar>, Ordinal, Offset, Device> make(
      Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A, Options const& options) {
    using Value = std::remove_const_t<Scalar>;
    require_kokkos("from_csr");
    ScopedRegion const region("einkorn::from_csr[ell]");
    auto const source = detail::checked_fingerprint(exec, A, options.checks);
    Ell<Value, Ordinal, Offset, Device> F;
    F.num_rows = A.num_rows;
    F.num_cols = A.num_cols;
    F.num_entries = A.nnz();
    F.width = row_lengths(exec, A).longest;
    double const stored = (static_cast<double>(A.num_rows) + 31.0) * static_cast<double>(F.width);
    detail::require_fill("ELL", static_cast<double>(A.num_rows) * static_cast<double>(F.width),
                         static_cast<double>(A.nnz()), options.fill_limit);
    detail::require_stored_fits<Offset>("ELL", stored);
    F.stride = ceil_div(static_cast<Offset>(A.num_rows), 32) * 32;
    F.source = source;
    auto const size = static_cast<std::size_t>(F.stride) * static_cast<std::size_t>(F.width);
    F.columns = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::Ell::columns", size);
    F.values = allocate<Kokkos::View<Value*, Device>>(exec, "einkorn::Ell::values", size);
    detail::fill_slots<false>(exec, F, A);
    fence(exec, "einkorn::from_csr[ell]: A may change from here on");
    return F;
  }
};

/// F.values <- A.values for an A of unchanged structure.
/// @throws StalePlan (checks), before anything changes, if A has another structure than the CSR of from_csr.
/// Cost: reads A's values and row offsets, writes F's values; asynchronous on exec, 1 launch. Checks read A's
/// structure once and fence exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class Given>
void update_values(Exec const& exec, Ell<Scalar, Ordinal, Offset, Device> const& F,
                   Csr<Given, Ordinal, Offset, Device> const& A, Checks checks = Checks::on) {
  detail::require_structure_of(exec, F.source, A, checks);
  detail::fill_slots<true>(exec, F, A);
}

}  // namespace einkorn
