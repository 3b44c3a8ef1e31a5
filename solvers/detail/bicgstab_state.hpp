// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/scalar.hpp>
#include <einkorn/solvers/detail/progress.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace einkorn::detail {

/// The scalars of BiCGStab, in device memory: double or complex<double>. The steps below are run by one thread,
/// between the sweeps; each takes the sums of the sweep before it.
template <class Z>
struct BicgstabState : Progress {
  Z rho = Z(0), alpha = Z(0), omega = Z(0), beta = Z(0);
  double shadow2 = 0;    // |r0|^2
  double s2 = 0;         // |s|^2
  bool pending = false;  // an iteration has its alpha, and is carried through whatever the phase
  bool is_half = false;  // s is below the target: the iteration ends with x + alpha p
  Quantity broken{};     // what stops the solve at the end of the iteration
};

/// The number whose parts are at sums[0], sums[1].
template <class Z>
KOKKOS_FORCEINLINE_FUNCTION Z scalar_of(double const* sums) {
  if constexpr (is_complex<Z>)
    return Z(sums[0], sums[1]);
  else
    return sums[0];
}
template <class Z>
KOKKOS_FORCEINLINE_FUNCTION double modulus(Z const& z) {
  return Kokkos::abs(z);
}

/// sums: |r|^2, |b|^2.
template <class Z, class Writer>
struct BicgstabStart {
  BicgstabState<Z>* state;
  Limits limits;
  Writer writer;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    s = BicgstabState<Z>{};
    s.start(limits, sums[0], sums[1]);
    s.rho = Z(sums[0]);
    s.shadow2 = sums[0];
    writer.tell(s);
  }
};

/// alpha = rho / r0.v from sums v.v, r0.v.
template <class Z, class Writer>
struct BicgstabAfterV {
  BicgstabState<Z>* state;
  Writer writer;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    s.pending = false;
    if (!s.is_running()) return;
    Z const shadow = scalar_of<Z>(sums + 1);
    if (!Progress::is_finite(sums[0]) || !Progress::is_finite(modulus(shadow)))
      s.stop(Outcome::non_finite);
    else if (modulus(shadow) <= unit_roundoff * Kokkos::sqrt(s.shadow2) * Kokkos::sqrt(sums[0]))
      s.stop(Outcome::breakdown, Quantity::shadow_curvature);
    if (!s.is_running()) return writer.tell(s);
    s.pending = true;
    s.broken = Quantity::none;
    s.alpha = s.rho / shadow;
  }
};

/// sums: s.s.
template <class Z>
struct BicgstabAfterS {
  BicgstabState<Z>* state;
  KOKKOS_FUNCTION void operator()(double const* sums) const {
    state->s2 = sums[0];
    state->is_half = sums[0] <= state->target2;
  }
};

/// omega = t.s / t.t, and with it rho = r0.s - omega r0.t, which is r0.r of the next r, and beta, from sums
/// t.t, s.t, r0.t, r0.s. omega = 0 leaves x + alpha p and s.
///
/// In exact arithmetic r0.s = rho - alpha r0.v = 0. Without it the recursion would carry the rounding of every
/// rho so far, the first and largest too, and r would stop falling at up to 1e4 eps of the largest residual.
template <class Z>
struct BicgstabAfterT {
  BicgstabState<Z>* state;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    if (!s.pending) return;
    constexpr int parts = is_complex<Z> ? 2 : 1;
    Z const ts = conjugate(scalar_of<Z>(sums + 1)), shadow_t = scalar_of<Z>(sums + 1 + parts),
            shadow_s = scalar_of<Z>(sums + 1 + 2 * parts);
    s.omega = s.beta = Z(0);
    if (s.is_half) return;
    if (modulus(ts) <= unit_roundoff * Kokkos::sqrt(sums[0]) * Kokkos::sqrt(s.s2)) {
      s.broken = Quantity::omega;
      return;
    }
    s.omega = ts / sums[0];
    Z const rho = shadow_s - s.omega * shadow_t;
    s.beta = rho / s.rho * s.alpha / s.omega;
    s.rho = rho;
  }
};

/// The end of an iteration. sums: r.r.
template <class Z, class Writer>
struct BicgstabAfterX {
  BicgstabState<Z>* state;
  Writer writer;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    if (!s.pending) return;
    s.iterated(sums[0]);
    if (s.broken == Quantity::none &&
        modulus(s.rho) <= unit_roundoff * Kokkos::sqrt(s.shadow2) * Kokkos::sqrt(sums[0]))
      s.broken = Quantity::rho;
    if (s.is_running() && !Progress::is_finite(modulus(s.rho))) s.stop(Outcome::non_finite);
    if (s.is_running() && s.broken != Quantity::none) s.stop(Outcome::breakdown, s.broken);
    writer.tell(s);
  }
};

/// After r = b - A x was computed anew. sums: r.r, r0.r. Where the direction begins anew, r is the shadow too.
template <class Z, class Writer>
struct BicgstabAfterResidual {
  BicgstabState<Z>* state;
  bool is_recheck;
  Writer writer;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    s.improves = s.restarts = false;
    if (s.phase != (is_recheck ? Phase::candidate : Phase::running)) return;
    if (is_recheck)
      s.rechecked(sums[0]);
    else
      s.replaced(sums[0]);
    s.restarts = s.restarts || is_recheck;
    s.rho = s.restarts ? Z(sums[0]) : scalar_of<Z>(sums + 1);
    if (s.restarts) s.shadow2 = sums[0];
    if (is_recheck || !s.is_running()) writer.tell(s);
  }
};

/// The true residual of the x that an unfinished solve ends with.
template <class Z>
struct BicgstabLastResidual {
  BicgstabState<Z>* state;
  KOKKOS_FUNCTION void operator()(double const* sums) const { state->true2 = sums[0]; }
};

}  // namespace einkorn::detail
