// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/formats/column_codes/column_codes.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn::detail {

/// Decoded columns of entries begin .. end - 1 of one tile (host).
template <class Ordinal, class Offset>
struct DecodedColumns {
  static constexpr int capacity = 64;  ///< a fixed trip count that compilers vectorize
  Offset begin = 0, end = 0;
  Ordinal columns[capacity];
};

/// Reads the columns of a tile without codes.
///
/// raw<L>(at, hint) loads the stored index of entry `at` of the format's values; column(raw) converts it to a column.
/// The two steps are separate so that a thread can have several loads in flight. `shift` is the distance from
/// an entry's position in values to its position in the index array.
template <class Ordinal, class Offset>
struct FullColumns {
  using Raw = Ordinal;
  static constexpr Raw padding = -1;
  Ordinal const* columns;
  Offset shift;

  template <class L>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Raw raw(Offset at, typename L::CacheHint hint) const {
    return L::load_streaming(columns + (at + shift), hint);
  }
  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION bool is_padding(Raw raw) { return raw < 0; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Ordinal column(Raw raw) const { return raw; }
  /// The columns of W consecutive entries, -1 for padding (host).
  template <int W>
  [[nodiscard]] Ordinal const* columns_of(Offset at, DecodedColumns<Ordinal, Offset>&) const {
    return columns + (at + shift);
  }
};

/// Reads the columns of a tile with codes: entries first .. end - 1 of the format's values.
template <class Ordinal, class Offset>
struct CodedColumns {
  using Raw = std::uint16_t;
  static constexpr Raw padding = ColumnWindows<Ordinal>::padding;
  std::uint16_t const* codes;
  Offset shift, first, end;
  ColumnWindows<Ordinal> windows;

  template <class L>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Raw raw(Offset at, typename L::CacheHint hint) const {
    return L::load_streaming(codes + (at + shift), hint);
  }
  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION bool is_padding(Raw raw) { return raw == padding; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Ordinal column(Raw raw) const { return windows.column(raw); }
  template <int W>
  [[nodiscard]] Ordinal const* columns_of(Offset at, DecodedColumns<Ordinal, Offset>& decoded) const {
    static_assert(W <= DecodedColumns<Ordinal, Offset>::capacity);
    if (at < decoded.begin || at + W > decoded.end) decode(at, decoded);
    return decoded.columns + (at - decoded.begin);
  }

 private:
  [[nodiscard]] Ordinal column_or_padding(Raw raw) const {
    Ordinal const column = windows.column(raw);
    return is_padding(raw) ? Ordinal(-1) : column;
  }
  /// Decodes `capacity` entries that include `at`, starting at `at` unless the tile ends earlier, so that the
  /// loop has a constant trip count. A tile shorter than `capacity` is decoded entirely.
  void decode(Offset at, DecodedColumns<Ordinal, Offset>& decoded) const {
    constexpr auto capacity = DecodedColumns<Ordinal, Offset>::capacity;
    if (end - first < static_cast<Offset>(capacity)) {
      decoded.begin = first;
      decoded.end = end;
      for (Offset k = first; k < end; ++k) decoded.columns[k - first] = column_or_padding(codes[k + shift]);
      return;
    }
    decoded.begin = end - at < static_cast<Offset>(capacity) ? end - capacity : at;
    decoded.end = decoded.begin + capacity;
    std::uint16_t const* const from = codes + (decoded.begin + shift);
    for (int i = 0; i < capacity; ++i) decoded.columns[i] = column_or_padding(from[i]);
  }
};

/// CodedColumns for a tile whose windows are adjacent.
template <class Ordinal, class Offset>
struct SpanColumns : CodedColumns<Ordinal, Offset> {
  using typename CodedColumns<Ordinal, Offset>::Raw;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Ordinal column(Raw raw) const {
    return this->windows.shift[0] + static_cast<Ordinal>(raw);
  }
};

/// Calls body(reader) with the column reader of a tile with entries first .. end - 1 of F's values. body may be
/// host-only where the call is.
EINKORN_NO_EXECUTION_SPACE_CHECK
template <class Format, class Index, class Offset, class Body>
KOKKOS_FORCEINLINE_FUNCTION void with_columns_of_tile(Format const& F, Index tile, Offset first, Offset end,
                                                      Body const& body) {
  using Ordinal = typename Format::ordinal_type;
  auto const location = F.compressed.locate(tile, first);
  auto const shift = static_cast<Offset>(location.begin - first);
  if (!location.is_coded) return body(FullColumns<Ordinal, Offset>{F.columns.data(), shift});
  CodedColumns<Ordinal, Offset> const coded{F.compressed.codes.data(), shift, first, end,
                                            F.compressed.windows(tile)};
  if (coded.windows.is_span())
    body(SpanColumns<Ordinal, Offset>{coded});
  else
    body(coded);
}

}  // namespace einkorn::detail
