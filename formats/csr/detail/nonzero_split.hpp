// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/csr/spmv_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Consecutive entries for one team. A row with no entries in other blocks is computed by its block alone. A
/// row that is cut has its parts in the blocks run_begin, run_begin + 1, .. up to the one in which it ends.
template <class Ordinal, class Offset>
struct alignas(16) EntryBlock {
  Offset begin;       // first entry
  Ordinal first_row;  // position, among the rows with entries, of the first one that ends in or after the block
  int run_begin;      // if the first entry continues a row of the block before: where that row begins
  int packed;         // 4 count + 2 is_cut_at_end + is_cut_at_begin

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int count() const { return packed >> 2; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_cut_at_begin() const { return (packed & 1) != 0; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_cut_at_end() const { return (packed & 2) != 0; }
};

/// The 64-bit words in which a block stores its part of a cut row, and their content while there is no part.
template <class Sum>
inline constexpr int words_per_part = static_cast<int>((sizeof(Sum) + 7) / 8);
inline constexpr std::uint64_t no_part = ~std::uint64_t(0);

/// The entries of a matrix in blocks of about shape.capacity() - shift entries for nonzero_split. Thread t of a
/// block sums its entries shape.entries t .. shape.entries (t + 1) - 1. Bit j of its descriptor (j < 16) is set
/// if its entry j is the last one of a row; the upper 16 bits count the rows that end in the block before them.
template <class Ordinal, class Offset, class Device, class Sum>
struct NonzeroSplit {
  using Block = EntryBlock<Ordinal, Offset>;
  using sum_type = Sum;

  NonzeroSplitShape shape;
  int num_blocks = 0;
  Kokkos::View<Block*, Device> blocks;           // [num_blocks]
  Kokkos::View<std::uint32_t*, Device> threads;  // [num_blocks * shape.team_size]
  Kokkos::View<Ordinal*, Device> rows;           // rows with entries; not allocated if no row is empty
  Kokkos::View<Ordinal*, Device> empty_rows;     // the other rows
  Kokkos::View<std::uint64_t*, Device> parts;    // [num_blocks * words_per_part], no_part between products;
                                                 // not allocated if no row is cut

  [[nodiscard]] std::size_t bytes() const {
    return blocks.extent(0) * sizeof(Block) + threads.extent(0) * sizeof(std::uint32_t) +
           (rows.extent(0) + empty_rows.extent(0)) * sizeof(Ordinal) + parts.extent(0) * sizeof(std::uint64_t);
  }
};

/// Lists the rows with entries and the empty ones.
template <class Matrix, class List>
struct ListRowsWithEntries {
  using Ordinal = typename Matrix::ordinal_type;

  decltype(Matrix::row_offsets) offsets;
  List rows, empty_rows;

  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal& before, bool is_final) const {
    bool const has_entries = offsets(row) < offsets(row + 1);
    if (is_final) {
      if (has_entries)
        rows(before) = row;
      else
        empty_rows(row - before) = row;
    }
    if (has_entries) ++before;
  }
};

/// Where blocks begin: block b at entry b * spacing, or at the beginning of the row that holds this entry if
/// that is at most `shift` entries before.
template <class Matrix, class List>
struct BlockBorders {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  struct Border {
    Offset begin, row_begin;
    Ordinal row;  // position among the rows with entries
    bool is_cut;
  };

  decltype(Matrix::row_offsets) offsets;
  List rows;  // not allocated if no row is empty
  Ordinal num_rows;
  Offset nnz, spacing, shift;

  /// The end of a row, given by its position among the rows with entries.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset end(Ordinal position) const {
    return offsets((rows.extent(0) > 0 ? rows(position) : position) + 1);
  }
  /// The first position in [low, high) of a row that ends behind `entry`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Ordinal row_behind(Offset entry, Ordinal low, Ordinal high) const {
    return partition_point_index(low, high, [&](Ordinal position) { return end(position) <= entry; });
  }
  [[nodiscard]] KOKKOS_FUNCTION Border operator()(Offset block) const {
    if (block > (nnz - 1) / spacing) return {nnz, nnz, num_rows, false};
    Offset const entry = block * spacing;
    Ordinal const row = row_behind(entry, 0, num_rows);
    Offset const row_begin = row > 0 ? end(row - 1) : Offset(0);
    bool const is_cut = entry - row_begin > shift;
    return {is_cut ? entry : row_begin, row_begin, row, is_cut};
  }
};

/// Fills block b and counts the cut ones.
template <class Borders, class Blocks>
struct FillEntryBlocks {
  using Offset = typename Borders::Offset;

  Borders borders;
  Blocks blocks;

  KOKKOS_FUNCTION void operator()(int b, int& num_cut) const {
    auto const block = static_cast<Offset>(b);
    auto const border = borders(block), next = borders(block + 1);
    auto run_begin = block;
    if (border.is_cut) {
      run_begin = border.row_begin / borders.spacing;
      if (borders(run_begin + 1).begin <= border.row_begin) ++run_begin;
      ++num_cut;
    }
    blocks(b) = {
        border.begin, border.row, static_cast<int>(run_begin),
        4 * static_cast<int>(next.begin - border.begin) + (next.is_cut ? 2 : 0) + (border.is_cut ? 1 : 0)};
  }
};

/// Fills the descriptors of the threads.
template <class Borders, class Blocks, class Threads>
struct FillEntryThreads {
  using Ordinal = typename Borders::Ordinal;
  using Offset = typename Borders::Offset;

  Borders borders;
  Blocks blocks;
  Threads threads;
  NonzeroSplitShape shape;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto const team_size = static_cast<std::size_t>(shape.team_size);
    auto const block = blocks(i / team_size);
    int const first = static_cast<int>(i % team_size) * shape.entries;
    std::uint32_t descriptor = 0;
    if (first < block.count()) {
      Offset const begin = block.begin + static_cast<Offset>(first);
      Offset const left = static_cast<Offset>(block.count() - first);
      Offset const end = begin + (left < static_cast<Offset>(shape.entries) ? left : Offset(shape.entries));
      Ordinal row = borders.row_behind(begin, block.first_row, borders.num_rows);
      descriptor = static_cast<std::uint32_t>(row - block.first_row) << 16;
      for (; row < borders.num_rows && borders.end(row) <= end; ++row)
        descriptor |= std::uint32_t(1) << static_cast<int>(borders.end(row) - begin - 1);
    }
    threads(i) = descriptor;
  }
};

/// Marks all parts as absent.
template <class Parts>
struct ClearParts {
  Parts parts;

  KOKKOS_FUNCTION void operator()(std::size_t i) const { parts(i) = no_part; }
};

/// Cuts a matrix into blocks. @pre nnz > 0. Up to 6 allocations and 4 launches; fences exec. Reads row_offsets
/// once if rows are empty, and about 3 log2(num_rows) row offsets per block and log2(num_rows) per thread.
template <class Split, class Exec, class Matrix, class Lengths>
Split make_nonzero_split(Exec const& exec, Matrix const& A, Lengths const& lengths) {
  using Sum = typename Split::sum_type;
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Borders = BlockBorders<Matrix, decltype(Split::rows)>;
  auto const nnz = static_cast<std::size_t>(A.nnz());
  auto const num_rows = static_cast<Ordinal>(A.num_rows - lengths.empty_rows);
  Split split;
  split.shape =
      nonzero_split_shape(nnz, static_cast<std::size_t>(lengths.longest), lengths.mean(), sizeof(Sum));
  if (lengths.empty_rows > 0) {
    split.rows = allocate<decltype(split.rows)>(exec, "einkorn::NonzeroSplit::rows", num_rows);
    split.empty_rows =
        allocate<decltype(split.rows)>(exec, "einkorn::NonzeroSplit::empty_rows", lengths.empty_rows);
    range_scan<Ordinal>(
        "einkorn::make_spmv_plan[csr,list_rows]", exec, A.num_rows,
        ListRowsWithEntries<Matrix, decltype(split.rows)>{A.row_offsets, split.rows, split.empty_rows});
  }
  int const spacing = split.shape.capacity() - split.shape.shift;
  split.num_blocks = static_cast<int>(ceil_div(nnz, static_cast<std::size_t>(spacing)));
  auto const blocks = static_cast<std::size_t>(split.num_blocks);
  auto const threads = blocks * static_cast<std::size_t>(split.shape.team_size);
  split.blocks = allocate<decltype(split.blocks)>(exec, "einkorn::NonzeroSplit::blocks", blocks);
  split.threads = allocate<decltype(split.threads)>(exec, "einkorn::NonzeroSplit::threads", threads);
  Borders const borders{A.row_offsets,
                        split.rows,
                        num_rows,
                        A.nnz(),
                        static_cast<Offset>(spacing),
                        static_cast<Offset>(split.shape.shift)};
  int num_cut = 0;
  range_reduce<int>("einkorn::make_spmv_plan[csr,entry_blocks]", exec, split.num_blocks,
                    FillEntryBlocks<Borders, decltype(split.blocks)>{borders, split.blocks}, num_cut);
  range_for<std::size_t>("einkorn::make_spmv_plan[csr,entry_threads]", exec, threads,
                         FillEntryThreads<Borders, decltype(split.blocks), decltype(split.threads)>{
                             borders, split.blocks, split.threads, split.shape});
  if (num_cut > 0) {
    auto const words = blocks * static_cast<std::size_t>(words_per_part<Sum>);
    split.parts = allocate<decltype(split.parts)>(exec, "einkorn::NonzeroSplit::parts", words);
    range_for<std::size_t>("einkorn::make_spmv_plan[csr,parts]", exec, words,
                           ClearParts<decltype(split.parts)>{split.parts});
  }
  fence(exec, "einkorn::make_spmv_plan[csr]: the blocks are filled");
  return split;
}

}  // namespace einkorn::detail
