// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue_with_dots.hpp>
#include <einkorn/solvers/bicgstab/state.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// The vectors of BiCGStab. p_hat = M^-1 p and s_hat = M^-1 s are p and s without a preconditioner.
template <class V, bool preconditioned>
struct BicgstabVectors {
  using Scalar = typename V::non_const_value_type;
  using Device = typename V::device_type;
  using Z = std::conditional_t<is_complex<Scalar>, Kokkos::complex<double>, double>;
  static constexpr bool is_preconditioned = preconditioned;

  V r, shadow, p, v, s, t, best, p_hat, s_hat, x;
  typename V::const_type b;
};

/// r <- b - q with q = A x, r0 <- r, p <- r, best <- x; r.r, b.b.
template <class Vectors>
struct BicgstabFirstResidual {
  using Scalar = typename Vectors::Scalar;
  using Sums = PartialSums<2, typename Vectors::Device>;
  struct Loaded {
    Scalar b, q, x;
  };
  Vectors v;

  static KOKKOS_FORCEINLINE_FUNCTION bool begin() { return true; }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, bool) const { return {v.b(i), v.t(i), v.x(i)}; }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const& in, bool, double* sums) const {
    Scalar const r = in.b - in.q;
    v.r(i) = v.shadow(i) = v.p(i) = r;
    v.best(i) = in.x;
    sums[0] += squared(r);
    sums[1] += squared(in.b);
  }
};

/// t <- b - t with t = A x; its square.
template <class Vectors>
struct BicgstabResidual {
  using Scalar = typename Vectors::Scalar;
  using Sums = PartialSums<1, typename Vectors::Device>;
  struct Loaded {
    Scalar b, q;
  };
  Vectors v;
  BicgstabState<typename Vectors::Z> const* state;
  bool is_check = false, always = false;

  KOKKOS_FORCEINLINE_FUNCTION bool begin() const {
    return always || state->phase == (is_check ? Phase::check : Phase::running);
  }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, bool) const { return {v.b(i), v.t(i)}; }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const& in, bool, double* sums) const {
    Scalar const r = in.b - in.q;
    v.t(i) = r;
    sums[0] += squared(r);
  }
};

/// s <- r - alpha v; s.s. 3 passes.
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

  KOKKOS_FORCEINLINE_FUNCTION Scalars begin() const { return {Scalar(state->alpha), state->pending}; }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, Scalars const&) const { return {v.r(i), v.v(i)}; }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const& in, Scalars const& c,
                                         double* sums) const {
    Scalar const s = in.r - c.alpha * in.v;
    v.s(i) = s;
    sums[0] += squared(s);
  }
};

/// x <- x + alpha p_hat + omega s_hat, r <- s - omega t, p <- r + beta (p - omega v); r.r. 8 passes, 10 with a
/// preconditioner. At a restart beta = 0, and r0 <- r + tilt t in a pass more.
template <class Vectors>
struct BicgstabX {
  using Sums = PartialSums<1, typename Vectors::Device>;
  using Scalar = typename Vectors::Scalar;
  struct Scalars {
    Scalar alpha, omega, beta, tilt;
    bool active, renews;
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
            Scalar(state->beta),  Scalar(static_cast<Real>(state->tilt)),
            state->pending,       state->renews};
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
    if (c.renews) v.shadow(i) = r + c.tilt * in.t;
    sums[0] += squared(r);
  }
};

/// best <- x where x is the best so far; r <- t, r0 <- t and p <- t where the direction begins anew.
template <class Vectors>
struct BicgstabSaveBest {
  using Sums = PartialSums<1, typename Vectors::Device>;
  struct Scalars {
    bool improves, restarts;
    KOKKOS_FORCEINLINE_FUNCTION explicit operator bool() const { return improves || restarts; }
  };
  struct Loaded {};
  Vectors v;
  BicgstabState<typename Vectors::Z> const* state;

  KOKKOS_FORCEINLINE_FUNCTION Scalars begin() const { return {state->improves, state->restarts}; }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t, Scalars const&) const { return {}; }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const&, Scalars const& c, double*) const {
    if (c.improves) v.best(i) = v.x(i);
    if (c.restarts) v.r(i) = v.shadow(i) = v.p(i) = v.t(i);
  }
};

}  // namespace einkorn::detail
