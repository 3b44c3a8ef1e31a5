// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/solvers/detail/cg_persistent.hpp>
#include <einkorn/solvers/detail/cg_sweeps.hpp>
#include <einkorn/solvers/detail/ending.hpp>
#include <einkorn/solvers/detail/host_loop.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

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

  [[nodiscard]] auto const& space() const { return workspace.space(); }
  [[nodiscard]] CgState* state() const { return workspace.space().state(); }
  [[nodiscard]] std::size_t size() const { return v.r.extent(0); }

  void start() const {  // r = b - A x, p = r, best = x
    a.apply(exec, v.x, v.q);
    space().sweep(exec, "einkorn::cg[start]", size(), CgResidual<Vectors, true>{v, state()},
                  CgStart<Writer>{state(), limits_of(options), Vectors::is_scaled, watches, scaling2, writer});
  }
  void iteration() const {
    // q = A p, alpha = r.r / p.q, beta = (alpha^2 q.q - r.r) / r.r                                   2
    space().template product<false>(exec, a, v.p, v.p, v.p, v.q, CgAfterProduct<Writer>{state(), writer});
    // x += alpha p, r -= alpha q, p = r + beta p, r.r                                                7
    space().sweep(exec, "einkorn::cg[update]", size(), CgUpdate<Vectors>{v, state()},
                  CgAfterUpdate<Writer>{state(), writer});
  }
  /// All iterations in one cooperative launch.
  void persist() const {
    space().persist(exec, "einkorn::cg[persistent]", a, v.p, v.q,
                    MakeCgLoop<Exec, Vectors, Writer>{v, state(), writer, watches, options.replace_every});
  }
  void replace() const { residual(false); }
  void recheck() const { residual(true); }
  void last_residual() const {
    a.apply(exec, v.x, v.q);
    space().sweep(exec, "einkorn::cg[residual]", size(), CgResidual<Vectors, false>{v, state(), false, true},
                  CgLastResidual{state()});
  }

 private:
  void residual(bool is_recheck) const {
    a.apply(exec, v.x, v.q);
    space().sweep(exec, "einkorn::cg[residual]", size(), CgResidual<Vectors, false>{v, state(), is_recheck},
                  CgAfterResidual<Writer>{state(), is_recheck, writer});
    space().sweep(exec, "einkorn::cg[keep]", size(), CgKeep<Vectors>{v, state()});
  }
};

template <class Exec, class A, class Vector, class Workspace>
SolveReport solve_cg(Exec const& exec, A const& a, typename Vector::const_type const& b, Vector const& x,
                     SolverOptions const& options, Workspace const& w) {
  auto const with = [&](auto const& scaling, double const* scaling2) {
    using Vectors = CgVectors<Vector, std::decay_t<decltype(scaling)>>;
    bool const has_history = options.keep_history || options.callback;
    CgMethod<Exec, A, Vectors, Workspace> const method{
        exec,        a,       Vectors{w.r(), w.p(), w.q(), w.best(), x, b, scaling},
        w,           options, w.space().news().writer(has_history),
        has_history, scaling2};
    bool const persists = w.space().persists(options, w.size());
    bool const went_on = persists ? run_persistent(exec, w.space().news(), method)
                                  : run_from_host(exec, options, w.space().news(), method);
    return finish_solve(exec, options, w.space(), went_on, method);
  };
  if constexpr (requires { a.scaling(); }) {
    divide_by(exec, a.scaling(), x);
    SolveReport const report = with(a.scaling(), a.largest_square());
    multiply_by(exec, a.scaling(), x);
    return report;
  } else {
    return with(nullptr, nullptr);
  }
}

}  // namespace einkorn::detail
