// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/solvers/engine/convergence.hpp>
#include <einkorn/solvers/engine/progress_flag.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn::detail {

/// Scalars of CG, in device memory. One thread runs the steps below, between the passes; each takes the sums of
/// the pass before it.
struct CgState : Progress {
  double rho = 0;  // r.z of the iterated system, which may be scaled
  double pp = 0;   // p.p
  double alpha = 0, beta = 0;
  double deferred_alpha =
      0;                     // the iterate is x + deferred_alpha (p - r): an update may leave x to the next one
  double flushed_alpha = 0;  // the deferred coefficient that the current update adds
  double scaling2 = 1;       // square of the largest entry of the scaling
  bool in_iteration = false;      // alpha is set: the iteration is completed whatever the phase
  bool defers_x = false;          // the current update leaves x
  bool has_unscaled_norm = true;  // the update computes |r|^2 of the caller's system in its second sum
  bool is_scaled = false;
  bool sums_pending =
      false;  // the sums of the last pass are not reduced yet: a prologue (cg/prologue.hpp) or a
              // distributed operator reduces them with those of the next product
  bool replacement_due = false;  // persistent loop: the residual is replaced next

  /// sums: |r|^2 of the iterated and of the caller's system.
  [[nodiscard]] KOKKOS_FUNCTION double true_residual2(double const* sums) const {
    return is_scaled ? sums[1] : sums[0];
  }
  KOKKOS_FUNCTION void begin_replacement(double const* sums) {
    deferred_alpha = 0;  // CgFlushX has added it
    // Without the unscaled norm, residual2 is a lower bound. The deviation of the recursion is then that of the
    // iterated system: rho against sums[0].
    if (is_scaled && !has_unscaled_norm && sums[0] > 0) residual2 = sums[1] * (rho / sums[0]);
    rho = sums[0];
  }
  KOKKOS_FUNCTION void end_replacement(double, ResidualUse) {
    if (restarts) pp = rho;
  }
};

/// sums: |r|^2 of the iterated and of the caller's system, |b|^2.
template <class Publisher>
struct CgStart {
  CgState* state;
  Limits limits;
  bool is_scaled, has_unscaled_norm;
  double const* scaling2;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    s = CgState{};
    s.start(limits, is_scaled ? sums[1] : sums[0], sums[2]);
    s.rho = s.pp = sums[0];
    s.is_scaled = is_scaled;
    s.has_unscaled_norm = has_unscaled_norm || !is_scaled;
    if (is_scaled) s.scaling2 = *scaling2;
    publisher.publish(s);
  }
};

/// alpha = rho / p.q, and for the fused recurrence beta = alpha q.q / p.q - 1. sums: q.q, p.q. beta is
/// |r_new|^2 / |r|^2 in exact arithmetic, since r.q = p.q. Two divisions and no square root: all other threads
/// wait for this one.
///
/// may_defer_x: every second update may leave x. From p = r + beta p_old, the next update adds alpha_old p_old
/// = alpha_old / beta (p - r). Its rounding error is up to 1 / sqrt(beta) times that of p, so x is not deferred
/// for beta < min_beta.
///
/// The curvature p.q counts as zero below the rounding of |p| |q|; squared and divided by p.q, so that nothing
/// overflows. Source: Rupp, Weinbub, Juengel & Grasser, ACM TOMS 43(2), 2016, Algorithm 3.
template <class Publisher>
struct CgAfterProduct {
  static constexpr double min_beta = 0.0625;  // 4 roundings

  CgState* state;
  Publisher publisher;
  bool may_defer_x = false;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    s.in_iteration = false;
    if (!s.is_running()) return;
    double const qq = sums[0], pq = sums[1];
    double const inverse = 1.0 / pq, quotient = qq * inverse;
    bool const is_zero = !(Kokkos::abs(pq) > unit_roundoff * unit_roundoff * Kokkos::abs(quotient) * s.pp);
    if (!Progress::is_finite(qq) || !Progress::is_finite(pq))
      s.stop(Outcome::non_finite);
    else if (is_zero)
      s.stop(Outcome::breakdown, Quantity::curvature);
    else if (pq < 0)
      s.stop(Outcome::indefinite_operator);
    if (!s.is_running()) return publisher.publish(s);
    s.in_iteration = true;
    s.alpha = s.rho * inverse;
    double const beta = s.alpha * quotient - 1.0;
    s.beta = beta > 0 ? beta : 0.0;
    s.flushed_alpha = s.deferred_alpha;
    s.defers_x = may_defer_x && s.deferred_alpha == 0 && s.beta >= min_beta;
    s.deferred_alpha = s.defers_x ? s.alpha / s.beta : 0.0;
  }
};

/// End of an iteration of the fused recurrence. sums: |r|^2 of the iterated system, of the caller's if
/// has_unscaled_norm, p.p. For a scaled system the unscaled norm is computed only where it may be below the
/// target: |r| >= |S r| / max S.
template <class Publisher>
struct CgAfterUpdate {
  CgState* state;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    if (!s.in_iteration) return;
    s.rho = sums[0];
    s.pp = sums[2];
    if (!s.is_scaled) {
      s.iterated(sums[0]);
    } else if (s.has_unscaled_norm) {
      s.iterated(sums[1]);
    } else {
      double const lower_bound = sums[0] / s.scaling2;
      s.iterated(lower_bound, false);
      s.has_unscaled_norm = lower_bound <= 4.0 * s.target2;
    }
    publisher.publish(s);
  }
};

/// CgAfterUpdate of the previous iteration, if its sums are pending, then CgAfterProduct. sums: num_update_sums
/// of the update, then those of the product.
template <class Publisher>
struct CgAfterUpdateAndProduct {
  CgState* state;
  Publisher publisher;
  int num_update_sums;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    if (state->sums_pending) CgAfterUpdate<Publisher>{state, publisher}(sums);
    CgAfterProduct<Publisher>{state, publisher, true}(sums + num_update_sums);
    state->sums_pending = state->in_iteration;
  }
};

/// CgAfterUpdate for the last iteration, whose sums the next iteration would have reduced.
template <class Publisher>
struct CgFinishUpdate {
  CgState* state;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    if (state->sums_pending) CgAfterUpdate<Publisher>{state, publisher}(sums);
    state->sums_pending = false;
  }
};

}  // namespace einkorn::detail
