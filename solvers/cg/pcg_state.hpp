// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/solvers/cg/state.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn::detail {

/// rho anew: after r, and z with it, were computed anew. sums: r.z, p.p.
template <class Publisher>
struct PcgAfterRenewal {
  CgState* state;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    if (!s.is_running()) return;
    s.rho = sums[0];
    s.pp = sums[1];
    if (s.rho < 0) s.stop(Outcome::indefinite_preconditioner);
    if (!s.is_running()) publisher.publish(s);
  }
};

/// After r <- r - alpha q. sums: |r|^2, and r.z where the sweep has it (has_rho).
template <class Publisher>
struct PcgAfterResidual {
  CgState* state;
  bool has_rho;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    if (!s.pending) return;
    s.iterated(sums[0]);
    if (has_rho) new_rho(s, sums[1]);
    if (has_rho || !s.is_running()) publisher.publish(s);
  }
  static KOKKOS_FUNCTION void new_rho(CgState& s, double rho) {
    s.beta = rho / s.rho;
    s.rho = rho;
    if (s.is_running() && !(rho > 0))
      s.stop(Progress::is_finite(rho) ? Outcome::indefinite_preconditioner : Outcome::non_finite);
  }
};

/// After z <- M^-1 r. sums: r.z.
template <class Publisher>
struct PcgAfterPreconditioner {
  CgState* state;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    if (!s.pending) return;
    bool const ran = s.is_running();
    PcgAfterResidual<Publisher>::new_rho(s, sums[0]);
    if (ran) publisher.publish(s);
  }
};

/// After p <- z + beta p. sums: p.p.
struct PcgAfterDirection {
  CgState* state;
  KOKKOS_FUNCTION void operator()(double const* sums) const {
    if (state->pending) state->pp = sums[0];
  }
};

}  // namespace einkorn::detail
