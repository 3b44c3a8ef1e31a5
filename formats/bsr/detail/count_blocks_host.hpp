// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/function_ref.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/bsr/bsr_tuning.hpp>
#include <einkorn/formats/bsr/detail/block_column_of.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace einkorn::detail {

/// The distinct block columns of one block row (host): a hash table with linear probing, on the stack.
template <class Ordinal>
class BlockColumnSet {
 public:
  static constexpr std::size_t capacity = 4096;  ///< block columns

  /// Empties the set. @pre it will have at most max_size block columns, max_size <= capacity
  void clear(std::size_t max_size) {
    auto const size = std::bit_ceil(2 * max_size + 2);
    for (std::size_t i = 0; i < size; ++i) table_[i] = empty;
    shift_ = 64 - std::countr_zero(size);
    mask_ = size - 1;
  }
  /// Whether block was not in the set.
  bool insert(Ordinal block) {
    for (auto at = hash(block);; at = (at + 1) & mask_) {
      if (table_[at] == block) return false;
      if (table_[at] != empty) continue;
      table_[at] = block;
      return true;
    }
  }

 private:
  static constexpr Ordinal empty = -1;

  [[nodiscard]] std::size_t hash(Ordinal block) const {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(block) * 0x9e3779b97f4a7c15u >> shift_);
  }

  Ordinal table_[4 * capacity];  // bit_ceil(2 max_size + 2) <= 4 capacity
  int shift_ = 0;
  std::size_t mask_ = 0;
};

/// Calls visit(block column) once for each block of a block row of A, whose rows are sorted, in increasing order (host).
template <class Matrix>
void merge_rows_of_block(Matrix const& A, int block_size,
                         BlockColumnOf<typename Matrix::ordinal_type> const& block_of,
                         typename Matrix::ordinal_type block_row,
                         FunctionRef<void(typename Matrix::ordinal_type)> visit) {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  constexpr Ordinal none = std::numeric_limits<Ordinal>::max();
  Ordinal const first_row = block_row * static_cast<Ordinal>(block_size);
  int const rows = A.num_rows - first_row < block_size ? static_cast<int>(A.num_rows - first_row) : block_size;
  Offset at[max_block_size], end[max_block_size];
  Ordinal current[max_block_size];  // block column of entry at[j], or none
  for (int j = 0; j < rows; ++j) {
    at[j] = A.row_begin(first_row + static_cast<Ordinal>(j));
    end[j] = A.row_end(first_row + static_cast<Ordinal>(j));
    current[j] = at[j] < end[j] ? block_of(A.columns(at[j])) : none;
  }
  for (;;) {
    Ordinal lowest = none;
    for (int j = 0; j < rows; ++j) lowest = current[j] < lowest ? current[j] : lowest;
    if (lowest == none) return;
    visit(lowest);
    for (int j = 0; j < rows; ++j)
      while (current[j] == lowest) {
        ++at[j];
        current[j] = at[j] < end[j] ? block_of(A.columns(at[j])) : none;
      }
  }
}

/// Calls visit(block column) once for each block of a block row of A (host); in any order. Block rows with more than
/// set.capacity entries must have sorted rows, otherwise a block may be visited more than once.
template <class Matrix, class Visit>
void visit_blocks_of_row(Matrix const& A, int block_size,
                         BlockColumnOf<typename Matrix::ordinal_type> const& block_of,
                         typename Matrix::ordinal_type block_row,
                         BlockColumnSet<typename Matrix::ordinal_type>& set, Visit const& visit) {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  auto const size = static_cast<Ordinal>(block_size);
  Ordinal const first = block_row * size, rows = A.num_rows - first < size ? A.num_rows - first : size;
  auto const entries = static_cast<std::size_t>(A.row_begin(first + rows) - A.row_begin(first));
  if (entries > set.capacity) return merge_rows_of_block(A, block_size, block_of, block_row, visit);
  set.clear(entries);
  for (Ordinal row = first; row < first + rows; ++row) {
    Ordinal last = -1;
    for (Offset k = A.row_begin(row); k < A.row_end(row); ++k) {
      Ordinal const block = block_of(A.columns(k));
      if (block != last && set.insert(block)) visit(block);
      last = block;
    }
  }
}

/// The sampled block rows of one block size: one of every `stride`, at a varying position, because the rows of many
/// matrices repeat with a period that may divide the stride.
struct SampledBlockRows {
  int block_size;
  std::int64_t num_sampled, stride;

  /// @pre rows > 0, max_block_rows > 0
  KOKKOS_FUNCTION SampledBlockRows(int b, std::int64_t rows, std::int64_t max_block_rows) : block_size(b) {
    auto const block_rows = ceil_div(rows, std::int64_t(b));
    num_sampled = Kokkos::min(block_rows, max_block_rows);
    stride = block_rows / num_sampled;
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t block_row(std::int64_t i) const { return i * stride + i % stride; }
};

/// The blocks and the entries of sampled block rows.
struct SampledBlocks {
  std::int64_t blocks = 0, entries = 0;
};

/// Counts the blocks of sampled block rows of A, whose rows are sorted, without those of more than max_entries entries
/// (host). 1 launch; synchronous.
template <class Exec, class Matrix>
SampledBlocks count_blocks_on_host(char const* label, Exec const& exec, Matrix const& A,
                                   SampledBlockRows const& sample, std::int64_t max_entries) {
  using Ordinal = typename Matrix::ordinal_type;
  int const b = sample.block_size;
  BlockColumnOf<Ordinal> const block_of(b);
  auto const rows = static_cast<std::int64_t>(A.num_rows);
  SampledBlocks total;
  for_each_chunk(label, exec, sample.num_sampled, [&](std::size_t, std::int64_t begin, std::int64_t end) {
    BlockColumnSet<Ordinal> set;
    SampledBlocks counts;
    for (auto i = begin; i < end; ++i) {
      auto const block_row = sample.block_row(i), after = std::min(rows, (block_row + 1) * b);
      auto const entries = static_cast<std::int64_t>(A.row_begin(static_cast<Ordinal>(after)) -
                                                     A.row_begin(static_cast<Ordinal>(block_row * b)));
      if (entries > max_entries) continue;
      visit_blocks_of_row(A, b, block_of, static_cast<Ordinal>(block_row), set,
                          [&](Ordinal) { ++counts.blocks; });
      counts.entries += entries;
    }
    Kokkos::atomic_add(&total.blocks, counts.blocks);
    Kokkos::atomic_add(&total.entries, counts.entries);
  });
  return total;
}

}  // namespace einkorn::detail
