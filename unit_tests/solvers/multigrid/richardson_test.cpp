// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Richardson's iteration: iterates, outcomes, memory and fences; multigrid by V-cycles alone.

#include "../../support/near.hpp"
#include "../../support/throws.hpp"
#include "../../support/watch.hpp"
#include "../solved.hpp"
#include "../systems.hpp"
#include "../user_preconditioners.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/solvers/precond/identity.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>
#include <einkorn/solvers/precond/multigrid.hpp>
#include <einkorn/solvers/richardson.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

namespace einkorn::test {
namespace {

/// Diagonally dominant: Jacobi converges by a factor of 2 per iteration or faster.
System<double> dominant_lattice() {
  return lattice(12, 13, 1, 4);
}

template <class S>
Solved<S> by_jacobi(HostMatrix<S> const& A, std::vector<S> const& b, std::vector<S> const& x0,
                    SolverOptions const& options = {}) {
  UserDiagonal<S> const M(inverse_diagonal(A));
  auto const on_device = A.on_device();
  return solved([&](auto const& given_b, auto const& x,
                    auto const& given) { return richardson(Space(), on_device, M, given_b, x, given); },
                b, x0, options);
}

template <class S>
class RichardsonTyped : public testing::Test {};
using RichardsonScalars = TestTypes<double, float, Complex>;
TYPED_TEST_SUITE(RichardsonTyped, RichardsonScalars);

TYPED_TEST(RichardsonTyped, IteratesAreThoseOfTheTextbook) {
  using S = TypeParam;
  auto const system = as<S>(dominant_lattice());
  auto const& A = system.A;
  auto const b = system.b(), inverse = inverse_diagonal(A);
  double const rounding = std::numeric_limits<real_type<S>>::epsilon();
  std::vector<S> x(b.size());
  for (int k = 0; k <= 12; ++k) {
    auto const result =
        by_jacobi(A, b, std::vector<S>(b.size()),
                  {.tolerance = 0, .max_iterations = k, .replace_every = 5, .keep_history = true});
    EXPECT_EQ(result.report.outcome, Outcome::iteration_limit);
    EXPECT_EQ(result.report.iterations, k);
    ASSERT_EQ(result.report.history.size(), static_cast<std::size_t>(k) + 1);
    EXPECT_NEAR(result.report.residual, true_residual(A, b, x), 100 * rounding * norm(b));
    EXPECT_NEAR(result.report.history.back(), true_residual(A, b, x), 100 * rounding * norm(b));
    EXPECT_LE(distance(result.x, Textbook<Wide<S>>::convert(x)), 50 * rounding * norm(b));
    auto const old = x;  // x <- x + D^-1 (b - A x)
    for (std::size_t i = 0; i < x.size(); ++i) {
      S r = b[i];
      for (auto j = A.begin(i); j < A.end(i); ++j) r -= A.values[j] * old[A.column(j)];
      x[i] += inverse[i] * r;
    }
  }
}

TYPED_TEST(RichardsonTyped, Converges) {
  using S = TypeParam;
  auto const system = as<S>(dominant_lattice());
  double const tolerance = sizeof(real_type<S>) == 4 ? 1e-5 : 1e-10;
  auto const b = system.b();
  auto const result = by_jacobi(system.A, b, std::vector<S>(b.size(), S(3)), {.tolerance = tolerance});
  EXPECT_TRUE(result.report.converged());
  EXPECT_LE(true_residual(system.A, b, result.x), 1.01 * tolerance * norm(b));
  EXPECT_GT(result.report.iterations, 5);
}

TEST(Richardson, ZeroRightHandSideSolutionAsGuessAndEmptySystem) {
  auto const system = dominant_lattice();
  auto const n = system.A.rows();
  auto result = by_jacobi(system.A, std::vector<double>(n), std::vector<double>(n, 3.0));
  EXPECT_TRUE(result.report.converged());
  EXPECT_EQ(result.x, std::vector<double>(n));
  result = by_jacobi(from_dense<double>({{2, 1}, {0, 4}}, 2), {4, 8}, {1, 2});
  EXPECT_TRUE(result.report.converged());
  EXPECT_EQ(result.report.iterations, 0);
  result = by_jacobi(HostMatrix<double>{}, {}, {});
  EXPECT_TRUE(result.report.converged());
}

/// The spectral radius of I - D^-1 A is 3.
TEST(Richardson, DivergenceReturnsTheBestX) {
  auto const A = from_dense<double>({{1, 3}, {3, 1}}, 2);
  auto const result = by_jacobi(A, {1, 2}, {0, 0});
  EXPECT_EQ(result.report.outcome, Outcome::diverged);
  EXPECT_EQ(result.x, (std::vector<double>{0, 0}));
  EXPECT_EQ(result.report.residual, result.report.initial_residual);
  EXPECT_LT(result.report.iterations, 30);
}

/// Unit roundoff limits the residual: the recursive one decreases further.
TEST(Richardson, UnattainableToleranceStagnates) {
  auto const system = lattice(12, 13, 1, 1);
  auto const result = by_jacobi(system.A, system.b(), std::vector<double>(system.A.rows()),
                                {.tolerance = 1e-18, .replace_every = 0});
  EXPECT_EQ(result.report.outcome, Outcome::stagnated) << name_of(result.report.outcome);
  EXPECT_LE(result.report.residual, 1e-14 * result.report.reference);
}

TEST(Richardson, NonFiniteEntriesAndFailedSetUps) {
  auto const system = dominant_lattice();
  auto b = system.b();
  std::vector<double> const x0(b.size(), 1.0);
  auto A = system.A;
  A.values[7] = std::numeric_limits<double>::quiet_NaN();
  auto result = by_jacobi(A, b, x0);
  EXPECT_EQ(result.report.outcome, Outcome::non_finite);
  EXPECT_EQ(result.x, x0);
  auto const M = [&](SetupStatus const& status) {
    return WithStatus<double>(inverse_diagonal(system.A), status);
  };
  auto const outcome = [&](Outcome status) {
    return solved(
        [&](auto const& given_b, auto const& x, auto const& given) {
          return richardson(Space(), system.A.on_device(), M({status, 5}), given_b, x, given);
        },
        b, x0, SolverOptions{});
  };
  for (auto const failure : {Outcome::zero_pivot, Outcome::non_finite}) {
    result = outcome(failure);
    EXPECT_EQ(result.report.outcome, failure);
    EXPECT_EQ(result.report.row, 5);
    EXPECT_EQ(result.x, x0);
  }
  EXPECT_TRUE(outcome(Outcome::indefinite_preconditioner).report.converged());
}

TEST(Richardson, CallbackStopsOrRestoresX) {
  auto const system = dominant_lattice();
  auto const b = system.b();
  std::vector<double> const x0(b.size(), 0.5);
  std::vector<std::int64_t> seen;
  SolverOptions options;
  options.callback = [&](std::int64_t iteration, double) {
    seen.push_back(iteration);
    return iteration < 4;
  };
  auto const stopped = by_jacobi(system.A, b, x0, options);
  EXPECT_EQ(stopped.report.outcome, Outcome::stopped);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_LE(true_residual(system.A, b, stopped.x), stopped.report.initial_residual);
  options.callback = [](std::int64_t, double) -> bool { throw std::runtime_error("callback"); };
  auto const x = to_device(x0);
  UserDiagonal<double> const M(inverse_diagonal(system.A));
  EXPECT_THROW(richardson(Space(), system.A.on_device(), M, to_device(b), x, options), std::runtime_error);
  EXPECT_EQ(to_host(x), x0);
}

TEST(Richardson, ScaleOfTheSystemDoesNotMatter) {
  auto const system = dominant_lattice();
  auto const b = system.b();
  std::vector<double> const x0(b.size());
  auto const plain = by_jacobi(system.A, b, x0);
  for (int const exponent : {-664, 664}) {
    auto scaled = b;
    for (double& bi : scaled) bi = std::ldexp(bi, exponent);
    auto result = by_jacobi(system.A, scaled, x0);
    EXPECT_TRUE(result.report.converged());
    for (double& xi : result.x) xi = std::ldexp(xi, -exponent);
    EXPECT_EQ(result.x, plain.x);
  }
}

TEST(Richardson, SecondSolveAllocatesNothingAndRepeatsTheBits) {
  auto const system = dominant_lattice();
  auto const A = system.A.on_device();
  auto const op = make_operator<double>(Space(), A);
  auto const M = make_jacobi(Space(), A);
  auto const b = to_device(system.b());
  SolverOptions const options;
  RichardsonWorkspace<double, Space> const workspace(Space(), op, options);
  std::vector<double> first;
  for (int run = 0; run < 10; ++run) {
    Kokkos::View<double*, Device> const x("x", b.extent(0));
    Kokkos::fence();
    Watch const watch;
    EXPECT_TRUE(richardson(Space(), op, M, b, x, options, workspace).converged());
    EXPECT_TRUE(watch.seen().allocations.empty());
    EXPECT_LE(watch.seen().fences.size(), 2u);  // at the end
    if (run == 0) first = to_host(x);
    EXPECT_EQ(to_host(x), first);
  }
}

TEST(Richardson, RejectsBadInput) {
  auto const A = dominant_lattice().A.on_device();
  auto const op = make_operator<double>(Space(), A);
  auto const n = static_cast<std::size_t>(A.num_rows);
  Kokkos::View<double*, Device> const b("b", n), x("x", n), shorter("shorter", n - 1);
  auto const M = make_identity(Space(), A);
  EXPECT_TRUE(
      throws<DimensionMismatch>([&] { richardson(Space(), op, M, shorter, x); }, {"richardson", "b has"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { richardson(Space(), op, M, b, b); }, {"richardson", "overlap"}));
  for (auto const execution : {Execution::persistent, Execution::graph})
    EXPECT_TRUE(
        throws<InvalidArgument>([&] { richardson(Space(), op, M, b, x, {.execution = execution}); }, {}));
  auto const smaller = make_operator<double>(Space(), lattice(3).A.on_device());
  RichardsonWorkspace<double, Space> const workspace(Space(), smaller);
  EXPECT_TRUE(throws<DimensionMismatch>([&] { richardson(Space(), op, M, b, x, {}, workspace); },
                                        {"richardson", "workspace"}));
}

TEST(Richardson, VCyclesConvergeIndependentlyOfTheGrid) {
  std::int64_t fewest = 1000;
  for (std::size_t const n : {12u, 24u, 36u}) {
    auto const system = lattice(n, n, n);
    auto const A = system.A.on_device();
    auto const M = make_multigrid(Space(), A, {.coarsest_rows = 30});
    Kokkos::View<double*, Device> const x("x", system.A.rows());
    auto const report = richardson(Space(), A, M, to_device(system.b()), x, {.max_iterations = 200});
    EXPECT_TRUE(report.converged()) << n << ": " << report.residual;
    EXPECT_LE(report.iterations, 40) << n;
    fewest = std::min(fewest, report.iterations);
    EXPECT_LE(report.iterations, fewest + 12) << n;
  }
}

}  // namespace
}  // namespace einkorn::test
