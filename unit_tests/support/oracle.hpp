// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "host_matrix.hpp"

#include <einkorn/core/scalar.hpp>

#include <cmath>
#include <complex>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace einkorn::test {

/// long double, or std::complex<long double> for complex S.
template <class S>
using Wide = std::conditional_t<is_complex<S>, std::complex<long double>, long double>;

template <class Sum, class S>
Wide<Sum> widen(S const& value) {
  if constexpr (is_complex<S>)
    return {static_cast<long double>(value.real()), static_cast<long double>(value.imag())};
  else
    return Wide<Sum>(static_cast<long double>(value));
}

/// Products without the special cases of std::complex for infinities, which dominate the time of the oracle.
inline long double product(long double a, long double b) {
  return a * b;
}
inline std::complex<long double> product(std::complex<long double> const& a,
                                         std::complex<long double> const& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
inline long double modulus(long double a) {
  return std::abs(a);
}
inline long double modulus(std::complex<long double> const& a) {
  return std::sqrt(a.real() * a.real() + a.imag() * a.imag());
}

/// Per row: the sum of a(i, j) x(j), the sum of the moduli, the number of entries.
template <class Sum>
struct RowSums {
  std::vector<Wide<Sum>> sum;
  std::vector<long double> moduli;
  std::vector<std::size_t> lengths;
};

/// The reference product: row sums of A, or of its conjugate, in long double.
template <class Sum, class Matrix, class XScalar>
RowSums<Sum> row_sums(Matrix const& A, std::vector<XScalar> const& x, bool conjugated = false) {
  RowSums<Sum> result{std::vector<Wide<Sum>>(A.rows()), std::vector<long double>(A.rows()),
                      std::vector<std::size_t>(A.rows())};
  for (std::size_t i = 0; i < A.rows(); ++i) {
    for (auto k = A.begin(i); k < A.end(i); ++k) {
      auto const a = widen<Sum>(conjugated ? conjugate(A.values[k]) : A.values[k]);
      auto const b = widen<Sum>(x[A.column(k)]);
      result.sum[i] += product(a, b);
      result.moduli[i] += modulus(a) * modulus(b);
    }
    result.lengths[i] = A.end(i) - A.begin(i);
  }
  return result;
}

}  // namespace einkorn::test
