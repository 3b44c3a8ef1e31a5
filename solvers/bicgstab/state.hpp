// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/scalar.hpp>
#include <einkorn/solvers/engine/convergence.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace einkorn::detail {

/// The scalars of BiCGStab, in device memory: double or complex<double>. The steps below are run by one thread,
/// between the sweeps; each takes the sums of the sweep before it.
///
/// Where a number to divide by vanishes, the iteration is carried to its end without it, and r becomes p and
/// r0: a restart. One is idle that has not brought |r| below a half of what it was at the start and the
/// restarts before. What vanishes to rounding is noise, and both converge: a restart, and the division by
/// noise, which others do (Eigen, SciPy). The restart takes fewer iterations (0.7 to 1.2 of theirs), unless it
/// is idle. So: a restart for noise until one has been idle; then only for what vanishes to the square of the
/// rounding.
template <class Z>
struct BicgstabState : Progress {
  static constexpr int max_idle = 5;  // idle restarts in a row; one more is a breakdown

  Z rho = Z(0), alpha = Z(0), omega = Z(0), beta = Z(0);
  double shadow2 = 0;     // |r0|^2
  double s2 = 0;          // |s|^2
  double tilt = 0;        // a restart takes r + tilt t for r0
  double restarted2 = 0;  // the least |r|^2 of the start and the restarts after a breakdown
  std::int64_t num_restarts = 0;
  int num_idle = 0;      // restarts in a row that were idle
  bool pending = false;  // an iteration has its alpha, and is carried through whatever the phase
  bool is_half = false;  // s is below the target: the iteration ends with x + alpha p
  bool renews = false;   // the iteration ends with a restart
  Quantity broken{};     // what has vanished in this iteration

  /// Whether |r0.y| = product is too small to divide by, with |y|^2 = y2.
  [[nodiscard]] KOKKOS_FUNCTION bool vanishes(double product, double y2) const {
    double const least = num_idle == 0 ? unit_roundoff : unit_roundoff * unit_roundoff;
    return product <= least * Kokkos::sqrt(shadow2) * Kokkos::sqrt(y2);
  }

  /// r0 <- r, or r + t |r| / |t|, which is sqrt(2) |r| long.
  KOKKOS_FUNCTION void begin_anew(double r2) {
    rho = Z(r2);
    shadow2 = tilt > 0 ? 2 * r2 : r2;
    ++num_restarts;
  }

  /// At the end of an iteration that has met a breakdown, with |r|^2.
  KOKKOS_FUNCTION void restart(double r2) {
    if (r2 < 0.25 * restarted2) {
      restarted2 = r2;
      num_idle = 0;
    } else {
      ++num_idle;
    }
    if (!renews || num_idle > max_idle)
      stop(Outcome::breakdown, broken);
    else
      begin_anew(r2);
  }
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
template <class Z, class Publisher>
struct BicgstabStart {
  BicgstabState<Z>* state;
  Limits limits;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    s = BicgstabState<Z>{};
    s.start(limits, sums[0], sums[1]);
    s.rho = Z(sums[0]);
    s.shadow2 = s.restarted2 = sums[0];
    publisher.publish(s);
  }
};

/// alpha = rho / r0.v from sums v.v, r0.v. Where r0.v vanishes, alpha = 0: x and r change by omega alone, which
/// makes |r| no larger.
template <class Z, class Publisher>
struct BicgstabAfterV {
  BicgstabState<Z>* state;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    s.pending = false;
    if (!s.is_running()) return;
    Z const shadow = scalar_of<Z>(sums + 1);
    if (!Progress::is_finite(sums[0]) || !Progress::is_finite(modulus(shadow))) {
      s.stop(Outcome::non_finite);
      return publisher.publish(s);
    }
    s.pending = true;
    bool const is_broken = s.vanishes(modulus(shadow), sums[0]);
    s.broken = is_broken ? Quantity::shadow_curvature : Quantity::none;
    s.alpha = is_broken ? Z(0) : s.rho / shadow;
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
///
/// After t.s has vanished, r = s, and r.Ar would vanish at once if r became r0: r + t |r| / |t| does. It is at
/// 45 degrees to both r and Ar. Where t = 0 there is none.
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
    s.tilt = 0;
    s.renews = false;
    if (s.is_half) return;
    if (modulus(ts) <= unit_roundoff * Kokkos::sqrt(sums[0]) * Kokkos::sqrt(s.s2)) {
      s.broken = Quantity::omega;
      s.tilt = Kokkos::sqrt(s.s2) / Kokkos::sqrt(sums[0]);
      s.renews = Progress::is_finite(s.tilt);
      return;
    }
    s.omega = ts / sums[0];
    Z const rho = shadow_s - s.omega * shadow_t;
    if (s.broken == Quantity::none && s.vanishes(modulus(rho), next_r2(sums[0], modulus(ts))))
      s.broken = Quantity::rho;
    s.renews = s.broken != Quantity::none;
    if (s.renews) return;
    s.beta = rho / s.rho * s.alpha / s.omega;
    s.rho = rho;
  }

 private:
  /// |r|^2 of r = s - omega t, but for the rounding of |s|^2.
  [[nodiscard]] KOKKOS_FUNCTION double next_r2(double tt, double ts) const {
    double const falls = ts / tt * ts, rest = state->s2 - falls, rounding = 2 * unit_roundoff * state->s2;
    return rest > rounding ? rest : rounding;
  }
};

/// The end of an iteration. sums: r.r.
template <class Z, class Publisher>
struct BicgstabAfterX {
  BicgstabState<Z>* state;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    if (!s.pending) return;
    s.iterated(sums[0]);
    if (s.is_running()) {
      if (s.broken != Quantity::none)
        s.restart(sums[0]);
      else if (!Progress::is_finite(modulus(s.rho)))
        s.stop(Outcome::non_finite);
    }
    publisher.publish(s);
  }
};

/// After b - A x was computed anew, into t. sums: its square. The r of the recursion stays, unless that departs
/// from it: r0 is orthogonal to what the recursion makes of r, and to nothing else. Replaced by a vector that
/// differs by as little as the rounding of a larger r from before, it falls slower: five times as many
/// iterations at high Peclet numbers. Where it departs, b - A x becomes r, p and r0.
template <class Z, class Publisher>
struct BicgstabAfterResidual {
  BicgstabState<Z>* state;
  bool is_check;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    s.improves = s.restarts = false;
    if (s.phase != (is_check ? Phase::check : Phase::running)) return;
    if (is_check)
      s.checked(sums[0]);
    else
      s.replaced(sums[0]);
    s.restarts = (s.restarts || is_check) && s.is_running();
    s.tilt = 0;
    if (s.restarts) s.begin_anew(sums[0]);
    if (is_check || !s.is_running()) publisher.publish(s);
  }
};

/// The true residual of the x that an unfinished solve ends with.
template <class Z>
struct BicgstabLastResidual {
  BicgstabState<Z>* state;
  KOKKOS_FUNCTION void operator()(double const* sums) const { state->true2 = sums[0]; }
};

}  // namespace einkorn::detail
