// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/generate/draws.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn {

/// Values of a symmetric (complex: Hermitian) positive definite matrix on a symmetric pattern with a full
/// diagonal. Off the diagonal they are random, one draw for both of a pair. The diagonal is the sum of the
/// row's |off-diagonals| (complex: of |real| + |imag|, which is no less) plus 1/16: strictly dominant, hence
/// definite, but far enough from the identity for a solver to have work. Summed in integers; where the sum
/// needs more than 24 bits the rest, below 2^-13, is dropped, so that float and double hold the same matrix.
class SymmetricValues {
 public:
  SymmetricValues(std::uint64_t seed, bool with_imag) : draws_(seed, value_stream, with_imag) {}

  /// The value at (row, column). `columns` lists the row: length() and column(k).
  template <class Columns>
  [[nodiscard]] KOKKOS_FUNCTION Numerator value(std::int64_t row, std::int64_t column,
                                                Columns const& columns) const {
    if (row != column) return off_diagonal(row, column);
    std::int64_t sum = numerator_of_one / 16;
    std::int64_t const length = columns.length();
    for (std::int64_t k = 0; k < length; ++k) {
      std::int64_t const other = columns.column(k);
      if (other != row) sum += off_diagonal(row, other).magnitude();
    }
    return {sum, 0};
  }

 private:
  [[nodiscard]] KOKKOS_FUNCTION Numerator off_diagonal(std::int64_t row, std::int64_t column) const {
    if (row < column) return draws_.value(row, column);
    Numerator const mirrored = draws_.value(column, row);
    return {mirrored.real, -mirrored.imag};
  }

  Draws draws_;
};

}  // namespace einkorn
