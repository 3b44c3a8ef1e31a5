// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/fingerprint.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn {

/// BRCV: a sparse matrix in stripes, with one list of columns per stripe. A stripe is a maximal run of
/// consecutive rows with the same columns in the same order. Stripe Di has height h(Di), row length w(Di) and h
/// w entries; D0 is empty:
///
///     b(i)  = h(D0) + ... + h(Di),      i = 0 .. p        stripe i (from 0) has the rows b(i) .. b(i + 1) - 1
///     rc(i) = w(D0) + ... + w(Di),      i = 0 .. p        and the columns c(rc(i)) .. c(rc(i + 1) - 1)
///     rv(i) = h w (D0) + ... + (Di),    i = 0 .. p - 1    and the values from rv(i) on, row after row
///
/// Entry j of row r of stripe i is values(rv(i) + (r - b(i)) (rc(i + 1) - rc(i)) + j). Empty rows form stripes
/// of row length 0. There is no padding.
///
/// Invariants: b increases strictly from 0 to num_rows; rc is non-decreasing from 0 to the extent of c; rv and
/// num_entries follow from b and rc; columns are in [0, num_cols). validate() (validate.hpp) checks them.
/// from_csr() produces maximal stripes; no kernel requires it. A matrix of 0 rows may have empty arrays.
/// Source: C. Chen, L. Liu, W. Yang, patent application of CIGIT, Chinese Academy of Sciences, published
/// 2022-11; `values` is its array v.
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
  Fingerprint source;                    // of the CSR that it was converted from
  Offset num_entries = 0;

  [[nodiscard]] KOKKOS_FUNCTION Offset nnz() const { return num_entries; }
  /// p
  [[nodiscard]] KOKKOS_FUNCTION Ordinal num_stripes() const { return static_cast<Ordinal>(rv.extent(0)); }
  /// The number of columns of a stripe, equal to the number of values per row.
  KOKKOS_FORCEINLINE_FUNCTION Offset row_length(Ordinal stripe) const { return rc(stripe + 1) - rc(stripe); }
  /// The index of the first value of a row of the stripe.
  KOKKOS_FORCEINLINE_FUNCTION Offset row_begin(Ordinal stripe, Ordinal row) const {
    return rv(stripe) + static_cast<Offset>(row - b(stripe)) * row_length(stripe);
  }
  /// Bytes of the arrays.
  [[nodiscard]] std::size_t bytes() const {
    return values.extent(0) * sizeof(Scalar) + (c.extent(0) + b.extent(0)) * sizeof(Ordinal) +
           (rc.extent(0) + rv.extent(0)) * sizeof(Offset);
  }
  /// Calls visit(name, array) for each array of the matrix.
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
