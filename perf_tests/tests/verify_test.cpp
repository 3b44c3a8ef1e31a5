// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/verify.hpp"

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <vector>

namespace einkorn::perf {
namespace {

using DoubleProblem = Problem<double, int, int>;

template <class T>
Kokkos::View<T*, Device> on_device(std::vector<T> const& values) {
  Kokkos::View<T*, Device> const result("values", values.size());
  auto const host = Kokkos::create_mirror_view(result);
  for (std::size_t i = 0; i < values.size(); ++i) host(i) = values[i];
  Kokkos::deep_copy(result, host);
  return result;
}

/// The diagonal matrix of the values, and x.
DoubleProblem diagonal_problem(std::vector<double> const& values, std::vector<double> const& x) {
  std::vector<int> offsets, columns;
  for (int i = 0; i <= static_cast<int>(values.size()); ++i) offsets.push_back(i);
  for (int i = 0; i < static_cast<int>(values.size()); ++i) columns.push_back(i);
  int const n = static_cast<int>(values.size());
  return {Exec(),
          {n, n, on_device(offsets), on_device(columns), on_device(values)},
          on_device(x),
          DenseVector<double>("y", values.size())};
}

/// A candidate that writes y.
Candidate writes(DoubleProblem const& problem, std::vector<double> const& y) {
  Candidate candidate;
  candidate.run = [problem, y] { Kokkos::deep_copy(problem.y, on_device(y)); };
  return candidate;
}

Candidate writes_rounded(DoubleProblem const& problem, std::vector<double> const& y) {
  auto candidate = writes(problem, y);
  candidate.value_epsilon = std::numeric_limits<float>::epsilon();
  candidate.value_denorm = std::numeric_limits<float>::denorm_min();
  return candidate;
}

bool accepts(DoubleProblem const& problem, Candidate const& candidate) {
  return Reference<double, int, int>(problem).check(candidate).within_bound;
}

TEST(Verify, AcceptsRoundedValuesThatUnderflowInFloat) {
  std::vector<double> const values{1e-40, -3e-42, 7e-46, 1e-310, 0.1}, x{0.3, -0.7, 1.0, 1.0, 0.9};
  auto const problem = diagonal_problem(values, x);
  std::vector<double> rounded, kept;
  for (std::size_t i = 0; i < values.size(); ++i) {
    rounded.push_back(static_cast<double>(static_cast<float>(values[i])) * x[i]);
    kept.push_back(values[i] * x[i]);
  }

  EXPECT_TRUE(accepts(problem, writes_rounded(problem, rounded)));
  EXPECT_TRUE(accepts(problem, writes_rounded(problem, kept)));
  EXPECT_TRUE(accepts(problem, writes(problem, kept)));
  EXPECT_FALSE(accepts(problem, writes(problem, rounded)));  // this candidate does not round values
}

TEST(Verify, DetectsAWrongRowOfSmallValues) {
  auto const problem = diagonal_problem({1e-40, 1e-300, 0.1}, {1.0, 1.0, 1.0});

  EXPECT_TRUE(accepts(problem, writes_rounded(problem, {1e-40, 0.0, 0.1})));
  EXPECT_FALSE(accepts(problem, writes_rounded(problem, {1.001e-40 + 1e-44, 0.0, 0.1})));
  EXPECT_FALSE(accepts(problem, writes_rounded(problem, {0.0, 0.0, 0.1})));
  EXPECT_FALSE(accepts(problem, writes_rounded(problem, {1e-40, 0.0, 0.1 * (1 + 1e-6)})));
  EXPECT_FALSE(
      accepts(problem, writes_rounded(problem, {1e-40, std::numeric_limits<double>::quiet_NaN(), 0.1})));
  EXPECT_FALSE(accepts(problem, writes(problem, {1e-40, 0.0, 0.1})));
}

TEST(Verify, AcceptsProductsThatUnderflow) {
  auto const problem = diagonal_problem({1e-200, 1e-160}, {1e-130, 1e-163});

  EXPECT_TRUE(accepts(problem, writes(problem, {0.0, 1e-323})));
  EXPECT_TRUE(accepts(problem, writes(problem, {0.0, 0.0})));
  EXPECT_FALSE(accepts(problem, writes(problem, {1e-320, 1e-323})));
}

}  // namespace
}  // namespace einkorn::perf
