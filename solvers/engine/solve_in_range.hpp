// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/solvers/engine/finalize.hpp>
#include <einkorn/solvers/engine/ranks.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Largest modulus of a real or imaginary part; NaN if any part is NaN.
template <class V>
struct MaxAbsPart {
  V v;
  KOKKOS_FUNCTION void operator()(std::size_t i, double& largest) const {
    auto const take = [&largest](double part) {
      double const modulus = Kokkos::abs(part);
      if (!(modulus <= largest)) largest = modulus;
    };
    if constexpr (is_complex<typename V::non_const_value_type>) {
      take(static_cast<double>(v(i).real()));
      take(static_cast<double>(v(i).imag()));
    } else {
      take(static_cast<double>(v(i)));
    }
  }
  KOKKOS_FUNCTION static void init(double& largest) { largest = 0; }
  KOKKOS_FUNCTION static void join(double& largest, double const& other) {
    if (!(other <= largest)) largest = other;
  }
};
template <class Exec, class V>
double max_abs_part(Exec const& exec, V const& v) {
  double largest = 0;
  range_reduce<std::size_t>("einkorn::solve[range]", exec, v.extent(0), MaxAbsPart<V>{v}, largest);
  fence(exec, "einkorn::solve: range of b");
  return largest;
}

/// to <- from * first * second: two powers of two, whose product may not be representable.
template <class From, class To>
struct MultiplyByPowers {
  using Real = real_type<typename To::non_const_value_type>;
  From from;
  To to;
  Real first, second;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { to(i) = from(i) * first * second; }
};
template <class Exec, class From, class To>
void scale_by_power(Exec const& exec, int exponent, From const& from, To const& to) {
  using Kernel = MultiplyByPowers<From, To>;
  using Real = typename Kernel::Real;
  auto const power = [](int e) { return static_cast<Real>(std::ldexp(1.0, e)); };
  range_for<std::size_t>("einkorn::solve[scale]", exec, to.extent(0),
                         Kernel{from, to, power(exponent / 2), power(exponent - exponent / 2)});
}

inline void scale_report(SolveReport& report, int exponent) {
  for (double* const norm :
       {&report.residual, &report.recursive_residual, &report.initial_residual, &report.reference})
    *norm = std::ldexp(*norm, exponent);
  for (double& norm : report.history) norm = std::ldexp(norm, exponent);
}

/// solve(b, options), a SolveResult. If |b|^2 or |b - A x0|^2 is out of range, solves again for 2^k b and 2^k
/// x, which are in range, and checks convergence for the x that is returned, which may have lost digits to
/// underflow. b = 0 gives x = 0. Entries of b or r that are not finite: Outcome::non_finite, x = x0. r: holds b
/// - A x0 after the first solve.
///
/// Additional cost: none; if scaled, n scalars of memory, 5 n-vectors and 2 products.
template <class Exec, class A, class Vector, class Solve>
SolveReport solve_in_range(Exec const& exec, A const& a, typename Vector::const_type const& b, Vector const& x,
                           Vector const& r, SolverOptions const& options, Solve const& solve) {
  SolveResult first = solve(b, options);
  SolveReport& report = first.report;
  if (!first.out_of_range) return report;
  double const max_b = max_over_ranks(a, max_abs_part(exec, b));
  if (max_b == 0) {
    fill_vector(exec, x, 0);
    fence(exec, "einkorn::solve: x = 0");
    report.outcome = Outcome::converged;
    report.residual = report.recursive_residual = 0;
    return report;
  }
  double const max_r = max_over_ranks(a, max_abs_part(exec, r));
  if (!std::isfinite(max_b) || !std::isfinite(max_r)) return report;
  // The larger of the two becomes 1, or 2^300 if |b| would be too small.
  int const largest = std::ilogb(std::max(max_b, max_r)),
            exponent = (largest - std::ilogb(max_b) > 300 ? 300 : 0) - largest;
  auto const scaled_b =
      collectively(a, [&] { return allocate<Vector>(exec, "einkorn::solve: b in range", b.extent(0)); });
  scale_by_power(exec, exponent, b, scaled_b);
  scale_by_power(exec, exponent, x, x);
  SolverOptions scaled = options;
  scaled.absolute_tolerance = std::ldexp(options.absolute_tolerance, exponent);
  if (options.callback)
    scaled.callback = [&options, exponent](std::int64_t iteration, double residual) {
      return options.callback(iteration, std::ldexp(residual, -exponent));
    };
  SolveResult second = solve(scaled_b, scaled);
  report = second.report;
  scale_by_power(exec, -exponent, x, x);
  if (report.converged()) {  // check the x that is returned
    scale_by_power(exec, exponent, x, x);
    scaled.max_iterations = 0;
    scaled.callback = nullptr;
    scaled.keep_history = false;
    SolveResult const last = solve(scaled_b, scaled);
    scale_by_power(exec, -exponent, x, x);
    if (!last.report.converged() && !(last.report.residual <= 1.001 * report.residual)) {
      report.outcome = last.out_of_range ? Outcome::non_finite : Outcome::stagnated;
      report.residual = last.report.residual;
    }
  }
  fence(exec, "einkorn::solve: x of the caller's system");
  if (second.out_of_range) report.outcome = Outcome::non_finite;
  scale_report(report, -exponent);
  return report;
}

/// body(), a SolveReport; if it throws, as the callback may, x becomes x0 again. initial: [n] with a callback,
/// holds x0.
template <class Exec, class Vector, class Body>
SolveReport restore_if_thrown(Exec const& exec, Vector const& x, Vector const& initial, bool has_callback,
                              Body const& body) {
  if (!has_callback) return body();
  copy_vector(exec, initial, x);
  try {
    return body();
  } catch (...) {
    copy_vector(exec, x, initial);
    fence(exec, "einkorn::solve: x0 after an exception");
    throw;
  }
}

/// solve_in_range() with the memory of a workspace; x is restored if the callback throws.
template <class Exec, class A, class Vector, class Workspace, class Solve>
SolveReport run_solve(Exec const& exec, A const& a, typename Vector::const_type const& b, Vector const& x,
                      SolverOptions const& options, Workspace const& w, Solve const& solve) {
  return restore_if_thrown(exec, x, w.space().initial(), bool(options.callback), [&] {
    return solve_in_range<Exec, A, Vector>(exec, a, b, x, w.r(), options, solve);
  });
}

}  // namespace einkorn::detail
