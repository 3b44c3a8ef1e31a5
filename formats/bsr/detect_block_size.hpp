// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/bsr/bsr_tuning.hpp>
#include <einkorn/formats/bsr/detail/count_blocks_host.hpp>
#include <einkorn/formats/bsr/detail/sample_blocks.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/sort_rows.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace einkorn {

namespace detail {

/// detect_block_size() for sorted rows. The host counts the blocks of one block size after another; a GPU counts
/// all block sizes in one launch, to avoid the latency of 7 launches and read-backs.
template <class Exec, class Matrix>
int exact_block_size(Exec const& exec, Matrix const& A) {
  auto const rows = static_cast<std::int64_t>(A.num_rows);
  BlockCounts counts;
  if constexpr (is_gpu<Exec>) {
    auto const groups = ceil_div(rows, sampled_group_rows);
    counts = sample_blocks(exec, A, RowGroups{groups, groups});
  } else if (rows > 0) {
    auto const all_entries = static_cast<std::int64_t>(A.nnz());
    for (int b = min_detected_block_size; b <= max_detected_block_size; ++b)
      counts.blocks[b] = count_blocks_on_host("einkorn::detect_block_size", exec, A,
                                              SampledBlockRows(b, rows, rows), all_entries)
                             .blocks;
  }
  return block_size_of_min_bytes<Matrix>(counts);
}

/// Host: the entries per block size of the sample that selects the block size of a BSR, about; at least 64 block rows.
inline constexpr std::int64_t entries_of_block_sample = 32768;

/// Host: the block rows of that sample.
inline SampledBlockRows block_rows_of_sample(int b, std::int64_t rows, std::int64_t nnz) {
  return {b, rows, std::max<std::int64_t>(entries_of_block_sample / (b * (nnz / rows + 1)), 64)};
}

/// The block size with the fewest bytes in a sample of A, whose rows are sorted. 0 if A has few entries, or if the
/// sample has less than half of the expected number of entries, because a few rows have most of them.
template <class Exec, class Matrix>
int sampled_block_size(Exec const& exec, Matrix const& A) {
  if constexpr (is_gpu<Exec>) {
    return block_size_of_row_groups(exec, A);
  } else {
    auto const rows = static_cast<std::int64_t>(A.num_rows), nnz = static_cast<std::int64_t>(A.nnz());
    if (nnz <= 2 * entries_of_block_sample) return 0;
    BlockCounts counts;
    bool has_enough = true;
    for (int b = min_detected_block_size; b <= max_detected_block_size; ++b) {
      auto const sample = block_rows_of_sample(b, rows, nnz);
      auto const sampled = count_blocks_on_host("einkorn::detect_block_size", exec, A, sample, nnz);
      double const sampled_rows = static_cast<double>(b) * static_cast<double>(sample.num_sampled);
      double const expected =
          static_cast<double>(nnz) * std::min(1.0, sampled_rows / static_cast<double>(rows));
      has_enough = has_enough && static_cast<double>(sampled.entries) >= 0.5 * expected;
      counts.blocks[b] =
          static_cast<std::int64_t>(static_cast<double>(sampled.blocks) * static_cast<double>(nnz) /
                                    std::max(1.0, static_cast<double>(sampled.entries)));
    }
    return has_enough ? block_size_of_min_bytes<Matrix>(counts) : 0;
  }
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
  ScopedRegion const region("einkorn::detect_block_size");
  Csr<std::remove_const_t<Scalar> const, Ordinal, Offset, Device> sorted = A;
  if (!is_sorted_by_column(exec, A)) sorted = sort_rows(exec, A);
  return detail::exact_block_size(exec, sorted);
}

template <ExecutionSpace Exec, CrsMatrixLike Matrix>
int detect_block_size(Exec const& exec, Matrix const& A) {
  return detect_block_size(exec, as_csr(A));
}

}  // namespace einkorn
