// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/partial_sums.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/solvers/engine/convergence.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn::detail {

/// The true residual of all methods: r <- b - A x at replacements, at the true-residual check and at the end,
/// and the best x. Source: van der Vorst & Ye, SIAM J. Sci. Comput. 22(3), 2000; here at fixed intervals.
///
/// Vectors has ax() (holds A x), scaled_b(i), set_true_residual(i, r), add_residual_squares(i, r, sums) for
/// num_residual_sums sums, restart_direction(i), x and best; for FirstResidualPass b and set_first_residual(i, r).
/// State is a Progress with
///   double true_residual2(sums)             |b - A x|^2 of the caller's system
///   void begin_replacement(sums)            before the tests of convergence.hpp
///   void end_replacement(r2, use)           after them

/// true residual <- b - A x with A x in v.ax(); its sums.
template <class Vectors, class State>
struct TrueResidualPass {
  using Scalar = typename Vectors::Scalar;
  using Sums = PartialSums<Vectors::num_residual_sums, typename Vectors::Device>;
  struct Loaded {
    Scalar b, ax;
  };
  Vectors v;
  State const* state;
  ResidualUse use;

  KOKKOS_FORCEINLINE_FUNCTION bool begin() const { return state->wants(use); }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, bool) const { return {v.scaled_b(i), v.ax()(i)}; }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const& in, bool, double* sums) const {
    Scalar const r = in.b - in.ax;
    v.set_true_residual(i, r);
    v.add_residual_squares(i, r, sums);
  }
};

/// The residual at the start of a method without scaling: b - A x with A x in v.ax(), best <- x; r.r, b.b.
template <class Vectors>
struct FirstResidualPass {
  using Scalar = typename Vectors::Scalar;
  using Sums = PartialSums<2, typename Vectors::Device>;
  struct Loaded {
    Scalar b, ax, x;
  };
  Vectors v;

  static KOKKOS_FORCEINLINE_FUNCTION bool begin() { return true; }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t i, bool) const { return {v.b(i), v.ax()(i), v.x(i)}; }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const& in, bool, double* sums) const {
    Scalar const r = in.b - in.ax;
    v.set_first_residual(i, r);
    v.best(i) = in.x;
    sums[0] += squared(r);
    sums[1] += squared(in.b);
  }
};

/// The step after TrueResidualPass, with its sums.
template <class State, class Publisher>
struct AfterTrueResidual {
  State* state;
  ResidualUse use;
  Publisher publisher;

  KOKKOS_FUNCTION void operator()(double const* sums) const {
    auto& s = *state;
    double const r2 = s.true_residual2(sums);
    if (use == ResidualUse::final) {
      s.true2 = r2;
      return;
    }
    s.improves = s.restarts = false;
    if (!s.wants(use)) return;
    s.begin_replacement(sums);
    if (use == ResidualUse::check)
      s.checked(r2);
    else
      s.replaced(r2);
    s.end_replacement(r2, use);
    if (use == ResidualUse::check || !s.is_running()) publisher.publish(s);
  }
};

/// best <- x if x is the best so far; the direction from the true residual if it restarts.
template <class Vectors, class State>
struct SaveBestPass {
  using Sums = PartialSums<1, typename Vectors::Device>;
  struct Scalars {
    bool improves, restarts;
    KOKKOS_FORCEINLINE_FUNCTION explicit operator bool() const { return improves || restarts; }
  };
  struct Loaded {};
  Vectors v;
  State const* state;

  KOKKOS_FORCEINLINE_FUNCTION Scalars begin() const { return {state->improves, state->restarts}; }
  KOKKOS_FORCEINLINE_FUNCTION Loaded load(std::size_t, Scalars const&) const { return {}; }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Loaded const&, Scalars const& s, double*) const {
    if (s.improves) v.best(i) = v.x(i);
    if (s.restarts) v.restart_direction(i);
  }
};

/// Launches the true residual of a method (CgMethod, PcgMethod, BicgstabMethod, RichardsonMethod), after v.ax() <- A x by
/// apply_to_x(), and SaveBestPass unless the solve has ended. Labels: Method::residual_label, save_best_label.
template <class Method>
void compute_true_residual(Method const& method, ResidualUse use) {
  using Vectors = decltype(method.v);
  using Publisher = decltype(method.publisher);
  auto* const state = method.state();
  using State = std::remove_pointer_t<decltype(method.state())>;
  method.apply_to_x();
  method.space().run_pass(method.exec, method.a, Method::residual_label, method.size(),
                          TrueResidualPass<Vectors, State>{method.v, state, use},
                          AfterTrueResidual<State, Publisher>{state, use, method.publisher});
  if (use != ResidualUse::final)
    method.space().run_pass(method.exec, Method::save_best_label, method.size(),
                            SaveBestPass<Vectors, State>{method.v, state});
}

}  // namespace einkorn::detail
