// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue_with_dots.hpp>
#include <einkorn/core/partial_sums.hpp>
#include <einkorn/solvers/cg/state.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn::detail {

/// The vectors of a CG on A x = b, or on the scaled (S A S) (S^-1 x) = S b. V: View<Scalar*, Device>, S: that
/// of the scaling, or nullptr_t.
template <class V, class S>
struct CgVectors {
  using Scalar = typename V::non_const_value_type;
  using Real = real_type<Scalar>;
  using Device = typename V::device_type;
  static constexpr bool is_scaled = !std::is_same_v<S, std::nullptr_t>;

  V r, p, q, best;
  V x;                       // of the iterated system
  typename V::const_type b;  // of the caller's
  S scaling;

  KOKKOS_FORCEINLINE_FUNCTION Scalar scaled_b(std::size_t i) const {
    if constexpr (is_scaled)
      return b(i) * Real(scaling(i));
    else
      return b(i);
  }
  /// |r_i|^2 of the caller's system.
  KOKKOS_FORCEINLINE_FUNCTION double unscaled_square([[maybe_unused]] std::size_t i, Scalar const& ri) const {
    if constexpr (is_scaled) {
      double const s = static_cast<double>(scaling(i));
      return squared(ri) / (s * s);
    } else {
      return 0.0;
    }
  }
};

/// r <- b - q with q = A x, sums as CgStart wants them. is_start: p <- r and best <- x as well. 3 or 5 passes.
template <class Vectors, bool is_start>
struct CgResidual {
  using Sums = PartialSums<3, typename Vectors::Device>;
  using Scalar = typename Vectors::Scalar;
  struct Loaded {
    Scalar b, q, x;
  };
  Vectors v;
  CgState const* state;
  bool is_check = false, always = false;

  KOKKOS_FORCEINLINE_FUNCTION bool begin() const {
    if constexpr (is_start)
      return true;
    else
      return always || state->phase == (is_check ? Phase::check : Phase::running);
  }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, bool) const {
    if constexpr (is_start)
      return {v.scaled_b(i), v.q(i), v.x(i)};
    else
      return {v.scaled_b(i), v.q(i), Scalar(0)};
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const& in, bool, double* sums) const {
    Scalar const r = in.b - in.q;
    v.r(i) = r;
    if constexpr (is_start) {
      v.p(i) = r;
      v.best(i) = in.x;
    }
    sums[0] += squared(r);
    if constexpr (Vectors::is_scaled) sums[1] += v.unscaled_square(i, r);
    if constexpr (is_start) {
      if constexpr (Vectors::is_scaled)
        sums[2] += v.unscaled_square(i, in.b);
      else
        sums[2] += squared(in.b);
    }
  }
};

/// x <- x + alpha p, r <- r - alpha q, p <- r + beta p; |r|^2 and p.p. 7 passes; 5 where x defers_x, and the
/// next one adds what it lacks.
template <class Vectors>
struct CgUpdate {
  using Sums = PartialSums<3, typename Vectors::Device>;
  using Scalar = typename Vectors::Scalar;
  using Real = typename Vectors::Real;
  struct Scalars {
    Real alpha, beta, flushed_alpha;
    bool active, watches, defers_x;
    KOKKOS_FORCEINLINE_FUNCTION explicit operator bool() const { return active; }
  };
  struct Loaded {
    Scalar x, r, p, q;
  };
  Vectors v;
  CgState const* state;

  KOKKOS_FORCEINLINE_FUNCTION Scalars begin() const {
    return {Real(state->alpha), Real(state->beta), Real(state->flushed_alpha),
            state->pending,     state->watches,    state->defers_x};
  }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, Scalars const& s) const {
    return {s.defers_x ? Scalar(0) : v.x(i), v.r(i), v.p(i), v.q(i)};
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const& in, Scalars const& s,
                                         double* sums) const {
    Scalar const r = in.r - s.alpha * in.q;
    if (!s.defers_x) v.x(i) = in.x + (s.alpha * in.p + s.flushed_alpha * (in.p - in.r));
    v.r(i) = r;
    Scalar const p = r + s.beta * in.p;
    v.p(i) = p;
    sums[0] += squared(r);
    if constexpr (Vectors::is_scaled)
      if (s.watches) sums[1] += v.unscaled_square(i, r);
    sums[2] += squared(p);
  }
};

/// x becomes the iterate, where the last update has left it: 4 passes, or none. The state is left to the step
/// of CgResidual, which follows, under the same condition.
template <class Vectors>
struct CgFlushX {
  using Sums = PartialSums<1, typename Vectors::Device>;
  using Scalar = typename Vectors::Scalar;
  using Real = typename Vectors::Real;
  struct Scalars {
    Real deferred_alpha;
    KOKKOS_FORCEINLINE_FUNCTION explicit operator bool() const { return deferred_alpha != Real(0); }
  };
  struct Loaded {
    Scalar x, r, p;
  };
  Vectors v;
  CgState const* state;
  bool is_check = false, always = false;

  KOKKOS_FORCEINLINE_FUNCTION Scalars begin() const {
    bool const is_time = always || state->phase == (is_check ? Phase::check : Phase::running);
    return {is_time ? Real(state->deferred_alpha) : Real(0)};
  }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, Scalars const&) const {
    return {v.x(i), v.r(i), v.p(i)};
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const& in, Scalars const& s, double*) const {
    v.x(i) = in.x + s.deferred_alpha * (in.p - in.r);
  }
};

/// best <- x where x is the best so far, p <- r where the direction begins anew (with a preconditioner PcgRenew
/// does that once more).
template <class Vectors>
struct CgSaveBest {
  using Sums = PartialSums<1, typename Vectors::Device>;
  struct Scalars {
    bool improves, restarts;
    KOKKOS_FORCEINLINE_FUNCTION explicit operator bool() const { return improves || restarts; }
  };
  struct Loaded {};
  Vectors v;
  CgState const* state;

  KOKKOS_FORCEINLINE_FUNCTION Scalars begin() const { return {state->improves, state->restarts}; }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t, Scalars const&) const { return {}; }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const&, Scalars const& s, double*) const {
    if (s.improves) v.best(i) = v.x(i);
    if (s.restarts) v.p(i) = v.r(i);
  }
};

/// r <- b - A x in a solve under way, with q for A x. Method: CgMethod, PcgMethod; its names of the sweeps.
template <class Method>
void replace_residual(Method const& method, bool is_check, char const* residual, char const* keep) {
  using Vectors = decltype(method.v);
  using Publisher = decltype(method.publisher);
  method.a.apply(method.exec, method.v.x, method.v.q);
  method.space().run_pass(method.exec, residual, method.size(),
                          CgResidual<Vectors, false>{method.v, method.state(), is_check},
                          CgAfterResidual<Publisher>{method.state(), is_check, method.publisher});
  method.space().run_pass(method.exec, keep, method.size(), CgSaveBest<Vectors>{method.v, method.state()});
}

/// The same when the solve has ended: only for its true residual.
template <class Method>
void take_last_residual(Method const& method, char const* residual) {
  method.a.apply(method.exec, method.v.x, method.v.q);
  method.space().run_pass(method.exec, residual, method.size(),
                          CgResidual<decltype(method.v), false>{method.v, method.state(), false, true},
                          CgLastResidual{method.state()});
}

}  // namespace einkorn::detail
