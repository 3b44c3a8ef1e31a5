// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Outcomes that only CG has, with every execution.

#include "../support/near.hpp"
#include "cg_tests.hpp"
#include "user_preconditioners.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/solvers/pcg.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace einkorn::test {
namespace {

using Host = HostMatrix<double>;

Host diagonal(std::vector<double> const& entries) {
  Host A{static_cast<int>(entries.size()), static_cast<int>(entries.size()), {0}, {}, entries};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    A.columns.push_back(static_cast<int>(i));
    A.offsets.push_back(static_cast<int>(i + 1));
  }
  return A;
}

Solved<double> run(Way const& way, Host const& A, std::vector<double> const& b, SolverOptions options = {}) {
  options.recurrence = way.recurrence;
  options.execution = way.execution;
  SpmvOperator const by_rows(make_spmv_plan(Space(), A.on_device(), {.algorithm = SpmvAlgorithm::row_team}));
  return solved([&](auto const& given_b, auto const& x,
                    auto const& given) { return cg(Space(), by_rows, given_b, x, given); },
                b, options);
}

template <class M>
Solved<double> run(M const& preconditioner, Host const& A, std::vector<double> const& b,
                   std::vector<double> const& x0) {
  return solved(
      [&](auto const& given_b, auto const& x, auto const& given) {
        return pcg(Space(), A.on_device(), preconditioner, given_b, x, given);
      },
      b, x0, {});
}

TEST(CgOutcomes, BreakdownOfZeroCurvature) {
  Host const exchange{2, 2, {0, 1, 2}, {1, 0}, {1, 1}}, nothing = diagonal({0, 0, 0});
  for (auto const& way : ways(true, true)) {
    SCOPED_TRACE(way.name);
    for (auto const& [A, b] :
         {std::pair(exchange, std::vector<double>{1, 0}), std::pair(nothing, std::vector<double>{1, 2, 3})}) {
      auto const result = run(way, A, b);

      EXPECT_EQ(result.report.outcome, Outcome::breakdown);
      EXPECT_EQ(result.report.quantity, Quantity::curvature);
      EXPECT_EQ(result.report.iterations, 0);
      EXPECT_EQ(result.x, std::vector<double>(b.size()));
      EXPECT_DOUBLE_EQ(result.report.residual, norm(b));
    }
  }
}

/// b is not in the range of A: CG reaches the least residual, where A p = 0.
TEST(CgOutcomes, BreakdownOfInconsistentSemidefiniteSystem) {
  for (auto const& way : ways(true, true)) {
    auto const result = run(way, diagonal({1, 0}), {3, 4});

    EXPECT_FALSE(result.report.converged()) << way.name;
    EXPECT_LE(result.report.residual, 5) << way.name;
  }
}

TEST(CgOutcomes, IndefiniteOperator) {
  for (auto const& way : ways(true, true))
    for (double const scale : {1.0, 1e20, 1e-20}) {
      SCOPED_TRACE(way.name);
      auto const at_once = run(way, diagonal({1 * scale, -1 * scale}), {1, 2});
      EXPECT_EQ(at_once.report.outcome, Outcome::indefinite_operator);
      EXPECT_EQ(at_once.report.quantity, Quantity::none);
      EXPECT_EQ(at_once.report.iterations, 0);

      auto const later = run(way, diagonal({4 * scale, 2 * scale, -1 * scale}), {3, 3, 1});
      EXPECT_EQ(later.report.outcome, Outcome::indefinite_operator);
      EXPECT_GT(later.report.iterations, 0);
      EXPECT_LE(later.report.residual, std::sqrt(19.0));
    }
}

TEST(CgOutcomes, Diverged) {
  for (auto const& way : ways(true, true)) {
    auto const A = diagonal({1, 100});  // |r| = 10.05, 49.7, ...

    auto const result = run(way, A, {10, 1}, {.divergence_factor = 2});

    EXPECT_EQ(result.report.outcome, Outcome::diverged) << way.name;
    EXPECT_EQ(result.report.iterations, 1);
    EXPECT_NEAR(result.report.recursive_residual, std::hypot(4.95, 49.5), 1e-12);
    EXPECT_EQ(result.x, (std::vector<double>{0, 0})) << "the best is x0";
    EXPECT_DOUBLE_EQ(result.report.residual, std::sqrt(101.0));
    EXPECT_TRUE(run(way, A, {10, 1}, {.divergence_factor = 10}).report.converged());
  }
}

TEST(PcgOutcomes, IndefinitePreconditioner) {
  auto const A = lattice(10, 10).A;
  auto const b = numbers<double>(Numbers::reals, 100, 3), x0 = numbers<double>(Numbers::reals, 100, 4);
  std::vector<double> const minus(100, -1.0);
  std::vector<double> one_negative(100, 1.0);
  one_negative[50] = -1e6;
  for (auto const& inverse : {minus, one_negative})
    for (bool const is_fusable : {true, false}) {
      auto const result = is_fusable ? run(FusableUserDiagonal<double>(inverse), A, b, x0)
                                     : run(UserDiagonal<double>(inverse), A, b, x0);

      EXPECT_EQ(result.report.outcome, Outcome::indefinite_preconditioner);
      EXPECT_EQ(result.report.iterations, 0);
      EXPECT_EQ(result.x, x0);
    }
}

/// r.z turns negative only after some iterations.
TEST(PcgOutcomes, IndefinitePreconditionerFoundLater) {
  auto const A = lattice(10, 10).A;
  std::vector<double> const b = numbers<double>(Numbers::reals, 100, 3);
  std::vector<double> inverse(100, 1.0);
  inverse[0] = -3.0;
  for (bool const is_fusable : {true, false}) {
    auto const result = is_fusable ? run(FusableUserDiagonal<double>(inverse), A, b, std::vector<double>(100))
                                   : run(UserDiagonal<double>(inverse), A, b, std::vector<double>(100));

    EXPECT_FALSE(result.report.converged());
    EXPECT_GT(result.report.iterations, 0);
    EXPECT_TRUE(result.report.outcome == Outcome::indefinite_preconditioner ||
                result.report.outcome == Outcome::indefinite_operator)
        << name_of(result.report.outcome);
    EXPECT_LE(result.report.residual, norm(b));
  }
}

TEST(PcgOutcomes, FailedPreconditionerSetup) {
  auto const A = lattice(10, 10).A;
  std::vector<double> const ones(100, 1.0), x0 = numbers<double>(Numbers::reals, 100, 4);
  for (auto const outcome : {Outcome::zero_pivot, Outcome::non_finite, Outcome::indefinite_preconditioner}) {
    auto const result = run(WithStatus<double>(ones, {outcome, 17}), A, ones, x0);

    EXPECT_EQ(result.report.outcome, outcome);
    EXPECT_EQ(result.report.row, 17);
    EXPECT_EQ(result.report.iterations, 0);
    EXPECT_TRUE(std::isnan(result.report.residual)) << "nothing was computed";
    EXPECT_EQ(result.x, x0);
  }
  EXPECT_TRUE(run(WithStatus<double>(ones, {}), A, ones, x0).report.converged());
}

TEST(PcgOutcomes, NaNFromPreconditioner) {
  auto const A = lattice(10, 10).A;
  std::vector<double> const b(100, 1.0), x0 = numbers<double>(Numbers::reals, 100, 4);
  std::vector<double> inverse(100, 1.0);
  inverse[20] = not_a_number<double>();
  for (bool const is_fusable : {true, false}) {
    auto const result = is_fusable ? run(FusableUserDiagonal<double>(inverse), A, b, x0)
                                   : run(UserDiagonal<double>(inverse), A, b, x0);

    EXPECT_EQ(result.report.outcome, Outcome::non_finite);
    EXPECT_EQ(result.report.iterations, 0);
    EXPECT_EQ(result.x, x0);
  }
}

}  // namespace
}  // namespace einkorn::test
