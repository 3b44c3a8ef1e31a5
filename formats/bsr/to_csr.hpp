// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/bsr/bsr.hpp>
#include <einkorn/formats/bsr/detail/nonzeros_of_row.hpp>
#include <einkorn/formats/csr/csr.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <limits>

namespace einkorn {

/// BSR to CSR: the nonzero values of the blocks, row by row in the order of the blocks; sorted by column if F
/// is from from_csr(). Not restored: stored zeros of the CSR (indistinguishable from padding), the order of
/// unsorted rows, and repeated positions (one entry, their sum).
/// @throws OutOfMemory
/// Cost: reads the blocks twice, writes the CSR; on the device; fences exec once.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
Csr<std::remove_const_t<Scalar>, Ordinal, Offset, Device> to_csr(
    Exec const& exec, Bsr<Scalar, Ordinal, Offset, Device> const& F) {
  using Value = std::remove_const_t<Scalar>;
  using Format = Bsr<Scalar, Ordinal, Offset, Device>;
  using Offsets = Kokkos::View<Offset*, Device>;
  using Columns = Kokkos::View<Ordinal*, Device>;
  using Values = Kokkos::View<Value*, Device>;
  require_kokkos("to_csr");
  ScopedRegion const region("einkorn::to_csr[bsr]");
  auto const offsets =
      allocate<Offsets>(exec, "einkorn::Csr::row_offsets", static_cast<std::size_t>(F.num_rows) + 1);
  range_for<Ordinal>("einkorn::to_csr[bsr,lengths]", exec, F.num_rows,
                     detail::CountNonzeros<Format, Offsets>{F, offsets});
  auto const nnz = static_cast<std::size_t>(counts_to_offsets(exec, offsets));
  auto const columns = allocate<Columns>(exec, "einkorn::Csr::columns", nnz);
  auto const values = allocate<Values>(exec, "einkorn::Csr::values", nnz);
  range_for<Ordinal>("einkorn::to_csr[bsr]", exec, F.num_rows,
                     detail::CopyNonzeros<Format, Offsets, Columns, Values>{F, offsets, columns, values});
  return {F.num_rows, F.num_cols, offsets, columns, values};
}

}  // namespace einkorn
