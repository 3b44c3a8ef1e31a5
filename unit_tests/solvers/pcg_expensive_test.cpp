// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// CG with a preconditioner that has is_expensive: no application is wasted.

#include "../support/host_matrix.hpp"
#include "systems.hpp"
#include "user_preconditioners.hpp"

#include <einkorn/solvers/pcg.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace einkorn::test {
namespace {

/// D^-1, counting its applications; those with |r|^2 check it.
template <bool is_variable_>
struct CountingM {
  static constexpr bool is_variable = is_variable_, is_expensive = true;
  UserDiagonal<double> inverse;
  std::shared_ptr<std::int64_t> num_applications = std::make_shared<std::int64_t>(0),
                                num_wrong_norms = std::make_shared<std::int64_t>(0);

  template <class R, class Z>
  void apply(Space const& exec, R const& r, Z const& z) const {
    ++*num_applications;
    inverse.apply(exec, r, z);
  }
  template <class R, class Z>
  void apply(Space const& exec, R const& r, Z const& z, double const* squared_norm) const {
    apply(exec, r, z);
    double given = 0, computed = 0;
    Kokkos::deep_copy(exec, Kokkos::View<double, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&given),
                      Kokkos::View<double const, Device, Kokkos::MemoryUnmanaged>(squared_norm));
    exec.fence();
    for (double const ri : to_host(r)) computed += ri * ri;
    if (!(std::abs(given - computed) <= 1e-6 * computed)) ++*num_wrong_norms;
  }
};

template <class M>
SolveReport solve(System<double> const& system, M const& preconditioner, SolverOptions const& options) {
  auto const x = to_device(std::vector<double>(system.A.rows()));
  return pcg(Space(), system.A.on_device(), preconditioner, to_device(system.b()), x, options);
}

TEST(ExpensivePcg, AppliesMOncePerIteration) {
  auto const system = lattice(25, 30);
  auto const inverse = inverse_diagonal(system.A);
  SolverOptions options;
  options.tolerance = 1e-8;
  options.keep_history = true;
  options.replace_every = 0;
  auto const cheap = solve(system, UserDiagonal<double>(inverse), options);
  ASSERT_TRUE(cheap.converged());
  CountingM<false> const M{UserDiagonal<double>(inverse)};
  auto const report = solve(system, M, options);
  EXPECT_TRUE(report.converged());
  EXPECT_EQ(report.history, cheap.history);
  EXPECT_EQ(*M.num_applications, report.iterations);  // the first for p, none after the last iteration
  EXPECT_EQ(*M.num_wrong_norms, 0);
  options.max_iterations = 7;
  CountingM<true> const other{UserDiagonal<double>(inverse)};
  EXPECT_EQ(solve(system, other, options).outcome, Outcome::iteration_limit);
  EXPECT_EQ(*other.num_applications, 7);
}

/// Residual replacement applies M once more, to the new residual.
TEST(ExpensivePcg, ReplacesResiduals) {
  auto const system = lattice(25, 30);
  SolverOptions options;
  options.tolerance = 1e-8;
  options.replace_every = 10;
  CountingM<true> const M{UserDiagonal<double>(inverse_diagonal(system.A))};
  auto const report = solve(system, M, options);
  EXPECT_TRUE(report.converged());
  EXPECT_EQ(*M.num_applications, report.iterations + (report.iterations - 1) / 10);
  EXPECT_EQ(*M.num_wrong_norms, 0);
}

/// Where the true residual does not reach the target, the solve goes on from it with the direction z, and stagnates.
TEST(ExpensivePcg, GoesOnAfterAFailedCheck) {
  auto const system = lattice(25, 30);
  SolverOptions options;
  options.tolerance = 1e-17;
  options.max_iterations = 2000;
  CountingM<true> const M{UserDiagonal<double>(inverse_diagonal(system.A))};
  auto const report = solve(system, M, options);
  EXPECT_TRUE(report.outcome == Outcome::stagnated || report.outcome == Outcome::converged)
      << name_of(report.outcome);
  EXPECT_LT(report.residual, 1e-13 * report.initial_residual);
}

}  // namespace
}  // namespace einkorn::test
