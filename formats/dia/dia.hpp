// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/fingerprint.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn {

/// A matrix in DIA: every nonempty diagonal in full length.
///
/// Diagonal d contains the entries (i, i + offsets(d)); that of row i is at values(d * stride + i). There is no
/// index per entry.
///
/// Invariants: offsets are strictly ascending and in (-num_rows, num_cols); stride >= num_rows; values has
/// stride * num_diagonals() entries; slots outside the matrix are 0. validate() (validate.hpp) checks all but
/// the last. Source: Bell & Garland, NVIDIA NVR-2008-004, section 3.1.
template <class Scalar, class Ordinal, class Offset, class Device>
struct Dia {
  static_assert(std::is_signed_v<Ordinal>, "einkorn::Dia: Ordinal must be signed");

  using scalar_type = std::remove_const_t<Scalar>;
  using ordinal_type = Ordinal;
  using offset_type = Offset;
  using device_type = Device;
  using memory_space = typename Device::memory_space;
  static constexpr bool needs_no_workspace = true;

  Ordinal num_rows = 0, num_cols = 0;
  Offset stride = 0;                       // from_csr: num_rows rounded up to a multiple of 32
  Offset num_entries = 0;                  // of the CSR given to from_csr
  bool sorted_unique_rows = true;          // that CSR had sorted rows without repeated positions
  Kokkos::View<Ordinal*, Device> offsets;  // [num_diagonals]: column - row
  Kokkos::View<Scalar*, Device> values;    // [stride * num_diagonals]
  Fingerprint source;                      // of the CSR given to from_csr

  [[nodiscard]] KOKKOS_FUNCTION Offset nnz() const { return num_entries; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Ordinal num_diagonals() const {
    return static_cast<Ordinal>(offsets.extent(0));
  }
  /// Access as diagonal bands of one diagonal each (see formats/diagonals/detail/search.hpp).
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Ordinal num_bands() const { return num_diagonals(); }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal band_offset(Ordinal band) const { return offsets(band); }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal band_width(Ordinal) const { return 1; }
  KOKKOS_FORCEINLINE_FUNCTION Offset band_base(Ordinal band) const {
    return static_cast<Offset>(band) * stride;
  }

  /// Bytes of all arrays.
  [[nodiscard]] std::size_t bytes() const {
    return values.extent(0) * sizeof(Scalar) + offsets.extent(0) * sizeof(Ordinal);
  }
  /// Calls visit(name, array) for each array.
  template <class Visit>
  void visit_arrays(Visit const& visit) const {
    visit("offsets", offsets);
    visit("values", values);
  }
};

}  // namespace einkorn
