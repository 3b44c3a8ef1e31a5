// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/scalar.hpp>
#include <einkorn/solvers/engine/convergence.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace einkorn::detail {

/// Scalars of BiCGStab, in device memory: double or complex<double>. One thread runs the steps below, between
/// the passes; each takes the sums of the pass before it.
///
/// If a divisor is negligible, the iteration is completed without the division, and the next one restarts with
/// p = r0 = r. A restart is stalled if |r| has not halved since the start and every earlier restart. A divisor
/// at rounding level is noise; both a restart and the division by noise (Eigen, SciPy) converge. The restart
/// takes 0.7 to 1.2 times their iterations, unless it stalls. Therefore a divisor is negligible at u times its
/// factors' norms until a restart has stalled, then only at u^2; u = unit_roundoff.
template <class Z>
struct BicgstabState : Progress {
  static constexpr int max_stalled_restarts = 5;  // consecutive; one more is a breakdown

  Z rho = Z(0), alpha = Z(0), omega = Z(0), beta = Z(0);
  double shadow2 = 0;            // |r0|^2
  double s2 = 0;                 // |s|^2
  double tau = 0;                // a restart sets r0 = r + tau t
  double min_restart2 = 0;       // least |r|^2 at the start and at the restarts that halved it
  int num_stalled_restarts = 0;  // consecutive
  bool in_iteration = false;     // alpha is set: the iteration is completed whatever the phase
  bool is_half_step = false;     // |s| is below the target: x + alpha p is the last iterate
  bool ends_with_restart = false;
  bool sums_pending = false;  // distributed operator: r.r of the last iteration is not reduced yet
  Quantity breakdown{};       // the negligible divisor of this iteration

  /// Whether |r0.y| = product is too small a divisor. y2: |y|^2.
  [[nodiscard]] KOKKOS_FUNCTION bool is_negligible(double product, double y2) const {
    double const threshold = num_stalled_restarts == 0 ? unit_roundoff : unit_roundoff * unit_roundoff;
    return product <= threshold * Kokkos::sqrt(shadow2) * Kokkos::sqrt(y2);
  }

  /// r0 <- r, or r + t |r| / |t|, whose norm is sqrt(2) |r|. r2: |r|^2.
  KOKKOS_FUNCTION void restart_from(double r2) {
    rho = Z(r2);
    shadow2 = tau > 0 ? 2 * r2 : r2;
    ++num_restarts;
  }

  // The steps of engine/residual_replacement.hpp. r0 is orthogonal to the recursive r only. Replacing r by a
  // b - A x that differs by the rounding of an earlier, larger r slows convergence: five times as many
  // iterations at high Peclet numbers. Therefore r is replaced only if it deviates, together with p and r0.
  [[nodiscard]] KOKKOS_FUNCTION static double true_residual2(double const* sums) { return sums[0]; }
  KOKKOS_FUNCTION static void begin_replacement(double const*) {}
  KOKKOS_FUNCTION void end_replacement(double r2, ResidualUse use) {
    restarts = (restarts || use == ResidualUse::check) && is_running();
    tau = 0;
    if (restarts) restart_from(r2);
  }

  /// At the end of an iteration with a negligible divisor. r2: |r|^2.
  KOKKOS_FUNCTION void handle_breakdown(double r2) {
    if (r2 < 0.25 * min_restart2) {
      min_restart2 = r2;
      num_stalled_restarts = 0;
    } else {
      ++num_stalled_restarts;
    }
    if (!ends_with_restart || num_stalled_restarts > max_stalled_restarts)
      stop(Outcome::breakdown, breakdown);
    else
      restart_from(r2);
  }
};

/// The number whose real and imaginary parts are sums[0] and sums[1].
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
    s.shadow2 = s.min_restart2 = sums[0];
    publisher.publish(s);
  }
};

/// alpha = rho / r0.v. sums: v.v, r0.v. If r0.v is negligible, alpha = 0: x and r change by the omega term
/// only, which does not increase |r|.
template <class Z, class Publisher>
struct BicgstabAfterV {
  BicgstabState<Z>* state;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    s.in_iteration = false;
    if (!s.is_running()) return;
    Z const shadow = scalar_of<Z>(sums + 1);
    if (!Progress::is_finite(sums[0]) || !Progress::is_finite(modulus(shadow))) {
      s.stop(Outcome::non_finite);
      return publisher.publish(s);
    }
    s.in_iteration = true;
    bool const is_breakdown = s.is_negligible(modulus(shadow), sums[0]);
    s.breakdown = is_breakdown ? Quantity::shadow_curvature : Quantity::none;
    s.alpha = is_breakdown ? Z(0) : s.rho / shadow;
  }
};

/// sums: s.s.
template <class Z>
struct BicgstabAfterS {
  BicgstabState<Z>* state;
  KOKKOS_FUNCTION void operator()(double const* sums) const {
    state->s2 = sums[0];
    state->is_half_step = sums[0] <= state->target2;
  }
};

/// omega = t.s / t.t; rho = r0.s - omega r0.t, which is r0.r of the next r; beta. sums: t.t, s.t, r0.t, r0.s.
/// omega = 0 leaves x + alpha p and s.
///
/// In exact arithmetic r0.s = rho - alpha r0.v = 0. Omitting it accumulates the rounding errors of all earlier
/// rho, and r stagnates at up to 1e4 eps of the largest residual.
///
/// If t.s is negligible, r = s, and r.Ar would be negligible again with r0 = r. The restart uses
/// r0 = r + t |r| / |t|, at 45 degrees to both r and Ar. t = 0 is a breakdown.
template <class Z>
struct BicgstabAfterT {
  BicgstabState<Z>* state;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    if (!s.in_iteration) return;
    constexpr int parts = is_complex<Z> ? 2 : 1;
    Z const ts = conjugate(scalar_of<Z>(sums + 1)), shadow_t = scalar_of<Z>(sums + 1 + parts),
            shadow_s = scalar_of<Z>(sums + 1 + 2 * parts);
    s.omega = s.beta = Z(0);
    s.tau = 0;
    s.ends_with_restart = false;
    if (s.is_half_step) return;
    if (modulus(ts) <= unit_roundoff * Kokkos::sqrt(sums[0]) * Kokkos::sqrt(s.s2)) {
      s.breakdown = Quantity::omega;
      s.tau = Kokkos::sqrt(s.s2) / Kokkos::sqrt(sums[0]);
      s.ends_with_restart = Progress::is_finite(s.tau);
      return;
    }
    s.omega = ts / sums[0];
    Z const rho = shadow_s - s.omega * shadow_t;
    if (s.breakdown == Quantity::none && s.is_negligible(modulus(rho), next_r2(sums[0], modulus(ts))))
      s.breakdown = Quantity::rho;
    s.ends_with_restart = s.breakdown != Quantity::none;
    if (s.ends_with_restart) return;
    s.beta = rho / s.rho * s.alpha / s.omega;
    s.rho = rho;
  }

 private:
  /// |r|^2 of r = s - omega t, at least the rounding of |s|^2.
  [[nodiscard]] KOKKOS_FUNCTION double next_r2(double tt, double ts) const {
    double const decrease = ts / tt * ts, rest = state->s2 - decrease, rounding = 2 * unit_roundoff * state->s2;
    return rest > rounding ? rest : rounding;
  }
};

/// End of an iteration. sums: r.r.
template <class Z, class Publisher>
struct BicgstabAfterX {
  BicgstabState<Z>* state;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    if (!s.in_iteration) return;
    s.iterated(sums[0]);
    if (s.is_running()) {
      if (s.breakdown != Quantity::none)
        s.handle_breakdown(sums[0]);
      else if (!Progress::is_finite(modulus(s.rho)))
        s.stop(Outcome::non_finite);
    }
    publisher.publish(s);
  }
};

/// BicgstabAfterX of the last iteration, if its sum is pending. sums: r.r.
template <class Z, class Publisher>
struct BicgstabFinishX {
  BicgstabState<Z>* state;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    if (state->sums_pending) BicgstabAfterX<Z, Publisher>{state, publisher}(sums);
    state->sums_pending = false;
  }
};

/// BicgstabFinishX of the previous iteration, then BicgstabAfterV. sums: r.r, then those of the product.
template <class Z, class Publisher>
struct BicgstabAfterXAndV {
  BicgstabState<Z>* state;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    BicgstabFinishX<Z, Publisher>{state, publisher}(sums);
    BicgstabAfterV<Z, Publisher>{state, publisher}(sums + 1);
    state->sums_pending = state->in_iteration;
  }
};

/// BicgstabAfterS, then BicgstabAfterT. sums: s.s, then those of the product.
template <class Z>
struct BicgstabAfterSAndT {
  BicgstabState<Z>* state;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    BicgstabAfterS<Z>{state}(sums);
    BicgstabAfterT<Z>{state}(sums + 1);
  }
};

}  // namespace einkorn::detail
