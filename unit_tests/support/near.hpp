// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace einkorn::test {

template <class S>
S not_a_number() {
  return S(std::numeric_limits<real_type<S>>::quiet_NaN());
}

template <class S>
bool is_nan(S const& value) {
  if constexpr (is_complex<S>)
    return std::isnan(value.real()) || std::isnan(value.imag());
  else
    return std::isnan(value);
}

/// True if both are equal or both are NaN.
template <class S>
bool same_number(S const& a, S const& b) {
  return a == b || (is_nan(a) && is_nan(b));
}

/// The expected value of alpha sum + beta y and its error bound.
///
/// bound(i) = c (n + 3) eps (|alpha| sum |a||x| + |beta||y|) for n entries. n products and n - 1 additions in
/// any order and two more for alpha and beta have an error of at most (n + 2) eps / 2 of that to first order,
/// so that c = 1 has a margin of a factor of 2. A complex product has an error of up to sqrt(5) / 2 eps, hence
/// c = 3.
template <class Sum>
struct Expected {
  RowSums<Sum> sums;
  Sum alpha, beta;

  template <class T>
  [[nodiscard]] Wide<Sum> value(std::size_t i, T const& y_before) const {
    Wide<Sum> result{};
    if (alpha != Sum(0)) result += product(widen<Sum>(alpha), sums.sum[i]);
    if (beta != Sum(0)) result += product(widen<Sum>(beta), widen<Sum>(y_before));
    return result;
  }
  template <class T>
  [[nodiscard]] long double bound(std::size_t i, T const& y_before) const {
    long double moduli = 0;
    if (alpha != Sum(0)) moduli += modulus(widen<Sum>(alpha)) * sums.moduli[i];
    if (beta != Sum(0)) moduli += modulus(widen<Sum>(beta)) * modulus(widen<Sum>(y_before));
    long double const c = is_complex<Sum> ? 3 : 1;
    return c * static_cast<long double>(sums.lengths[i] + 3) * std::numeric_limits<real_type<Sum>>::epsilon() *
               moduli +
           std::numeric_limits<real_type<T>>::epsilon() * modulus(value(i, y_before));
  }
};

template <class Sum, class Matrix, class XScalar>
Expected<Sum> expected(Matrix const& A, std::vector<XScalar> const& x, Sum alpha, Sum beta) {
  return {row_sums<Sum>(A, x), alpha, beta};
}

/// Checks that every entry of y is within the bound or, if exact, equal to the expected value.
template <class Sum, class T>
testing::AssertionResult agrees(std::vector<T> const& y, Expected<Sum> const& want,
                                std::vector<T> const& y_before, bool exact) {
  if (y.size() != want.sums.sum.size())
    return testing::AssertionFailure() << "y has " << y.size() << " entries";
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    auto const error = modulus(widen<Sum>(y[i]) - want.value(i, y_before[i]));
    if (error == 0) continue;
    if (error <= (exact ? 0.0L : want.bound(i, y_before[i]))) continue;  // NaN does not pass
    if (wrong++ == 0) first = i;
  }
  if (wrong == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << wrong << " of " << y.size() << " rows are wrong, the first is row "
                                     << first << " of " << want.sums.lengths[first] << " entries: " << y[first]
                                     << ", expected " << want.value(first, y_before[first])
                                     << " with a bound of "
                                     << (exact ? 0.0L : want.bound(first, y_before[first]));
}

/// Checks for equal bits, except for the payload of NaNs.
template <class T>
testing::AssertionResult same_numbers(std::vector<T> const& got, std::vector<T> const& want) {
  if (got.size() != want.size())
    return testing::AssertionFailure() << got.size() << " entries, expected " << want.size();
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!same_number(got[i], want[i]))
      return testing::AssertionFailure() << "entry " << i << " is " << got[i] << ", expected " << want[i];
  return testing::AssertionSuccess();
}

}  // namespace einkorn::test
