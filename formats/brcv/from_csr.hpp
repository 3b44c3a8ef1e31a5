// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/brcv/brcv.hpp>
#include <einkorn/formats/brcv/detail/build_stripes.hpp>
#include <einkorn/formats/brcv/stripes.hpp>
#include <einkorn/formats/csr/same_structure.hpp>
#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/from_csr.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn {

struct BrcvOptions {
  Checks checks = Checks::on;  ///< of the structure of the CSR
};

/// CSR to BRCV on the device: steps S31 to S36 of the patent (brcv.hpp). Every row is compared with the
/// previous one in parallel; one scan over the rows numbers the stripes and computes b, rc and rv. Entries keep
/// their order: unsorted rows, repeated positions and stored zeros are kept, and rows with the same columns in
/// another order are in different stripes. Any matrix can be converted; prefers_brcv() (stripes.hpp) says
/// whether BRCV saves memory.
///
/// @throws InvalidStructure (checks), OutOfMemory. No overflow: no count exceeds the corresponding count of
/// the CSR.
/// Cost: reads row_offsets three times, columns twice and values once (columns once more for checks and
/// fingerprint), writes bytes(); one temporary byte per row. Fences exec.
template <>
struct FromCsr<Brcv> {
  using Options = BrcvOptions;

  template <class Exec, class Scalar, class Ordinal, class Offset, class Device>
  static Brcv<std::remove_const_t<Scalar>, Ordinal, Offset, Device> make(
      Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A, Options const& options) {
    using Value = std::remove_const_t<Scalar>;
    require_kokkos("from_csr");
    ScopedRegion const region("einkorn::from_csr[brcv]");
    auto const source = detail::checked_fingerprint(exec, A, options.checks);
    auto const starts = detail::mark_stripes(exec, A);
    auto const counts = detail::count_stripes(exec, A, starts);
    auto const p = static_cast<std::size_t>(counts.p);
    Brcv<Value, Ordinal, Offset, Device> F;
    F.num_rows = A.num_rows;
    F.num_cols = A.num_cols;
    F.num_entries = A.nnz();
    F.source = source;
    F.b = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::Brcv::b", p + 1);
    F.rc = allocate<Kokkos::View<Offset*, Device>>(exec, "einkorn::Brcv::rc", p + 1);
    F.rv = allocate<Kokkos::View<Offset*, Device>>(exec, "einkorn::Brcv::rv", p);
    F.c = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::Brcv::c",
                                                   static_cast<std::size_t>(counts.list_entries));
    F.values = allocate<Kokkos::View<Value*, Device>>(exec, "einkorn::Brcv::values", A.values.extent(0));
    detail::build_stripes(exec, F, A, starts);
    copy_vector(exec, F.values, A.values);
    fence(exec, "einkorn::from_csr[brcv]: A is no longer read");
    return F;
  }
};

/// F.values <- A.values for an unchanged structure.
/// @throws StalePlan, before F changes, if A does not have the structure that F was converted from (checks
/// on: reads the structure of A once and fences exec)
/// Cost without checks: one read and one write of the values, asynchronous on exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class Given>
void update_values(Exec const& exec, Brcv<Scalar, Ordinal, Offset, Device> const& F,
                   Csr<Given, Ordinal, Offset, Device> const& A, Checks checks = Checks::on) {
  detail::require_structure_of(exec, F.source, A, checks);
  copy_vector(exec, F.values, A.values);
}

}  // namespace einkorn
