// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/range_launch.hpp>
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

/// detect_block_size() for sorted rows. The host merges the rows for one block size after another; a GPU counts
/// all block sizes in one launch, to avoid the latency of 7 launches and read-backs.
template <class Exec, class Matrix>
int exact_block_size(Exec const& exec, Matrix const& A) {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  BlockCounts counts;
  if constexpr (is_gpu<Exec>) {
    auto const groups = ceil_div(static_cast<std::int64_t>(A.num_rows), sampled_group_rows);
    counts = sample_blocks(exec, A, RowGroups{groups, groups});
  } else {
    auto const max_rows = static_cast<std::size_t>(A.num_rows) / min_detected_block_size + 1;
    auto const blocks = allocate<Kokkos::View<Offset*, typename Matrix::device_type>>(
        exec, "einkorn::detect_block_size::counts", max_rows);
    for (int b = min_detected_block_size; b <= max_detected_block_size; ++b) {
      auto const block_rows = static_cast<Ordinal>(A.num_rows / b + (A.num_rows % b != 0));
      count_blocks(exec, A, b, block_rows, blocks);
      range_reduce<Ordinal>(
          "einkorn::detect_block_size", exec, block_rows,
          [blocks](Ordinal block_row, std::int64_t& sum) {
            sum += static_cast<std::int64_t>(blocks(block_row));
          },
          counts.blocks[b]);
    }
  }
  return block_size_of_min_bytes<Matrix>(counts);
}

}  // namespace detail

/// The block size b from 2 to 8 for which the BSR of A has the fewest bytes of blocks and block columns, blocks
/// (b^2 scalar + ordinal); the smallest in case of ties. The count of blocks is exact. BSR with this b may be
/// larger than CSR: compare bytes().
/// @pre A is valid (validate()).
/// @throws OutOfMemory, OverflowError (sort_rows)
/// Cost: reads the columns of A seven times, once per b (on a GPU once, with binary searches in the rows of a
/// block row); unsorted rows are sorted first (sort_rows). On the device; fences exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
int detect_block_size(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A) {
  require_kokkos("detect_block_size");
  Kokkos::Profiling::ScopedRegion region("einkorn::detect_block_size");
  Csr<std::remove_const_t<Scalar> const, Ordinal, Offset, Device> sorted = A;
  if (!is_sorted_by_column(exec, A)) sorted = sort_rows(exec, A);
  return detail::exact_block_size(exec, sorted);
}

template <ExecutionSpace Exec, CrsMatrixLike Matrix>
int detect_block_size(Exec const& exec, Matrix const& A) {
  return detect_block_size(exec, as_csr(A));
}

}  // namespace einkorn
