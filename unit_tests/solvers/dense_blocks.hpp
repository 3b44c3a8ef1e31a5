// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "../support/host_matrix.hpp"
#include "../support/oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace einkorn::test {

/// The slow, obvious way: a dense block in long double, column-major.
template <class S>
struct DenseBlock {
  std::size_t n = 0;
  std::vector<Wide<S>> entries;

  explicit DenseBlock(std::size_t size) : n(size), entries(size * size) {}
  [[nodiscard]] Wide<S>& operator()(std::size_t i, std::size_t j) { return entries[j * n + i]; }
  [[nodiscard]] Wide<S> const& operator()(std::size_t i, std::size_t j) const { return entries[j * n + i]; }

  /// The largest sum of moduli of a row.
  [[nodiscard]] long double norm() const {
    long double largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      long double sum = 0;
      for (std::size_t j = 0; j < n; ++j) sum += modulus((*this)(i, j));
      largest = std::max(largest, sum);
    }
    return largest;
  }
};

/// Rows and columns begin .. begin + size - 1 of A, positions that repeat added up.
template <class S, class O, class F>
DenseBlock<S> block_of(HostMatrix<S, O, F> const& A, std::size_t begin, std::size_t size) {
  DenseBlock<S> block(size);
  for (std::size_t i = 0; i < size; ++i)
    for (auto k = A.begin(begin + i); k < A.end(begin + i); ++k)
      if (A.column(k) >= begin && A.column(k) < begin + size)
        block(i, A.column(k) - begin) += widen<S>(A.values[k]);
  return block;
}

/// Solves B x = e_j for every j by Gaussian elimination with partial pivoting.
template <class S>
DenseBlock<S> inverse_of(DenseBlock<S> B) {
  std::size_t const n = B.n;
  DenseBlock<S> X(n);
  for (std::size_t i = 0; i < n; ++i) X(i, i) = Wide<S>(1);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t p = k;
    for (std::size_t i = k; i < n; ++i)
      if (modulus(B(i, k)) > modulus(B(p, k))) p = i;
    for (std::size_t j = 0; j < n; ++j) {
      std::swap(B(k, j), B(p, j));
      std::swap(X(k, j), X(p, j));
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      auto const factor = B(i, k) / B(k, k);
      for (std::size_t j = 0; j < n; ++j) {
        B(i, j) -= factor * B(k, j);
        X(i, j) -= factor * X(k, j);
      }
    }
  }
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) X(i, j) -= B(i, k) * X(k, j);
      X(i, j) /= B(i, i);
    }
  return X;
}

/// z = B^-1 r for one block of z and r that begins at `begin`. Bound: stored inverses and sums are rounded to
/// S, (n + 4) epsilon(S) sum |E||r|; the inverse itself errs by up to 8 n epsilon(double) cond(B) max|E| in an
/// entry. A complex product errs by sqrt(5) times as much as a real one, hence the 3.
template <class S>
testing::AssertionResult solves(DenseBlock<S> const& B, std::vector<S> const& r, std::vector<S> const& z,
                                std::size_t begin) {
  auto const E = inverse_of(B);
  long double const c = is_complex<S> ? 3 : 1, n = static_cast<long double>(B.n);
  long double const condition = B.norm() * E.norm();
  for (std::size_t i = 0; i < B.n; ++i) {
    Wide<S> want{};
    long double moduli = 0, all = 0;
    for (std::size_t j = 0; j < B.n; ++j) {
      want += product(E(i, j), widen<S>(r[begin + j]));
      moduli += modulus(E(i, j)) * modulus(widen<S>(r[begin + j]));
      all += modulus(widen<S>(r[begin + j]));
    }
    long double largest = 0;
    for (auto const& entry : E.entries) largest = std::max(largest, modulus(entry));
    long double const bound = c * ((n + 4) * std::numeric_limits<real_type<S>>::epsilon() * moduli +
                                   8 * n * std::numeric_limits<double>::epsilon() * condition * largest * all);
    auto const error = modulus(widen<S>(z[begin + i]) - want);
    if (!(error <= bound))
      return testing::AssertionFailure() << "row " << begin + i << " of a block of " << B.n << " rows from "
                                         << begin << ": " << z[begin + i] << ", expected " << want
                                         << " with a bound of " << bound << ", condition " << condition;
  }
  return testing::AssertionSuccess();
}

}  // namespace einkorn::test
