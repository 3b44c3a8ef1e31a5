// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <cstddef>
#include <limits>

namespace einkorn {

/// Kernels of Y <- alpha A X + beta Y for A in CSR.
enum class SpmmKernel {
  host_rows,       ///< host: parts of whole rows, all columns in one launch
  single_columns,  ///< one SpMV per column with the algorithm of the plan
  row_team,        ///< GPU, one column: a group of lanes per row
  row_tile,        ///< GPU, row-major X and Y: lanes over the columns of X
  column_tile,     ///< GPU, any strides: lanes over the rows of A
  pack_columns     ///< GPU: row_tile on row-major copies of some columns at a time
};

enum class SpmmLayout { row_major, strided };

/// What a plan knows of A. The defaults are those of a product without a plan.
struct SpmmStatistics {
  std::size_t longest = std::numeric_limits<std::size_t>::max();  ///< entries of the longest row
  std::size_t entries = 0;
  bool by_rows = true;             ///< the SpMV algorithm gives whole rows to threads
  bool is_automatic = false;       ///< the algorithm was chosen by the plan
  std::size_t buffer_columns = 0;  ///< columns of the PackBuffer, 0 without one
};

/// Whether no row has more than a hundredth of the entries, so that no single row determines the time.
constexpr bool has_no_dominant_row(std::size_t longest, std::size_t entries) {
  return longest <= entries / 100;
}

/// Fewest columns of row_tile.
inline constexpr std::size_t min_row_tile_columns = 4;
constexpr bool uses_row_tile(std::size_t columns, SpmmLayout layout) {
  return layout == SpmmLayout::row_major && columns >= min_row_tile_columns;
}

namespace detail {

/// Whether the multivector kernels are faster than one SpMV per column where the plan chose the algorithm:
/// row-major vectors take about 1 ns per entry of the longest row (H200, 2026-11: 0.8 to 1.5 on
/// gen:circuit:1000000), segmented_sum 12 bytes per entry and column at 4 TB/s: analytical. Other layouts:
/// unless one row dominates (8 and 32 columns together and one by one: 267 and 337, 927 and 1339 us on
/// gen:rmat:18, but 484 and 297, 869 and 1177 on gen:circuit:1000000).
constexpr bool suits_spmm(std::size_t columns, bool by_row_tile, SpmmStatistics const& A) {
  if (A.by_rows) return true;
  return A.is_automatic &&
         static_cast<double>(A.longest) <=
             3e-3 * static_cast<double>(A.entries) * static_cast<double>(columns) + 4096.0 &&
         (by_row_tile || has_no_dominant_row(A.longest, A.entries));
}

}  // namespace detail

/// Selects the kernel of a product with a multivector of `columns` > 0 columns.
///
/// pack_columns starts at 8 columns unless the algorithm is by rows: H200, 2026-11, 8 columns one by one and
/// row-major: 340 and 176 us on gen:rmat:18, 298 and 332 on gen:circuit:1000000, without 20 and 90 us of
/// copies.
constexpr SpmmKernel choose_spmm(std::size_t columns, SpmmLayout layout, Arch arch, SpmmStatistics const& A) {
  if (arch == Arch::host) return A.by_rows ? SpmmKernel::host_rows : SpmmKernel::single_columns;
  bool const by_row_tile = uses_row_tile(columns, layout);
  if (!by_row_tile && A.buffer_columns > 0 && columns >= (A.by_rows ? 1 : 2) * min_row_tile_columns &&
      detail::suits_spmm(columns, true, A))
    return SpmmKernel::pack_columns;
  if (!detail::suits_spmm(columns, by_row_tile, A)) return SpmmKernel::single_columns;
  if (by_row_tile) return SpmmKernel::row_tile;
  return columns == 1 ? SpmmKernel::row_team : SpmmKernel::column_tile;
}

/// Columns of a row tile: the widest of 4, 8, .. 128 that does not exceed `columns`, at least 4; at most 32
/// where rows of X and Y are not whole, aligned packs of 16 bytes.
constexpr int row_tile_columns(std::size_t columns, bool has_packs) {
  int width = 4;
  while (width < (has_packs ? 128 : 32) && static_cast<std::size_t>(2 * width) <= columns) width *= 2;
  return width;
}

/// Columns of a column tile.
constexpr int column_tile_columns(std::size_t columns) {
  return columns > 4 ? 8 : 4;
}

/// Whether column tiles of the same rows follow each other, so that A is read from the L2 cache after the
/// first; otherwise all rows are computed for one tile before the next, so that less of X is in use at a time.
/// H200 (50 MB), 32 columns of double: 432 us with the tiles together on gen:elasticity:40 (X of 49 MB), where
/// four products of 8 columns take 660; 10.3 ms on gen:longrows:1000000:1000000:16 (256 MB), where all rows
/// first takes 6.5.
constexpr bool keeps_tiles_together(std::size_t bytes_of_x) {
  return bytes_of_x <= std::size_t(50) << 20;
}

}  // namespace einkorn
