// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The parts of the multigrid cycle on hand-made hierarchies of 1-D Poisson matrices with linear interpolation.

#include "../../support/host_matrix.hpp"

#include <einkorn/solvers/precond/multigrid/cycle.hpp>
#include <einkorn/solvers/precond/multigrid/inverse_diagonal.hpp>
#include <einkorn/solvers/precond/multigrid/scaled_vectors.hpp>
#include <einkorn/solvers/precond/multigrid/spectral_radius.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace einkorn::test {
namespace {

using Host = HostMatrix<double>;
using DeviceFaults = detail::FirstFault<Device>;

/// Tridiagonal(-1, 2, -1) times scale.
Host poisson_line(std::size_t n, double scale = 1) {
  std::vector<std::vector<double>> dense(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    dense[i][i] = 2 * scale;
    if (i > 0) dense[i][i - 1] = -scale;
    if (i + 1 < n) dense[i][i + 1] = -scale;
  }
  return from_dense(dense, n);
}
/// Linear interpolation from n to 2 n + 1 points.
Host interpolation(std::size_t n) {
  std::vector<std::vector<double>> dense(2 * n + 1, std::vector<double>(n, 0.0));
  for (std::size_t j = 0; j < n; ++j) {
    dense[2 * j][j] = dense[2 * j + 2][j] = 0.5;
    dense[2 * j + 1][j] = 1;
  }
  return from_dense(dense, n);
}

template <class Scalar>
using TestLevels = detail::Levels<Scalar, int, int, Device>;

/// Levels of n, (n - 1) / 2, ... rows. P^T A P of tridiagonal(-1, 2, -1) is half the matrix of the coarse grid.
template <class Scalar>
TestLevels<Scalar> poisson_levels(std::size_t n, int count, int degree, MultigridSmoother smoother,
                                  bool has_inverse = true) {
  Space const exec;
  TestLevels<Scalar> levels;
  double scale = 1;
  for (int l = 0; l < count; ++l, n = (n - 1) / 2, scale *= 0.5) {
    auto const A = poisson_line(n, scale).on_device();
    detail::Level<Scalar, int, int, Device> level;
    level.allocate_vectors(exec, n);
    DeviceFaults const faults(exec);
    faults.reset(exec);
    Kokkos::View<double*, Device> const inverse("inverse", n);
    auto const scaled =
        detail::scale_by_diagonal(exec, A, inverse, level.M, faults, smoother == MultigridSmoother::l1_jacobi);
    level.A = detail::LevelOperator<Scalar, int, int, Device>(exec, scaled.matrix);
    level.steps = detail::make_smoother_steps(smoother, degree, scaled.bound);
    if (l + 1 == count && has_inverse) {
      levels.coarsest = detail::DenseInverse<Scalar, Device>(exec, A, faults);
      levels.has_inverse = true;
    }
    levels.list.push_back(level);
  }
  for (std::size_t l = 0; l + 1 < levels.list.size(); ++l) {
    auto const P = interpolation(levels.list[l + 1].num_rows());
    auto const coarse_M = levels.is_inverted(l + 1) ? Kokkos::View<Scalar*, Device>() : levels.list[l + 1].M;
    levels.list[l].set_transfers(exec, P.on_device(), transposed(P).on_device(), coarse_M);
  }
  return levels;
}

template <class Scalar>
std::vector<Scalar> cycle_of(TestLevels<Scalar> const& levels, std::vector<Scalar> const& b) {
  Space const exec;
  detail::scaled_copy(exec, to_device(b), levels.list[0].b, levels.list[0].M, nullptr);
  return to_host(detail::v_cycle(exec, levels, 0));
}

double dot(std::vector<double> const& a, std::vector<double> const& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::vector<double> product(Host const& A, std::vector<double> const& x) {
  std::vector<double> y(A.rows(), 0.0);
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (auto k = A.begin(i); k < A.end(i); ++k) y[i] += A.values[k] * x[A.column(k)];
  return y;
}

std::vector<double> waves(std::size_t n, double frequency) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = std::sin(frequency * static_cast<double>(i * i + 1)) + 0.1 * static_cast<double>(i % 7);
  return x;
}

/// The factor of the last of several iterations x <- x + M (b - A x) for b = 0, in the norm of A.
double convergence_factor(TestLevels<double> const& levels, Host const& A) {
  auto x = waves(A.rows(), 0.37);
  double factor = 1, norm = std::sqrt(dot(x, product(A, x)));
  for (int iteration = 0; iteration < 12; ++iteration) {
    auto const z = cycle_of(levels, product(A, x));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] -= z[i];
    double const next = std::sqrt(dot(x, product(A, x)));
    factor = next / norm;
    norm = next;
  }
  return factor;
}

TEST(MultigridCycle, IsSymmetricAndPositive) {
  for (auto const smoother : {MultigridSmoother::chebyshev, MultigridSmoother::l1_jacobi})
    for (int const degree : {1, 2, 3})
      for (bool const has_inverse : {true, false}) {
        auto const levels = poisson_levels<double>(127, 4, degree, smoother, has_inverse);
        auto const u = waves(127, 0.7), v = waves(127, 1.3);
        auto const Mu = cycle_of(levels, u), Mv = cycle_of(levels, v);
        EXPECT_NEAR(dot(u, Mv), dot(v, Mu), 1e-11 * std::fabs(dot(u, Mv)) + 1e-9);
        EXPECT_GT(dot(u, Mu), 0);
        EXPECT_GT(dot(v, Mv), 0);
      }
}

TEST(MultigridCycle, ConvergesWithTheFactorOfTwoGrids) {
  auto const A = poisson_line(255);
  // The smoother reduces the part that the coarse grid does not correct by 1 / T_2(11 / 9) = 0.503 per half cycle.
  EXPECT_LT(convergence_factor(poisson_levels<double>(255, 2, 2, MultigridSmoother::chebyshev), A), 0.254);
  EXPECT_LT(convergence_factor(poisson_levels<double>(255, 6, 2, MultigridSmoother::chebyshev), A), 0.27);
  EXPECT_LT(convergence_factor(poisson_levels<double>(255, 6, 2, MultigridSmoother::l1_jacobi), A), 0.35);
}

TEST(MultigridCycle, FloatLevelsAgreeWithDoubleLevels) {
  auto const b = waves(127, 0.7);
  auto const x = cycle_of(poisson_levels<double>(127, 4, 2, MultigridSmoother::chebyshev), b);
  auto const y = cycle_of(poisson_levels<float>(127, 4, 2, MultigridSmoother::chebyshev),
                          std::vector<float>(b.begin(), b.end()));
  double const largest = *std::max_element(x.begin(), x.end());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], static_cast<double>(y[i]), 1e-5 * largest);
}

TEST(MultigridDenseInverse, InvertsMatricesOfSeveralBlocks) {
  Space const exec;
  for (std::size_t const n : {1u, 2u, 31u, 32u, 33u, 64u, 97u, 130u}) {
    auto const A = poisson_line(n);
    DeviceFaults const faults(exec);
    faults.reset(exec);
    detail::DenseInverse<double, Device> const inverse(exec, A.on_device(), faults);
    auto const x = waves(n, 0.9);
    auto const result = to_device(std::vector<double>(n));
    inverse.apply(exec, to_device(product(A, x)), result);
    auto const y = to_host(result);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(y[i], x[i], 1e-10) << n << " rows, row " << i;
    EXPECT_EQ(inverse.num_skipped(), 0);
    EXPECT_EQ(faults.status(exec).outcome, Outcome::converged);
  }
}

TEST(MultigridDenseInverse, SolvesConsistentSystemsOfSingularMatrices) {
  Space const exec;
  std::size_t const n = 70;
  auto A = poisson_line(n);
  A.values[0] = A.values.back() = 1;  // rows sum to 0
  DeviceFaults const faults(exec);
  faults.reset(exec);
  detail::DenseInverse<double, Device> const inverse(exec, A.on_device(), faults);
  EXPECT_EQ(inverse.num_skipped(), 1);
  auto const b = product(A, waves(n, 0.9));
  auto const result = to_device(std::vector<double>(n));
  inverse.apply(exec, to_device(b), result);
  auto const Ax = product(A, to_host(result));
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(Ax[i], b[i], 1e-9);
}

TEST(MultigridDenseInverse, ReportsNegativePivots) {
  Space const exec;
  auto A = poisson_line(40);
  A.values[A.begin(37) + 1] = -5;
  DeviceFaults const faults(exec);
  faults.reset(exec);
  detail::DenseInverse<double, Device> const inverse(exec, A.on_device(), faults);
  EXPECT_EQ(faults.status(exec).outcome, Outcome::indefinite_preconditioner);
  EXPECT_EQ(faults.status(exec).row, 37);
}

TEST(MultigridSpectralRadius, IsNotBelowTheLargestEigenvalueAndCloseToIt) {
  Space const exec;
  for (std::size_t const n : {2u, 5u, 60u, 9000u}) {
    Host A{static_cast<int>(n), static_cast<int>(n), {0}, {}, {}};
    for (std::size_t i = 0; i < n; ++i) {  // diagonal scaling keeps the spectrum of D^-1 A
      for (std::size_t j = i == 0 ? 0 : i - 1; j <= std::min(i + 1, n - 1); ++j) {
        double const scale = std::sqrt((1.0 + static_cast<double>(i % 5)) * (1.0 + static_cast<double>(j % 5)));
        A.columns.push_back(static_cast<int>(j));
        A.values.push_back((i == j ? 2.0 : -1.0) * scale);
      }
      A.offsets.push_back(static_cast<int>(A.values.size()));
    }
    Kokkos::View<double*, Device> const inverse("inverse", n), M("M", n), z("z", n), p("p", n), q("q", n);
    DeviceFaults const faults(exec);
    faults.reset(exec);
    auto const scaled = detail::scale_by_diagonal(exec, A.on_device(), inverse, M, faults, false);
    detail::LevelOperator<double, int, int, Device> const op(exec, scaled.matrix);
    detail::OrderedSums<Device> const sums(exec, n, 1);
    Kokkos::View<detail::LanczosState*, Device> const state("state", 1);
    double const largest = 1 + std::cos(std::numbers::pi / static_cast<double>(n + 1));
    double const radius = detail::spectral_radius(exec, op, M, 100.0, z, p, q, sums, state);
    EXPECT_GE(radius, largest) << n;
    EXPECT_LE(radius, 1.1001 * largest) << n;
    EXPECT_EQ(detail::spectral_radius(exec, op, M, 1.5, z, p, q, sums, state), 1.5);
  }
}

TEST(MultigridInverseDiagonal, ReportsZeroNegativeAndNonFiniteRows) {
  Space const exec;
  auto const status = [&](double value) {
    auto A = poisson_line(9);
    A.values[A.begin(4) + 1] = value;
    Kokkos::View<double*, Device> const inverse("inverse", 9);
    Kokkos::View<float*, Device> const M("M", 9);
    DeviceFaults const faults(exec);
    faults.reset(exec);
    EXPECT_TRUE(std::isfinite(detail::scale_by_diagonal(exec, A.on_device(), inverse, M, faults, false).bound));
    for (double const entry : to_host(inverse)) EXPECT_TRUE(std::isfinite(entry));
    EXPECT_EQ(faults.status(exec).row, 4);
    return faults.status(exec).outcome;
  };
  EXPECT_EQ(status(0), Outcome::zero_pivot);
  EXPECT_EQ(status(1e-300), Outcome::zero_pivot);
  EXPECT_EQ(status(-2), Outcome::indefinite_preconditioner);
  EXPECT_EQ(status(std::nan("")), Outcome::non_finite);
  EXPECT_EQ(status(INFINITY), Outcome::non_finite);
}

}  // namespace
}  // namespace einkorn::test
