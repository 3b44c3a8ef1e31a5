// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Products of a Csr with multivectors of any width: tiles of columns, parts of larger multivectors, NaN.

#include "../brcv/multivectors.hpp"
#include "approaches.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace einkorn::test {
namespace {

std::vector<Pattern> patterns() {
  std::vector<Pattern> some;
  for (auto const& pattern : battery())
    for (char const* name : {"1 x n", "n x 1", "rows of 31, 32, 33, 63, 64, 65 in turn", "rows of 8",
                             "one dense row among short ones", "half of the rows empty, at random",
                             "leading and trailing empty rows", "random, seed 1", "positions that repeat"})
      if (pattern.name == name) some.push_back(pattern);
  return some;
}

/// Without a plan, and with plans that take whole rows.
std::vector<Approach> approaches() {
  return {{"no plan", {}, false},
          {"plan, row_team", {.algorithm = SpmvAlgorithm::row_team}, true},
          {"plan, row_thread", {.algorithm = SpmvAlgorithm::row_thread}, true}};
}

/// body(host, multiply) for every pattern and approach.
template <class S, class VS, class O = int, class F = int, class Body>
void each_way(Body const& body, Numbers kind = Numbers::integers) {
  for (auto const& pattern : patterns()) {
    auto const host = with_numbers<S, O, F>(pattern, kind);
    auto const A = host.on_device();
    for (auto const& approach : approaches()) {
      SCOPED_TRACE(pattern.name + ", " + approach.name);
      body(host, Multiply<decltype(A), VS>(A, approach));
    }
  }
}

template <class S, class VS, class O = int, class F = int>
void expect_every_width(std::size_t most) {
  each_way<S, VS, O, F>([most](auto const& host, auto const& multiply) {
    expect_products_of_any_width<VS>(host, most, multiply);
  });
}

TEST(CsrSpmm, OfDouble) {
  expect_every_width<double, double>(256);
}
TEST(CsrSpmm, OfFloatWithWideIndices) {
  expect_every_width<float, float, std::int64_t, std::size_t>(129);
}
TEST(CsrSpmm, OfComplex) {
  expect_every_width<Complex, Complex, int, std::size_t>(65);
}
TEST(CsrSpmm, OfAFloatMatrixWithDoubleVectors) {
  expect_every_width<float, double>(65);
}

TEST(CsrSpmm, WithTheConjugateOfTheMatrix) {
  auto const host = with_numbers<Complex>(random_pattern(150, 130, 11), Numbers::integers);
  auto const A = host.on_device();
  Multivectors<Complex, std::decay_t<decltype(host)>> const vectors(host, Numbers::integers, true, 129);
  for (bool const planned : {false, true}) {
    Multiply<decltype(A), Complex> const multiply(
        A, {"", {.op = Op::conjugate, .algorithm = SpmvAlgorithm::row_team}, planned});
    for (auto const k : column_counts())
      if (k <= 129) vectors.template expect<Kokkos::LayoutRight, Kokkos::LayoutRight>(k, multiply);
  }
}

TEST(CsrSpmm, WithTheTranspose) {
  auto const host = with_numbers<double>(random_pattern(150, 130, 12), Numbers::integers);
  auto const A = host.on_device();
  Multiply<decltype(A), double> const multiply(
      A, {"", {.op = Op::transpose, .algorithm = SpmvAlgorithm::row_team}, true});
  expect_products_of_any_width<double>(transposed(host), 65, multiply);
}

TEST(CsrSpmm, StaysWithinTheBoundOfRoundingErrors) {
  each_way<double, double>(
      [](auto const& host, auto const& multiply) {
        using Host = std::decay_t<decltype(host)>;
        Multivectors<double, Host> const vectors(host, Numbers::reals, false, 33);
        for (std::size_t const k : {5u, 17u, 33u})
          vectors.template expect<Kokkos::LayoutRight, Kokkos::LayoutRight>(k, multiply);
      },
      Numbers::reals);
}

TEST(CsrSpmm, KeepsNaNInTheRowsThatUseIt) {
  each_way<double, double>([](auto const& host, auto const& multiply) {
    using Host = std::decay_t<decltype(host)>;
    Multivectors<double, Host> const vectors(host, Numbers::integers, false, 65);
    for (std::size_t const k : {3u, 4u, 9u, 17u, 65u}) {
      vectors.expect_nan_apart(host, 0, k, multiply);
      vectors.expect_nan_apart(host, host.cols() - 1, k, multiply);
    }
  });
}

TEST(CsrSpmm, GivesTheSameBitsOnEveryRun) {
  each_way<double, double>(
      [](auto const& host, auto const& multiply) {
        auto const x = std::vector(37, numbers<double>(Numbers::reals, host.cols(), 2));
        auto const y = std::vector(37, numbers<double>(Numbers::reals, host.rows(), 3));
        auto const X = from_columns<Kokkos::LayoutRight>(x, host.cols());
        decltype(to_columns(X)) first;
        for (int run = 0; run < 5; ++run) {
          auto const Y = from_columns<Kokkos::LayoutRight>(y, host.rows());
          multiply(0.75, X, 0.5, Y);
          if (run == 0) first = to_columns(Y);
          EXPECT_EQ(to_columns(Y), first);
        }
      },
      Numbers::reals);
}

}  // namespace
}  // namespace einkorn::test
