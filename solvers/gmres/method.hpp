// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/range_launch.hpp>
#include <einkorn/solvers/engine/finalize.hpp>
#include <einkorn/solvers/engine/ranks.hpp>
#include <einkorn/solvers/engine/residual_replacement.hpp>
#include <einkorn/solvers/gmres/basis.hpp>
#include <einkorn/solvers/gmres/passes.hpp>
#include <einkorn/solvers/options.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <limits>
#include <type_traits>

namespace einkorn {

/// Methods of GmresWorkspace: gmres() without and with a preconditioner, fgmres(). They differ in the vectors
/// M^-1 v_k that are stored: none, one, all of a cycle.
enum class GmresKind { plain, preconditioned, flexible };

}  // namespace einkorn

namespace einkorn::detail {

/// Restarted GMRES as launches. iteration() is one Arnoldi step; the last one of a cycle is followed by the end
/// of the cycle. The host counts the steps of the cycle: while the phase is running, its count is that of the
/// device. Beside each pass: n-vectors read and written, k: columns before the step.
template <GmresKind kind, class Exec, class A, class M, class Vectors, class Workspace>
struct GmresMethod {
  using Publisher = typename ProgressFlag<Exec>::Publisher;
  using Scalar = typename Vectors::Scalar;
  using Z = typename Vectors::Z;
  using Pass = BasisPass<Exec, Scalar, Z>;
  using Step = GmresStep<Z, Publisher>;
  static constexpr bool is_distributed = IsDistributed<A>;

  Exec const& exec;
  A const& a;
  M const& preconditioner;
  Vectors v;
  Workspace const& workspace;
  Limits limits;
  Publisher publisher;
  int restart;
  GmresArrays<Z> arrays;
  mutable int num_steps = 0;  // launched in this cycle

  [[nodiscard]] auto const& space() const { return workspace.space(); }
  [[nodiscard]] GmresState* state() const { return workspace.space().state(); }
  [[nodiscard]] std::size_t size() const { return workspace.size(); }

  void start() const {  // r = b - A x, best = x, v_0 = r / |r|
    a.apply(exec, v.x, v.last);
    space().run_pass(exec, a, "einkorn::gmres[start]", size(), FirstResidualPass<Vectors>{v},
                     GmresStart<Z, Publisher>{state(), arrays, limits, publisher});
    begin_cycle();
  }
  void iteration() const {
    int const k = num_steps++;
    auto const w = workspace.column(k + 1);
    // z = M^-1 v_k, w = A z
    if constexpr (kind == GmresKind::plain) {
      a.apply(exec, workspace.column(k), w);
    } else {
      auto const z = kind == GmresKind::flexible ? workspace.z(k) : workspace.z(0);
      preconditioner.apply(exec, workspace.column(k), z);
      a.apply(exec, z, w);
    }
    // h = V^H w, |w|                                                                    k + 2
    launch_basis_pass(exec, "einkorn::gmres[dots]", pass_over(k + 1, w, BasisUse::dots));
    run_step(k, false);
    // v_{k+1} = (w - V h) / h_{k+1,k}, or w' = w - V h and c = V^H w', |w'|             k + 3
    launch_basis_pass(exec, "einkorn::gmres[update]", pass_over(k + 1, w, BasisUse::update_and_dots));
    run_step(k, true);
    // if a second pass is needed: v_{k+1} = (w' - V c) / h_{k+1,k}                      k + 3
    launch_basis_pass(exec, "einkorn::gmres[second update]", pass_over(k + 1, w, BasisUse::update));
    if (num_steps == restart) {
      true_residual(ResidualUse::replacement);
      // The products of the next cycle overwrite the columns. The host must see first whether the phase is
      // still running: otherwise the update of x from these columns is still to come.
      exec.fence("einkorn::gmres: end of a cycle");
    }
  }
  /// x += M^-1 V y, b - A x; starts the next cycle if the solve continues.
  void true_residual(ResidualUse use) const {
    num_steps = 0;
    update_x(use);
    a.apply(exec, v.x, v.ax());
    space().run_pass(exec, a, "einkorn::gmres[residual]", size(),
                     TrueResidualPass<Vectors, GmresState>{v, state(), use},
                     GmresAfterResidual<Z, Publisher>{state(), arrays, use, publisher});
    if (use != ResidualUse::final) begin_cycle();
  }

 private:
  void begin_cycle() const {
    space().run_pass(exec, "einkorn::gmres[begin cycle]", size(), GmresBeginCycle<Vectors>{v, state()});
  }
  template <class W>
  [[nodiscard]] Pass pass_over(int columns, W const& w, BasisUse use, bool over_z = false) const {
    auto const first = over_z ? workspace.z(0) : workspace.column(0);
    return Pass{first.data(),
                w.data(),
                size(),
                workspace.stride(),
                state(),
                arrays.update,
                workspace.partials().data(),
                basis_blocks<Exec, Scalar, Z>(exec, size()),
                columns,
                use};
  }
  void run_step(int k, bool is_second) const {
    constexpr double rounding = std::numeric_limits<real_type<Scalar>>::epsilon() / 2;
    int const num_sums = (k + 2) * Pass::parts_per_sum;
    Step const step{state(), arrays, k, is_second, rounding, publisher};
    if constexpr (is_distributed) {
      launch_totals(num_sums, a.gathered_sums().many(), GmresNoStep{});
      a.gathered_sums().reduce_many(exec, num_sums, arrays.totals, step);
    } else {
      launch_totals(num_sums, arrays.totals, step);
    }
  }
  template <class AnyStep>
  void launch_totals(int num_sums, double* totals, AnyStep const& step) const {
    launch_basis_totals(
        exec, "einkorn::gmres[sum]",
        BasisTotals<Exec, AnyStep>{workspace.partials().data(), totals, workspace.arrived().data(),
                                   basis_blocks<Exec, Scalar, Z>(exec, size()), num_sums, step});
  }
  void update_x(ResidualUse use) const {
    range_for<int>("einkorn::gmres[solve]", exec, 1, GmresSolve<Z>{state(), arrays, use});
    if (!is_distributed && size() == 0) return;  // M may be collective
    char const* const label = "einkorn::gmres[x]";
    if constexpr (kind == GmresKind::preconditioned) {  // M^-1 once per cycle instead of storing all z
      launch_basis_pass(exec, label, pass_over(0, v.last, BasisUse::replace));
      preconditioner.apply(exec, v.last, workspace.z(0));
      using Vector = std::remove_cvref_t<decltype(v.x)>;
      range_for<std::size_t>(label, exec, size(), GmresAddUpdate<Vector>{v.x, workspace.z(0), state()});
    } else {
      launch_basis_pass(exec, label, pass_over(0, v.x, BasisUse::combine, kind == GmresKind::flexible));
    }
  }
};

template <GmresKind kind, class Exec, class A, class M, class Vector, class Workspace>
SolveResult solve_gmres(Exec const& exec, A const& a, M const& preconditioner,
                        typename Vector::const_type const& b, Vector const& x, SolverOptions const& options,
                        Workspace const& w) {
  using Vectors = GmresVectors<Vector>;
  int const restart = w.steps_of_cycle(options);
  if constexpr (IsDistributed<A>) a.gathered_sums().reserve_many(exec, w.totals().extent(0));
  Vectors const vectors{w.column(0), w.column(restart), w.best(), x, b};
  auto const arrays =
      GmresArrays<typename Vectors::Z>::over(w.coefficients().data(), w.totals().data(), restart);
  GmresMethod<kind, Exec, A, M, Vectors, Workspace> const method{
      exec,
      a,
      preconditioner,
      vectors,
      w,
      limits_of(options),
      w.space().progress_flag().publisher(wants_history(options)),
      restart,
      arrays};
  SolverOptions without_replacement = options;  // every cycle ends with the true residual
  without_replacement.replace_every = 0;
  return solve_from_host(exec, without_replacement, w.space().progress_flag(), method, 0, vectors.x,
                         vectors.best);
}

}  // namespace einkorn::detail
