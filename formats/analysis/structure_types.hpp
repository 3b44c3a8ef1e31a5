// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace einkorn {

/// One diagonal of a matrix: the entries (i, i + offset), and the number of them that are stored.
struct Diagonal {
  std::int64_t offset = 0, entries = 0;
};

/// The structure of a matrix, as structure() computes it and select() reads it.
struct Structure {
  std::int64_t num_rows = 0, num_cols = 0, nnz = 0;

  std::int64_t longest_row = 0;     ///< entries
  std::int64_t empty_rows = 0;      ///< number of rows without entries
  double mean_row_length = 0;       ///< nnz / num_rows
  double row_length_deviation = 0;  ///< standard deviation of the row lengths, empty rows included
  std::array<std::int64_t, 64>
      row_length_histogram{};  ///< [0]: empty rows; [i]: rows of 2^(i-1) .. 2^i - 1 entries
  bool sorted = true;          ///< in every row the columns strictly increase

  std::int64_t lower_bandwidth = 0;  ///< largest i - j of an entry (i, j)
  std::int64_t upper_bandwidth = 0;  ///< largest j - i of an entry (i, j)
  std::int64_t num_diagonals = 0;    ///< diagonals with at least one entry
  std::int64_t num_bands = 0;        ///< maximal runs of adjacent diagonals with entries
  std::vector<Diagonal> diagonals;   ///< ascending offsets; empty if there are more than 512

  std::int64_t num_stripes = 0;     ///< runs of consecutive rows with identical column lists
  std::int64_t stripe_columns = 0;  ///< sum over the stripes of the length of the column list
  std::int64_t slice_rows = 0;      ///< rows per slice of SELL on this execution space
  double slice_fill = 1;            ///< stored entries of SELL per entry, without sorting
  double sorted_slice_fill = 1;     ///< the same with rows sorted within windows of sell_window() rows; sampled
  std::array<double, 9> block_fill{};  ///< [b], b = 2 .. 8: stored entries of b x b blocks per entry; sampled
  /// GPU and at least 2^20 entries: sectors of 32 bytes of x, counted once per window of 2048 consecutive entries, per
  /// entry; sampled. Otherwise 0.
  double gathered_sectors = 0;
  double column_block_changes =
      0;                          ///< likewise: entries in another block of ColumnBlocks than the entry before
  std::optional<bool> symmetric;  ///< symmetry of the pattern; empty unless StructureOptions::symmetry
};

struct StructureOptions {
  bool exact =
      false;  ///< GPU: compute from all rows what structure() estimates from a sample of the rows of large matrices
  bool symmetry = false;  ///< also determine whether the pattern is symmetric, at the cost of two transposes
};

}  // namespace einkorn
