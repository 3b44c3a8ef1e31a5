// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/column_codes.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn::detail {

/// How a kernel reads the columns of one tile. raw<L>(at) is the load for the entry at `at` of the format's
/// values, column(raw) what it says; two steps, so that a thread may have several loads in flight. shift: from
/// the entry's place in values to that in the array behind it.
template <class Ordinal, class Offset>
struct FullColumns {
  using Raw = Ordinal;
  static constexpr Raw padding = -1;
  Ordinal const* columns;
  Offset shift;

  template <class L>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Raw raw(Offset at) const {
    return L::load_once(columns + (at + shift));
  }
  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION bool is_padding(Raw raw) { return raw < 0; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Ordinal column(Raw raw) const { return raw; }
  /// The columns of W entries side by side, -1 for padding (host).
  template <int W>
  [[nodiscard]] Ordinal const* columns_of(Offset at, Ordinal (&)[W]) const {
    return columns + (at + shift);
  }
};

/// The same for a tile with codes.
template <class Ordinal, class Offset>
struct CodedColumns {
  using Raw = std::uint16_t;
  static constexpr Raw padding = ColumnWindows<Ordinal>::padding;
  std::uint16_t const* codes;
  Offset shift;
  ColumnWindows<Ordinal> windows;

  template <class L>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Raw raw(Offset at) const {
    return L::load_once(codes + (at + shift));
  }
  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION bool is_padding(Raw raw) { return raw == padding; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Ordinal column(Raw raw) const { return windows.column(raw); }
  template <int W>
  [[nodiscard]] Ordinal const* columns_of(Offset at, Ordinal (&decoded)[W]) const {
    std::uint16_t const* const from = codes + (at + shift);
    for (int i = 0; i < W; ++i) decoded[i] = is_padding(from[i]) ? Ordinal(-1) : windows.column(from[i]);
    return decoded;
  }
};

/// Calls body(reader) with the reader of a tile that begins at `first` of F's values.
template <class Format, class Index, class Offset, class Body>
KOKKOS_FORCEINLINE_FUNCTION void with_columns_of_tile(Format const& F, Index tile, Offset first,
                                                      Body const& body) {
  using Ordinal = typename Format::ordinal_type;
  auto const place = F.compressed.place(tile, first);
  auto const shift = static_cast<Offset>(place.begin - first);
  if (place.is_coded)
    body(CodedColumns<Ordinal, Offset>{F.compressed.codes.data(), shift, F.compressed.windows(tile)});
  else
    body(FullColumns<Ordinal, Offset>{F.columns.data(), shift});
}

}  // namespace einkorn::detail
