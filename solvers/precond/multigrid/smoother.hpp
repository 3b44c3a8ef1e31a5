// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/solvers/precond/multigrid/options.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <string>

namespace einkorn::detail {

inline constexpr int max_smoother_degree = 8;

/// The steps of a smoother: d <- keep d + step M (b - A x), x <- x + d, with a diagonal M. The same polynomial
/// in M A before and after the coarse correction makes the cycle symmetric.
struct SmootherSteps {
  struct Step {
    double keep = 0, step = 0;
  };
  int count = 0;
  std::array<Step, max_smoother_degree> steps{};
};

/// Chebyshev iteration on [radius / 10, radius]: Saad, Iterative Methods for Sparse Linear Systems, 2nd ed.,
/// Algorithm 12.1.
inline SmootherSteps chebyshev_steps(int degree, double radius) {
  constexpr double ratio = 10;
  SmootherSteps result;
  result.count = degree;
  double const upper = radius, lower = radius / ratio;
  double const centre = 0.5 * (upper + lower), half = 0.5 * (upper - lower), sigma = centre / half;
  double rho = 1 / sigma;
  result.steps[0] = {0, 1 / centre};
  for (int k = 1; k < degree; ++k) {
    double const next = 1 / (2 * sigma - rho);
    result.steps[static_cast<std::size_t>(k)] = {rho * next, 2 * next / half};
    rho = next;
  }
  return result;
}

inline SmootherSteps make_smoother_steps(MultigridSmoother smoother, int degree, double radius) {
  if (smoother == MultigridSmoother::chebyshev) return chebyshev_steps(degree, radius);
  SmootherSteps result;
  result.count = degree;
  for (int k = 0; k < degree; ++k) result.steps[static_cast<std::size_t>(k)] = {0, 1};
  return result;
}

/// Epilogue (core/epilogue.hpp) of a product A x for one step of a smoother or for the residual:
///   smooth:    d <- keep d + step M (b - sum);  y <- x + d
///   residual:  y <- b - sum
/// y must not be x, which other rows read. d is read if keep != 0 and written if stores_d.
template <class Sum, class V>
struct SmootherEpilogue {
  using sum_type = Sum;
  using Accumulators = typename Epilogue<Sum>::Accumulators;
  using Scalar = typename V::non_const_value_type;
  static constexpr bool accumulates = false;

  Sum alpha, beta;  // 1 and 0
  typename V::const_type b, inverse, x;
  V d;
  Sum keep, step;
  bool smooths, stores_d;

  struct Prefetched {
    Sum b, inverse, x, d;
  };
  template <class Row>
  KOKKOS_FORCEINLINE_FUNCTION Prefetched prefetch(Row row) const {
    auto const i = static_cast<std::size_t>(row);
    if (!smooths) return {Sum(b(i)), Sum(0), Sum(0), Sum(0)};
    return {Sum(b(i)), Sum(inverse(i)), Sum(x(i)), keep == Sum(0) ? Sum(0) : Sum(d(i))};
  }
  template <class Target, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Accumulators&, Target& y, Row row, Sum const& sum,
                                              Prefetched const& in) const {
    if (!smooths) {
      y = Target(in.b - sum);
      return;
    }
    Sum const direction = keep * in.d + step * in.inverse * (in.b - sum);
    if (stores_d) d(static_cast<std::size_t>(row)) = Scalar(direction);
    y = Target(in.x + direction);
  }
  template <class Target, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Accumulators& accumulators, Target& y, Row row,
                                              Sum const& sum) const {
    (*this)(accumulators, y, row, sum, prefetch(row));
  }
  template <class Target, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void add(Accumulators&, Target& y, Row row, Sum const& rest) const {
    auto const i = static_cast<std::size_t>(row);
    Sum const change = smooths ? step * Sum(inverse(i)) * rest : rest;
    if (smooths && stores_d) d(i) = Scalar(Sum(d(i)) - change);
    y = Target(Sum(y) - change);
  }

  template <class Policy, class Kernel>
  void launch(std::string const& label, Policy const& policy, Kernel const& kernel) const {
    Epilogue<Sum>{alpha, beta}.launch(label, policy, kernel);
  }
  template <class Exec, class Index, class Kernel>
  void launch_parts(Exec const& exec, std::string const& label, Index num_parts, Kernel const& kernel) const {
    Epilogue<Sum>{alpha, beta}.launch_parts(exec, label, num_parts, kernel);
  }
};

/// The first step of a smoother from x = 0: d <- step M b, x <- d.
template <class V>
struct SmootherFirstStep {
  using Scalar = typename V::non_const_value_type;
  typename V::const_type b, inverse;
  V d, x;
  Scalar step;
  bool stores_d;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    Scalar const direction = step * inverse(i) * b(i);
    if (stores_d) d(i) = direction;
    x(i) = direction;
  }
};

/// The vectors of the smoother of a level, [n] each. x and its copy alternate.
template <class V>
struct SmootherVectors {
  V b, d, inverse;
};

/// Steps first .. count - 1 of the smoother for A x = b from the given x. `other` is the second vector of the
/// iteration; the two are exchanged after each step, so that the result is in x. 1 launch per step; asynchronous
/// on exec.
template <class Exec, class Operator, class V>
void smooth(Exec const& exec, Operator const& A, SmootherSteps const& smoother, SmootherVectors<V> const& v,
            V& x, V& other, int first = 0) {
  using Scalar = typename V::non_const_value_type;
  for (int k = first; k < smoother.count; ++k) {
    auto const [keep, step] = smoother.steps[static_cast<std::size_t>(k)];
    bool const stores_d = k + 1 < smoother.count && smoother.steps[static_cast<std::size_t>(k + 1)].keep != 0;
    A.apply_fused(exec,
                  SmootherEpilogue<Scalar, V>{Scalar(1), Scalar(0), v.b, v.inverse, x, v.d, Scalar(keep),
                                              Scalar(step), true, stores_d},
                  x, other);
    V const result = other;
    other = x;
    x = result;
  }
}

/// All steps of the smoother from x = 0. 1 launch per step; asynchronous on exec.
template <class Exec, class Operator, class V>
void smooth_from_zero(Exec const& exec, Operator const& A, SmootherSteps const& smoother,
                      SmootherVectors<V> const& v, V& x, V& other) {
  using Scalar = typename V::non_const_value_type;
  bool const stores_d = smoother.count > 1 && smoother.steps[1].keep != 0;
  Kokkos::parallel_for(
      "einkorn::Multigrid[first_step]",
      light_weight(Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, x.extent(0))),
      SmootherFirstStep<V>{v.b, v.inverse, v.d, x, Scalar(smoother.steps[0].step), stores_d});
  smooth(exec, A, smoother, v, x, other, 1);
}

/// r <- b - A x. 1 launch; asynchronous on exec.
template <class Exec, class Operator, class V>
void compute_residual(Exec const& exec, Operator const& A, SmootherVectors<V> const& v, V const& x,
                      V const& r) {
  using Scalar = typename V::non_const_value_type;
  A.apply_fused(exec,
                SmootherEpilogue<Scalar, V>{Scalar(1), Scalar(0), v.b, v.inverse, x, v.d, Scalar(0), Scalar(0),
                                            false, false},
                x, r);
}

}  // namespace einkorn::detail
