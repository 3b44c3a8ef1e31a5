// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/fingerprint.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn {

/// BRCV: rows in stripes, each with one list of columns for all of its rows. A stripe is a maximal run of
/// neighbouring rows with the same columns in the same order. With the stripes D1 .. Dp and an empty D0 before
/// them, of height h, row length w and h w entries each:
///
///     b(i)  = h(D0) + ... + h(Di),      i = 0 .. p        stripe i (from 0) has the rows b(i) .. b(i + 1) - 1
///     rc(i) = w(D0) + ... + w(Di),      i = 0 .. p        and the columns c(rc(i)) .. c(rc(i + 1) - 1)
///     rv(i) = h w (D0) + ... + (Di),    i = 0 .. p - 1    and the values from rv(i) on, row after row
///
/// so that entry j of row r of stripe i is values(rv(i) + (r - b(i)) (rc(i + 1) - rc(i)) + j). Empty rows form
/// stripes of row length 0. Nothing is padded.
///
/// Invariants: b rises from 0 to num_rows, by at least 1 a stripe; rc rises from 0 to the extent of c; rv and
/// num_entries follow from both; columns lie in [0, num_cols). validate() (validate.hpp) checks them. That
/// stripes are maximal is what from_csr makes of a matrix; no kernel needs it. A matrix of 0 rows may have no
/// arrays at all. Source: patent of Chen, Liu & Yang (CIGIT, Chinese Academy of Sciences, published 2022-11);
/// `values` is its array v.
template <class Scalar, class Ordinal, class Offset, class Device>
struct Brcv {
  static_assert(std::is_signed_v<Ordinal>, "einkorn::Brcv: Ordinal must be signed");

  using scalar_type = std::remove_const_t<Scalar>;
  using ordinal_type = Ordinal;
  using offset_type = Offset;
  using device_type = Device;
  using memory_space = typename Device::memory_space;

  Ordinal num_rows = 0, num_cols = 0;
  Kokkos::View<Ordinal*, Device> b;      // [p + 1]
  Kokkos::View<Offset*, Device> rc;      // [p + 1]
  Kokkos::View<Offset*, Device> rv;      // [p]
  Kokkos::View<Ordinal*, Device> c;      // [rc(p)]
  Kokkos::View<Scalar*, Device> values;  // [num_entries]
  Fingerprint source;                    // of the CSR that it was made from
  Offset num_entries = 0;

  [[nodiscard]] KOKKOS_FUNCTION Offset nnz() const { return num_entries; }
  /// p.
  [[nodiscard]] KOKKOS_FUNCTION Ordinal num_stripes() const { return static_cast<Ordinal>(rv.extent(0)); }
  /// Columns, and values a row, of a stripe.
  KOKKOS_FORCEINLINE_FUNCTION Offset row_length(Ordinal stripe) const { return rc(stripe + 1) - rc(stripe); }
  /// First value of a row of the stripe.
  KOKKOS_FORCEINLINE_FUNCTION Offset row_begin(Ordinal stripe, Ordinal row) const {
    return rv(stripe) + static_cast<Offset>(row - b(stripe)) * row_length(stripe);
  }
  /// Memory of the format.
  [[nodiscard]] std::size_t bytes() const {
    return values.extent(0) * sizeof(Scalar) + (c.extent(0) + b.extent(0)) * sizeof(Ordinal) +
           (rc.extent(0) + rv.extent(0)) * sizeof(Offset);
  }
  /// visit(name, array) for each array of the matrix.
  template <class Visit>
  void visit_arrays(Visit const& visit) const {
    visit("b", b);
    visit("rc", rc);
    visit("rv", rv);
    visit("c", c);
    visit("values", values);
  }
};

}  // namespace einkorn
