// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/solvers/cg/passes.hpp>
#include <einkorn/solvers/cg/persistent.hpp>
#include <einkorn/solvers/cg/prologue.hpp>
#include <einkorn/solvers/engine/finalize.hpp>
#include <einkorn/solvers/engine/host_loop.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace einkorn::detail {

/// CG with fused scalars, as launches. The vectors' traffic in n-vectors is beside each sweep.
template <class Exec, class A, class Vectors, class Workspace>
struct CgMethod {
  using Publisher = typename ProgressFlag<Exec>::Publisher;

  Exec const& exec;
  A const& a;
  Vectors v;
  Workspace const& workspace;
  SolverOptions const& options;
  Publisher publisher;
  bool watches;  // every iteration's residual is that of the caller's system, and is told
  double const* scaling2;
  bool has_prologue;        // sums are taken at the head of the update
  mutable int current = 0;  // which of the two states is the latest

  [[nodiscard]] auto const& space() const { return workspace.space(); }
  [[nodiscard]] CgState* state() const { return workspace.space().state(current); }
  [[nodiscard]] std::size_t size() const { return v.r.extent(0); }

  void start() const {  // r = b - A x, p = r, best = x
    a.apply(exec, v.x, v.q);
    space().run_pass(
        exec, "einkorn::cg[start]", size(), CgResidual<Vectors, true>{v, state()},
        CgStart<Publisher>{state(), limits_of(options), Vectors::is_scaled, watches, scaling2, publisher});
  }
  void iteration() const {
    if constexpr (is_gpu<Exec>)
      if (has_prologue) return iteration_with_prologue();
    // q = A p, alpha = r.r / p.q, beta = (alpha^2 q.q - r.r) / r.r                                   2
    space().template product<false>(exec, a, v.p, v.p, v.p, v.q,
                                    CgAfterProduct<Publisher>{state(), publisher, true});
    // r -= alpha q, p = r + beta p, r.r, and every second time x += this alpha p and the last        5, 7
    space().run_pass(exec, "einkorn::cg[update]", size(), CgUpdate<Vectors>{v, state()},
                     CgAfterUpdate<Publisher>{state(), publisher});
  }
  /// All iterations in one cooperative launch.
  void persist() const {
    space().persist(
        exec, "einkorn::cg[persistent]", a, v.p, v.q,
        MakeCgLoop<Exec, Vectors, Publisher>{v, state(), publisher, watches, options.replace_every});
  }
  /// Takes the sums of the last update, where the next one would have.
  void close() const {
    if (!has_prologue) return;
    if constexpr (is_gpu<Exec>)
      space().template sum<Prologue::updates>(exec, workspace.partials(current), Prologue::league_for(size()),
                                              CgClose<Publisher>{state(), publisher});
  }
  /// Recorded iterations begin with the first state.
  [[nodiscard]] bool is_aligned() const { return current == 0; }
  void replace() const {
    close();
    residual(false);
  }
  void check_true_residual() const { residual(true); }
  void last_residual() const {
    flush_x(false, true);
    take_last_residual(*this, "einkorn::cg[residual]");
  }

 private:
  using Prologue = CgPrologueUpdate<Exec, Vectors, Publisher, Workspace::Space::dots>;

  void iteration_with_prologue() const {
    // q = A p                                                                                        2
    auto const num_blocks = space().product(exec, a, v.p, v.p, v.q);
    // alpha, beta; r -= alpha q, p = r + beta p, r.r, every second time x                            6, 7
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
  void flush_x(bool is_check, bool always) const {
    space().run_pass(exec, "einkorn::cg[flush_x]", size(), CgFlushX<Vectors>{v, state(), is_check, always});
  }
  void residual(bool is_check) const {
    flush_x(is_check, false);
    replace_residual(*this, is_check, "einkorn::cg[residual]", "einkorn::cg[keep]");
  }
};

template <class Exec, class A, class Vector, class Workspace>
SolveResult solve_cg(Exec const& exec, A const& a, typename Vector::const_type const& b, Vector const& x,
                     SolverOptions const& options, Workspace const& w) {
  // These may throw, and x is the caller's until then.
  bool const persists = w.space().persists(exec, a, options, w.p(), w.q());
  bool const captures = !persists && w.space().captures(options, a, w.size());
  auto const with = [&](auto const& scaling, double const* scaling2) {
    using Vectors = CgVectors<Vector, std::decay_t<decltype(scaling)>>;
    bool const watches = wants_history(options);
    CgMethod<Exec, A, Vectors, Workspace> const method{
        exec,    a,        Vectors{w.r(), w.p(), w.q(), w.best(), x, b, scaling},
        w,       options,  w.space().progress_flag().publisher(watches),
        watches, scaling2, w.partials(0).extent(0) > 0};
    auto const run = [&](bool in_one_launch) {
      std::vector<double> history;
      bool const went_on =
          in_one_launch ? run_persistent(w.space().progress_flag(), method)
                        : run_from_host(exec, options, w.space().progress_flag(), method, captures, history);
      return finish_solve(exec, options, w.space(), went_on, method, std::move(history));
    };
    SolveResult const result = run(persists);
    return result.rows_refused ? run(false) : result;
  };
  if constexpr (requires { a.scaling(); }) {
    divide_by(exec, a.scaling(), x);
    SolveResult const result = with(a.scaling(), a.largest_square());
    multiply_by(exec, a.scaling(), x);
    exec.fence("einkorn::cg: x of the caller's system");
    return result;
  } else {
    return with(nullptr, nullptr);
  }
}

}  // namespace einkorn::detail
