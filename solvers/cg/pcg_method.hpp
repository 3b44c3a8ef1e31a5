// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/solvers/cg/passes.hpp>
#include <einkorn/solvers/cg/pcg_passes.hpp>
#include <einkorn/solvers/engine/finalize.hpp>
#include <einkorn/solvers/engine/ranks.hpp>
#include <einkorn/solvers/engine/residual_replacement.hpp>
#include <einkorn/solvers/operator.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn::detail {

/// Preconditioned CG with the classical recurrence, as launches. The identity or a diagonal is applied within
/// the passes. Beside each pass: n-vectors read and written; (+1) with a diagonal, [+1] if M is variable.
///
/// A variable M has the beta of Polak and Ribiere, z_new.(r_new - r) / r.z, with r_new - r = -alpha q.
///
/// With an expensive M, the host waits for |r| in each iteration, and launches no M^-1 r that is not used: none
/// beyond the end. If the true-residual check then fails, the direction restarts from z.
template <class Exec, class A, class M, class Z, class Vectors, class Workspace>
struct PcgMethod {
  using Publisher = typename ProgressFlag<Exec>::Publisher;
  static constexpr bool is_stored =
      std::is_same_v<Z, StoredZ<KernelView<typename Workspace::Vector, typename Vectors::Scalar>>>;
  static constexpr bool is_flexible = is_stored && IsVariable<M>;
  static constexpr bool is_distributed = IsDistributed<A>, may_launch_ahead = true;
  static constexpr bool defers_sums = Workspace::Space::template can_defer_sums<A>;
  /// M is applied after the host has read that the solve continues.
  static constexpr bool awaits_residual = is_stored && IsExpensive<M> && !is_distributed;
  using Residual = PcgResidual<Vectors, Z, !is_stored>;
  using Rho = std::conditional_t<is_flexible, PcgFlexibleRho<Vectors, Z>, PcgRho<Vectors, Z>>;
  static constexpr char const *residual_label = "einkorn::pcg[residual]", *rho_label = "einkorn::pcg[rho]",
                              *direction_label = "einkorn::pcg[direction]",
                              *save_best_label = "einkorn::pcg[save_best]";

  Exec const& exec;
  A const& a;
  M const& preconditioner;
  Z z;
  Vectors v;  // unmanaged: copies into passes count no references
  typename Workspace::Vector const& x;
  Workspace const& workspace;
  Limits limits;
  Publisher publisher;
  /// p was not computed from M^-1 r: the solve had ended, or so it seemed.
  mutable bool is_direction_stale = false;

  [[nodiscard]] auto const& space() const { return workspace.space(); }
  [[nodiscard]] CgState* state() const { return workspace.space().state(); }
  [[nodiscard]] std::size_t size() const { return v.r.extent(0); }

  void apply_to_x() const { space().apply(exec, a, x, workspace.q()); }
  void start() const {  // r = b - A x, z = M^-1 r, p = z, best = x
    apply_to_x();
    space().run_pass(exec, a, "einkorn::pcg[start]", size(), CgFirstResidual<Vectors>{v},
                     CgStart<Publisher>{state(), limits, false, true, nullptr, publisher});
    recompute_rho(true);
  }
  void iteration() const {
    [[maybe_unused]] auto const before = flag().latest();
    // q = A p, alpha = r.z / p.q                                                                     2
    launch_product();
    // r -= alpha q, r.r, beta = r_new.z_new / r.z, or (r_new - r).z_new / r.z          3 (+1), 5 + M [+1]
    if constexpr (awaits_residual) {
      space().run_pass(exec, a, residual_label, size(), Residual{v, z, state()},
                       PcgAfterResidual<Publisher>{state(), false, true, publisher});
      auto const after = flag().wait(exec, [&](ProgressWord const& word) {
        return word.iteration() > before.iteration() || word.phase() != Phase::running;
      });
      is_direction_stale = after.phase() != Phase::running;
      if (!is_direction_stale) {
        precondition();
        launch_rho();
      }
    } else if constexpr (is_stored && defers_sums) {
      space().run_pass_deferred(exec, residual_label, size(), Residual{v, z, state()});
      preconditioner.apply(exec, workspace.r(), workspace.z());
      auto const num_blocks = space().run_pass(exec, rho_label, size(), Rho{v, z, state()});
      space().template reduce<Rho::Sums::count, Residual::Sums::count>(
          exec, a, num_blocks, PcgAfterResidualAndPreconditioner<Publisher, is_flexible>{state(), publisher});
    } else {
      space().run_pass(exec, a, residual_label, size(), Residual{v, z, state()},
                       PcgAfterResidual<Publisher>{state(), !is_stored, !is_stored, publisher});
      if constexpr (is_stored) {
        preconditioner.apply(exec, workspace.r(), workspace.z());
        launch_rho();
      }
    }
    // x += alpha p, p = z + beta p                                                                   5 (+1)
    launch_direction();
  }
  /// r <- b - A x (engine/residual_replacement.hpp), and z with it.
  void true_residual(ResidualUse use) const {
    compute_true_residual(*this, use);
    if (use == ResidualUse::final) return;
    if constexpr (awaits_residual) {
      auto const word =
          use == ResidualUse::check
              ? flag().wait(exec, [](ProgressWord const& next) { return next.phase() != Phase::check; })
              : flag().latest();
      if (word.phase() != Phase::running) return;
    }
    recompute_rho(is_direction_stale);
    is_direction_stale = false;
  }

 private:
  [[nodiscard]] auto const& p() const { return workspace.p(); }
  [[nodiscard]] auto const& flag() const { return workspace.space().progress_flag(); }

  // With defers_sums, p.p is reduced together with the sums of the next product, r.r of a stored z with r.z: fewer
  // launches on a GPU, two messages between ranks.

  void launch_product() const {
    if constexpr (defers_sums)
      space().template product<false, 1>(exec, a, p(), p(), p(), workspace.q(),
                                         PcgAfterDirectionAndProduct<Publisher>{state(), publisher});
    else
      space().template product<false>(exec, a, p(), p(), p(), workspace.q(),
                                      CgAfterProduct<Publisher>{state(), publisher});
  }
  /// z = M^-1 r where the state has |r|^2.
  void precondition() const {
    double const* const squared_norm = &state()->residual2;
    if constexpr (awaits_residual &&
                  requires { preconditioner.apply(exec, workspace.r(), workspace.z(), squared_norm); })
      preconditioner.apply(exec, workspace.r(), workspace.z(), squared_norm);
    else
      preconditioner.apply(exec, workspace.r(), workspace.z());
  }
  void launch_rho() const {
    space().run_pass(exec, a, rho_label, size(), Rho{v, z, state()},
                     PcgAfterPreconditioner<Publisher, is_flexible>{state(), publisher});
  }
  void launch_direction() const {
    PcgDirection<Vectors, Z> const pass{v, z, state()};
    if constexpr (defers_sums)
      space().run_pass_deferred(exec, direction_label, size(), pass);
    else
      space().run_pass(exec, a, direction_label, size(), pass, PcgAfterDirection{state()});
  }
  /// restarts: the direction becomes z.
  void recompute_rho(bool restarts) const {
    if constexpr (is_stored) precondition();
    space().run_pass(exec, a, "einkorn::pcg[recompute_rho]", size(),
                     PcgRecomputeRho<Vectors, Z>{v, z, state(), restarts},
                     PcgAfterRecomputeRho<Publisher>{state(), publisher});
  }
};

template <class Exec, class A, class M, class Vector, class Workspace>
SolveResult solve_pcg(Exec const& exec, A const& a, M const& preconditioner,
                      typename Vector::const_type const& b, Vector const& x, SolverOptions const& options,
                      Workspace const& w) {
  using V = KernelView<Vector, typename Vector::value_type>;
  auto const solve = [&](auto const& z) {
    using Vectors = CgVectors<V, std::nullptr_t>;
    auto const& flag = w.space().progress_flag();
    PcgMethod<Exec, A, M, std::decay_t<decltype(z)>, Vectors, Workspace> const method{
        exec,
        a,
        preconditioner,
        z,
        cg_vectors<Vectors>(w, x, b, nullptr),
        x,
        w,
        limits_of(options),
        flag.publisher(wants_history(options))};
    int const per_graph = w.space().iterations_per_graph(options, a, w.size(), is_fusable<M>);
    return solve_from_host(exec, options, flag, method, per_graph, method.v.x, method.v.best);
  };
  if constexpr (requires { preconditioner.is_identity; })
    return solve(PlainZ<V>{as_input(w.r())});
  else if constexpr (requires { preconditioner.inverse(); })
    return solve(DiagonalZ<V, std::decay_t<decltype(preconditioner.inverse())>>{as_input(w.r()),
                                                                                preconditioner.inverse()});
  else
    return solve(StoredZ<V>{as_input(w.z())});
}

}  // namespace einkorn::detail
