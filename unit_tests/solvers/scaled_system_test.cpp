// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Jacobi by scaling: CG on S A S and BiCGStab on A S are PCG, and BiCGStab preconditioned from the right, of
// the textbook, and report the residual of A x = b.

#include "../support/near.hpp"
#include "../support/throws.hpp"
#include "bicgstab_tests.hpp"
#include "cg_tests.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/solvers/scaled_system.hpp>

#include <gtest/gtest.h>

#include <complex>
#include <type_traits>
#include <vector>

namespace einkorn::test {
namespace {

template <class S>
auto scaled_operator(HostMatrix<S> const& A, ScaledSides sides) {
  return make_jacobi_scaled(Space(), A.on_device(), sides, [](auto const& B) {
    return SpmvOperator(make_spmv_plan(Space(), B, {.algorithm = SpmvAlgorithm::row_team}));
  });
}

template <class S>
class ScaledSystem : public testing::Test {};
using ScaledSystemScalars = TestTypes<double, Complex>;
TYPED_TEST_SUITE(ScaledSystem, ScaledSystemScalars);

TYPED_TEST(ScaledSystem, CgMatchesPcg) {
  using S = TypeParam;
  using Double = std::conditional_t<is_complex<S>, std::complex<double>, double>;
  for (auto const& system : {badly_scaled(as<S>(lattice(25, 30))), badly_scaled(as<S>(lattice(9, 10, 11)))}) {
    SCOPED_TRACE(system.name);
    auto const a = scaled_operator(system.A, ScaledSides::both);
    auto const inverse = inverse_diagonal(system.A);
    auto const b = system.b();
    auto const solve = [&](auto const& given_b, auto const& x, SolverOptions const& options) {
      return cg(Space(), a, given_b, x, options);
    };
    for (auto const& way : ways(true, true)) {
      if (way.recurrence == Recurrence::classical) continue;
      SCOPED_TRACE(way.name);
      expect_iterates(system, solve, way.options(), Textbook<Wide<S>>::cg(system.A, b, 10, 0.0, inverse, 10));
      for (bool const keeps_history : {true, false}) {
        auto options = way.options();
        options.keep_history = keeps_history;
        expect_count(system, solve, options,
                     Textbook<Double>::cg(system.A, b, 10000, options.tolerance, inverse), 1);
      }
    }
  }
}

/// Scaling rounds every entry of A once more: other iterates, the more so where rows differ by powers of ten.
TYPED_TEST(ScaledSystem, BicgstabMatchesRightPreconditioning) {
  using S = TypeParam;
  for (auto const& system : {dominant<S>(400, 1.2), badly_scaled(as<S>(lattice(15, 15)))}) {
    auto const a = scaled_operator(system.A, ScaledSides::right);
    auto const solve = [&](auto const& b, auto const& x, SolverOptions const& options) {
      return bicgstab(Space(), a, b, x, options);
    };
    expect_bicgstab(system, solve, inverse_diagonal(system.A), {.iterates = 1e5, .count = 6});
  }
}

TEST(ScaledSystemOptions, NonzeroInitialGuess) {
  auto const system = badly_scaled(lattice(25, 30));
  auto const a = scaled_operator(system.A, ScaledSides::both);
  auto const b = system.b(), x0 = numbers<double>(Numbers::reals, b.size(), 21);
  auto const result = solved([&](auto const& given_b, auto const& x,
                                 auto const& options) { return cg(Space(), a, given_b, x, options); },
                             b, x0, {});

  EXPECT_TRUE(result.report.converged());
  EXPECT_NEAR(result.report.initial_residual, true_residual(system.A, b, x0),
              1e-12 * result.report.initial_residual);
  EXPECT_DOUBLE_EQ(result.report.reference, norm(b));
  EXPECT_LE(true_residual(system.A, b, result.x), 1.0001e-8 * norm(b));
}

TEST(ScaledSystemOptions, InvalidDiagonal) {
  auto const run = [](HostMatrix<double> const& A, ScaledSides sides) {
    auto const a = scaled_operator(A, sides);
    return solved(
        [&](auto const& b, auto const& x, auto const& options) {
          return sides == ScaledSides::both ? cg(Space(), a, b, x, options)
                                            : bicgstab(Space(), a, b, x, options);
        },
        {1, 1}, std::vector<double>{7, 8}, {});
  };
  auto const zero = from_dense<double>({{2, 1}, {1, 0}}, 2),
             negative = from_dense<double>({{2, 1}, {1, -2}}, 2);

  for (auto const sides : {ScaledSides::both, ScaledSides::right}) {
    auto const result = run(zero, sides);
    EXPECT_EQ(result.report.outcome, Outcome::zero_pivot);
    EXPECT_EQ(result.report.row, 1);
    EXPECT_EQ(result.x, (std::vector<double>{7, 8}));
  }
  auto const of_cg = run(negative, ScaledSides::both);
  EXPECT_EQ(of_cg.report.outcome, Outcome::indefinite_preconditioner);
  EXPECT_EQ(of_cg.report.row, 1);
  EXPECT_EQ(of_cg.x, (std::vector<double>{7, 8}));
  EXPECT_TRUE(run(negative, ScaledSides::right).report.converged()) << "BiCGStab does not mind";
}

TEST(ScaledSystemOptions, InvalidArgumentsKeepX) {
  auto const system = badly_scaled(lattice(25, 30));
  auto const both = scaled_operator(system.A, ScaledSides::both),
             right = scaled_operator(system.A, ScaledSides::right);
  auto const b = to_device(system.b());
  auto const before = numbers<double>(Numbers::reals, b.extent(0), 21);
  auto const x = to_device(before);
  SolverOptions options;

  EXPECT_TRUE(throws<InvalidArgument>([&] { cg(Space(), right, b, x); }, {"ScaledSides::both"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { bicgstab(Space(), both, b, x); }, {"ScaledSides::right"}));
  options.execution = Execution::persistent;
  EXPECT_TRUE(throws<InvalidArgument>([&] { bicgstab(Space(), right, b, x, options); }, {"persistent"}));
  options.callback = [](std::int64_t, double) { return true; };
  EXPECT_TRUE(throws<InvalidArgument>([&] { cg(Space(), both, b, x, options); }, {"persistent"}));
  options.callback = {};
  options.execution = Execution::graph;
  if (!is_gpu<Space>) {
    EXPECT_TRUE(throws<InvalidArgument>([&] { cg(Space(), both, b, x, options); }, {"graph"}));
    EXPECT_TRUE(throws<InvalidArgument>([&] { bicgstab(Space(), right, b, x, options); }, {"graph"}));
  }
  options = {};
  options.recurrence = Recurrence::classical;
  EXPECT_TRUE(throws<InvalidArgument>([&] { cg(Space(), both, b, x, options); }, {"fused"}));
  EXPECT_EQ(to_host(x), before);
}

}  // namespace
}  // namespace einkorn::test
