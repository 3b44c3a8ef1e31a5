// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/generate/counter_rng.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn {

/// Values of a symmetric (complex: Hermitian) positive definite matrix on a symmetric pattern with a full
/// diagonal. Off-diagonal values are random, a(i, j) = conj(a(j, i)). The diagonal is the sum of |a(i, j)| over
/// the row (complex: of |real| + |imag|) plus 1/16: strictly dominant, hence positive definite, but not close
/// to the identity. The sum is of integers; bits beyond the 24 leading ones, below 2^-13, are dropped, so that
/// float and double hold the same matrix.
class SymmetricValues {
 public:
  SymmetricValues(std::uint64_t seed, bool with_imag) : rng_(seed, value_stream, with_imag) {}

  /// The value at (row, column). `columns` gives the columns of the row: length() and column(k).
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
    if (row < column) return rng_.value(row, column);
    Numerator const mirrored = rng_.value(column, row);
    return {mirrored.real, -mirrored.imag};
  }

  CounterRng rng_;
};

}  // namespace einkorn
