// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/fingerprint.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn {

/// A matrix in ELLPACK: `width` slots per row, stored column-major.
///
/// Slot j of row i is at j * stride + i of columns and values. The entries of a row fill its first slots, in
/// the order of the CSR. The remaining slots, and all slots of rows num_rows .. stride - 1, are padding: column
/// -1 and value 0.
///
/// Invariants: columns and values have stride * width entries; a column is -1 or in [0, num_cols); after a
/// column of -1 a row has only padding. Source: Bell & Garland, NVIDIA NVR-2008-004, section 3.2.
template <class Scalar, class Ordinal, class Offset, class Device>
struct Ell {
  static_assert(std::is_signed_v<Ordinal>, "einkorn::Ell: Ordinal must be signed");

  using scalar_type = std::remove_const_t<Scalar>;
  using ordinal_type = Ordinal;
  using offset_type = Offset;
  using device_type = Device;
  using memory_space = typename Device::memory_space;
  static constexpr bool needs_no_workspace = true;

  Ordinal num_rows = 0, num_cols = 0;
  Offset width = 0;   // slots per row
  Offset stride = 0;  // num_rows rounded up to a multiple of 32
  Offset num_entries = 0;
  Kokkos::View<Ordinal*, Device> columns;  // [stride * width]
  Kokkos::View<Scalar*, Device> values;    // [stride * width]
  Fingerprint source;                      // of the CSR given to from_csr

  [[nodiscard]] KOKKOS_FUNCTION Offset nnz() const { return num_entries; }
  /// Access as padded rows (see formats/padded/detail/spmv_rows.hpp).
  KOKKOS_FORCEINLINE_FUNCTION Offset slot_begin(Ordinal row) const { return static_cast<Offset>(row); }
  KOKKOS_FORCEINLINE_FUNCTION Offset slot_stride() const { return stride; }
  KOKKOS_FORCEINLINE_FUNCTION Offset slot_count(Ordinal) const { return width; }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal row_at(Ordinal position) const { return position; }
  [[nodiscard]] static constexpr Ordinal slot_alignment() { return 32; }
  /// The column of slot `at`, -1 for padding.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Ordinal column(Ordinal, Offset at) const { return columns(at); }

  /// Bytes of all arrays.
  [[nodiscard]] std::size_t bytes() const {
    return values.extent(0) * sizeof(Scalar) + columns.extent(0) * sizeof(Ordinal);
  }
  /// Calls visit(name, array) for each array.
  template <class Visit>
  void visit_arrays(Visit const& visit) const {
    visit("columns", columns);
    visit("values", values);
  }
};

}  // namespace einkorn
