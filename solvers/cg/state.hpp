// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/solvers/engine/convergence.hpp>
#include <einkorn/solvers/engine/progress_flag.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn::detail {

/// The scalars of CG, in device memory. The steps below are run by one thread, between the sweeps; each takes
/// the sums of the sweep before it.
struct CgState : Progress {
  double rho = 0;  // r.z: of the system that is iterated, which may be a scaled one
  double pp = 0;   // p.p
  double alpha = 0, beta = 0;
  double deferred_alpha =
      0;                     // the iterate is x + deferred_alpha (p - r): an update may leave x to the next one
  double flushed_alpha = 0;  // what of it the update under way adds
  double scaling2 = 1;       // square of the largest entry of the scaling
  bool pending = false;      // an iteration has its alpha, and is carried through whatever the phase
  bool defers_x = false;     // the update under way leaves x
  bool watches = true;       // the sweep has |r|^2 of the caller's system in its second sum
  bool is_scaled = false;
  bool is_open = false;  // its last update's sums are not taken yet (cg_head.hpp)
  bool is_due = false;   // in a cooperative launch: the residual is to be replaced
};

/// sums: |r|^2 of the iterated and of the caller's system, |b|^2.
template <class Publisher>
struct CgStart {
  CgState* state;
  Limits limits;
  bool is_scaled, watches;
  double const* scaling2;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    s = CgState{};
    s.start(limits, is_scaled ? sums[1] : sums[0], sums[2]);
    s.rho = s.pp = sums[0];
    s.is_scaled = is_scaled;
    s.watches = watches || !is_scaled;
    if (is_scaled) s.scaling2 = *scaling2;
    publisher.publish(s);
  }
};

/// alpha = rho / p.q from sums q.q, p.q; for fused scalars beta = alpha q.q / p.q - 1, which is |r_new|^2 /
/// |r|^2 in exact arithmetic since r.q = p.q. One thread does this while all others wait: two divisions, no
/// roots.
///
/// may_defer_x: every second update may leave x as it is, since p = r + beta p_before says what the one before
/// would have added: alpha p_before = alpha / beta (p - r). That rounds by up to 1 / sqrt(beta) as much as p
/// does, so not where beta is small.
///
/// The curvature p.q is held against |p| |q|: below the rounding of their product it is as good as zero
/// (squared and divided by p.q, so that nothing overflows). Source: Rupp, Weinbub, Juengel & Grasser,
/// "Pipelined iterative solvers with kernel fusion for graphics processing units", ACM TOMS 43(2), 2016,
/// Algorithm 3.
template <class Publisher>
struct CgAfterProduct {
  static constexpr double min_beta = 0.0625;  // 4 roundings

  CgState* state;
  Publisher publisher;
  bool may_defer_x = false;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    s.pending = false;
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
    s.pending = true;
    s.alpha = s.rho * inverse;
    double const beta = s.alpha * quotient - 1.0;
    s.beta = beta > 0 ? beta : 0.0;
    s.flushed_alpha = s.deferred_alpha;
    s.defers_x = may_defer_x && s.deferred_alpha == 0 && s.beta >= min_beta;
    s.deferred_alpha = s.defers_x ? s.alpha / s.beta : 0.0;
  }
};

/// The end of an iteration with fused scalars. sums: |r|^2 of the iterated system, of the caller's where
/// watched, p.p. A scaled system is watched only from where its residual allows the caller's to be below the
/// target: |r| >= |S r| / max S.
template <class Publisher>
struct CgAfterUpdate {
  CgState* state;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    if (!s.pending) return;
    s.rho = sums[0];
    s.pp = sums[2];
    if (!s.is_scaled) {
      s.iterated(sums[0]);
    } else if (s.watches) {
      s.iterated(sums[1]);
    } else {
      double const least = sums[0] / s.scaling2;
      s.iterated(least, false);
      s.watches = least <= 4.0 * s.target2;
    }
    publisher.publish(s);
  }
};

/// The same for the last of several iterations whose sums are taken at the head of the next update.
template <class Publisher>
struct CgClose {
  CgState* state;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    if (state->is_open) CgAfterUpdate<Publisher>{state, publisher}(sums);
    state->is_open = false;
  }
};

/// After b - A x was computed anew. sums as for CgStart, the third not used.
template <class Publisher>
struct CgAfterResidual {
  CgState* state;
  bool is_check;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    s.improves = s.restarts = false;
    if (s.phase != (is_check ? Phase::check : Phase::running)) return;
    s.deferred_alpha = 0;  // CgFlushX has been
    double const residual2 = s.is_scaled ? sums[1] : sums[0];
    // Where the caller's residual is not watched, residual2 is a lower bound: what was believed of the iterated
    // system says how far the recursion has strayed.
    if (s.is_scaled && !s.watches && sums[0] > 0) s.residual2 = residual2 * (s.rho / sums[0]);
    s.rho = sums[0];
    if (is_check)
      s.checked(residual2);
    else
      s.replaced(residual2);
    if (s.restarts) s.pp = s.rho;
    if (is_check || !s.is_running()) publisher.publish(s);
  }
};

/// The true residual of the x that an unfinished solve ends with.
struct CgLastResidual {
  CgState* state;
  KOKKOS_FUNCTION void operator()(double const* sums) const {
    state->true2 = state->is_scaled ? sums[1] : sums[0];
  }
};

}  // namespace einkorn::detail
