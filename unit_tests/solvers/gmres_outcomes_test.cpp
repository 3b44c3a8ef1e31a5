// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Outcomes of GMRES, its workspace, limits and callbacks in the middle of a cycle.

#include "../support/near.hpp"
#include "../support/throws.hpp"
#include "solved.hpp"
#include "systems.hpp"
#include "user_preconditioners.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/solvers/gmres.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace einkorn::test {
namespace {

using Dense = std::vector<std::vector<double>>;

/// Solves with gmres() without and with a preconditioner that does nothing, and with fgmres().
template <class Check>
void solve_all(HostMatrix<double> const& A, std::vector<double> const& b, std::vector<double> const& x0,
               SolverOptions const& options, Check const& check) {
  auto const on_device = A.on_device();
  UserDiagonal<double> const one(std::vector<double>(b.size(), 1.0));
  for (int const method : {0, 1, 2}) {
    SCOPED_TRACE(method);
    check(solved(
        [&](auto const& given_b, auto const& x, auto const& given) {
          if (method == 0) return gmres(Space(), on_device, given_b, x, given);
          if (method == 1) return gmres(Space(), on_device, one, given_b, x, given);
          return fgmres(Space(), on_device, one, given_b, x, given);
        },
        b, x0, options));
  }
}

TEST(GmresOutcomes, ZeroRightHandSide) {
  auto const system = convection(10, 10, 0.5);
  solve_all(system.A, std::vector<double>(100), std::vector<double>(100, 3.0), {}, [](auto const& result) {
    EXPECT_TRUE(result.report.converged());
    EXPECT_EQ(result.report.iterations, 0);
    EXPECT_EQ(result.x, std::vector<double>(100));
  });
}

TEST(GmresOutcomes, InitialGuessIsTheSolution) {
  solve_all(from_dense<double>({{2, 1}, {0, 4}}, 2), {4, 8}, {1, 2}, {}, [](auto const& result) {
    EXPECT_TRUE(result.report.converged());
    EXPECT_EQ(result.report.iterations, 0);
    EXPECT_EQ(result.x, (std::vector<double>{1, 2}));
  });
}

TEST(GmresOutcomes, EmptySystem) {
  solve_all(HostMatrix<double>{}, {}, {}, {}, [](auto const& result) {
    EXPECT_TRUE(result.report.converged());
    EXPECT_EQ(result.report.iterations, 0);
  });
}

void expect_breakdown(Dense const& dense, std::vector<double> const& b, std::int64_t iterations,
                      double residual) {
  solve_all(from_dense(dense, dense.size()), b, std::vector<double>(b.size()), {}, [&](auto const& result) {
    EXPECT_EQ(result.report.outcome, Outcome::breakdown) << name_of(result.report.outcome);
    EXPECT_EQ(result.report.quantity, Quantity::triangular_pivot) << name_of(result.report.quantity);
    EXPECT_EQ(result.report.iterations, iterations);
    EXPECT_NEAR(result.report.residual, residual, 1e-15);
  });
}
TEST(GmresOutcomes, ZeroMatrix) {
  expect_breakdown({{0, 0}, {0, 0}}, {3, 4}, 1, 5);
}
TEST(GmresOutcomes, NilpotentMatrix) {
  expect_breakdown({{0, 1}, {0, 0}}, {0, 1}, 2, 1);
}
/// b = (1, 1): the component of (1, 0) is solved, that of (0, 1) is not in the range.
TEST(GmresOutcomes, InconsistentSingularMatrix) {
  expect_breakdown({{1, 0}, {0, 0}}, {1, 1}, 2, 1);
}

TEST(GmresOutcomes, ConsistentSingularMatrix) {
  solve_all(from_dense<double>({{2, 0, 0}, {0, 3, 0}, {0, 0, 0}}, 3), {2, 3, 0}, {0, 0, 7}, {},
            [](auto const& result) {
              EXPECT_TRUE(result.report.converged()) << name_of(result.report.outcome);
              EXPECT_EQ(result.report.iterations, 2);
              EXPECT_NEAR(result.x[0], 1, 1e-14);
              EXPECT_NEAR(result.x[1], 1, 1e-14);
              EXPECT_EQ(result.x[2], 7);
            });
}

/// y.Ay = 0, a breakdown of BiCGStab: GMRES needs both steps.
TEST(GmresOutcomes, Rotation) {
  solve_all(from_dense<double>({{0, 1}, {-1, 0}}, 2), {1, 0}, {0, 0}, {}, [](auto const& result) {
    EXPECT_TRUE(result.report.converged());
    EXPECT_EQ(result.report.iterations, 2);
    EXPECT_NEAR(result.x[0], 0, 1e-15);
    EXPECT_NEAR(result.x[1], 1, 1e-15);
  });
}

/// The cyclic shift of 10 entries: no step before the tenth reduces the residual.
TEST(GmresOutcomes, StagnatesOverRestarts) {
  Dense shift(10, std::vector<double>(10));
  for (std::size_t i = 0; i < 10; ++i) shift[i][(i + 9) % 10] = 1;
  std::vector<double> b(10);
  b[0] = 1;
  auto const A = from_dense(shift, 10);
  solve_all(A, b, std::vector<double>(10), {.restart = 4}, [](auto const& result) {
    EXPECT_EQ(result.report.outcome, Outcome::stagnated);
    EXPECT_EQ(result.report.iterations, 12);
    EXPECT_EQ(result.report.residual, 1);
  });
  solve_all(A, b, std::vector<double>(10), {.max_iterations = 50, .max_stalls = 0, .restart = 4},
            [](auto const& result) { EXPECT_EQ(result.report.outcome, Outcome::iteration_limit); });
  solve_all(A, b, std::vector<double>(10), {.restart = 10}, [](auto const& result) {
    EXPECT_TRUE(result.report.converged());
    EXPECT_EQ(result.report.iterations, 10);
    EXPECT_NEAR(result.x[9], 1, 1e-14);
  });
}

TEST(GmresOutcomes, StagnatesBelowTheAttainableAccuracy) {
  auto const system = convection(20, 20, 0.5);
  solve_all(system.A, system.b(), numbers<double>(Numbers::reals, 400, 4), {.tolerance = 1e-18},
            [&](auto const& result) {
              EXPECT_EQ(result.report.outcome, Outcome::stagnated) << name_of(result.report.outcome);
              EXPECT_LE(true_residual(system.A, system.b(), result.x), 1e-12 * norm(system.b()));
            });
}

TEST(GmresOutcomes, NotANumber) {
  auto const system = convection(10, 10, 0.5);
  auto const x0 = numbers<double>(Numbers::reals, 100, 4);
  auto const expect_x0 = [&](auto const& result) {
    EXPECT_EQ(result.report.outcome, Outcome::non_finite);
    EXPECT_TRUE(same_numbers(result.x, x0));
  };
  auto b = system.b();
  b[7] = not_a_number<double>();
  solve_all(system.A, b, x0, {}, expect_x0);
  auto A = system.A;
  A.values[17] = not_a_number<double>();
  solve_all(A, system.b(), x0, {}, expect_x0);
  auto bad_x0 = x0;
  bad_x0[3] = not_a_number<double>();
  solve_all(system.A, system.b(), bad_x0, {}, [&](auto const& result) {
    EXPECT_EQ(result.report.outcome, Outcome::non_finite);
    EXPECT_TRUE(same_numbers(result.x, bad_x0));
  });
}

/// The preconditioner gives NaN: x stays x0 exactly.
TEST(GmresOutcomes, NaNFromPreconditioner) {
  auto const system = convection(10, 10, 0.5);
  std::vector<double> inverse(100, 1.0);
  inverse[20] = not_a_number<double>();
  UserDiagonal<double> const M(inverse);
  for (bool const flexible : {false, true}) {
    auto const result = solved(
        [&](auto const& b, auto const& x, auto const& options) {
          return flexible ? fgmres(Space(), system.A.on_device(), M, b, x, options)
                          : gmres(Space(), system.A.on_device(), M, b, x, options);
        },
        std::vector<double>(100, 1.0));
    EXPECT_EQ(result.report.outcome, Outcome::non_finite);
    EXPECT_EQ(result.x, std::vector<double>(100));
  }
}

TEST(GmresOutcomes, FailedSetup) {
  auto const system = convection(10, 10, 0.5);
  std::vector<double> const ones(100, 1.0), x0 = numbers<double>(Numbers::reals, 100, 4);
  auto const with = [&](WithStatus<double> const& M) {
    return solved([&](auto const& b, auto const& x,
                      auto const& options) { return gmres(Space(), system.A.on_device(), M, b, x, options); },
                  ones, x0, {});
  };
  for (auto const outcome : {Outcome::zero_pivot, Outcome::non_finite}) {
    auto const result = with({ones, {outcome, 17}});
    EXPECT_EQ(result.report.outcome, outcome);
    EXPECT_EQ(result.report.row, 17);
    EXPECT_EQ(result.x, x0);
  }
  EXPECT_TRUE(with({ones, {Outcome::indefinite_preconditioner, 17}}).report.converged());
}

/// A limit in the middle of a cycle: x is that of the last step, with the recursive residual.
TEST(GmresOutcomes, LimitInTheMiddleOfACycle) {
  auto const system = convection(20, 20, 0.5);
  auto const b = system.b();
  double before = norm(b);
  for (std::int64_t const limit : {1, 2, 7, 12, 23})
    solve_all(system.A, b, std::vector<double>(400), {.max_iterations = limit, .restart = 10},
              [&](auto const& result) {
                EXPECT_EQ(result.report.outcome, Outcome::iteration_limit);
                EXPECT_EQ(result.report.iterations, limit);
                EXPECT_NEAR(result.report.residual, result.report.recursive_residual, 1e-13 * norm(b));
                EXPECT_NEAR(result.report.residual, true_residual(system.A, b, result.x), 1e-13 * norm(b));
                EXPECT_LE(result.report.residual, before * (1 + 1e-12));
                before = std::min(before, result.report.residual);
              });
  EXPECT_LT(before, 0.5 * norm(b));
}

TEST(GmresOutcomes, CallbackStopsAndThrows) {
  auto const system = convection(20, 20, 0.5);
  auto const b = system.b();
  auto const x0 = numbers<double>(Numbers::reals, 400, 4);
  SolverOptions options{.restart = 8};
  options.callback = [](std::int64_t iteration, double) { return iteration < 11; };
  solve_all(system.A, b, x0, options, [&](auto const& result) {
    EXPECT_EQ(result.report.outcome, Outcome::stopped);
    EXPECT_GE(result.report.iterations, 11);
    EXPECT_NEAR(result.report.residual, true_residual(system.A, b, result.x), 1e-12 * norm(b));
    EXPECT_LT(result.report.residual, result.report.initial_residual);
  });
  options.callback = [](std::int64_t iteration, double) -> bool {
    if (iteration > 10) throw std::runtime_error("from the callback");
    return true;
  };
  auto const A = system.A.on_device();
  auto const x = to_device(x0);
  EXPECT_TRUE(
      throws<std::runtime_error>([&] { gmres(Space(), A, to_device(b), x, options); }, {"from the callback"}));
  EXPECT_EQ(to_host(x), x0);
}

TEST(GmresWorkspaces, ChecksAndReuse) {
  auto const system = convection(20, 20, 0.5);
  auto const b = to_device(system.b());
  auto const x = to_device(std::vector<double>(400));
  auto const op = make_operator<double>(Space(), system.A.on_device());
  UserDiagonal<double> const M(std::vector<double>(400, 1.0));
  using Workspace = GmresWorkspace<double, Space>;
  Workspace const ten(Space(), op, {.restart = 10}),
      flexible(Space(), op, {.restart = 20}, GmresKind::flexible);

  EXPECT_TRUE(throws<InvalidArgument>([&] { gmres(Space(), op, b, x, {.restart = 11}, ten); },
                                      {"gmres", "10 steps", "restart = 11"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { gmres(Space(), op, M, b, x, {.restart = 10}, ten); },
                                      {"gmres", "plain", "preconditioned"}));
  EXPECT_TRUE(throws<InvalidArgument>(
      [&] {
        fgmres(Space(), op, M, b, x, {.restart = 10},
               Workspace(Space(), op, {.restart = 10}, GmresKind::preconditioned));
      },
      {"fgmres", "preconditioned", "flexible"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { gmres(Space(), op, b, x, {.restart = 0}); }, {"restart"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { gmres(Space(), op, b, x, {.execution = Execution::persistent}); },
                                      {"gmres", "persistent"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { gmres(Space(), op, b, x, {.execution = Execution::graph}); },
                                      {"gmres", "graph"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { gmres(Space(), op, b, b); }, {"overlap"}));
  EXPECT_EQ(to_host(x), std::vector<double>(400));

  auto const fresh = gmres(Space(), op, M, b, x, {.restart = 7});
  auto const want = to_host(x);
  for (int run = 0; run < 3; ++run) {
    Kokkos::deep_copy(x, 0.0);
    auto const again = gmres(Space(), op, M, b, x, {.restart = 7}, flexible);
    EXPECT_EQ(again.iterations, fresh.iterations);
    EXPECT_EQ(to_host(x), want) << "the same bits from a larger workspace";
    Kokkos::deep_copy(x, 0.0);
    EXPECT_TRUE(fgmres(Space(), op, M, b, x, {.restart = 20}, flexible).converged());
  }
}

/// b and x scaled by powers of two, to where the squares of norms overflow and underflow.
TEST(GmresRange, ScaledSystems) {
  auto const system = convection(15, 10, 0.5);
  auto const b = system.b();
  for (int const exponent : {0, 600, -600}) {
    auto scaled_b = b;
    for (auto& entry : scaled_b) entry = std::ldexp(entry, exponent);
    solve_all(system.A, scaled_b, std::vector<double>(150), {}, [&](auto const& result) {
      EXPECT_TRUE(result.report.converged()) << exponent;
      auto x = result.x;
      for (auto& entry : x) entry = std::ldexp(entry, -exponent);
      EXPECT_LE(true_residual(system.A, b, x), 1.0001e-8 * norm(b));
    });
  }
}

}  // namespace
}  // namespace einkorn::test
