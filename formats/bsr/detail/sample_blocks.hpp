// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/formats/bsr/bsr_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Rows that every block size from 2 to 8 divides.
inline constexpr int rows_per_group = 840;

/// Which groups of rows are looked at: `taken` of `all`, evenly spaced, each the rows_per_group rows from
/// first_row(i) on. A last group of fewer rows counts only where all are taken.
struct RowGroups {
  std::int64_t all, taken;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_row(std::int64_t i) const {
    return i * all / taken * rows_per_group;
  }
};

/// Blocks that groups of rows have, for each block size, and entries.
struct BlockCounts {
  std::int64_t blocks[largest_block + 1] = {};  // [block size]
  std::int64_t entries = 0;

  KOKKOS_FUNCTION void operator+=(BlockCounts const& other) {
    for (int b = smallest_block; b <= largest_block; ++b) blocks[b] += other.blocks[b];
    entries += other.entries;
  }
};

/// Counts the entries that are the first of their block, in the order of the rows, for all block sizes at once:
/// in its row no entry of the block comes before, and no row of the block row above has one (a binary search
/// in each, the nearest first). `threads` work items share a group, entry by entry, whatever the row lengths.
template <class Matrix>
struct SampleBlocks {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using value_type = BlockCounts;

  Matrix A;
  RowGroups groups;
  int threads;

  KOKKOS_FUNCTION void operator()(std::int64_t item, BlockCounts& counts) const {
    std::int64_t const first = groups.first_row(item / threads), rows = static_cast<std::int64_t>(A.num_rows);
    auto const first_row = static_cast<Ordinal>(first);
    auto const last_row = static_cast<Ordinal>(first + rows_per_group < rows ? first + rows_per_group : rows);
    Offset const end = A.row_begin(last_row);
    for (Offset k = A.row_begin(first_row) + static_cast<Offset>(item % threads); k < end;
         k += static_cast<Offset>(threads)) {
      Ordinal const row = row_of_entry(A.row_offsets, first_row, last_row, k);
      ++counts.entries;
      count<2>(row, k, counts);
      count<3>(row, k, counts);
      count<4>(row, k, counts);
      count<5>(row, k, counts);
      count<6>(row, k, counts);
      count<7>(row, k, counts);
      count<8>(row, k, counts);
    }
  }
  KOKKOS_FUNCTION void init(BlockCounts& counts) const { counts = BlockCounts(); }
  KOKKOS_FUNCTION void join(BlockCounts& counts, BlockCounts const& other) const { counts += other; }

 private:
  template <int b>
  KOKKOS_FORCEINLINE_FUNCTION void count(Ordinal row, Offset k, BlockCounts& counts) const {
    Ordinal const column = A.columns(k), first = column - column % b;
    if (k > A.row_begin(row) && A.columns(k - 1) >= first) return;
    for (Ordinal above = row - row % b; above < row; ++above)
      if (has_block(row - 1 - (above - (row - row % b)), first, b)) return;
    ++counts.blocks[b];
  }
  /// Whether the row has an entry in the columns first .. first + b - 1.
  KOKKOS_FORCEINLINE_FUNCTION bool has_block(Ordinal row, Ordinal first, Ordinal b) const {
    Offset low = A.row_begin(row), high = A.row_end(row);
    Offset const end = high;
    while (low < high) {
      Offset const middle = low + (high - low) / 2;
      if (A.columns(middle) < first)
        low = middle + 1;
      else
        high = middle;
    }
    return low < end && A.columns(low) - first < b;
  }
};

/// The counts of the groups that are taken. 1 launch; fences exec.
template <class Exec, class Matrix>
BlockCounts sample_blocks(Exec const& exec, Matrix const& A, RowGroups const& groups) {
  constexpr int threads = is_gpu<Exec> ? 4096 : 1;
  BlockCounts counts;
  if (groups.taken > 0)
    Kokkos::parallel_reduce(
        "einkorn::detect_block_size",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, groups.taken * threads),
        SampleBlocks<Matrix>{A, groups, threads}, counts);
  return counts;
}

/// The block size of the fewest bytes, the smallest of those that tie.
template <class Matrix>
int min_bytes(BlockCounts const& counts) {
  auto const bytes = [&](int b) {
    return static_cast<double>(counts.blocks[b]) *
           static_cast<double>(static_cast<std::size_t>(b * b) * sizeof(typename Matrix::scalar_type) +
                               sizeof(typename Matrix::ordinal_type));
  };
  int best = smallest_block;
  for (int b = smallest_block + 1; b <= largest_block; ++b)
    if (bytes(b) < bytes(best)) best = b;
  return best;
}

/// The block size of the fewest bytes in a sample of A, whose rows are sorted: 8 to 32 groups of rows, at most
/// one in 32. 0 where A is small (less than 2^20 entries or 256 groups), or the sample holds less than half of
/// the entries that are its share, as where a few rows hold most. The same on every run and every backend.
template <class Exec, class Matrix>
int sampled_block_size(Exec const& exec, Matrix const& A) {
  std::int64_t const all = static_cast<std::int64_t>(A.num_rows) / rows_per_group;
  auto const nnz = static_cast<double>(A.nnz());
  if (all < 256 || nnz < 1048576.0) return 0;
  RowGroups const groups{all, std::min<std::int64_t>(32, all / 32)};
  auto const counts = sample_blocks(exec, A, groups);
  double const share = nnz * static_cast<double>(groups.taken) / static_cast<double>(all);
  return static_cast<double>(counts.entries) < 0.5 * share ? 0 : min_bytes<Matrix>(counts);
}

}  // namespace einkorn::detail
