// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/fingerprint.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn {

/// A matrix in bDIA: bands of adjacent diagonals, every diagonal in full length.
///
/// Band b contains w = band_widths(b) diagonals from o = band_offsets(b) on: the entries (i, i + o + j), j < w;
/// that of row i is at values(band_bases(b) + j * stride + i). There is no index per entry; zeros inside a band
/// are stored.
///
/// Invariants: bands are ascending, nonempty and disjoint, and lie within the diagonals 1 - num_rows ..
/// num_cols - 1; band_bases(0) == 0 and band_bases(b + 1) == band_bases(b) + band_widths(b) * stride;
/// stride >= num_rows; values has band_bases(num_bands()) entries; slots outside the matrix are 0; `diagonals`
/// is empty or lists the diagonals of all bands. Without bands band_bases may be empty. validate()
/// (validate.hpp) checks all but the slots.
/// Source: Wang, Ren & Tian, "Efficient Sparse Matrix-vector Multiplication and CG Solver Optimization on GPU",
/// 2012, section 3.1; departures: any number of bands instead of one centred on the main diagonal, any shape
/// instead of square, and a stride instead of num_rows.
template <class Scalar, class Ordinal, class Offset, class Device>
struct Bdia {
  static_assert(std::is_signed_v<Ordinal>, "einkorn::Bdia: Ordinal must be signed");

  using scalar_type = std::remove_const_t<Scalar>;
  using ordinal_type = Ordinal;
  using offset_type = Offset;
  using device_type = Device;
  using memory_space = typename Device::memory_space;
  static constexpr bool needs_no_workspace = true;

  Ordinal num_rows = 0, num_cols = 0;
  Offset stride = 0;                            // from_csr: num_rows rounded up to a multiple of 32
  Offset num_entries = 0;                       // of the CSR given to from_csr
  bool sorted_unique_rows = true;               // that CSR had sorted rows without repeated positions
  Kokkos::View<Ordinal*, Device> band_offsets;  // [num_bands]: column - row of the first diagonal
  Kokkos::View<Ordinal*, Device> band_widths;   // [num_bands]
  Kokkos::View<Offset*, Device> band_bases;     // [num_bands + 1]
  Kokkos::View<Ordinal*, Device> diagonals;     // [num_diagonals]: column - row; or empty
  Kokkos::View<Scalar*, Device> values;         // [stride * num_diagonals]
  Fingerprint source;                           // of the CSR given to from_csr

  [[nodiscard]] KOKKOS_FUNCTION Offset nnz() const { return num_entries; }
  /// Stored diagonals of all bands.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset num_diagonals() const {
    return stride == 0 ? Offset(0) : static_cast<Offset>(values.extent(0)) / stride;
  }
  /// Access as diagonal bands (see formats/diagonals/detail/search.hpp).
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Ordinal num_bands() const {
    return static_cast<Ordinal>(band_offsets.extent(0));
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal band_offset(Ordinal band) const { return band_offsets(band); }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal band_width(Ordinal band) const { return band_widths(band); }
  KOKKOS_FORCEINLINE_FUNCTION Offset band_base(Ordinal band) const { return band_bases(band); }

  /// Bytes of all arrays.
  [[nodiscard]] std::size_t bytes() const {
    return values.extent(0) * sizeof(Scalar) +
           (2 * band_offsets.extent(0) + diagonals.extent(0)) * sizeof(Ordinal) +
           band_bases.extent(0) * sizeof(Offset);
  }
  /// Calls visit(name, array) for each array.
  template <class Visit>
  void visit_arrays(Visit const& visit) const {
    visit("band_offsets", band_offsets);
    visit("band_widths", band_widths);
    visit("band_bases", band_bases);
    visit("diagonals", diagonals);
    visit("values", values);
  }
};

}  // namespace einkorn
