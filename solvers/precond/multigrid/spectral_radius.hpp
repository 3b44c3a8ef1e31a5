// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/mix64.hpp>
#include <einkorn/core/partial_sums.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/solvers/precond/multigrid/ordered_sums.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Steps of the estimate of the spectral radius, and the factor on its result, which is a lower bound.
inline constexpr int spectral_radius_steps = 12;
inline constexpr double spectral_radius_factor = 1.1;
/// Steps between two read-backs of the coefficients; divides spectral_radius_steps.
inline constexpr int spectral_radius_steps_per_check = 4;

/// The scalars of spectral_radius() in device memory.
struct LanczosState {
  double rho = 0, alpha = 0, beta = 0, first_rho = 0;
  int steps = 0;  // with both coefficients
  bool is_running = false;
  double alphas[spectral_radius_steps], betas[spectral_radius_steps];
};

/// z <- M r for r of entries in [-1, 1) from a fixed seed, p <- z; z.M^-1 z.
template <class V>
struct LanczosStart {
  using Sums = PartialSums<1, typename V::device_type>;
  using Scalar = typename V::non_const_value_type;
  using Loaded = Scalar;
  V z, p;
  typename V::const_type M;

  static KOKKOS_FORCEINLINE_FUNCTION bool begin() { return true; }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, bool) const { return M(i); }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const& m, bool, double* sums) const {
    auto const bits = mix64(static_cast<std::uint64_t>(i) + 0x9e3779b97f4a7c15u);
    auto const ri = Scalar(static_cast<double>(bits >> 11) * 0x1p-52 - 1.0);
    Scalar const zi = m * ri;
    z(i) = zi;
    p(i) = zi;
    sums[0] += static_cast<double>(ri) * static_cast<double>(zi);
  }
};

/// p.M^-1 q
template <class V>
struct LanczosCurvature {
  using Sums = PartialSums<1, typename V::device_type>;
  struct Loaded {
    double p, q, M;
  };
  typename V::const_type p, q, M;
  LanczosState const* state;

  KOKKOS_FORCEINLINE_FUNCTION bool begin() const { return state->is_running; }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, bool) const {
    return {static_cast<double>(p(i)), static_cast<double>(q(i)), static_cast<double>(M(i))};
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t, Loaded const& in, bool, double* sums) const {
    sums[0] += in.p * in.q / in.M;
  }
};

/// z <- z - alpha q; z.M^-1 z
template <class V>
struct LanczosResidual {
  using Sums = PartialSums<1, typename V::device_type>;
  using Scalar = typename V::non_const_value_type;
  struct Loaded {
    Scalar z, q, M;
  };
  struct Scalars {
    Scalar alpha;
    bool active;
    KOKKOS_FORCEINLINE_FUNCTION explicit operator bool() const { return active; }
  };
  V z;
  typename V::const_type q, M;
  LanczosState const* state;

  KOKKOS_FORCEINLINE_FUNCTION Scalars begin() const { return {Scalar(state->alpha), state->is_running}; }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, Scalars const&) const { return {z(i), q(i), M(i)}; }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const& in, Scalars const& s,
                                         double* sums) const {
    Scalar const zi = in.z - s.alpha * in.q;
    z(i) = zi;
    sums[0] += static_cast<double>(zi) * static_cast<double>(zi) / static_cast<double>(in.M);
  }
};

/// p <- z + beta p
template <class V>
struct LanczosDirection {
  using Scalar = typename V::non_const_value_type;
  V p;
  typename V::const_type z;
  LanczosState const* state;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    if (state->is_running) p(i) = z(i) + Scalar(state->beta) * p(i);
  }
};

struct LanczosAfterStart {
  LanczosState* state;
  KOKKOS_FUNCTION void operator()(double const* sums) const {
    state->rho = state->first_rho = sums[0];
    state->alpha = state->beta = 0;
    state->steps = 0;
    state->is_running = sums[0] > 0 && Kokkos::isfinite(sums[0]);
  }
};

struct LanczosAfterCurvature {
  LanczosState* state;
  KOKKOS_FUNCTION void operator()(double const* sums) const {
    double const alpha = state->rho / sums[0];
    if (state->is_running) state->is_running = sums[0] > 0 && Kokkos::isfinite(alpha) && alpha > 0;
    state->alpha = alpha;
  }
};

struct LanczosAfterResidual {
  LanczosState* state;
  KOKKOS_FUNCTION void operator()(double const* sums) const {
    if (!state->is_running) return;
    double const rho = sums[0], beta = rho / state->rho;
    bool const is_valid = rho >= 0 && Kokkos::isfinite(rho);
    state->alphas[state->steps] = state->alpha;
    state->betas[state->steps] = is_valid ? beta : 0.0;
    ++state->steps;
    state->beta = beta;
    state->rho = rho;
    state->is_running = is_valid && rho > 1e-10 * state->first_rho;
  }
};

/// Largest eigenvalue of the symmetric tridiagonal matrix of the CG coefficients: diagonal 1 / alpha_j +
/// beta_{j-1} / alpha_{j-1}, off-diagonal sqrt(beta_j) / alpha_j (Saad, Iterative Methods for Sparse Linear
/// Systems, 2nd ed., section 6.7.3). By bisection on the Sturm sequence. 0 without steps.
inline double largest_ritz_value(LanczosState const& state) {
  double diagonal[spectral_radius_steps], squares[spectral_radius_steps] = {}, upper = 0;
  for (int j = 0; j < state.steps; ++j) {
    diagonal[j] = 1.0 / state.alphas[j] + (j > 0 ? state.betas[j - 1] / state.alphas[j - 1] : 0.0);
    if (j + 1 < state.steps) squares[j] = state.betas[j] / (state.alphas[j] * state.alphas[j]);
    double const off = std::sqrt(squares[j]) + (j > 0 ? std::sqrt(squares[j - 1]) : 0.0);
    upper = std::fmax(upper, diagonal[j] + off);
  }
  double lower = 0;
  for (int halving = 0; halving < 60 && state.steps > 0; ++halving) {
    double const middle = 0.5 * (lower + upper);
    bool has_above = false;  // an eigenvalue above middle: a positive pivot of T - middle I
    double pivot = 1;
    for (int j = 0; j < state.steps; ++j) {
      pivot = diagonal[j] - middle - (j > 0 ? squares[j - 1] / (pivot == 0 ? 1e-300 : pivot) : 0.0);
      has_above = has_above || pivot > 0;
    }
    (has_above ? lower : upper) = middle;
  }
  return upper;
}

/// An estimate of the spectral radius of M A: 1.1 times the largest Ritz value of 12 steps of CG with the
/// preconditioner M for a right-hand side of fixed random entries, at most `bound`. `bound` where CG finds no
/// positive curvature (A is not positive definite). Ritz values do not decrease with the steps: none are taken once
/// the estimate reaches `bound`.
/// @param B  M A
/// @param M  [n], diagonal
/// @param z, p, q  work vectors [n]
/// Cost: at most 12 products, 72 launches, 3 read-backs. Deterministic for any number of threads.
template <class Exec, class Operator, class Diagonal, class V, class Device>
double spectral_radius(Exec const& exec, Operator const& B, Diagonal const& M, double bound, V const& z,
                       V const& p, V const& q, OrderedSums<Device> const& sums,
                       Kokkos::View<LanczosState*, Device> const& state) {
  std::size_t const n = z.extent(0);
  if (n == 0) return bound;
  LanczosState* const device_state = state.data();
  sums.run(exec, "einkorn::spectral_radius[start]", n, LanczosStart<V>{z, p, M},
           LanczosAfterStart{device_state});
  for (int step = 0; step < spectral_radius_steps; ++step) {
    B.apply(exec, p, q);
    sums.run(exec, "einkorn::spectral_radius[curvature]", n, LanczosCurvature<V>{p, q, M, device_state},
             LanczosAfterCurvature{device_state});
    sums.run(exec, "einkorn::spectral_radius[residual]", n, LanczosResidual<V>{z, q, M, device_state},
             LanczosAfterResidual{device_state});
    if ((step + 1) % spectral_radius_steps_per_check == 0) {
      LanczosState result;
      Kokkos::deep_copy(
          exec, Kokkos::View<LanczosState*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&result, 1), state);
      exec.fence("einkorn::spectral_radius: coefficients");
      double const estimate = spectral_radius_factor * largest_ritz_value(result);
      if (!(estimate > 0 && estimate < bound)) return bound;
      if (!result.is_running || step + 1 == spectral_radius_steps) return estimate;
    }
    range_for<std::size_t>("einkorn::spectral_radius[direction]", exec, n,
                           LanczosDirection<V>{p, z, device_state});
  }
  return bound;
}

}  // namespace einkorn::detail
