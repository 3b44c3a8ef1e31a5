// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Breakdowns and restarts of BiCGStab on small integer matrices, whose divisors are exactly zero.

#include "../support/near.hpp"
#include "solved.hpp"
#include "systems.hpp"
#include "user_preconditioners.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/solvers/bicgstab.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace einkorn::test {
namespace {

template <class S>
class BicgstabBreakdown : public testing::Test {
 protected:
  using Dense = std::vector<std::vector<S>>;

  /// From x0 = 0, with b = e1, which is r0; with and without a preconditioner that does nothing.
  template <class Check>
  static void solve_e1(Dense const& dense, Check const& check) {
    auto const A = from_dense(dense, dense.size());
    std::vector<S> b(A.rows());
    b[0] = S(1);
    for (bool const is_preconditioned : {false, true}) {
      auto const solve = [&](auto const& given_b, auto const& x, SolverOptions const& options) {
        if (!is_preconditioned) return bicgstab(Space(), A.on_device(), given_b, x, options);
        return bicgstab(Space(), A.on_device(), UserDiagonal<S>(std::vector<S>(A.rows(), S(1))), given_b, x,
                        options);
      };
      auto const result = solved(solve, b, {.tolerance = sizeof(real_type<S>) == 4 ? 1e-5 : 1e-8});
      check(result, true_residual(A, b, result.x));
    }
  }
  static void expect_breakdown(Dense const& dense, Quantity quantity, std::int64_t iterations,
                               std::int64_t restarts) {
    solve_e1(dense, [&](Solved<S> const& result, double residual) {
      EXPECT_EQ(result.report.outcome, Outcome::breakdown) << name_of(result.report.outcome);
      EXPECT_EQ(result.report.quantity, quantity) << name_of(result.report.quantity);
      EXPECT_EQ(result.report.iterations, iterations);
      EXPECT_EQ(result.report.restarts, restarts);
      EXPECT_NEAR(result.report.residual, 1.0, 1e-6) << "the best x is x0";
      EXPECT_NEAR(residual, 1.0, 1e-6);
    });
  }
  static void expect_answer(Dense const& dense, std::int64_t max_iterations) {
    solve_e1(dense, [&](Solved<S> const& result, double residual) {
      EXPECT_TRUE(result.report.converged()) << name_of(result.report.outcome);
      EXPECT_EQ(result.report.quantity, Quantity::none) << name_of(result.report.quantity);
      EXPECT_LE(result.report.iterations, max_iterations);
      EXPECT_GE(result.report.restarts, 1);
      EXPECT_LE(residual, 1e-5);
    });
  }
};
using Scalars = TestTypes<double, float, Complex>;
TYPED_TEST_SUITE(BicgstabBreakdown, Scalars);

/// y.Ay = 0 for every real y: BiCGStab cannot solve this: five restarts, then a breakdown.
TYPED_TEST(BicgstabBreakdown, OmegaDespiteRestarts) {
  this->expect_breakdown({{0, 1}, {-1, 0}}, Quantity::omega, 6, 5);
}

TYPED_TEST(BicgstabBreakdown, OmegaWithZeroT) {  // v = (1, 1), s = (0, -1), t = 0
  this->expect_breakdown({{1, 0}, {1, 0}}, Quantity::omega, 1, 0);
}

TYPED_TEST(BicgstabBreakdown, OmegaResolvedByRestart) {  // v = (1, 1), s = (0, -1), t = (-1, 0): t.s = 0
  this->expect_answer({{1, 1}, {1, 0}}, 3);
}

/// v = e2: r0.v = 0, and r.Ar = 0.
TYPED_TEST(BicgstabBreakdown, ShadowCurvatureResolvedByRestart) {
  this->expect_answer({{0, 1}, {1, 0}}, 4);
}

/// v = (1, 1, 1), s = (0, -1, -1), t = (0, -2, -3), omega = 5 / 13, r = (0, -3, 2) / 13: r0.r = 0.
TYPED_TEST(BicgstabBreakdown, RhoResolvedByRestart) {
  this->expect_answer({{1, 1, -1}, {1, 2, 0}, {1, 0, 3}}, 5);
}

Solved<double> run(HostMatrix<double> const& A, std::vector<double> const& b, SolverOptions const& options) {
  return solved([&](auto const& given_b, auto const& x,
                    auto const& given) { return bicgstab(Space(), A.on_device(), given_b, x, given); },
                b, options);
}

/// alpha = 100, s = (0, 100), t = (100, 1), omega = 0.01: |r| = 100 after the first iteration.
TEST(BicgstabOutcomes, Diverged) {
  auto const A = from_dense<double>({{0.01, 1}, {-1, 0.01}}, 2);

  auto const result = run(A, {1, 0}, {.divergence_factor = 2});

  EXPECT_EQ(result.report.outcome, Outcome::diverged);
  EXPECT_EQ(result.report.iterations, 1);
  EXPECT_GT(result.report.recursive_residual, 99);
  EXPECT_EQ(result.x, (std::vector<double>{0, 0})) << "the best is x0";
  EXPECT_EQ(result.report.residual, 1);
  EXPECT_TRUE(run(A, {1, 0}, {.divergence_factor = 1e6}).report.converged());
}

/// s is the residual of the answer: x + alpha p ends the solve, and counts as an iteration.
TEST(BicgstabOutcomes, ConvergesInTheMiddleOfAnIteration) {
  auto const result = run(from_dense<double>({{2, 0}, {0, 2}}, 2), {1, 3}, {.tolerance = 1e-8});

  EXPECT_TRUE(result.report.converged());
  EXPECT_EQ(result.report.iterations, 1);
  EXPECT_EQ(result.x, (std::vector<double>{0.5, 1.5}));
}

TEST(BicgstabOutcomes, RejectsFailedSetupAcceptsIndefinite) {
  auto const system = convection(10, 10, 0.5);
  std::vector<double> const ones(100, 1.0), x0 = numbers<double>(Numbers::reals, 100, 4);
  auto const with = [&](WithStatus<double> const& M) {
    return solved(
        [&](auto const& b, auto const& x, auto const& options) {
          return bicgstab(Space(), system.A.on_device(), M, b, x, options);
        },
        ones, x0, {});
  };
  for (auto const outcome : {Outcome::zero_pivot, Outcome::non_finite}) {
    auto const result = with({ones, {outcome, 17}});
    EXPECT_EQ(result.report.outcome, outcome);
    EXPECT_EQ(result.report.row, 17);
    EXPECT_EQ(result.report.iterations, 0);
    EXPECT_EQ(result.x, x0);
  }
  EXPECT_TRUE(with({ones, {Outcome::indefinite_preconditioner, 17}}).report.converged());
  EXPECT_TRUE(with({std::vector<double>(100, -1.0), {}}).report.converged()) << "M = -I";
}

TEST(BicgstabOutcomes, NaNFromPreconditioner) {
  auto const system = convection(10, 10, 0.5);
  std::vector<double> const b(100, 1.0);
  std::vector<double> inverse(100, 1.0);
  inverse[20] = not_a_number<double>();
  UserDiagonal<double> const M(inverse);

  auto const result = solved(
      [&](auto const& given_b, auto const& x, auto const& options) {
        return bicgstab(Space(), system.A.on_device(), M, given_b, x, options);
      },
      b);

  EXPECT_EQ(result.report.outcome, Outcome::non_finite);
  EXPECT_EQ(result.report.iterations, 0);
  EXPECT_EQ(result.x, std::vector<double>(100));
}

}  // namespace
}  // namespace einkorn::test
