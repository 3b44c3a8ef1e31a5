// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// Tests of values in float with x and y in double.

#include "battery.hpp"
#include "oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace einkorn::test {

/// Numbers in [-1, 1) with 53 bits.
inline std::vector<double> full_precision(std::size_t size, std::uint64_t seed) {
  std::vector<double> result(size);
  for (std::size_t i = 0; i < size; ++i)
    result[i] = std::ldexp(static_cast<double>(noise(i, seed) >> 11), -52) - 1.0;
  return result;
}

template <class C>
HostMatrix<double, typename C::Ordinal, typename C::Offset> with_full_precision(Pattern const& pattern,
                                                                                std::uint64_t seed) {
  auto A = with_numbers<double, typename C::Ordinal, typename C::Offset>(pattern, Numbers::reals);
  if (!pattern.all_zero) A.values = full_precision(A.nnz(), seed);
  return A;
}

/// Checks |y - A x| <= (n + 2) eps sum |a||x| in every row, with n entries and the eps of double.
template <class Host>
testing::AssertionResult within_bound_of_double(Host const& A, std::vector<double> const& x,
                                                std::vector<double> const& y) {
  auto const want = row_sums<double>(A, x);
  for (std::size_t i = 0; i < A.rows(); ++i) {
    long double const bound =
        static_cast<long double>(want.lengths[i] + 2) * std::numeric_limits<double>::epsilon() * want.moduli[i];
    long double const error = std::abs(static_cast<long double>(y[i]) - want.sum[i]);
    if (!(error <= bound))
      return testing::AssertionFailure() << "row " << i << " of " << want.lengths[i] << " entries: " << y[i]
                                         << ", expected " << want.sum[i] << " with a bound of " << bound;
  }
  return testing::AssertionSuccess();
}

/// The result of a kernel that sums in float.
template <class Host>
std::vector<double> sums_in_float(Host const& A, std::vector<double> const& x) {
  std::vector<double> y(A.rows());
  for (std::size_t i = 0; i < A.rows(); ++i) {
    float sum = 0;
    for (auto k = A.begin(i); k < A.end(i); ++k) sum += A.values[k] * static_cast<float>(x[A.column(k)]);
    y[i] = static_cast<double>(sum);
  }
  return y;
}

}  // namespace einkorn::test
