// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue_with_dots.hpp>
#include <einkorn/core/partial_sums.hpp>
#include <einkorn/solvers/engine/convergence.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// State of Richardson's iteration, in device memory: no scalars besides the progress.
struct RichardsonState : Progress {
  [[nodiscard]] KOKKOS_FUNCTION static double true_residual2(double const* sums) { return sums[0]; }
  KOKKOS_FUNCTION static void begin_replacement(double const*) {}
  KOKKOS_FUNCTION static void end_replacement(double, ResidualUse) {}
};

/// Vectors of Richardson's iteration. p = M^-1 r, q = A p; also A x for the true residual.
template <class V>
struct RichardsonVectors {
  using Scalar = typename V::non_const_value_type;
  using Device = typename V::device_type;
  static constexpr int num_residual_sums = 1;

  V r, p, q, best, x;
  typename V::const_type b;

  KOKKOS_FORCEINLINE_FUNCTION V const& ax() const { return q; }
  KOKKOS_FORCEINLINE_FUNCTION Scalar scaled_b(std::size_t i) const { return b(i); }
  KOKKOS_FORCEINLINE_FUNCTION void set_first_residual(std::size_t i, Scalar const& ri) const { r(i) = ri; }
  KOKKOS_FORCEINLINE_FUNCTION void set_true_residual(std::size_t i, Scalar const& ri) const { r(i) = ri; }
  KOKKOS_FORCEINLINE_FUNCTION static void add_residual_squares(std::size_t, Scalar const& ri, double* sums) {
    sums[0] += squared(ri);
  }
  KOKKOS_FORCEINLINE_FUNCTION static void restart_direction(std::size_t) {}  // there is none
};

/// x <- x + p, r <- r - q; r.r. 6 n-vectors.
template <class Vectors>
struct RichardsonUpdate {
  using Scalar = typename Vectors::Scalar;
  using Sums = PartialSums<1, typename Vectors::Device>;
  struct Loaded {
    Scalar x, p, r, q;
  };
  Vectors v;
  RichardsonState const* state;

  KOKKOS_FORCEINLINE_FUNCTION bool begin() const { return state->is_running(); }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, bool) const {
    return {v.x(i), v.p(i), v.r(i), v.q(i)};
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const& in, bool, double* sums) const {
    Scalar const r = in.r - in.q;
    v.x(i) = in.x + in.p;
    v.r(i) = r;
    sums[0] += squared(r);
  }
};

// The steps after the passes, run by one thread.

/// sums: r.r, b.b.
template <class Publisher>
struct RichardsonStart {
  RichardsonState* state;
  Limits limits;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    state->start(limits, sums[0], sums[1]);
    publisher.publish(*state);
  }
};

/// sums: r.r.
template <class Publisher>
struct RichardsonAfterUpdate {
  RichardsonState* state;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    if (!state->is_running()) return;
    state->iterated(sums[0]);
    publisher.publish(*state);
  }
};

}  // namespace einkorn::detail
