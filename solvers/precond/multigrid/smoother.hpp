// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/solvers/precond/multigrid/options.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>

namespace einkorn::detail {

inline constexpr int max_smoother_degree = 8;

/// The steps of a smoother for a diagonal M: x_k+1 <- x_k + keep (x_k - x_k-1) + step M (b - A x_k), keep = 0 in the
/// first. The same polynomial in M A before and after the coarse correction makes the cycle symmetric.
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

/// Epilogue (core/epilogue.hpp) of a product B x:
///   y <- scale (of_b b + of_x x + of_previous previous - of_product B x)
/// Vectors with the factor 0 are not read. previous may be y; x may not, which other rows read.
template <class Sum, class V>
struct SmootherEpilogue {
  using sum_type = Sum;
  using Accumulators = typename Epilogue<Sum>::Accumulators;
  static constexpr bool accumulates = false;

  Sum alpha, beta;  // 1 and 0
  typename V::const_type b, x, previous;
  Sum of_b, of_x, of_previous, of_product;
  double const* scale;  // null: 1

  struct Prefetched {
    Sum rest;
  };
  template <class Row>
  KOKKOS_FORCEINLINE_FUNCTION Prefetched prefetch(Row row) const {
    auto const i = static_cast<std::size_t>(row);
    Sum rest = of_b == Sum(0) ? Sum(0) : of_b * Sum(b(i));
    if (of_x != Sum(0)) rest += of_x * Sum(x(i));
    if (of_previous != Sum(0)) rest += of_previous * Sum(previous(i));
    return {rest};
  }
  template <class Target, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Accumulators&, Target& y, Row, Sum const& sum,
                                              Prefetched const& in) const {
    y = scaled<Target>(in.rest - of_product * sum);
  }
  template <class Target, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Accumulators& accumulators, Target& y, Row row,
                                              Sum const& sum) const {
    (*this)(accumulators, y, row, sum, prefetch(row));
  }
  template <class Target, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void add(Accumulators&, Target& y, Row, Sum const& rest) const {
    y -= scaled<Target>(of_product * rest);
  }

  template <class Policy, class Kernel>
  void launch(char const* label, Policy const& policy, Kernel const& kernel) const {
    Epilogue<Sum>{alpha, beta}.launch(label, policy, kernel);
  }
  template <class Exec, class Index, class Kernel>
  void launch_parts(Exec const& exec, char const* label, Index num_parts, Kernel const& kernel) const {
    Epilogue<Sum>{alpha, beta}.launch_parts(exec, label, num_parts, kernel);
  }

 private:
  template <class Target>
  KOKKOS_FORCEINLINE_FUNCTION Target scaled(Sum const& value) const {
    return scale == nullptr ? Target(value) : Target(static_cast<double>(value) * *scale);
  }
};

/// x <- x + P e; x is read before the row of P is summed.
template <class Sum, class V>
SmootherEpilogue<Sum, V> correction_epilogue(V const& x) {
  return {Sum(1), Sum(0), x, x, x, Sum(0), Sum(0), Sum(1), Sum(-1), nullptr};
}

/// x <- step b: the only step of a smoother of degree 1 from x = 0.
template <class V>
struct ScaleVector {
  using Scalar = typename V::non_const_value_type;
  typename V::const_type b;
  V x;
  Scalar step;

  KOKKOS_FUNCTION void operator()(std::size_t i) const { x(i) = step * b(i); }
};

/// The smoother of a level for the scaled system B x = b with B = M A: b is M times the right-hand side. Two vectors
/// alternate: a step reads the current x and the one before, which it overwrites.
template <class Operator, class V>
class Smoother {
 public:
  using Scalar = typename V::non_const_value_type;

  Smoother(Operator const& B, SmootherSteps const& steps, V const& b) : B_(B), steps_(steps), b_(b) {}

  [[nodiscard]] int count() const { return steps_.count; }

  /// All steps from x = 0; x is in `x`. The first two are one pass: x_2 is a linear combination of b and B b.
  /// max(1, count - 1) launches; asynchronous on exec.
  template <class Exec>
  void from_zero(Exec const& exec, V& x, V& other) const {
    if (steps_.count == 1) {
      range_for<std::size_t>("einkorn::Multigrid[first_step]", exec, x.extent(0),
                             ScaleVector<V>{b_, x, Scalar(steps_.steps[0].step)});
      return;
    }
    double const first = steps_.steps[0].step;
    auto const [keep, step] = steps_.steps[1];
    launch(exec, (1 + keep) * first + step, 0, 0, step * first, b_, x, x);
    for (int k = 2; k < steps_.count; ++k) {
      auto const [next_keep, next_step] = steps_.steps[static_cast<std::size_t>(k)];
      if (k == 2) {  // the x before is first b
        launch(exec, next_step - next_keep * first, 1 + next_keep, 0, next_step, x, other, other);
        swap(x, other);
      } else {
        advance(exec, k, x, other);
      }
    }
  }
  /// Steps first .. last - 1; x is in `x`. 1 launch per step; asynchronous on exec.
  template <class Exec>
  void steps(Exec const& exec, int first, int last, V& x, V& other) const {
    for (int k = first; k < last; ++k) advance(exec, k, x, other);
  }
  /// Step k to y, a vector that is not x; y <- scale x_k+1. previous: the x before. 1 launch; asynchronous on exec.
  template <class Exec, class Y>
  void step_to(Exec const& exec, int k, V const& x, V const& previous, Y const& y,
               double const* scale = nullptr) const {
    auto const [keep, step] = steps_.steps[static_cast<std::size_t>(k)];
    launch(exec, step, 1 + keep, -keep, step, x, previous, y, scale);
  }
  /// r <- b - B x. 1 launch; asynchronous on exec.
  template <class Exec>
  void residual(Exec const& exec, V const& x, V const& r) const {
    launch(exec, 1, 0, 0, 1, x, r, r);
  }

 private:
  static void swap(V& x, V& other) {
    V const last = x;
    x = other;
    other = last;
  }
  template <class Exec>
  void advance(Exec const& exec, int k, V& x, V& other) const {
    step_to(exec, k, x, other, other);
    swap(x, other);
  }
  template <class Exec, class Y>
  void launch(Exec const& exec, double of_b, double of_x, double of_previous, double of_product, V const& x,
              V const& previous, Y const& y, double const* scale = nullptr) const {
    B_.apply_fused(exec,
                   SmootherEpilogue<Scalar, V>{Scalar(1), Scalar(0), b_, x, previous, Scalar(of_b),
                                               Scalar(of_x), Scalar(of_previous), Scalar(of_product), scale},
                   x, y);
  }

  Operator const& B_;
  SmootherSteps const& steps_;
  V b_;
};

}  // namespace einkorn::detail
