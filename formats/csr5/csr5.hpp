// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/column_codes/column_codes.hpp>
#include <einkorn/formats/csr5/descriptor.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace einkorn {

/// CSR5: the entries of a CSR in tiles of lanes * sigma, each stored transposed, with one descriptor per lane
/// that says where rows start. The lanes sum their parts of many rows in lockstep, and every tile takes the
/// same time for any row lengths. Source: Liu and Vinter, ICS 2015.
///
/// Entry j of lane i of tile t is CSR entry t lanes sigma + i sigma + j; its position in `values` and `columns`
/// is t lanes sigma + j lanes + i. The entries from num_tiles * lanes * sigma on (the tail) are stored as in
/// CSR. tile_rows(t) is the row of the first entry of the tile; its top bit flags a tile that spans an empty
/// row. tile_rows(num_tiles) == tail_row is the row of the first entry of the tail, num_rows if there is no
/// tail. tile_descriptors: see descriptor.hpp. For flagged tiles only, empty_offsets(empty_begin(t) + k) is the
/// distance in rows from tile_rows(t) to the k-th start of the tile (k in other tiles).
///
/// With Csr5Options::indices compressed, tiles whose columns allow it have 16-bit codes (`compressed`, see
/// column_codes.hpp) in the order of values; columns has the other tiles and the tail.
///
/// Not in the paper: tail_row, longest_row, and `empty_rows`, the empty rows before the tail, whose y no tile
/// writes (the paper leaves them to the caller).
///
/// from_csr() (from_csr.hpp) creates a Csr5, to_csr() converts it back. row_offsets is shared with the CSR.
template <class Scalar, class Ordinal, class Offset, class Device>
struct Csr5 {
  static_assert(!std::is_const_v<Scalar>, "einkorn::Csr5: Scalar must not be const");

  using scalar_type = Scalar;
  using ordinal_type = Ordinal;
  using offset_type = Offset;
  using device_type = Device;
  using memory_space = typename Device::memory_space;
  using tile_row_type = std::make_unsigned_t<Ordinal>;
  static constexpr tile_row_type empty_flag = tile_row_type(1) << (8 * sizeof(Ordinal) - 1);

  Ordinal num_rows = 0, num_cols = 0;
  Csr5Shape shape;
  Ordinal tail_row = 0;
  Offset num_tiles = 0, longest_row = 0;
  Kokkos::View<Offset const*, Device> row_offsets;        // [num_rows + 1]
  Kokkos::View<tile_row_type*, Device> tile_rows;         // [num_tiles + 1]
  Kokkos::View<Ordinal*, Device> columns;                 // [nnz - coded_entries()]
  Kokkos::View<Scalar*, Device> values;                   // [nnz]
  Kokkos::View<std::uint32_t*, Device> tile_descriptors;  // [num_tiles * shape.words() * lanes]
  Kokkos::View<Offset*, Device> empty_begin;              // [num_tiles + 1], [0] without flagged tiles
  Kokkos::View<Ordinal*, Device> empty_offsets;           // [starts in flagged tiles]
  Kokkos::View<Ordinal*, Device> empty_rows;              // [empty rows before the tail]
  ColumnCodes<Ordinal, Offset, Device> compressed;        // of columns; empty unless asked for

  [[nodiscard]] KOKKOS_FUNCTION Offset nnz() const { return static_cast<Offset>(values.extent(0)); }
  /// Entries per tile.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset tile_size() const {
    return static_cast<Offset>(shape.lanes) * static_cast<Offset>(shape.sigma);
  }
  /// First entry of the tail.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset tail_begin() const { return num_tiles * tile_size(); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Ordinal tile_row(Offset tile) const {
    return static_cast<Ordinal>(tile_rows(tile) & static_cast<tile_row_type>(~empty_flag));
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool spans_empty_row(Offset tile) const {
    return (tile_rows(tile) & empty_flag) != 0;
  }
  /// The position of CSR entry k in values.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset position(Offset k) const {
    if (k >= tail_begin()) return k;
    Offset const size = tile_size(), in_tile = k % size, sigma = static_cast<Offset>(shape.sigma);
    return k - in_tile + in_tile % sigma * static_cast<Offset>(shape.lanes) + in_tile / sigma;
  }
  /// The number of entries whose column is a code.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset coded_entries() const {
    return static_cast<Offset>(values.extent(0) - columns.extent(0));
  }
  /// The column of the entry with value values(position).
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Ordinal column(Offset position) const {
    if (!compressed.any()) return columns(position);
    if (position >= tail_begin()) return columns(position - coded_entries());
    Offset const tile = position / tile_size(), first = tile * tile_size();
    return compressed.column(columns, tile, first, position - first);
  }
  /// Bytes of the arrays, including row_offsets.
  [[nodiscard]] std::size_t bytes() const {
    return values.size() * sizeof(Scalar) + columns.size() * sizeof(Ordinal) + compressed.bytes() +
           row_offsets.size() * sizeof(Offset) + tile_rows.size() * sizeof(Ordinal) +
           tile_descriptors.size() * 4 + empty_begin.size() * sizeof(Offset) +
           (empty_offsets.size() + empty_rows.size()) * sizeof(Ordinal);
  }
  /// Calls visit(name, array) for each array of the matrix.
  template <class Visit>
  void visit_arrays(Visit const& visit) const {
    visit("row_offsets", row_offsets);
    visit("tile_rows", tile_rows);
    visit("columns", columns);
    visit("values", values);
    visit("tile_descriptors", tile_descriptors);
    visit("empty_begin", empty_begin);
    visit("empty_offsets", empty_offsets);
    visit("empty_rows", empty_rows);
    compressed.visit_arrays(visit);
  }
};

}  // namespace einkorn
