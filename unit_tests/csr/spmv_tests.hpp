// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// Every algorithm, number of lanes, alpha and beta, on every matrix of the battery, for one family of types per
// source file.

#include "../support/near.hpp"
#include "approaches.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace einkorn::test {

/// The tested (alpha, beta).
template <class S>
std::vector<std::pair<S, S>> coefficients(bool few) {
  if (few) return {{S(1), S(0)}, {S(-2.5), S(0.5)}};
  std::vector<std::pair<S, S>> all;
  for (double const alpha : {0.0, 1.0, -2.5})
    for (double const beta : {0.0, 1.0, 0.5}) all.emplace_back(S(alpha), S(beta));
  return all;
}

/// y of every call: NaN where beta == 0 has to overwrite it.
template <class S>
std::vector<S> y_before(Numbers kind, std::size_t size, S beta) {
  return beta == S(0) ? std::vector<S>(size, not_a_number<S>()) : numbers<S>(kind, size, 3);
}

/// op(A) x by every approach, against row sums of `reference`, which is op(A) but for conjugation.
template <class Matrix, class Host, class Reference>
void expect_products(Matrix const& A, Host const& host, Reference const& reference, bool conjugated,
                     Numbers kind, bool few, std::vector<Approach> const& approaches) {
  using S = typename Host::Scalar;
  auto const x = numbers<S>(kind, reference.cols(), 2);
  auto const device_x = to_device(x);
  Expected<S> expected{row_sums<S>(reference, x, conjugated), S(0), S(0)};
  ASSERT_EQ(host.columns.size(), reference.columns.size());
  for (auto const& approach : approaches) {
    SCOPED_TRACE(approach.name);
    Multiply<Matrix, S> const multiply(A, approach);
    for (auto const& [alpha, beta] : coefficients<S>(few)) {
      auto const before = y_before<S>(kind, reference.rows(), beta);
      auto const y = to_device(before);

      multiply(alpha, device_x, beta, y);

      expected.alpha = alpha;
      expected.beta = beta;
      EXPECT_TRUE(agrees(to_host(y), expected, before, kind == Numbers::integers))
          << "alpha " << alpha << ", beta " << beta;
    }
  }
}

template <class C>
class CsrSpmv : public testing::Test {};
TYPED_TEST_SUITE_P(CsrSpmv);

TYPED_TEST_P(CsrSpmv, AgreesWithTheOracleOnEveryMatrixOfTheBattery) {
  for (auto const& pattern : battery())
    for (auto const kind : {Numbers::integers, Numbers::reals}) {
      SCOPED_TRACE(pattern.name + (kind == Numbers::integers ? ", integers" : ", reals"));
      auto const host = with_numbers_of<TypeParam>(pattern, kind);
      bool const few = pattern.is_large() || kind == Numbers::integers;
      expect_products(host.on_device(), host, host, false, kind, few, all_approaches());
    }
}

TYPED_TEST_P(CsrSpmv, TransposesAndConjugates) {
  for (auto const& pattern : battery())
    for (auto const kind : {Numbers::integers, Numbers::reals}) {
      auto const host = with_numbers_of<TypeParam>(pattern, kind);
      auto const mirrored = transposed(host);
      auto const A = host.on_device();
      for (auto const op : {Op::transpose, Op::conjugate, Op::conjugate_transpose}) {
        SCOPED_TRACE(pattern.name + ", op " + std::to_string(static_cast<int>(op)));
        expect_products(A, host, is_transposed(op) ? mirrored : host, is_conjugated(op), kind, true,
                        approaches_to(op));
      }
    }
}

TYPED_TEST_P(CsrSpmv, IsDeterministic) {
  using S = typename TypeParam::Scalar;
  for (auto const& pattern : battery()) {
    if (pattern.is_large() && pattern.nnz() < 1000) continue;
    SCOPED_TRACE(pattern.name);
    auto const A = with_numbers_of<TypeParam>(pattern, Numbers::reals).on_device();
    auto const x = to_device(numbers<S>(Numbers::reals, static_cast<std::size_t>(A.num_cols), 2));
    auto const before = numbers<S>(Numbers::reals, static_cast<std::size_t>(A.num_rows), 3);
    for (auto const& approach : all_approaches()) {
      SCOPED_TRACE(approach.name);
      std::vector<S> first;
      for (int run = 0; run < 10; ++run) {
        auto const y = to_device(before);

        Multiply<decltype(A), S>(A, approach)(S(0.75), x, S(0.5), y);

        if (run == 0) first = to_host(y);
        ASSERT_EQ(to_host(y), first) << "run " << run;
      }
    }
  }
}

REGISTER_TYPED_TEST_SUITE_P(CsrSpmv, AgreesWithTheOracleOnEveryMatrixOfTheBattery, TransposesAndConjugates,
                            IsDeterministic);

}  // namespace einkorn::test
