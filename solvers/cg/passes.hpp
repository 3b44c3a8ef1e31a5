// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue_with_dots.hpp>
#include <einkorn/core/kernel_view.hpp>
#include <einkorn/core/partial_sums.hpp>
#include <einkorn/solvers/cg/state.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn::detail {

/// Vectors of CG on A x = b, or on the scaled system (S A S) (S^-1 x) = S b. V: a KernelView; S: View
/// of the diagonal of S, or nullptr_t.
template <class V, class S>
struct CgVectors {
  using Scalar = typename V::non_const_value_type;
  using Real = real_type<Scalar>;
  using Device = typename V::device_type;
  static constexpr bool is_scaled = !std::is_same_v<S, std::nullptr_t>;
  static constexpr int num_residual_sums = 3;  // of the start: the third is |b|^2

  V r, p, q, best;
  V x;                       // of the iterated system
  typename V::const_type b;  // of the caller's system
  S scaling;

  KOKKOS_FORCEINLINE_FUNCTION Scalar scaled_b(std::size_t i) const {
    if constexpr (is_scaled)
      return b(i) * Real(scaling(i));
    else
      return b(i);
  }
  KOKKOS_FORCEINLINE_FUNCTION V const& ax() const { return q; }
  KOKKOS_FORCEINLINE_FUNCTION void set_true_residual(std::size_t i, Scalar const& ri) const { r(i) = ri; }
  KOKKOS_FORCEINLINE_FUNCTION void add_residual_squares(std::size_t i, Scalar const& ri, double* sums) const {
    sums[0] += squared(ri);
    if constexpr (is_scaled) sums[1] += unscaled_square(i, ri);
  }
  /// With a preconditioner PcgRecomputeRho sets p once more.
  KOKKOS_FORCEINLINE_FUNCTION void restart_direction(std::size_t i) const { p(i) = r(i); }
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

template <class Vectors, class Workspace, class Vector, class B, class S>
Vectors cg_vectors(Workspace const& w, Vector const& x, B const& b, S const& scaling) {
  return {as_output(w.r()), as_output(w.p()), as_output(w.q()), as_output(w.best()),
          as_output(x),     as_input(b),      scaling};
}

/// r <- b - q with q = A x, p <- r, best <- x; the sums of CgStart. 6 n-vectors.
template <class Vectors>
struct CgFirstResidual {
  using Sums = PartialSums<3, typename Vectors::Device>;
  using Scalar = typename Vectors::Scalar;
  struct Loaded {
    Scalar b, q, x;
  };
  Vectors v;

  static KOKKOS_FORCEINLINE_FUNCTION bool begin() { return true; }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, bool) const { return {v.scaled_b(i), v.q(i), v.x(i)}; }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const& in, bool, double* sums) const {
    Scalar const r = in.b - in.q;
    v.r(i) = r;
    v.p(i) = r;
    v.best(i) = in.x;
    v.add_residual_squares(i, r, sums);
    if constexpr (Vectors::is_scaled)
      sums[2] += v.unscaled_square(i, in.b);
    else
      sums[2] += squared(in.b);
  }
};

/// x <- x + alpha p, r <- r - alpha q, p <- r + beta p; |r|^2 and p.p. 7 n-vectors; 5 with defers_x: the next
/// update adds the deferred term.
template <class Vectors>
struct CgUpdate {
  using Sums = PartialSums<3, typename Vectors::Device>;
  using Scalar = typename Vectors::Scalar;
  using Real = typename Vectors::Real;
  struct Scalars {
    Real alpha, beta, flushed_alpha;
    bool active, has_unscaled_norm, defers_x;
    KOKKOS_FORCEINLINE_FUNCTION explicit operator bool() const { return active; }
  };
  struct Loaded {
    Scalar x, r, p, q;
  };
  Vectors v;
  CgState const* state;

  KOKKOS_FORCEINLINE_FUNCTION Scalars begin() const {
    return {Real(state->alpha),  Real(state->beta),        Real(state->flushed_alpha),
            state->in_iteration, state->has_unscaled_norm, state->defers_x};
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
      if (s.has_unscaled_norm) sums[1] += v.unscaled_square(i, r);
    sums[2] += squared(p);
  }
};

/// x <- the iterate, if the last update deferred its term: 4 n-vectors, else none. deferred_alpha is reset by
/// AfterTrueResidual, which follows under the same condition.
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
  ResidualUse use;

  KOKKOS_FORCEINLINE_FUNCTION Scalars begin() const {
    return {state->wants(use) ? Real(state->deferred_alpha) : Real(0)};
  }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, Scalars const&) const {
    return {v.x(i), v.r(i), v.p(i)};
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const& in, Scalars const& s, double*) const {
    v.x(i) = in.x + s.deferred_alpha * (in.p - in.r);
  }
};

}  // namespace einkorn::detail
