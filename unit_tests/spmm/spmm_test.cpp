// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Products of a Csr with multivectors of any width: tiles of columns, parts of larger multivectors, NaN.

#include "../csr/approaches.hpp"
#include "../support/multivectors.hpp"
#include "../support/throws.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

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

/// Without a plan, and with plans that take whole rows, some with a buffer for columns, which only GPUs have.
std::vector<Approach> approaches() {
  std::vector<Approach> all{
      {"no plan", {}, false},
      {"plan, row_team", {.algorithm = SpmvAlgorithm::row_team}, true},
      {"plan, row_thread", {.algorithm = SpmvAlgorithm::row_thread}, true},
      {"plan, sorted_rows, buffer of 10", {.algorithm = SpmvAlgorithm::sorted_rows, .columns = 10}, true}};
  if (is_gpu<Space>) {
    all.push_back({"plan, row_team, buffer of 1", {.algorithm = SpmvAlgorithm::row_team, .columns = 1}, true});
    all.push_back({"plan, automatic, buffer of 32", {.columns = 32}, true});
  }
  return all;
}

/// check_of(host)(multiply) for every pattern and approach.
template <class S, class VS, class O = int, class F = int, class CheckOf>
void each_way(CheckOf const& check_of, Numbers kind = Numbers::integers) {
  for (auto const& pattern : patterns()) {
    auto const host = with_numbers<S, O, F>(pattern, kind);
    auto const A = host.on_device();
    auto const check = check_of(host);
    for (auto const& approach : approaches()) {
      SCOPED_TRACE(pattern.name + ", " + approach.name);
      check(Multiply<decltype(A), VS>(A, approach));
    }
  }
}

template <class S, class VS, class O = int, class F = int>
void expect_every_width(std::size_t max_columns) {
  each_way<S, VS, O, F>([max_columns](auto const& host) { return check_every_width<VS>(host, max_columns); });
}

TEST(CsrSpmm, OfDouble) {
  expect_every_width<double, double>(is_gpu<Space> ? 256 : 129);
}
#ifndef EINKORN_TEST_FEW_TYPES  // see TestTypes
TEST(CsrSpmm, OfFloatWithWideIndices) {
  expect_every_width<float, float, std::int64_t, std::size_t>(129);
}
TEST(CsrSpmm, OfComplex) {
  expect_every_width<Complex, Complex, int, std::size_t>(is_gpu<Space> ? 65 : 33);
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
#endif

TEST(CsrSpmm, WithTheTranspose) {
  auto const host = with_numbers<double>(random_pattern(150, 130, 12), Numbers::integers);
  auto const A = host.on_device();
  Multiply<decltype(A), double> const multiply(
      A, {"", {.op = Op::transpose, .algorithm = SpmvAlgorithm::row_team}, true});
  check_every_width<double>(transposed(host), 65)(multiply);
}

TEST(CsrSpmm, IsWithinTheRoundingErrorBound) {
  each_way<double, double>([](auto const& host) { return check_rounding<double>(host); }, Numbers::reals);
}

TEST(CsrSpmm, KeepsNaNInTheRowsThatUseIt) {
  each_way<double, double>([](auto const& host) { return check_nan<double>(host); });
}

TEST(CsrSpmm, BufferCountsInBytesOnAGpuOnly) {
  auto const A = with_numbers<double>(random_pattern(150, 130, 12), Numbers::integers).on_device();
  auto const bytes_of = [&](int columns) {
    return make_spmv_plan(Space(), A, {.algorithm = SpmvAlgorithm::row_team, .columns = columns}).bytes();
  };
  std::size_t const of_32 = is_gpu<Space> ? 32 * (150 + 130) * sizeof(double) : 0;
  EXPECT_EQ(bytes_of(0), 0u);
  EXPECT_EQ(bytes_of(32), of_32);
}

TEST(CsrSpmm, NegativeColumnsThrow) {
  auto const A = with_numbers<double>(random_pattern(15, 13, 12), Numbers::integers).on_device();
  EXPECT_TRUE(throws<InvalidArgument>([&] { make_spmv_plan(Space(), A, {.columns = -3}); },
                                      {"make_spmv_plan: columns is -3, expected 0 or more"}));
}

TEST(CsrSpmm, IsDeterministic) {
  each_way<double, double>([](auto const& host) { return check_repeatability<double>(host); }, Numbers::reals);
}

}  // namespace
}  // namespace einkorn::test
