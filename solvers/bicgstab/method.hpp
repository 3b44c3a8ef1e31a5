// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/solvers/bicgstab/passes.hpp>
#include <einkorn/solvers/engine/finalize.hpp>
#include <einkorn/solvers/engine/ranks.hpp>
#include <einkorn/solvers/engine/residual_replacement.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// BiCGStab, preconditioned from the right, as launches. Beside each pass: n-vectors read and written.
template <class Exec, class A, class M, class Vectors, class Workspace>
struct BicgstabMethod {
  using Publisher = typename ProgressFlag<Exec>::Publisher;
  using Z = typename Vectors::Z;
  static constexpr bool is_distributed = IsDistributed<A>, may_launch_ahead = true;
  static constexpr bool defers_sums = Workspace::Space::template can_defer_sums<A>;
  static constexpr char const *residual_label = "einkorn::bicgstab[residual]",
                              *save_best_label = "einkorn::bicgstab[save_best]";

  Exec const& exec;
  A const& a;
  M const& preconditioner;
  Vectors v;
  Workspace const& workspace;
  Limits limits;
  Publisher publisher;

  [[nodiscard]] auto const& space() const { return workspace.space(); }
  [[nodiscard]] BicgstabState<Z>* state() const { return workspace.space().state(); }
  [[nodiscard]] std::size_t size() const { return v.r.extent(0); }

  void apply_to_x() const { space().apply(exec, a, v.x, v.t); }
  void start() const {  // r = b - A x, r0 = r, p = r, best = x
    apply_to_x();
    space().run_pass(exec, a, "einkorn::bicgstab[start]", size(), FirstResidualPass<Vectors>{v},
                     BicgstabStart<Z, Publisher>{state(), limits, publisher});
  }
  void iteration() const {
    // p_hat = M^-1 p
    if constexpr (Vectors::is_preconditioned) preconditioner.apply(exec, v.p, v.p_hat);
    // v = A p_hat, alpha = rho / r0.v                                                                3
    if constexpr (defers_sums)  // with r.r of the previous iteration
      space().template product<false, 1>(exec, a, v.shadow, v.shadow, v.p_hat, v.v,
                                         BicgstabAfterXAndV<Z, Publisher>{state(), publisher});
    else
      space().template product<false>(exec, a, v.shadow, v.shadow, v.p_hat, v.v,
                                      BicgstabAfterV<Z, Publisher>{state(), publisher});
    // s = r - alpha v, s.s                                                                           3
    if constexpr (defers_sums)
      space().run_pass_deferred(exec, "einkorn::bicgstab[s]", size(), BicgstabS<Vectors>{v, state()});
    else
      space().run_pass(exec, a, "einkorn::bicgstab[s]", size(), BicgstabS<Vectors>{v, state()},
                       BicgstabAfterS<Z>{state()});
    // s_hat = M^-1 s
    if constexpr (Vectors::is_preconditioned) preconditioner.apply(exec, v.s, v.s_hat);
    // t = A s_hat, omega = t.s / t.t, rho_new = r0.s - omega r0.t, beta = rho_new / rho alpha / omega  3
    if constexpr (defers_sums)  // with s.s
      space().template product<true, 1>(exec, a, v.s, v.shadow, v.s_hat, v.t, BicgstabAfterSAndT<Z>{state()});
    else
      space().template product<true>(exec, a, v.s, v.shadow, v.s_hat, v.t, BicgstabAfterT<Z>{state()});
    // x += alpha p_hat + omega s_hat, r = s - omega t, p = r + beta (p - omega v), r.r               8
    if constexpr (defers_sums)
      space().run_pass_deferred(exec, "einkorn::bicgstab[x]", size(), BicgstabX<Vectors>{v, state()});
    else
      space().run_pass(exec, a, "einkorn::bicgstab[x]", size(), BicgstabX<Vectors>{v, state()},
                       BicgstabAfterX<Z, Publisher>{state(), publisher});
  }
  /// Reduces the sum of the last pass, which the next iteration would have reduced.
  void finish_update() const {
    if constexpr (defers_sums)
      space().template reduce<0, 1>(exec, a, 0, BicgstabFinishX<Z, Publisher>{state(), publisher});
  }
  /// t <- b - A x; r, p and r0 <- t if the recursive r deviates (engine/residual_replacement.hpp).
  void true_residual(ResidualUse use) const {
    if (use == ResidualUse::replacement) finish_update();
    compute_true_residual(*this, use);
  }
};

template <bool preconditioned, class Exec, class A, class M, class Vector, class Workspace>
SolveResult solve_bicgstab(Exec const& exec, A const& a, M const& preconditioner,
                           typename Vector::const_type const& b, Vector const& x, SolverOptions const& options,
                           Workspace const& w) {
  using Vectors = BicgstabVectors<Vector, preconditioned>;
  Vectors const vectors{w.r(),
                        w.shadow(),
                        w.p(),
                        w.v(),
                        w.s(),
                        w.t(),
                        w.best(),
                        preconditioned ? w.p_hat() : w.p(),
                        preconditioned ? w.s_hat() : w.s(),
                        x,
                        b};
  BicgstabMethod<Exec, A, M, Vectors, Workspace> const method{
      exec,
      a,
      preconditioner,
      vectors,
      w,
      limits_of(options),
      w.space().progress_flag().publisher(wants_history(options))};
  int const per_graph = w.space().iterations_per_graph(options, a, w.size(), !preconditioned);
  return solve_from_host(exec, options, w.space().progress_flag(), method, per_graph, vectors.x, vectors.best);
}

}  // namespace einkorn::detail
