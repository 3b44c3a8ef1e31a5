// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/solvers/detail/cg_head.hpp>
#include <einkorn/solvers/detail/cg_persistent.hpp>
#include <einkorn/solvers/detail/cg_sweeps.hpp>
#include <einkorn/solvers/detail/ending.hpp>
#include <einkorn/solvers/detail/host_loop.hpp>
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
  using Writer = typename News<Exec>::Writer;

  Exec const& exec;
  A const& a;
  Vectors v;
  Workspace const& workspace;
  SolverOptions const& options;
  Writer writer;
  bool watches;  // every iteration's residual is that of the caller's system, and is told
  double const* scaling2;
  bool has_heads;           // sums are taken at the head of the update
  mutable int current = 0;  // which of the two states is the latest

  [[nodiscard]] auto const& space() const { return workspace.space(); }
  [[nodiscard]] CgState* state() const { return workspace.space().state(current); }
  [[nodiscard]] std::size_t size() const { return v.r.extent(0); }

  void start() const {  // r = b - A x, p = r, best = x
    a.apply(exec, v.x, v.q);
    space().sweep(exec, "einkorn::cg[start]", size(), CgResidual<Vectors, true>{v, state()},
                  CgStart<Writer>{state(), limits_of(options), Vectors::is_scaled, watches, scaling2, writer});
  }
  void iteration() const {
    if constexpr (is_gpu<Exec>)
      if (has_heads) return iteration_with_head();
    // q = A p, alpha = r.r / p.q, beta = (alpha^2 q.q - r.r) / r.r                                   2
    space().template product<false>(exec, a, v.p, v.p, v.p, v.q, CgAfterProduct<Writer>{state(), writer, true});
    // r -= alpha q, p = r + beta p, r.r, and every second time x += this alpha p and the last        5, 7
    space().sweep(exec, "einkorn::cg[update]", size(), CgUpdate<Vectors>{v, state()},
                  CgAfterUpdate<Writer>{state(), writer});
  }
  /// All iterations in one cooperative launch.
  void persist() const {
    space().persist(exec, "einkorn::cg[persistent]", a, v.p, v.q,
                    MakeCgLoop<Exec, Vectors, Writer>{v, state(), writer, watches, options.replace_every});
  }
  /// Takes the sums of the last update, where the next one would have.
  void close() const {
    if (!has_heads) return;
    if constexpr (is_gpu<Exec>)
      space().template sum<Head::updates>(exec, workspace.heads(current), Head::league_for(size()),
                                          CgClose<Writer>{state(), writer});
  }
  /// Recorded iterations begin with the first state.
  [[nodiscard]] bool is_aligned() const { return current == 0; }
  void replace() const {
    close();
    residual(false);
  }
  void recheck() const { residual(true); }
  void last_residual() const {
    settle(false, true);
    take_last_residual(*this, "einkorn::cg[residual]");
  }

 private:
  using Head = CgHeadUpdate<Exec, Vectors, Writer, Workspace::Space::dots>;

  void iteration_with_head() const {
    // q = A p                                                                                        2
    auto const units = space().product(exec, a, v.p, v.p, v.q);
    // alpha, beta; r -= alpha q, p = r + beta p, r.r, every second time x                            6, 7
    auto const league = Head::league_for(size());
    auto policy = typename Head::Policy(exec, static_cast<int>(league), Head::team_size);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Head::scratch_bytes + alignof(CgState))));
    Kokkos::parallel_for(
        "einkorn::cg[update]", light_weight(policy),
        Head{v, state(), space().state(1 - current), SumsOfTeams{space().partials().data(), units},
             SumsOfTeams{workspace.heads(current).data(), league}, workspace.heads(1 - current).data(), writer,
             size()});
    current = 1 - current;
  }
  void settle(bool is_recheck, bool always) const {
    space().sweep(exec, "einkorn::cg[settle]", size(), CgSettle<Vectors>{v, state(), is_recheck, always});
  }
  void residual(bool is_recheck) const {
    settle(is_recheck, false);
    replace_residual(*this, is_recheck, "einkorn::cg[residual]", "einkorn::cg[keep]");
  }
};

template <class Exec, class A, class Vector, class Workspace>
SolveResult solve_cg(Exec const& exec, A const& a, typename Vector::const_type const& b, Vector const& x,
                     SolverOptions const& options, Workspace const& w) {
  // These may throw, and x is the caller's until then.
  bool const persists = w.space().persists(exec, a, options, w.p(), w.q());
  bool const records = !persists && w.space().records(options, a, w.size());
  auto const with = [&](auto const& scaling, double const* scaling2) {
    using Vectors = CgVectors<Vector, std::decay_t<decltype(scaling)>>;
    bool const watches = wants_history(options);
    CgMethod<Exec, A, Vectors, Workspace> const method{
        exec,    a,        Vectors{w.r(), w.p(), w.q(), w.best(), x, b, scaling},
        w,       options,  w.space().news().writer(watches),
        watches, scaling2, w.heads(0).extent(0) > 0};
    auto const run = [&](bool in_one_launch) {
      std::vector<double> history;
      bool const went_on = in_one_launch
                               ? run_persistent(w.space().news(), method)
                               : run_from_host(exec, options, w.space().news(), method, records, history);
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
