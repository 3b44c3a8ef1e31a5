// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Products of BRCV with multivectors of any width, with and without a plan.

#include "multivectors.hpp"
#include "striped.hpp"

#include <einkorn/formats/brcv/from_csr.hpp>
#include <einkorn/formats/brcv/spmv.hpp>

#include <gtest/gtest.h>

namespace einkorn::test {
namespace {

/// Stripes of all kinds, and matrices that have none to speak of.
std::vector<Pattern> patterns() {
  auto some = striped_patterns();
  for (auto const& pattern : battery())
    for (char const* name : {"all rows empty", "n x 1", "rows of 33", "leading and trailing empty rows",
                             "columns not sorted", "positions that repeat"})
      if (pattern.name == name) some.push_back(pattern);
  return some;
}

/// body(host, multiply without a plan), body(host, multiply with a plan) for every pattern.
template <class S, class VS, class O = int, class F = int, class Body>
void with_and_without_plan(std::vector<Pattern> const& some, Body const& body,
                           Numbers kind = Numbers::integers) {
  for (auto const& pattern : some) {
    auto const host = with_numbers<S, O, F>(pattern, kind);
    auto const A = from_csr<Brcv>(Space(), host.on_device());
    auto const plan = make_spmv_plan<VS>(Space(), A);
    {
      SCOPED_TRACE(pattern.name + ", no plan");
      body(host,
           [&](auto alpha, auto const& X, auto beta, auto const& Y) { spmv(Space(), alpha, A, X, beta, Y); });
    }
    SCOPED_TRACE(pattern.name + ", plan");
    body(host,
         [&](auto alpha, auto const& X, auto beta, auto const& Y) { spmv(Space(), plan, alpha, X, beta, Y); });
  }
}

template <class S, class VS, class O = int, class F = int>
void expect_every_width(std::size_t most) {
  with_and_without_plan<S, VS, O, F>(patterns(), [most](auto const& host, auto const& multiply) {
    expect_products_of_any_width<VS>(host, most, multiply);
  });
}

TEST(BrcvSpmm, OfDouble) {
  expect_every_width<double, double>(256);
}
TEST(BrcvSpmm, OfFloatWithWideIndices) {
  expect_every_width<float, float, std::int64_t, std::size_t>(129);
}
TEST(BrcvSpmm, OfComplex) {
  expect_every_width<Complex, Complex, int, std::size_t>(65);
}
TEST(BrcvSpmm, OfAFloatMatrixWithDoubleVectors) {
  expect_every_width<float, double>(65);
}
TEST(BrcvSpmm, OfARealMatrixWithComplexVectors) {
  expect_every_width<double, Complex>(33);
}

TEST(BrcvSpmm, StaysWithinTheBoundOfRoundingErrors) {
  with_and_without_plan<double, double>(
      patterns(),
      [](auto const& host, auto const& multiply) {
        using Host = std::decay_t<decltype(host)>;
        Multivectors<double, Host> const vectors(host, Numbers::reals, false, 33);
        for (std::size_t const k : {5u, 17u, 33u})
          vectors.template expect<Kokkos::LayoutRight, Kokkos::LayoutRight>(k, multiply);
      },
      Numbers::reals);
}

TEST(BrcvSpmm, KeepsNaNInTheRowsThatUseIt) {
  with_and_without_plan<double, double>(patterns(), [](auto const& host, auto const& multiply) {
    using Host = std::decay_t<decltype(host)>;
    Multivectors<double, Host> const vectors(host, Numbers::integers, false, 65);
    for (std::size_t const k : {3u, 4u, 9u, 17u, 65u}) {
      vectors.expect_nan_apart(host, 0, k, multiply);
      vectors.expect_nan_apart(host, host.cols() - 1, k, multiply);
    }
  });
}

TEST(BrcvSpmm, GivesTheSameBitsOnEveryRun) {
  with_and_without_plan<double, double>(
      striped_patterns(),
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
        for (auto const& column : first) EXPECT_EQ(column, first[0]) << "columns are alike wherever they lie";
      },
      Numbers::reals);
}

TEST(BrcvSpmm, AlphaOfZeroReadsNeitherAnXNorA) {
  auto host = with_numbers<double>(striped_patterns()[0], Numbers::integers);
  host.values.assign(host.values.size(), not_a_number<double>());
  auto const A = from_csr<Brcv>(Space(), host.on_device());
  Kokkos::View<double**, Kokkos::LayoutRight, Device> const X("X", host.cols(), 9), Y("Y", host.rows(), 9);
  Kokkos::deep_copy(X, not_a_number<double>());
  Kokkos::deep_copy(Y, 3.0);

  spmv(Space(), 0, A, X, 2, Y);

  for (auto const& column : to_columns(Y)) EXPECT_EQ(column, std::vector<double>(host.rows(), 6.0));
}

}  // namespace
}  // namespace einkorn::test
