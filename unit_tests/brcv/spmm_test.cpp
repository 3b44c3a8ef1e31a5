// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Products of BRCV with multivectors of any width, with and without a plan.

#include "../support/multivectors.hpp"
#include "striped.hpp"

#include <einkorn/formats/brcv/from_csr.hpp>
#include <einkorn/formats/brcv/spmv.hpp>

#include <gtest/gtest.h>

namespace einkorn::test {
namespace {

/// Matrices with stripes of many heights and lengths, and matrices without stripes.
std::vector<Pattern> patterns() {
  auto some = striped_patterns();
  for (auto const& pattern : battery())
    for (char const* name : {"all rows empty", "n x 1", "rows of 33", "leading and trailing empty rows",
                             "columns not sorted", "positions that repeat"})
      if (pattern.name == name) some.push_back(pattern);
  return some;
}

/// check_of(host)(multiply) without and with a plan, for every pattern.
template <class S, class VS, class O = int, class F = int, class CheckOf>
void each_way(CheckOf const& check_of, Numbers kind = Numbers::integers) {
  for (auto const& pattern : patterns()) {
    auto const host = with_numbers<S, O, F>(pattern, kind);
    auto const A = from_csr<Brcv>(Space(), host.on_device());
    auto const plan = make_spmv_plan<VS>(Space(), A);
    auto const check = check_of(host);
    {
      SCOPED_TRACE(pattern.name + ", no plan");
      check([&](auto alpha, auto const& X, auto beta, auto const& Y) { spmv(Space(), alpha, A, X, beta, Y); });
    }
    SCOPED_TRACE(pattern.name + ", plan");
    check([&](auto alpha, auto const& X, auto beta, auto const& Y) { spmv(Space(), plan, alpha, X, beta, Y); });
  }
}

template <class S, class VS, class O = int, class F = int>
void expect_every_width(std::size_t most) {
  each_way<S, VS, O, F>([most](auto const& host) { return check_every_width<VS>(host, most); });
}

TEST(BrcvSpmm, Double) {
  expect_every_width<double, double>(256);
}
#ifndef EINKORN_TEST_FEW_TYPES  // see TestTypes
TEST(BrcvSpmm, FloatWith64BitIndices) {
  expect_every_width<float, float, std::int64_t, std::size_t>(129);
}
TEST(BrcvSpmm, Complex) {
  expect_every_width<Complex, Complex, int, std::size_t>(65);
}
TEST(BrcvSpmm, FloatMatrixWithDoubleVectors) {
  expect_every_width<float, double>(65);
}
TEST(BrcvSpmm, RealMatrixWithComplexVectors) {
  expect_every_width<double, Complex>(33);
}
#endif

TEST(BrcvSpmm, WithinTheRoundingErrorBound) {
  each_way<double, double>([](auto const& host) { return check_rounding<double>(host); }, Numbers::reals);
}

TEST(BrcvSpmm, NaNAffectsOnlyRowsWithAnEntryThere) {
  each_way<double, double>([](auto const& host) { return check_nan<double>(host); });
}

TEST(BrcvSpmm, IsDeterministic) {
  each_way<double, double>([](auto const& host) { return check_repeatability<double>(host); }, Numbers::reals);
}

TEST(BrcvSpmm, AlphaZeroReadsNeitherXNorA) {
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
