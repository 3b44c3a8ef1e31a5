// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/solvers/cg/passes.hpp>
#include <einkorn/solvers/cg/pcg_passes.hpp>
#include <einkorn/solvers/cg/pcg_state.hpp>
#include <einkorn/solvers/engine/finalize.hpp>
#include <einkorn/solvers/engine/host_loop.hpp>
#include <einkorn/solvers/operator.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace einkorn::detail {

/// For CG with classical scalars.
struct NoPreconditioner {
  static constexpr bool is_identity = true;
};

/// Preconditioned CG with classical scalars, as launches. A preconditioner that is a diagonal, or none, is
/// applied within the sweeps. The vectors' traffic in n-vectors is beside each sweep.
template <class Exec, class A, class M, class Z, class Vectors, class Workspace>
struct PcgMethod {
  using Publisher = typename ProgressFlag<Exec>::Publisher;
  static constexpr bool is_stored = std::is_same_v<Z, StoredZ<typename Workspace::Vector>>;

  Exec const& exec;
  A const& a;
  M const& preconditioner;
  Z z;
  Vectors v;
  Workspace const& workspace;
  Limits limits;
  Publisher publisher;

  [[nodiscard]] auto const& space() const { return workspace.space(); }
  [[nodiscard]] CgState* state() const { return workspace.space().state(); }
  [[nodiscard]] std::size_t size() const { return v.r.extent(0); }

  void start() const {  // r = b - A x, z = M^-1 r, p = z, best = x
    a.apply(exec, v.x, v.q);
    space().run_pass(exec, "einkorn::pcg[start]", size(), CgResidual<Vectors, true>{v, state()},
                     CgStart<Publisher>{state(), limits, false, true, nullptr, publisher});
    renew(true);
  }
  void iteration() const {
    // q = A p, alpha = r.z / p.q                                                                     2
    space().template product<false>(exec, a, v.p, v.p, v.p, v.q, CgAfterProduct<Publisher>{state(), publisher});
    // r -= alpha q, r.r, and where M is a diagonal beta = r_new.z_new / r.z                          3 (+1)
    space().run_pass(exec, "einkorn::pcg[residual]", size(), PcgResidual<Vectors, Z, !is_stored>{v, z, state()},
                     PcgAfterResidual<Publisher>{state(), !is_stored, publisher});
    if constexpr (is_stored) {
      // z = M^-1 r, beta = r_new.z_new / r.z                                                         2 + M
      preconditioner.apply(exec, v.r, workspace.z());
      space().run_pass(exec, "einkorn::pcg[rho]", size(), PcgRho<Vectors, Z>{v, z, state()},
                       PcgAfterPreconditioner<Publisher>{state(), publisher});
    }
    // x += alpha p, p = z + beta p                                                                   5 (+1)
    space().run_pass(exec, "einkorn::pcg[direction]", size(), PcgDirection<Vectors, Z>{v, z, state()},
                     PcgAfterDirection{state()});
  }
  void replace() const { residual(false); }
  void check_true_residual() const { residual(true); }
  void last_residual() const { take_last_residual(*this, "einkorn::pcg[residual]"); }

 private:
  void residual(bool is_check) const {
    replace_residual(*this, is_check, "einkorn::pcg[residual]", "einkorn::pcg[keep]");
    renew(false);
  }
  void renew(bool is_start) const {
    if constexpr (is_stored) preconditioner.apply(exec, v.r, workspace.z());
    space().run_pass(exec, "einkorn::pcg[renew]", size(), PcgRenew<Vectors, Z>{v, z, state(), is_start},
                     PcgAfterRenewal<Publisher>{state(), publisher});
  }
};

template <class Exec, class A, class M, class Vector, class Workspace>
SolveResult solve_pcg(Exec const& exec, A const& a, M const& preconditioner,
                      typename Vector::const_type const& b, Vector const& x, SolverOptions const& options,
                      Workspace const& w) {
  auto const with = [&](auto const& z) {
    using Vectors = CgVectors<Vector, std::nullptr_t>;
    PcgMethod<Exec, A, M, std::decay_t<decltype(z)>, Vectors, Workspace> const method{
        exec,
        a,
        preconditioner,
        z,
        Vectors{w.r(), w.p(), w.q(), w.best(), x, b, nullptr},
        w,
        limits_of(options),
        w.space().progress_flag().publisher(wants_history(options))};
    bool const captures = w.space().captures(options, a, w.size(), is_fusable<M>);
    std::vector<double> history;
    bool const went_on = run_from_host(exec, options, w.space().progress_flag(), method, captures, history);
    return finish_solve(exec, options, w.space(), went_on, method, std::move(history));
  };
  if constexpr (requires { preconditioner.is_identity; })
    return with(PlainZ<Vector>{w.r()});
  else if constexpr (requires { preconditioner.inverse(); })
    return with(
        DiagonalZ<Vector, std::decay_t<decltype(preconditioner.inverse())>>{w.r(), preconditioner.inverse()});
  else
    return with(StoredZ<Vector>{w.z()});
}

}  // namespace einkorn::detail
