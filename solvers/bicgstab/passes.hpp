// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue_with_dots.hpp>
#include <einkorn/solvers/bicgstab/state.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// Vectors of BiCGStab. p_hat = M^-1 p and s_hat = M^-1 s; without a preconditioner p and s.
template <class V, bool preconditioned>
struct BicgstabVectors {
  using Scalar = typename V::non_const_value_type;
  using Device = typename V::device_type;
  using Z = std::conditional_t<is_complex<Scalar>, Kokkos::complex<double>, double>;
  static constexpr bool is_preconditioned = preconditioned;

  static constexpr int num_residual_sums = 1;

  V r, shadow, p, v, s, t, best, p_hat, s_hat, x;  // shadow: r0
  typename V::const_type b;

  // The true residual is computed into t: the recursive r stays unless it deviates.
  KOKKOS_FORCEINLINE_FUNCTION V const& ax() const { return t; }
  KOKKOS_FORCEINLINE_FUNCTION Scalar scaled_b(std::size_t i) const { return b(i); }
  KOKKOS_FORCEINLINE_FUNCTION void set_first_residual(std::size_t i, Scalar const& ri) const {
    r(i) = shadow(i) = p(i) = ri;
  }
  KOKKOS_FORCEINLINE_FUNCTION void set_true_residual(std::size_t i, Scalar const& ri) const { t(i) = ri; }
  KOKKOS_FORCEINLINE_FUNCTION static void add_residual_squares(std::size_t, Scalar const& ri, double* sums) {
    sums[0] += squared(ri);
  }
  KOKKOS_FORCEINLINE_FUNCTION void restart_direction(std::size_t i) const { r(i) = shadow(i) = p(i) = t(i); }
};

/// s <- r - alpha v; s.s. 3 n-vectors.
template <class Vectors>
struct BicgstabS {
  using Sums = PartialSums<1, typename Vectors::Device>;
  using Scalar = typename Vectors::Scalar;
  struct Scalars {
    Scalar alpha;
    bool active;
    KOKKOS_FORCEINLINE_FUNCTION explicit operator bool() const { return active; }
  };
  struct Loaded {
    Scalar r, v;
  };
  Vectors v;
  BicgstabState<typename Vectors::Z> const* state;

  KOKKOS_FORCEINLINE_FUNCTION Scalars begin() const { return {Scalar(state->alpha), state->in_iteration}; }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, Scalars const&) const { return {v.r(i), v.v(i)}; }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const& in, Scalars const& c,
                                         double* sums) const {
    Scalar const s = in.r - c.alpha * in.v;
    v.s(i) = s;
    sums[0] += squared(s);
  }
};

/// x <- x + alpha p_hat + omega s_hat, r <- s - omega t, p <- r + beta (p - omega v); r.r. 8 n-vectors, 10
/// with a preconditioner. At a restart beta = 0 and r0 <- r + tau t: one n-vector more.
template <class Vectors>
struct BicgstabX {
  using Sums = PartialSums<1, typename Vectors::Device>;
  using Scalar = typename Vectors::Scalar;
  struct Scalars {
    Scalar alpha, omega, beta, tau;
    bool active, ends_with_restart;
    KOKKOS_FORCEINLINE_FUNCTION explicit operator bool() const { return active; }
  };
  struct Loaded {
    Scalar x, p, s, t, v, p_hat, s_hat;
  };
  Vectors v;
  BicgstabState<typename Vectors::Z> const* state;

  KOKKOS_FORCEINLINE_FUNCTION Scalars begin() const {
    using Real = real_type<Scalar>;
    return {Scalar(state->alpha), Scalar(state->omega),
            Scalar(state->beta),  Scalar(static_cast<Real>(state->tau)),
            state->in_iteration,  state->ends_with_restart};
  }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, Scalars const&) const {
    Scalar const p = v.p(i), s = v.s(i);
    if constexpr (Vectors::is_preconditioned)
      return {v.x(i), p, s, v.t(i), v.v(i), v.p_hat(i), v.s_hat(i)};
    else
      return {v.x(i), p, s, v.t(i), v.v(i), p, s};
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const& in, Scalars const& c,
                                         double* sums) const {
    Scalar const r = in.s - c.omega * in.t;
    v.x(i) = in.x + (c.alpha * in.p_hat + c.omega * in.s_hat);
    v.r(i) = r;
    v.p(i) = r + c.beta * (in.p - c.omega * in.v);
    if (c.ends_with_restart) v.shadow(i) = r + c.tau * in.t;
    sums[0] += squared(r);
  }
};

}  // namespace einkorn::detail
