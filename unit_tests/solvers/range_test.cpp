// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Right-hand sides and solutions whose squares overflow or underflow: the same solution, or not converged.

#include "run_solver.hpp"
#include "systems.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

std::vector<double> times_power(std::vector<double> v, int exponent) {
  for (auto& entry : v) entry = std::ldexp(entry, exponent);
  return v;
}

class SolversInRange : public testing::TestWithParam<Solver> {
 protected:
  System<double> const system = lattice(12, 13);
  std::vector<double> const b = system.b(), zero = std::vector<double>(b.size()),
                            elsewhere = numbers<double>(Numbers::reals, b.size(), 21);
};

/// Bitwise: b is scaled by powers of two, which do not change rounding.
TEST_P(SolversInRange, DigitsIndependentOfScale) {
  for (auto const& x0 : {zero, elsewhere}) {
    auto const plain = run(GetParam(), system.A, b, x0, {.keep_history = true});
    for (int const exponent : {-960, -664, -515, -400, 400, 515, 664, 960}) {
      auto const result = run(GetParam(), system.A, times_power(b, exponent), times_power(x0, exponent),
                              {.keep_history = true});

      EXPECT_EQ(result.report.outcome, Outcome::converged) << exponent;
      EXPECT_EQ(result.report.iterations, plain.report.iterations) << exponent;
      EXPECT_EQ(result.x, times_power(plain.x, exponent)) << exponent;
      EXPECT_EQ(result.report.residual, std::ldexp(plain.report.residual, exponent));
      EXPECT_EQ(result.report.reference, std::ldexp(plain.report.reference, exponent));
      EXPECT_EQ(result.report.history, times_power(plain.report.history, exponent));
    }
  }
}

/// For subnormal b the accuracy of x is limited; a converged solve must be correct.
TEST_P(SolversInRange, NoFalseConvergence) {
  for (double const factor : {1e-200, 1e-155, 1e-290, 1e-308, 1e-316, 4e-322, 1e155, 1e300}) {
    std::vector<double> its_b = b;
    for (auto& entry : its_b) entry *= factor;

    auto const result = run(GetParam(), system.A, its_b, zero);

    auto const wanted = norm(its_b);
    if (result.report.converged()) {
      EXPECT_LE(true_residual(system.A, its_b, result.x), 1.001e-8 * wanted) << factor;
    }
    if (factor > 1e-300) {
      EXPECT_TRUE(result.report.converged()) << factor;
    }
  }
}

TEST_P(SolversInRange, InitialGuessMuchLargerThanSolution) {
  auto const its_b = times_power(b, -600);

  auto const result = run(GetParam(), system.A, its_b, elsewhere, {.max_iterations = 2000});

  if (result.report.converged()) {
    EXPECT_LE(true_residual(system.A, its_b, result.x), 1.001e-8 * norm(its_b));
  }
  EXPECT_LE(true_residual(system.A, its_b, result.x), true_residual(system.A, its_b, elsewhere));
}

TEST_P(SolversInRange, OverflowingSolutionDoesNotConverge) {
  auto A = system.A;
  for (auto& value : A.values) value = std::ldexp(value, -400);

  auto const result = run(GetParam(), A, times_power(b, 800), zero);

  EXPECT_FALSE(result.report.converged());
}

TEST_P(SolversInRange, UnderflowingSolutionDoesNotConverge) {
  auto A = system.A;
  for (auto& value : A.values) value = std::ldexp(value, 300);

  auto const result = run(GetParam(), A, times_power(b, -900), zero);

  EXPECT_FALSE(result.report.converged());
}

TEST_P(SolversInRange, NaNIsNonFinite) {
  for (double const bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    auto its_b = b;
    its_b[b.size() / 2] = bad;

    auto const result = run(GetParam(), system.A, its_b, elsewhere);

    EXPECT_EQ(result.report.outcome, Outcome::non_finite);
    EXPECT_EQ(result.x, elsewhere);
  }
}

TEST_P(SolversInRange, CallbackResidualsAreUnscaled) {
  if (!GetParam().takes_callback) GTEST_SKIP() << "a persistent solve has no callback";
  std::vector<double> reported;
  SolverOptions options;
  options.callback = [&](std::int64_t, double residual) {
    reported.push_back(residual);
    return true;
  };

  auto const result = run(GetParam(), system.A, times_power(b, -664), zero, options);

  EXPECT_TRUE(result.report.converged());
  ASSERT_FALSE(reported.empty());
  EXPECT_LE(reported.back(), reported.front());
  for (double const residual : reported) EXPECT_TRUE(residual > 0 && residual < 1e-190) << residual;
}

INSTANTIATE_TEST_SUITE_P(Of, SolversInRange, testing::ValuesIn(every_solver()),
                         [](auto const& its) { return test_name_of(its.param); });

}  // namespace
}  // namespace einkorn::test
