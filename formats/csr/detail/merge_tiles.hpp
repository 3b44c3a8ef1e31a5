// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/balance/carry.hpp>
#include <einkorn/core/balance/split.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// The merge path of a matrix's rows and entries, cut into tiles of `items` steps, with a place for the sum of
/// the row that goes on at the end of each tile. Tile t ends rows first_row(t) .. first_row(t + 1) - 1 and
/// holds entries first_entry(t) .. first_entry(t + 1) - 1.
template <class Ordinal, class Offset, class Device, class Sum>
struct MergeTiles {
  using offset_type = Offset;

  std::int64_t items = 0, num_steps = 0;  // num_steps: num_rows + nnz
  Offset num_tiles = 0;
  Ordinal num_rows = 0;
  bool has_long_runs = false;                       // of tiles that share a row (max_short_carry_run)
  Kokkos::View<Ordinal*, Device> first_rows;        // [num_tiles + 1]
  Kokkos::View<Sum*, Device> carry;                 // [num_tiles]
  Kokkos::View<Offset const*, Device> row_offsets;  // [num_rows + 1]

  KOKKOS_FORCEINLINE_FUNCTION Ordinal first_row(Offset tile) const { return first_rows(tile); }
  KOKKOS_FORCEINLINE_FUNCTION Offset first_entry(Offset tile) const {
    std::int64_t const step = tile < num_tiles ? static_cast<std::int64_t>(tile) * items : num_steps;
    return static_cast<Offset>(step - static_cast<std::int64_t>(first_rows(tile)));
  }

  /// The tiles after which one row goes on, if this tile is the first of them (a callable for add_carry).
  KOKKOS_FUNCTION CarryRun<Ordinal, Offset> operator()(Offset tile) const {
    Ordinal const row = first_row(tile + 1);
    if (row >= num_rows) return {};
    Offset const begin = row_offsets(row);
    if (begin >= first_entry(tile + 1) || begin < first_entry(tile)) return {};
    auto const ends_at = static_cast<std::int64_t>(row) + static_cast<std::int64_t>(row_offsets(row + 1));
    auto const ends_in = static_cast<Offset>(ends_at / items);
    return {row, tile, ends_in - tile};
  }
};

template <class Tiles, class Matrix>
struct FirstRowsOfTiles {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  decltype(Tiles::first_rows) first_rows;
  decltype(Matrix::row_offsets) offsets;
  Ordinal num_rows;
  std::int64_t items, num_entries, num_steps;

  KOKKOS_FUNCTION void operator()(Offset t) const {
    std::int64_t const step = static_cast<std::int64_t>(t) * items;
    first_rows(t) = rows_before_diagonal(offsets, num_rows, num_entries, step < num_steps ? step : num_steps);
  }
};

/// Cuts a matrix into tiles. 2 allocations, 1 launch; log2(num_rows) reads a tile.
template <class Tiles, class Exec, class Matrix>
Tiles make_merge_tiles(Exec const& exec, Matrix const& A, std::int64_t items,
                       typename Matrix::offset_type longest_row) {
  using Offset = typename Matrix::offset_type;
  Tiles tiles;
  auto const num_entries = static_cast<std::int64_t>(A.nnz());
  auto const num_steps = num_entries + static_cast<std::int64_t>(A.num_rows);
  tiles.items = items;
  tiles.num_rows = A.num_rows;
  tiles.num_steps = num_steps;
  tiles.num_tiles = static_cast<Offset>((num_steps + items - 1) / items);
  tiles.has_long_runs = static_cast<std::int64_t>(longest_row) / items + 2 > max_short_carry_run;
  tiles.row_offsets = A.row_offsets;
  auto const count = static_cast<std::size_t>(tiles.num_tiles);
  tiles.first_rows = allocate<decltype(tiles.first_rows)>(exec, "einkorn::MergeTiles::first_rows", count + 1);
  tiles.carry = allocate<decltype(tiles.carry)>(exec, "einkorn::MergeTiles::carry", count);
  auto const first_rows = tiles.first_rows;
  auto const offsets = A.row_offsets;
  auto const num_rows = A.num_rows;
  Kokkos::parallel_for(
      "einkorn::make_merge_tiles",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<Offset>>(exec, 0, tiles.num_tiles + 1),
      FirstRowsOfTiles<Tiles, Matrix>{first_rows, offsets, num_rows, items, num_entries, num_steps});
  return tiles;
}

}  // namespace einkorn::detail
