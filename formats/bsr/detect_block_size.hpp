// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/formats/bsr/bsr_tuning.hpp>
#include <einkorn/formats/bsr/detail/merge_rows.hpp>
#include <einkorn/formats/bsr/detail/sample_blocks.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/sort_rows.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace einkorn {

namespace detail {

/// Of a matrix whose rows are sorted. The host merges the rows for one size after another; a GPU, where each
/// launch and each answer costs as much as many entries, counts all sizes at once.
template <class Exec, class Matrix>
int block_size_of_min_bytes(Exec const& exec, Matrix const& A) {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  BlockCounts counts;
  if constexpr (is_gpu<Exec>) {
    std::int64_t const groups = (static_cast<std::int64_t>(A.num_rows) + rows_per_group - 1) / rows_per_group;
    counts = sample_blocks(exec, A, RowGroups{groups, groups});
  } else {
    auto const max_rows = static_cast<std::size_t>(A.num_rows) / smallest_block + 1;
    auto const blocks = allocate<Kokkos::View<Offset*, typename Matrix::device_type>>(
        exec, "einkorn::detect_block_size::counts", max_rows);
    for (int b = smallest_block; b <= largest_block; ++b) {
      auto const block_rows = static_cast<Ordinal>(A.num_rows / b + (A.num_rows % b != 0));
      count_blocks(exec, A, b, block_rows, blocks);
      Kokkos::parallel_reduce(
          "einkorn::detect_block_size",
          Kokkos::RangePolicy<Exec, Kokkos::IndexType<Ordinal>>(exec, 0, block_rows),
          [blocks](Ordinal block_row, std::int64_t& sum) {
            sum += static_cast<std::int64_t>(blocks(block_row));
          },
          counts.blocks[b]);
    }
  }
  return min_bytes<Matrix>(counts);
}

}  // namespace detail

/// The block size b from 2 to 8 whose BSR of A takes the fewest bytes of blocks and block columns, blocks (b^2
/// scalar + ordinal); the smallest of those that tie. The count of blocks is exact: every block row is looked
/// at. That b need not pay: compare bytes() with the CSR's.
///
/// Cost: A's columns seven times, once for each b (on a GPU once, with binary searches in the rows of a block
/// row); unsorted rows are sorted first (sort_rows). On the device;
/// fences exec. A is taken as valid (validate()). Throws OutOfMemory, OverflowError (sort_rows).
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
int detect_block_size(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A) {
  require_kokkos("detect_block_size");
  Kokkos::Profiling::ScopedRegion region("einkorn::detect_block_size");
  Csr<std::remove_const_t<Scalar> const, Ordinal, Offset, Device> sorted = A;
  if (!is_sorted_by_column(exec, A)) sorted = sort_rows(exec, A);
  return detail::block_size_of_min_bytes(exec, sorted);
}

template <ExecutionSpace Exec, CrsMatrixLike Matrix>
int detect_block_size(Exec const& exec, Matrix const& A) {
  return detect_block_size(exec, as_csr(A));
}

}  // namespace einkorn
