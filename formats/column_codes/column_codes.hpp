// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/indices.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace einkorn {

/// Up to four windows of 16384 columns that contain all columns of a tile.
///
///     code = w * 16384 + (column - start(w)),   column = shift[w] + code,   shift[w] = start(w) - w * 16384
///
/// Shifts are non-negative and non-decreasing. Codes of adjacent windows are consecutive. Any 65535 consecutive
/// columns have codes, and so have four distant planes of a stencil.
template <class Ordinal>
struct alignas(16) ColumnWindows {
  static constexpr int count = 4, width = 1 << 14;
  static constexpr std::uint16_t padding = 0xffff;  ///< no column has this code: the last window is one shorter
  Ordinal shift[count];

  /// Whether the windows are adjacent: column = shift[0] + code for all codes.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_span() const {
    return shift[0] == shift[1] && shift[0] == shift[2] && shift[0] == shift[3];
  }
  /// The column of a code that is not padding.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Ordinal column(std::uint16_t code) const {
    Ordinal const low = (code & 0x4000) != 0 ? shift[1] : shift[0];
    Ordinal const high = (code & 0x4000) != 0 ? shift[3] : shift[2];
    return static_cast<Ordinal>(((code & 0x8000) != 0 ? high : low) + static_cast<Ordinal>(code));
  }
  /// The code of a column.
  /// @pre The column lies in a window.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint16_t code(Ordinal column) const {
    int w = count - 1;
    while (w > 0 && column - shift[w] < static_cast<Ordinal>(w) * width) --w;
    return static_cast<std::uint16_t>(column - shift[w]);
  }
};

/// Columns of a format stored as 16-bit codes, per tile (SELL: per slice).
///
/// All columns of a tile are stored either in `codes` or in the format's `columns`. `columns` then contains
/// only the columns of tiles without codes (and, in CSR5, of the tail), in order. Empty if no tile has codes.
template <class Ordinal, class Offset, class Device>
struct ColumnCodes {
  using Begin = std::make_unsigned_t<Offset>;
  static constexpr Begin in_columns = Begin(1) << (8 * sizeof(Begin) - 1);

  Offset num_tiles = 0;  // tiles with codes
  Kokkos::View<std::uint16_t*, Device> codes;
  Kokkos::View<ColumnWindows<Ordinal>*, Device> windows;  // [all tiles]
  Kokkos::View<Begin*, Device> begins;                    // [all tiles]; [0] if every tile has codes

  /// The first entry of a tile: `begin` in `codes` if is_coded, else in `columns`.
  struct TileLocation {
    bool is_coded;
    Offset begin;
  };

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool any() const { return num_tiles > 0; }
  /// @param first  first entry of the tile in the format's values
  template <class Index>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION TileLocation locate(Index tile, Offset first) const {
    if (begins.extent(0) == 0) return {true, first};
    Begin const begin = begins(tile);
    return {(begin & in_columns) == 0, static_cast<Offset>(begin & static_cast<Begin>(~in_columns))};
  }
  /// The column of entry first + i of a tile, -1 for padding.
  template <class Columns, class Index>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Ordinal column(Columns const& columns, Index tile, Offset first,
                                                           Offset i) const {
    auto const location = locate(tile, first);
    if (!location.is_coded) return columns(location.begin + i);
    std::uint16_t const code = codes(location.begin + i);
    return code == ColumnWindows<Ordinal>::padding ? Ordinal(-1) : windows(tile).column(code);
  }
  [[nodiscard]] std::size_t bytes() const {
    return codes.extent(0) * sizeof(std::uint16_t) + windows.extent(0) * sizeof(ColumnWindows<Ordinal>) +
           begins.extent(0) * sizeof(Begin);
  }
  /// Calls visit(name, array) for each array.
  template <class Visit>
  void visit_arrays(Visit const& visit) const {
    visit("codes", codes);
    visit("windows", windows);
    visit("begins", begins);
  }
};

}  // namespace einkorn
