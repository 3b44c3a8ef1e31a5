// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/solve_reference.hpp"

#include <einkorn/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace einkorn::perf {

namespace {

using Real = long double;
using Vector = std::vector<Real>;

/// Calls body(k, begin, end) for chunk k of [0, n), one thread per chunk. Not a Kokkos kernel, because device
/// code has no long double.
template <class Body>
void in_chunks(std::size_t n, Body const& body) {
  std::size_t const chunks = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 1 + n / 10000);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < chunks; ++k)
    threads.emplace_back(
        [&body, k, begin = n * k / chunks, end = n * (k + 1) / chunks] { body(k, begin, end); });
  for (auto& thread : threads) thread.join();
}

template <class Body>
void each(std::size_t n, Body const& body) {
  in_chunks(n, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) body(i);
  });
}

Real dot(Vector const& x, Vector const& y) {
  Vector parts(1 + x.size() / 10000);  // the maximum number of chunks
  in_chunks(x.size(), [&](std::size_t k, std::size_t begin, std::size_t end) {
    parts[k] = std::inner_product(x.data() + begin, x.data() + end, y.data() + begin, Real(0));
  });
  return std::accumulate(parts.begin(), parts.end(), Real(0));
}

/// y <- x + a y
void xpay(Vector const& x, Real a, Vector& y) {
  each(x.size(), [&](std::size_t i) { y[i] = x[i] + a * y[i]; });
}

/// y <- y + a x
void axpy(Real a, Vector const& x, Vector& y) {
  each(x.size(), [&](std::size_t i) { y[i] += a * x[i]; });
}

struct HostMatrix {
  Kokkos::View<int const*, Kokkos::HostSpace> row_offsets, columns;
  Kokkos::View<double const*, Kokkos::HostSpace> values;

  explicit HostMatrix(Csr<double, int, int, Device> const& A)
      : row_offsets(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.row_offsets)),
        columns(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.columns)),
        values(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.values)) {}

  [[nodiscard]] Vector times(Vector const& x) const {
    Vector y(x.size());
    each(y.size(), [&](std::size_t row) {
      Real sum = 0;
      for (int k = row_offsets(row); k < row_offsets(row + 1); ++k)
        sum += static_cast<Real>(values(k)) * x[static_cast<std::size_t>(columns(k))];
      y[row] = sum;
    });
    return y;
  }
};

/// Checks u.(A v) = v.(A u) for two vectors that are independent of A.
void require_symmetric(HostMatrix const& A, std::size_t n) {
  Vector u(n), v(n);
  for (std::size_t i = 0; i < n; ++i) {
    u[i] = std::sin(static_cast<Real>(i) * 1.7L + 0.3L);
    v[i] = std::cos(static_cast<Real>(i) * 2.3L + 0.1L);
  }
  Vector const Av = A.times(v), Au = A.times(u);
  Real const scale = std::sqrt(dot(u, u) * dot(Av, Av)) + std::sqrt(dot(v, v) * dot(Au, Au));
  require<InvalidArgument>(std::fabs(dot(u, Av) - dot(v, Au)) <= 1e-12L * scale,
                           "the matrix is not symmetric, which cg and jacobi-pcg require");
}

/// The residuals of a loop, and its stopping criterion.
class History {
 public:
  History(Real norm, int iterations, Real min_residual)
      : norm_(norm), iterations_(iterations), min_residual_(min_residual) {}
  /// Appends a residual. Returns whether the loop continues.
  bool append(Real residual_squared) {
    Real const relative = std::sqrt(residual_squared) / norm_;
    if (!(relative >= min_residual_)) return false;
    history_.push_back(relative);
    return static_cast<int>(history_.size()) <= iterations_;
  }
  [[nodiscard]] Vector take() { return std::move(history_); }

 private:
  Real norm_;
  int iterations_;
  Real min_residual_;
  Vector history_;
};

/// With D = I this is cg.
Vector history_of_pcg(HostMatrix const& A, Vector r, Vector const& inverse_diagonal, History history) {
  Vector z(r.size()), p(r.size());
  Real rho = 1;
  while (history.append(dot(r, r))) {
    each(r.size(), [&](std::size_t i) { z[i] = inverse_diagonal[i] * r[i]; });
    Real const rho_old = std::exchange(rho, dot(r, z));
    xpay(z, rho / rho_old, p);  // p is 0 at first
    Vector const q = A.times(p);
    Real const p_dot_q = dot(p, q);
    require<InvalidArgument>(
        p_dot_q > 0 && rho > 0,
        "the matrix or its diagonal is not positive definite, which cg and jacobi-pcg require");
    axpy(-rho / p_dot_q, q, r);
  }
  return history.take();
}

Vector history_of_bicgstab(HostMatrix const& A, Vector r, History history) {
  Vector const shadow = r;
  Vector p(r.size()), v(r.size());
  Real rho = 1, alpha = 1, omega = 1;
  while (history.append(dot(r, r))) {
    Real const rho_old = std::exchange(rho, dot(shadow, r));
    Real const beta = rho / rho_old * alpha / omega;
    axpy(-omega, v, p);
    xpay(r, beta, p);
    v = A.times(p);
    alpha = rho / dot(shadow, v);
    axpy(-alpha, v, r);
    Vector const t = A.times(r);
    Real const t_dot_t = dot(t, t);
    omega = t_dot_t > 0 ? dot(t, r) / t_dot_t : 0;
    axpy(-omega, t, r);
    require<InvalidArgument>(std::isfinite(alpha) && std::isfinite(beta),
                             "bicgstab breaks down on this matrix and right-hand side");
  }
  return history.take();
}

Vector on_host(DenseVector<double const> const& x) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  return {host.data(), host.data() + host.extent(0)};
}

}  // namespace

std::vector<long double> reference_history(SolveBench const& bench, int iterations, long double min_residual) {
  HostMatrix const A(bench.A);
  Vector const b = on_host(bench.b);
  Real const norm = std::sqrt(dot(b, b));
  require<InvalidArgument>(norm > 0 && std::isfinite(norm), "the right-hand side is 0 or not finite");
  History history(norm, iterations, min_residual);
  if (bench.method == Method::bicgstab) return history_of_bicgstab(A, b, history);
  require_symmetric(A, b.size());
  bool const scaled = bench.method == Method::jacobi_pcg;
  return history_of_pcg(A, b, scaled ? on_host(bench.inverse_diagonal) : Vector(b.size(), 1), history);
}

std::string disagreement(int done, int iterations, double residual, double reference) {
  char text[128];
  if (done != iterations) {
    std::snprintf(text, sizeof text, "stopped after %d of %d iterations", done, iterations);
    return text;
  }
  if (residual <= 2.0 * reference && reference <= 2.0 * residual) return {};
  std::snprintf(text, sizeof text, "residual %.3e after %d iterations, expected %.3e", residual, iterations,
                reference);
  return text;
}

double true_residual(SolveBench const& bench) {
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>;
  auto const A = bench.A;
  auto const b = bench.b;
  auto const x = bench.x;
  double error = 0.0, size = 0.0;
  Kokkos::parallel_reduce(
      "einkorn::perf::true_residual", Range(bench.exec, 0, A.num_rows),
      KOKKOS_LAMBDA(int row, double& error_part, double& size_part) {
        double sum = b(row);
        size_part += sum * sum;
        for (int k = A.row_begin(row); k < A.row_end(row); ++k) sum -= A.values(k) * x(A.columns(k));
        error_part += sum * sum;
      },
      error, size);
  return std::sqrt(error / size);
}

}  // namespace einkorn::perf
