// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Outcomes and reports that all solvers have in common.

#include "../support/near.hpp"
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

class Outcomes : public testing::TestWithParam<Solver> {
 protected:
  System<double> const system = lattice(25, 30);
  std::vector<double> const b = system.b(), zero = std::vector<double>(b.size()),
                            elsewhere = numbers<double>(Numbers::reals, b.size(), 21);
};

/// The norms of a report against the host.
void expect_true_figures(Solved<double> const& solved, HostMatrix<double> const& A,
                         std::vector<double> const& b, std::vector<double> const& x0) {
  auto const& report = solved.report;
  double const rounding = 1e-14 * (infinity_norm(A) * norm(solved.x) + norm(b));
  EXPECT_NEAR(report.residual, true_residual(A, b, solved.x), rounding);
  EXPECT_NEAR(report.initial_residual, true_residual(A, b, x0),
              1e-14 * (infinity_norm(A) * norm(x0) + norm(b)));
}

TEST_P(Outcomes, Converged) {
  for (auto const& x0 : {zero, elsewhere})
    for (double const tolerance : {1e-2, 1e-6, 1e-12}) {
      auto const result = run(GetParam(), system.A, b, x0, {.tolerance = tolerance});

      EXPECT_EQ(result.report.outcome, Outcome::converged);
      EXPECT_TRUE(result.report.converged());
      EXPECT_EQ(result.report.quantity, Quantity::none);
      EXPECT_GT(result.report.iterations, 0);
      EXPECT_DOUBLE_EQ(result.report.reference, norm(b));
      EXPECT_LE(result.report.residual, tolerance * norm(b));
      EXPECT_EQ(result.report.row, -1);
      EXPECT_TRUE(result.report.history.empty());
      expect_true_figures(result, system.A, b, x0);
    }
}

TEST_P(Outcomes, IterationLimit) {
  for (std::int64_t const limit : {1, 2, 3, 7}) {
    auto const result = run(GetParam(), system.A, b, elsewhere, {.max_iterations = limit});

    EXPECT_EQ(result.report.outcome, Outcome::iteration_limit);
    EXPECT_EQ(result.report.iterations, limit);
    expect_true_figures(result, system.A, b, elsewhere);
  }
}

TEST_P(Outcomes, ZeroIterationsKeepX) {
  auto const result = run(GetParam(), system.A, b, elsewhere, {.max_iterations = 0});

  EXPECT_EQ(result.report.outcome, Outcome::iteration_limit);
  EXPECT_EQ(result.report.iterations, 0);
  EXPECT_EQ(result.x, elsewhere);
  expect_true_figures(result, system.A, b, elsewhere);
}

/// The attainable relative residual in double is about 1e-14 on this system.
TEST_P(Outcomes, Stagnated) {
  auto const result = run(GetParam(), system.A, b, elsewhere, {.tolerance = 1e-17});

  EXPECT_EQ(result.report.outcome, Outcome::stagnated) << name_of(result.report.outcome);
  EXPECT_LE(result.report.residual, 1e-12 * norm(b));
  EXPECT_LT(result.report.iterations, 2000);
  expect_true_figures(result, system.A, b, elsewhere);
}

TEST_P(Outcomes, ZeroTolerance) {
  auto const result = run(GetParam(), system.A, b, zero, {.tolerance = 0, .max_iterations = 1000});
  EXPECT_TRUE(result.report.outcome == Outcome::stagnated || result.report.outcome == Outcome::iteration_limit)
      << name_of(result.report.outcome);
  EXPECT_LE(result.report.residual, 1e-12 * norm(b));

  HostMatrix<double> const twice{4, 4, {0, 1, 2, 3, 4}, {0, 1, 2, 3}, {2, 2, 2, 2}};
  auto const exact = run(GetParam(), twice, {1, 2, 3, 4}, {0, 0, 0, 0}, {.tolerance = 0});
  EXPECT_EQ(exact.report.outcome, Outcome::converged);
  bool const normalizes = GetParam().name.find("gmres") != std::string::npos;  // r / |r| and y |r| round
  EXPECT_LE(exact.report.iterations, normalizes ? 2 : 1);
  EXPECT_EQ(exact.report.residual, 0);
  EXPECT_EQ(exact.x, (std::vector<double>{0.5, 1, 1.5, 2}));
}

TEST_P(Outcomes, NonFiniteAtStart) {
  for (double const bad : {std::nan(""), std::numeric_limits<double>::infinity()})
    for (int const where : {0, 1, 2}) {
      auto A = system.A;
      auto its_b = b, x0 = elsewhere;
      (where == 0 ? A.values[100] : where == 1 ? its_b[50] : x0[749]) = bad;

      auto const result = run(GetParam(), A, its_b, x0);

      EXPECT_EQ(result.report.outcome, Outcome::non_finite);
      EXPECT_EQ(result.report.iterations, 0);
      EXPECT_TRUE(same_numbers(result.x, x0));
      EXPECT_FALSE(std::isfinite(result.report.residual));
    }
}

/// A x overflows only where it is squared.
TEST_P(Outcomes, NonFiniteLater) {
  auto A = system.A;
  for (auto& value : A.values) value *= 1e200;

  auto const result = run(GetParam(), A, b, zero);

  auto const& name = GetParam().name;
  if (name == "pcg, a diagonal" || name == "pcg, apply()" || name == "bicgstab, apply()" ||
      name == "gmres, apply()" || name == "fgmres, apply()")
    return;  // M brings the numbers back into range
  EXPECT_EQ(result.report.outcome, Outcome::non_finite) << name_of(result.report.outcome);
  EXPECT_EQ(result.x, zero);
  EXPECT_DOUBLE_EQ(result.report.residual, norm(b));
}

TEST_P(Outcomes, StoppedByTheCallback) {
  if (!GetParam().takes_callback) GTEST_SKIP() << "takes no callback";
  std::vector<std::int64_t> iterations;
  std::vector<double> residuals;
  SolverOptions options{.keep_history = true};
  options.callback = [&](std::int64_t iteration, double residual) {
    iterations.push_back(iteration);
    residuals.push_back(residual);
    return iteration < 5;
  };

  auto const result = run(GetParam(), system.A, b, elsewhere, options);

  EXPECT_EQ(result.report.outcome, Outcome::stopped);
  EXPECT_FALSE(result.report.converged());
  EXPECT_GE(result.report.iterations, 5);
  EXPECT_LT(result.report.iterations, 40) << "a graph has 10 iterations, of which some may be ahead";
  expect_true_figures(result, system.A, b, elsewhere);
  ASSERT_FALSE(iterations.empty());
  EXPECT_EQ(iterations.front(), 0);
  EXPECT_GE(iterations.back(), 5);
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    if (i > 0) {
      EXPECT_GT(iterations[i], iterations[i - 1]);
      EXPECT_LT(iterations[i - 1], 5) << "called again after false";
    }
    EXPECT_EQ(residuals[i], result.report.history[static_cast<std::size_t>(iterations[i])]);
  }
}

TEST_P(Outcomes, CallbackDoesNotChangeBits) {
  if (!GetParam().takes_callback) GTEST_SKIP() << "takes no callback";
  SolverOptions options;
  options.callback = [](std::int64_t, double) { return true; };

  auto const result = run(GetParam(), system.A, b, zero, options), plain = run(GetParam(), system.A, b, zero);

  EXPECT_TRUE(result.report.converged());
  EXPECT_EQ(result.report.iterations, plain.report.iterations);
  EXPECT_EQ(result.x, plain.x);
}

TEST_P(Outcomes, ZeroRightHandSide) {
  auto const result = run(GetParam(), system.A, zero, elsewhere);

  EXPECT_TRUE(result.report.converged());
  EXPECT_EQ(result.report.iterations, 0);
  EXPECT_EQ(result.report.residual, 0);
  EXPECT_EQ(result.x, zero);
}

TEST_P(Outcomes, ExactInitialGuess) {
  auto const answer = numbers<double>(Numbers::integers, b.size(), 3);
  std::vector<double> its_b;
  for (auto const sum : row_sums<double>(system.A, answer).sum) its_b.push_back(static_cast<double>(sum));

  for (double const tolerance : {0.0, 1e-8}) {
    auto const result = run(GetParam(), system.A, its_b, answer, {.tolerance = tolerance});

    EXPECT_TRUE(result.report.converged());
    EXPECT_EQ(result.report.iterations, 0);
    EXPECT_EQ(result.report.residual, 0);
    EXPECT_EQ(result.x, answer);
  }
}

/// Bitwise: powers of two do not change rounding.
TEST_P(Outcomes, InvariantUnderPowersOfTwo) {
  auto const plain = run(GetParam(), system.A, b, zero, {.keep_history = true});
  for (double const of_A : {1.0, 0x1p+66, 0x1p-66})
    for (double const of_b : {1.0, 0x1p+66, 0x1p-66}) {
      auto A = system.A;
      auto its_b = b;
      for (auto& value : A.values) value *= of_A;
      for (auto& value : its_b) value *= of_b;

      auto const result = run(GetParam(), A, its_b, zero, {.keep_history = true});

      EXPECT_TRUE(result.report.converged()) << of_A << ", " << of_b;
      EXPECT_EQ(result.report.iterations, plain.report.iterations);
      for (std::size_t i = 0; i < b.size(); ++i) ASSERT_EQ(result.x[i], plain.x[i] * of_b / of_A);
      for (std::size_t i = 0; i < plain.report.history.size(); ++i)
        ASSERT_EQ(result.report.history[i], plain.report.history[i] * of_b);
    }
}

/// Powers of ten round A and b. BiCGStab's counts depend on rounding more than CG's.
TEST_P(Outcomes, CountInvariantUnderPowersOfTen) {
  std::int64_t const within = GetParam().name.starts_with("bicgstab") ? 8 : 0;
  auto const plain = run(GetParam(), system.A, b, zero);
  for (double const factor : {1e20, 1e-20}) {
    auto A = system.A;
    auto its_b = b;
    for (auto& value : A.values) value *= factor;
    for (auto& value : its_b) value *= factor;

    auto const result = run(GetParam(), A, its_b, zero);

    EXPECT_TRUE(result.report.converged());
    EXPECT_LE(std::abs(result.report.iterations - plain.report.iterations), within);
  }
}

TEST_P(Outcomes, HistoryHasEveryIterationAndTheStart) {
  for (std::int64_t const limit : {0, 1, 9, 60, 10000}) {
    SolverOptions const options{.max_iterations = limit, .keep_history = true};

    auto const result = run(GetParam(), system.A, b, elsewhere, options);

    auto const& report = result.report;
    ASSERT_EQ(report.history.size(), static_cast<std::size_t>(report.iterations) + 1);
    EXPECT_EQ(report.history.front(), report.initial_residual);
    EXPECT_EQ(report.history.back(), report.recursive_residual);
    for (auto const residual : report.history) EXPECT_TRUE(residual > 0 && std::isfinite(residual));
    EXPECT_NEAR(report.recursive_residual, report.residual, 1e-12 * norm(b));
  }
}

TEST_P(Outcomes, RelativeToTheInitialResidual) {
  auto far = elsewhere;
  for (auto& entry : far) entry *= 1e6;
  SolverOptions const options{.tolerance = 1e-3, .relative_to = RelativeTo::initial_residual};

  auto const result = run(GetParam(), system.A, b, far, options);

  EXPECT_TRUE(result.report.converged());
  EXPECT_DOUBLE_EQ(result.report.reference, result.report.initial_residual);
  EXPECT_LE(result.report.residual, 1e-3 * result.report.initial_residual);
  EXPECT_GT(result.report.residual, norm(b)) << "no more than was asked for";
  expect_true_figures(result, system.A, b, far);
}

TEST_P(Outcomes, AbsoluteTolerance) {
  SolverOptions const options{.tolerance = 0, .absolute_tolerance = 1e-3};

  auto const result = run(GetParam(), system.A, b, zero, options);

  EXPECT_TRUE(result.report.converged());
  EXPECT_LE(result.report.residual, 1e-3);
  EXPECT_GT(result.report.residual, 1e-6) << "no more than was asked for";
  EXPECT_EQ(run(GetParam(), system.A, b, zero, {.absolute_tolerance = 2 * norm(b)}).report.iterations, 0);
}

/// Whatever the outcome, and however badly the method suits the matrix.
TEST_P(Outcomes, FailedSolveIsNoWorseThanX0) {
  auto indefinite = lattice(20, 20, 1, -1.3);
  for (auto const& its : {system, indefinite, convection(20, 20, 0.9), diagonal_spectrum(100, 1e4)}) {
    auto const its_b = its.b();
    auto const x0 = numbers<double>(Numbers::reals, its_b.size(), 22);
    auto const before = true_residual(its.A, its_b, x0);
    for (std::int64_t limit = 1; limit < 30; limit += limit < 8 ? 1 : 7)
      for (int const every : {0, 3}) {
        SolverOptions const options{.max_iterations = limit, .replace_every = every, .divergence_factor = 1e3};

        auto const result = run(GetParam(), its.A, its_b, x0, options);

        EXPECT_LE(true_residual(its.A, its_b, result.x), before * (1 + 1e-14)) << its.name << ", " << limit;
        expect_true_figures(result, its.A, its_b, x0);
      }
  }
}

TEST_P(Outcomes, EmptySystem) {
  auto const result = run(GetParam(), {}, {}, {}, {.keep_history = true});

  EXPECT_TRUE(result.report.converged());
  EXPECT_EQ(result.report.iterations, 0);
  EXPECT_EQ(result.report.residual, 0);
  EXPECT_EQ(result.report.history, std::vector<double>{0});
}

TEST_P(Outcomes, OneUnknown) {
  auto const result = run(GetParam(), {1, 1, {0, 1}, {0}, {4}}, {2}, {7}, {.keep_history = true});

  EXPECT_TRUE(result.report.converged());
  EXPECT_EQ(result.report.iterations, 1);
  EXPECT_EQ(result.x, std::vector<double>{0.5});
  EXPECT_EQ(result.report.initial_residual, 26);
  EXPECT_EQ(result.report.history, (std::vector<double>{26, 0}));
}

/// x is the best of those at the replacements, 10, 20, ..., while the residual grows.
TEST_P(Outcomes, ReturnsTheBestX) {
  auto const its = diagonal_spectrum(100, 1e4);
  auto const its_b = its.b();
  std::vector<double> const x0(its_b.size());
  double best = norm(its_b);
  for (std::int64_t limit = 10; limit <= 100; limit += 10) {
    SolverOptions const options{.tolerance = 0, .max_iterations = limit, .replace_every = 10};
    auto const result = run(GetParam(), its.A, its_b, x0, options);
    EXPECT_LE(result.report.residual, best * (1 + 1e-14)) << limit;
    best = result.report.residual;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Outcomes, testing::ValuesIn(every_solver()),
                         [](auto const& its) { return test_name_of(its.param); });

}  // namespace
}  // namespace einkorn::test
