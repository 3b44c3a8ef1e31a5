// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/column_codes/column_codes.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace einkorn::detail {

template <class L, class T>
KOKKOS_FORCEINLINE_FUNCTION T min_over_lanes(T value) {
  for (int bits = L::size / 2; bits > 0; bits /= 2) {
    T const other = L::shuffle_xor(value, bits);
    value = other < value ? other : value;
  }
  return value;
}

/// Computes windows that contain the columns column_at(0 .. size - 1), where negative columns are padding.
///
/// The first window begins at the smallest column, each further one at the smallest column that the windows
/// before it do not contain. If four adjacent windows contain all columns, the windows are adjacent. Returns
/// false if four windows are not enough. Called by all lanes of a warp (on the host by one thread); up to four
/// passes over the columns.
template <class L, class Ordinal, class Offset, class ColumnAt>
KOKKOS_FUNCTION bool find_windows(int lane, Offset size, ColumnAt const& column_at,
                                  ColumnWindows<Ordinal>& windows) {
  using Windows = ColumnWindows<Ordinal>;
  constexpr Ordinal no_column = Kokkos::Experimental::finite_max_v<Ordinal>;  // not below num_cols
  Ordinal highest = -1;
  for (Ordinal& shift : windows.shift) shift = 0;
  Ordinal min_uncovered = 0;  // smaller columns have a window
  for (int w = 0; w < Windows::count; ++w) {
    Ordinal next = no_column;
    for (auto i = static_cast<Offset>(lane); i < size; i += L::size) {
      Ordinal const column = column_at(i);
      if (column >= min_uncovered && column < next) next = column;
      if (w == 0 && column > highest) highest = column;
    }
    next = min_over_lanes<L>(next);
    if (w == 0) highest = -min_over_lanes<L>(static_cast<Ordinal>(-highest));
    if (next == no_column) return true;  // only padding
    for (int v = w; v < Windows::count; ++v)
      windows.shift[v] = static_cast<Ordinal>(next - static_cast<Ordinal>(w) * Windows::width);
    Ordinal const window_columns = w + 1 < Windows::count ? Windows::width : Windows::width - 1;
    constexpr Ordinal span = Windows::count * Windows::width - 1;
    // w == 0: adjacent windows, which share one shift
    if (highest - next < (w == 0 ? span : window_columns)) return true;
    min_uncovered = next + window_columns;
  }
  return false;
}

/// First entry of each tile: of `begins`, or for nullptr of tiles of equal size. One type for all formats: they share the
/// kernels.
template <class Offset>
struct TileBounds {
  Offset const* begins;
  Offset size = 0;

  KOKKOS_FORCEINLINE_FUNCTION Offset operator()(Offset tile) const {
    return begins != nullptr ? begins[tile] : tile * size;
  }
};

/// Calls body(tile, lane) for every tile: one warp per tile on a GPU, one thread per tile on the host. Tile t
/// has entries bounds(t) .. bounds(t + 1) - 1 of the columns.
template <class Exec, class Body, class Offset>
struct ForEachTile {
  using L = Lanes<Exec>;
  static constexpr int team_size = 256, tiles_per_team = team_size / L::size;
  Body body;
  Offset num_tiles;

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Exec>::member_type const& team) const {
    Offset const tile = static_cast<Offset>(team.league_rank()) * static_cast<Offset>(tiles_per_team) +
                        static_cast<Offset>(team.team_rank() / L::size);
    if (tile < num_tiles) body(tile, team.team_rank() % L::size);  // uniform within a warp
  }
  void operator()(Offset tile) const { body(tile, 0); }
};

template <class Exec, class Offset, class Body>
void for_each_tile(Exec const& exec, char const* label, Offset num_tiles, Body const& body) {
  using Functor = ForEachTile<Exec, Body, Offset>;
  if constexpr (is_gpu<Exec>) {
    auto const teams = static_cast<int>(ceil_div(num_tiles, static_cast<Offset>(Functor::tiles_per_team)));
    Kokkos::parallel_for(label, light_weight(Kokkos::TeamPolicy<Exec>(exec, teams, Functor::team_size)),
                         Functor{body, num_tiles});
  } else {
    range_for<Offset>(label, exec, num_tiles, Functor{body, num_tiles});
  }
}

/// Computes windows(tile); sets begins(tile) to 0 if the tile can have codes, else to in_columns.
template <class L, class Offset, class Columns, class Codes>
struct FindWindows {
  TileBounds<Offset> bounds;
  Columns columns;
  Codes compressed;

  KOKKOS_FUNCTION void operator()(Offset tile, int lane) const {
    using Ordinal = typename Columns::non_const_value_type;
    Offset const first = bounds(tile);
    ColumnWindows<Ordinal> windows;
    bool const fits =
        find_windows<L>(lane, bounds(tile + 1) - first, [&](Offset i) { return columns(first + i); }, windows);
    if (lane != 0) return;
    compressed.windows(tile) = windows;
    compressed.begins(tile) = fits ? typename Codes::Begin(0) : Codes::in_columns;
  }
};

/// Writes the columns of a tile to codes or, uncompressed, to uncoded_columns.
template <class L, class Offset, class Columns, class Codes>
struct EncodeTiles {
  TileBounds<Offset> bounds;
  Columns columns, uncoded_columns;
  Codes compressed;

  KOKKOS_FUNCTION void operator()(Offset tile, int lane) const {
    using Ordinal = typename Columns::non_const_value_type;
    Offset const first = bounds(tile), size = bounds(tile + 1) - first;
    auto const to = compressed.locate(tile, first);
    ColumnWindows<Ordinal> const windows = compressed.windows(tile);
    for (auto i = static_cast<Offset>(lane); i < size; i += L::size) {
      Ordinal const column = columns(first + i);
      if (!to.is_coded)
        uncoded_columns(to.begin + i) = column;
      else
        compressed.codes(to.begin + i) = column < 0 ? ColumnWindows<Ordinal>::padding : windows.code(column);
    }
  }
};

template <class Offset>
struct CodedCounts {
  Offset tiles = 0, entries = 0;
};

template <class Offset, class Codes>
struct CountCodedTiles {
  TileBounds<Offset> bounds;
  Codes compressed;

  KOKKOS_FUNCTION void operator()(Offset tile, Offset& some_tiles, Offset& some_entries) const {
    if (compressed.begins(tile) != 0) return;
    ++some_tiles;
    some_entries += bounds(tile + 1) - bounds(tile);
  }
};

/// How many tiles can have codes, and their entries. Fences exec.
template <class Exec, class Offset, class Codes>
CodedCounts<Offset> count_coded(Exec const& exec, Offset num_tiles, TileBounds<Offset> const& bounds,
                                Codes const& compressed) {
  CodedCounts<Offset> counts;
  range_reduce<Offset>("einkorn::compress_columns[count]", exec, num_tiles,
                       CountCodedTiles<Offset, Codes>{bounds, compressed}, counts.tiles, counts.entries);
  return counts;
}

template <class Offset, class Codes>
struct SetTileBegins {
  using Begin = typename Codes::Begin;

  TileBounds<Offset> bounds;
  Codes compressed;

  KOKKOS_FUNCTION void operator()(Offset tile, Offset& coded_before, bool is_final) const {
    bool const is_coded = (compressed.begins(tile) & Codes::in_columns) == 0;
    Offset const first = bounds(tile), coded = coded_before;
    if (is_coded) coded_before += bounds(tile + 1) - first;
    if (is_final)
      compressed.begins(tile) = is_coded
                                    ? static_cast<Begin>(coded)
                                    : static_cast<Begin>(static_cast<Begin>(first - coded) | Codes::in_columns);
  }
};

/// Replaces the flags in `begins` by the first entry of each tile. Fences exec.
template <class Exec, class Offset, class Codes>
void set_tile_begins(Exec const& exec, Offset num_tiles, TileBounds<Offset> const& bounds,
                     Codes const& compressed) {
  Offset total = 0;
  range_scan<Offset>("einkorn::compress_columns[begins]", exec, num_tiles,
                     SetTileBegins<Offset, Codes>{bounds, compressed}, total);
}

/// Compresses the columns of tiles 0 .. num_tiles - 1 to 16-bit codes.
///
/// Tiles whose columns fit in four windows get codes; the columns of the other tiles are packed in order.
/// Entries from tail_begin = bounds(num_tiles) on are not compressed. `columns` and `result` are unchanged if
/// compression would not save memory.
/// @throws OutOfMemory, before anything has changed.
/// Cost: reads columns up to six times; needs the old and the new columns at once. Fences exec.
template <class Exec, class Offset, class Columns, class Codes>
void compress_columns(Exec const& exec, Offset num_tiles, TileBounds<Offset> const& bounds, Offset tail_begin,
                      Columns& columns, Codes& result) {
  using L = Lanes<Exec>;
  using Ordinal = typename Columns::non_const_value_type;
  if (num_tiles == 0) return;
  auto const tiles = static_cast<std::size_t>(num_tiles);
  Codes made;
  made.windows = allocate<decltype(made.windows)>(exec, "einkorn::ColumnCodes::windows", tiles);
  made.begins = allocate<decltype(made.begins)>(exec, "einkorn::ColumnCodes::begins", tiles);
  for_each_tile(exec, "einkorn::compress_columns[windows]", num_tiles,
                FindWindows<L, Offset, Columns, Codes>{bounds, columns, made});
  auto const counts = count_coded(exec, num_tiles, bounds, made);
  made.num_tiles = counts.tiles;
  if (counts.tiles == num_tiles)
    made.begins = {};
  else
    set_tile_begins(exec, num_tiles, bounds, made);
  auto const coded = static_cast<std::size_t>(counts.entries);
  if (coded * (sizeof(Ordinal) - sizeof(std::uint16_t)) <= made.bytes()) return;
  made.codes = allocate<decltype(made.codes)>(exec, "einkorn::ColumnCodes::codes", coded);
  auto const all = columns.extent(0), begin = static_cast<std::size_t>(tail_begin);
  auto const uncoded_columns = allocate<Columns>(exec, columns.label().c_str(), all - coded);
  for_each_tile(exec, "einkorn::compress_columns[codes]", num_tiles,
                EncodeTiles<L, Offset, Columns, Codes>{bounds, columns, uncoded_columns, made});
  if (begin < all)
    copy_vector(exec, Kokkos::subview(uncoded_columns, std::pair(begin - coded, all - coded)),
                Kokkos::subview(columns, std::pair(begin, all)));
  fence(exec, "einkorn::compress_columns: the uncompressed columns may be freed");
  columns = uncoded_columns;
  result = made;
}

}  // namespace einkorn::detail
