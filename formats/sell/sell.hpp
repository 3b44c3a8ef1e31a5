// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/column_codes/column_codes.hpp>
#include <einkorn/formats/column_codes/detail/column_readers.hpp>
#include <einkorn/formats/fingerprint.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn {

/// A matrix in SELL-C-sigma: rows in slices of C = slice_rows positions, each slice padded to its longest row.
///
/// Slot j of position p is at slice_offsets(s) + j C + p % C of columns and values, with s = p / C. `rows` maps
/// positions to rows. The entries of a row fill its first slots, in the order of the CSR. The remaining slots,
/// and all slots of positions from num_rows on, are padding: column -1 and value 0.
///
/// With SellOptions::indices compressed, slices whose columns allow it store 16-bit codes (`compressed`, see
/// column_codes.hpp) in the order of values, 0xffff for padding; `columns` contains the other slices.
///
/// Invariants (checked by validate() in validate.hpp): 1 <= C <= 1024; slice_offsets has ceil(num_rows / C) + 1
/// entries (or none if there are no rows), begins with 0, does not decrease, contains multiples of C and ends
/// with the size of columns and values; a column is -1 or in [0, num_cols), and after a column of -1 a row has
/// only padding; num_entries columns are not -1; `rows` is empty (position p is row p) or a permutation of the
/// rows.
/// Source: Kreutzer, Hager, Wellein, Fehske, Bishop, SIAM J. Sci. Comput. 36(5), 2014.
template <class Scalar, class Ordinal, class Offset, class Device>
struct Sell {
  static_assert(std::is_signed_v<Ordinal>, "einkorn::Sell: Ordinal must be signed");

  using scalar_type = std::remove_const_t<Scalar>;
  using ordinal_type = Ordinal;
  using offset_type = Offset;
  using device_type = Device;
  using memory_space = typename Device::memory_space;
  static constexpr bool needs_no_workspace = true;

  Ordinal num_rows = 0, num_cols = 0;
  Ordinal slice_rows = 1;  // C
  Offset num_entries = 0;
  Kokkos::View<Offset*, Device> slice_offsets;      // [num_slices + 1]
  Kokkos::View<Ordinal*, Device> columns;           // [slice_offsets(num_slices), or less: see compressed]
  Kokkos::View<Scalar*, Device> values;             // [slice_offsets(num_slices)]
  Kokkos::View<Ordinal*, Device> rows;              // [num_rows] position -> row, or empty
  Fingerprint source;                               // of the CSR given to from_csr
  ColumnCodes<Ordinal, Offset, Device> compressed;  // empty unless Indices::compressed is requested

  [[nodiscard]] KOKKOS_FUNCTION Offset nnz() const { return num_entries; }
  [[nodiscard]] KOKKOS_FUNCTION Ordinal num_slices() const {
    return num_rows / slice_rows + (num_rows % slice_rows != 0 ? 1 : 0);
  }
  /// Access as padded rows (see formats/padded/detail/spmv_rows.hpp).
  KOKKOS_FORCEINLINE_FUNCTION Offset slot_begin(Ordinal position) const {
    Unsigned const slice = slice_of(position);
    return slice_offsets(slice) + static_cast<Offset>(static_cast<Unsigned>(position) - slice * width());
  }
  KOKKOS_FORCEINLINE_FUNCTION Offset slot_stride() const { return static_cast<Offset>(slice_rows); }
  KOKKOS_FORCEINLINE_FUNCTION Offset slot_count(Ordinal position) const {
    Unsigned const slice = slice_of(position);
    return (slice_offsets(slice + 1) - slice_offsets(slice)) / static_cast<Offset>(slice_rows);
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal row_at(Ordinal position) const {
    return rows.extent(0) == 0 ? position : rows(position);
  }
  [[nodiscard]] Ordinal slot_alignment() const { return slice_rows; }
  /// Slots of the positions before this one, for load balance on the host.
  KOKKOS_FORCEINLINE_FUNCTION Offset slots_before(Ordinal position) const {
    Unsigned const slice = slice_of(position);
    auto const before = static_cast<Offset>(static_cast<Unsigned>(position) - slice * width());
    return slice_offsets(slice) + before * slot_count(position);
  }

  /// Calls body(reader) with the column reader of the position's slice (column_readers.hpp).
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void with_columns(Ordinal position, Body const& body) const {
    Unsigned const slice = slice_of(position);
    detail::with_columns_of_tile(*this, slice, slice_offsets(slice), slice_offsets(slice + 1), body);
  }
  /// The column of slot `at` of values, which belongs to the position; -1 for padding.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Ordinal column(Ordinal position, Offset at) const {
    if (!compressed.any()) return columns(at);
    Unsigned const slice = slice_of(position);
    return compressed.column(columns, slice, slice_offsets(slice), at - slice_offsets(slice));
  }

  /// Bytes of all arrays.
  [[nodiscard]] std::size_t bytes() const {
    return values.extent(0) * sizeof(Scalar) + columns.extent(0) * sizeof(Ordinal) + compressed.bytes() +
           slice_offsets.extent(0) * sizeof(Offset) + rows.extent(0) * sizeof(Ordinal);
  }
  /// Calls visit(name, array) for each array.
  template <class Visit>
  void visit_arrays(Visit const& visit) const {
    visit("slice_offsets", slice_offsets);
    visit("columns", columns);
    visit("values", values);
    visit("rows", rows);
    compressed.visit_arrays(visit);
  }

 private:
  // faster division; positions of the last slice may exceed the maximum of Ordinal
  using Unsigned = std::make_unsigned_t<Ordinal>;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Unsigned width() const { return static_cast<Unsigned>(slice_rows); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Unsigned slice_of(Ordinal position) const {
    return static_cast<Unsigned>(position) / width();
  }
};

}  // namespace einkorn
