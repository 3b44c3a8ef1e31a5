// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/csr/same_structure.hpp>
#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/dia/dia.hpp>
#include <einkorn/formats/diagonals/detail/fill.hpp>
#include <einkorn/formats/diagonals/detail/search.hpp>
#include <einkorn/formats/fill_limit.hpp>
#include <einkorn/formats/from_csr.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn {

struct DiaOptions {
  double fill_limit = default_fill_limit;  ///< maximum slots per entry of the CSR
  Checks checks = Checks::on;              ///< validate the structure of the CSR
};

/// Converts CSR to DIA on the device. Rows may be unsorted; repeated positions are summed in order; the
/// diagonal of a stored zero is stored, where the zero is indistinguishable from padding.
/// @throws FillLimit before the slots are allocated
/// @throws InvalidStructure (checks), OverflowError, OutOfMemory
/// Cost on a GPU: reads A's structure once, that of a sixteenth of the rows to find the diagonals, and A once; writes the slots
/// once. If the sample lacks diagonals, rows are unsorted, positions repeated or there are more than 512 diagonals: reads the
/// structure twice more and A again, writes the slots once or twice more. On the host: reads A's structure three times and A
/// once, writes the slots once if rows are sorted and positions unique and there are at most 512 diagonals of 8 bytes per slot,
/// else twice. Both the second and the host use one byte per diagonal of the matrix (num_rows + num_cols - 1), freed on return.
/// Fences exec.
template <>
struct FromCsr<Dia> {
  using Options = DiaOptions;

  template <class Exec, class Scalar, class Ordinal, class Offset, class Device>
  static Dia<std::remove_const_t<Scalar>, Ordinal, Offset, Device> make(
      Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A, Options const& options) {
    using Value = std::remove_const_t<Scalar>;
    require_kokkos("from_csr");
    ScopedRegion const region("einkorn::from_csr[dia]");
    detail::DiagonalSearch<Exec, Csr<Scalar, Ordinal, Offset, Device>> search(exec, A, options.checks);
    auto const source = search.finish();
    Dia<Value, Ordinal, Offset, Device> F;
    F.num_rows = A.num_rows;
    F.num_cols = A.num_cols;
    F.num_entries = A.nnz();
    F.source = source;
    auto const build = [&](auto const& diagonals) {
      auto const count = static_cast<double>(diagonals.count);
      detail::require_fill("DIA", static_cast<double>(A.num_rows) * count, static_cast<double>(A.nnz()),
                           options.fill_limit);
      detail::require_stored_fits<Offset>("DIA", (static_cast<double>(A.num_rows) + 31.0) * count);
      F.stride = ceil_div(static_cast<Offset>(A.num_rows), 32) * 32;
      F.values = {};
      F.offsets = detail::list_diagonals(exec, A, diagonals);
      F.values = allocate<Kokkos::View<Value*, Device>>(exec, "einkorn::Dia::values",
                                                        static_cast<std::size_t>(F.stride) * diagonals.count);
      return F.offsets;
    };
    detail::build_from_diagonals(exec, "einkorn::from_csr[dia]", F, A, search, build);
    return F;
  }
};

/// F.values <- A.values for an A of unchanged structure.
/// @throws StalePlan (checks), before anything changes, if A has another structure than the CSR of from_csr.
/// Cost: reads A once; writes the slots as from_csr, or one slot per entry where from_csr writes twice; asynchronous on
/// exec. Checks read A's structure once and fence exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class Given>
void update_values(Exec const& exec, Dia<Scalar, Ordinal, Offset, Device> const& F,
                   Csr<Given, Ordinal, Offset, Device> const& A, Checks checks = Checks::on) {
  detail::require_structure_of(exec, F.source, A, checks);
  detail::fill_diagonals(exec, "einkorn::update_values[dia]", F, F.offsets, A, false);
}

}  // namespace einkorn
