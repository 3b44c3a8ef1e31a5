// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/solvers/detail/bicgstab_sweeps.hpp>
#include <einkorn/solvers/detail/ending.hpp>
#include <einkorn/solvers/detail/host_loop.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace einkorn::detail {

/// BiCGStab, preconditioned from the right, as launches. The vectors' traffic in n-vectors is beside each
/// sweep.
template <class Exec, class A, class M, class Vectors, class Workspace>
struct BicgstabMethod {
  using Writer = typename News<Exec>::Writer;
  using Z = typename Vectors::Z;

  Exec const& exec;
  A const& a;
  M const& preconditioner;
  Vectors v;
  Workspace const& workspace;
  Limits limits;
  Writer writer;

  [[nodiscard]] auto const& space() const { return workspace.space(); }
  [[nodiscard]] BicgstabState<Z>* state() const { return workspace.space().state(); }
  [[nodiscard]] std::size_t size() const { return v.r.extent(0); }

  void start() const {  // r = b - A x, r0 = r, p = r, best = x
    a.apply(exec, v.x, v.t);
    space().sweep(exec, "einkorn::bicgstab[start]", size(), BicgstabFirstResidual<Vectors>{v},
                  BicgstabStart<Z, Writer>{state(), limits, writer});
  }
  void iteration() const {
    // p_hat = M^-1 p
    if constexpr (Vectors::is_preconditioned) preconditioner.apply(exec, v.p, v.p_hat);
    // v = A p_hat, alpha = rho / r0.v                                                                3
    space().template product<false>(exec, a, v.shadow, v.shadow, v.p_hat, v.v,
                                    BicgstabAfterV<Z, Writer>{state(), writer});
    // s = r - alpha v, s.s                                                                           3
    space().sweep(exec, "einkorn::bicgstab[s]", size(), BicgstabS<Vectors>{v, state()},
                  BicgstabAfterS<Z>{state()});
    // s_hat = M^-1 s
    if constexpr (Vectors::is_preconditioned) preconditioner.apply(exec, v.s, v.s_hat);
    // t = A s_hat, omega = t.s / t.t, rho_new = r0.s - omega r0.t, beta = rho_new / rho alpha / omega  3
    space().template product<true>(exec, a, v.s, v.shadow, v.s_hat, v.t, BicgstabAfterT<Z>{state()});
    // x += alpha p_hat + omega s_hat, r = s - omega t, p = r + beta (p - omega v), r.r               8
    space().sweep(exec, "einkorn::bicgstab[x]", size(), BicgstabX<Vectors>{v, state()},
                  BicgstabAfterX<Z, Writer>{state(), writer});
  }
  void replace() const { residual(false); }
  void recheck() const { residual(true); }
  void last_residual() const {
    a.apply(exec, v.x, v.t);
    space().sweep(exec, "einkorn::bicgstab[residual]", size(),
                  BicgstabResidual<Vectors>{v, state(), false, true}, BicgstabLastResidual<Z>{state()});
  }

 private:
  void residual(bool is_recheck) const {
    a.apply(exec, v.x, v.t);
    space().sweep(exec, "einkorn::bicgstab[residual]", size(),
                  BicgstabResidual<Vectors>{v, state(), is_recheck},
                  BicgstabAfterResidual<Z, Writer>{state(), is_recheck, writer});
    space().sweep(exec, "einkorn::bicgstab[keep]", size(), BicgstabKeep<Vectors>{v, state()});
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
      exec, a, preconditioner, vectors, w, limits_of(options), w.space().news().writer(wants_history(options))};
  bool const records = w.space().records(options, a, w.size(), !preconditioned);
  std::vector<double> history;
  bool const went_on = run_from_host(exec, options, w.space().news(), method, records, history);
  return finish_solve(exec, options, w.space(), went_on, method, std::move(history));
}

}  // namespace einkorn::detail
