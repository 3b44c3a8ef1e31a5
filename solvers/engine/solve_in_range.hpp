// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/solvers/engine/finalize.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Largest modulus of a real or imaginary part; NaN where there is one.
template <class V>
struct MaxPart {
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
double max_part(Exec const& exec, V const& v) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>;
  double largest = 0;
  Kokkos::parallel_reduce("einkorn::solve[range]", Policy(exec, 0, v.extent(0)), MaxPart<V>{v}, largest);
  exec.fence("einkorn::solve: range of b");
  return largest;
}

/// to <- from * first * second, two powers of two: their product may not be a double.
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
  auto const power = [](int of) { return static_cast<Real>(std::ldexp(1.0, of)); };
  Kokkos::parallel_for("einkorn::solve[scale]",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, to.extent(0)),
                       Kernel{from, to, power(exponent / 2), power(exponent - exponent / 2)});
}

inline void scale_report(SolveReport& report, int exponent) {
  for (double* const norm :
       {&report.residual, &report.recursive_residual, &report.initial_residual, &report.reference})
    *norm = std::ldexp(*norm, exponent);
  for (double& norm : report.history) norm = std::ldexp(norm, exponent);
}

/// solve(b, options), a SolveResult; where the square of |b| or of |b - A x0| is out of range, once more for
/// 2^k b and 2^k x, which are not. A solve that ends so has converged for the x that is returned: also where
/// that lost digits to underflow. b = 0 gives x = 0. r: b - A x0 after the first solve.
///
/// Cost beyond solve(): none, or a vector of n scalars, 5 passes and 2 products.
template <class Exec, class Vector, class Solve>
SolveReport solve_in_range(Exec const& exec, typename Vector::const_type const& b, Vector const& x,
                           Vector const& r, SolverOptions const& options, Solve const& solve) {
  SolveResult first = solve(b, options);
  SolveReport& report = first.report;
  if (!first.out_of_range) return report;
  double const of_b = max_part(exec, b);
  if (of_b == 0) {
    Kokkos::deep_copy(exec, x, 0);
    exec.fence("einkorn::solve: x = 0");
    report.outcome = Outcome::converged;
    report.residual = report.recursive_residual = 0;
    return report;
  }
  double const of_r = max_part(exec, r);
  if (!std::isfinite(of_b) || !std::isfinite(of_r)) return report;
  // The larger of the two becomes 1, or 2^300 where |b| would be too small.
  int const largest = std::ilogb(std::max(of_b, of_r)),
            exponent = (largest - std::ilogb(of_b) > 300 ? 300 : 0) - largest;
  auto const scaled_b = allocate<Vector>(exec, "einkorn::solve: b in range", b.extent(0));
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
  if (report.converged()) {  // so does the x that the caller gets?
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
  exec.fence("einkorn::solve: x of the caller's system");
  if (second.out_of_range) report.outcome = Outcome::non_finite;
  scale_report(report, -exponent);
  return report;
}

/// body(), a SolveReport; where that throws, as the callback may, x is x0 again. initial: [n] where there is a
/// callback.
template <class Exec, class Vector, class Body>
SolveReport restore_if_thrown(Exec const& exec, Vector const& x, Vector const& initial, bool has_callback,
                              Body const& body) {
  if (!has_callback) return body();
  Kokkos::deep_copy(exec, initial, x);
  try {
    return body();
  } catch (...) {
    Kokkos::deep_copy(exec, x, initial);
    exec.fence("einkorn::solve: x0 after an exception");
    throw;
  }
}

/// solve(b, options) as above, with the memory of a workspace.
template <class Exec, class Vector, class Workspace, class Solve>
SolveReport run_solve(Exec const& exec, typename Vector::const_type const& b, Vector const& x,
                      SolverOptions const& options, Workspace const& w, Solve const& solve) {
  return restore_if_thrown(exec, x, w.space().initial(), bool(options.callback),
                           [&] { return solve_in_range<Exec, Vector>(exec, b, x, w.r(), options, solve); });
}

}  // namespace einkorn::detail
