// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/launch.hpp>
#include <einkorn/solvers/cg/passes.hpp>
#include <einkorn/solvers/cg/persistent.hpp>
#include <einkorn/solvers/cg/prologue.hpp>
#include <einkorn/solvers/engine/finalize.hpp>
#include <einkorn/solvers/engine/host_loop.hpp>
#include <einkorn/solvers/engine/ranks.hpp>
#include <einkorn/solvers/engine/residual_replacement.hpp>
#include <einkorn/solvers/engine/solve_space.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn::detail {

/// CG with the fused recurrence, as launches. Beside each pass: n-vectors read and written.
template <class Exec, class A, class Vectors, class Workspace>
struct CgMethod {
  using Publisher = typename ProgressFlag<Exec>::Publisher;
  static constexpr bool is_distributed = IsDistributed<A>, may_launch_ahead = true;
  static constexpr bool defers_sums = Workspace::Space::template can_defer_sums<A>;
  static constexpr char const *residual_label = "einkorn::cg[residual]",
                              *save_best_label = "einkorn::cg[save_best]";

  Exec const& exec;
  A const& a;
  Vectors v;  // unmanaged: copies into passes count no references
  typename Workspace::Vector const& x;
  Workspace const& workspace;
  SolverOptions const& options;
  Publisher publisher;
  bool publish_each;  // every iteration computes and publishes |r| of the caller's system
  double const* scaling2;
  bool has_prologue;        // the update reduces the partial sums (cg/prologue.hpp); not distributed
  mutable int current = 0;  // index of the latest of the two states

  [[nodiscard]] auto const& space() const { return workspace.space(); }
  [[nodiscard]] CgState* state() const { return workspace.space().state(current); }
  [[nodiscard]] std::size_t size() const { return v.r.extent(0); }

  void start() const {  // r = b - A x, p = r, best = x
    apply_to_x();
    space().run_pass(
        exec, a, "einkorn::cg[start]", size(), CgFirstResidual<Vectors>{v},
        CgStart<Publisher>{state(), limits_of(options), Vectors::is_scaled, publish_each, scaling2, publisher});
  }
  void iteration() const {
    if constexpr (is_gpu<Exec>)
      if (has_prologue) return iteration_with_prologue();
    if constexpr (defers_sums) return iteration_with_one_reduction();
    // q = A p, alpha = r.r / p.q, beta = (alpha^2 q.q - r.r) / r.r                                   2
    space().template product<false>(exec, a, p(), p(), p(), workspace.q(),
                                    CgAfterProduct<Publisher>{state(), publisher, true});
    // r -= alpha q, p = r + beta p, r.r; every second time x += this and the deferred term           5, 7
    space().run_pass(exec, a, "einkorn::cg[update]", size(), CgUpdate<Vectors>{v, state()},
                     CgAfterUpdate<Publisher>{state(), publisher});
  }
  /// r <- b - A x (engine/residual_replacement.hpp), after x has the deferred term.
  void true_residual(ResidualUse use) const {
    if (use == ResidualUse::replacement) finish_update();
    space().run_pass(exec, "einkorn::cg[flush_x]", size(), CgFlushX<Vectors>{v, state(), use});
    compute_true_residual(*this, use);
  }
  /// Reduces the sums of the last update, which the next iteration would have reduced.
  void finish_update() const {
    if constexpr (defers_sums)
      if (!has_prologue)
        return space().template reduce<0, num_update_sums>(exec, a, 0,
                                                           CgFinishUpdate<Publisher>{state(), publisher});
    if (!has_prologue) return;
    if constexpr (is_gpu<Exec>)
      space().template sum<Prologue::updates>(exec, workspace.partials(current), Prologue::league_for(size()),
                                              CgFinishUpdate<Publisher>{state(), publisher});
  }
  void apply_to_x() const { space().apply(exec, a, x, workspace.q()); }
  /// Whether a captured graph can be submitted: it begins with the first state.
  [[nodiscard]] bool is_aligned() const { return current == 0; }
  /// All iterations in one cooperative launch.
  void persist() const {
    space().persist(
        exec, "einkorn::cg[persistent]", a, p(), workspace.q(),
        MakeCgLoop<Exec, Vectors, Publisher>{v, state(), publisher, publish_each, options.replace_every});
  }

 private:
  static constexpr int num_update_sums = CgUpdate<Vectors>::Sums::count;

  [[nodiscard]] auto const& p() const { return workspace.p(); }

  /// q.q and p.q are reduced together with the sums of the previous update: one launch less on a GPU, one message less
  /// between ranks.
  void iteration_with_one_reduction() const {
    // q = A p, alpha, beta                                                                           2
    space().template product<false, num_update_sums>(
        exec, a, p(), p(), p(), workspace.q(),
        CgAfterUpdateAndProduct<Publisher>{state(), publisher, num_update_sums});
    // r -= alpha q, p = r + beta p, r.r; every second time x                                         5, 7
    space().run_pass_deferred(exec, "einkorn::cg[update]", size(), CgUpdate<Vectors>{v, state()});
  }

  using Prologue = CgPrologueUpdate<Exec, Vectors, Publisher, Workspace::Space::dots>;

  void iteration_with_prologue() const {
    // q = A p                                                                                        2
    auto const num_blocks = space().product(exec, a, p(), p(), workspace.q());
    // alpha, beta; r -= alpha q, p = r + beta p, r.r, every second time x; x is always read          6, 7
    auto const league = Prologue::league_for(size());
    auto policy = typename Prologue::Policy(exec, static_cast<int>(league), Prologue::team_size);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Prologue::scratch_bytes + alignof(CgState))));
    Kokkos::parallel_for(
        "einkorn::cg[update]", light_weight(policy),
        Prologue{v, state(), space().state(1 - current), TeamPartials{space().partials().data(), num_blocks},
                 TeamPartials{workspace.partials(current).data(), league},
                 workspace.partials(1 - current).data(), publisher, size()});
    current = 1 - current;
  }
};

template <class Exec, class A, class Vector, class Workspace>
SolveResult solve_cg(Exec const& exec, A const& a, typename Vector::const_type const& b, Vector const& x,
                     SolverOptions const& options, Workspace const& w,
                     ProductRequirements const& requirements) {
  // These may throw, and x is unchanged until then.
  bool const persists = w.space().persists(exec, a, options, requirements);
  int const per_graph = persists ? 0 : w.space().iterations_per_graph(options, a, w.size());
  auto const solve_scaled = [&](auto const& scaling, double const* scaling2) {
    using Vectors = CgVectors<KernelView<Vector, typename Vector::value_type>, std::decay_t<decltype(scaling)>>;
    auto const& flag = w.space().progress_flag();
    bool const publish_each = wants_history(options);
    CgMethod<Exec, A, Vectors, Workspace> const method{exec,
                                                       a,
                                                       cg_vectors<Vectors>(w, x, b, scaling),
                                                       x,
                                                       w,
                                                       options,
                                                       flag.publisher(publish_each),
                                                       publish_each,
                                                       scaling2,
                                                       w.partials(0).extent(0) > 0};
    auto const& to = method.v;
    if (persists) {
      run_persistent(flag, method);
      auto result = finish_solve(exec, options, flag, true, method, to.x, to.best, {});
      if (!result.rows_too_long) return result;
    }
    return solve_from_host(exec, options, flag, method, per_graph, to.x, to.best);
  };
  if constexpr (requires { a.scaling(); }) {
    divide_by(exec, a.scaling(), x);
    SolveResult const result = solve_scaled(a.scaling(), a.largest_square());
    multiply_by(exec, a.scaling(), x);
    fence(exec, "einkorn::cg: x of the caller's system");
    return result;
  } else {
    return solve_scaled(nullptr, nullptr);
  }
}

}  // namespace einkorn::detail
