// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/concepts.hpp>
#include <einkorn/core/kernel_view.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/solvers/any_operator.hpp>
#include <einkorn/solvers/cg/pcg_method.hpp>
#include <einkorn/solvers/engine/call_types.hpp>
#include <einkorn/solvers/engine/check_system.hpp>
#include <einkorn/solvers/engine/solve_in_range.hpp>
#include <einkorn/solvers/operator.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>
#include <einkorn/solvers/workspace.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

namespace einkorn {

namespace detail {

/// pcg() for b and x as kernels take them (core/kernel_view.hpp).
template <class Exec, class A, class M, class B, class X>
SolveReport pcg_with_workspace(Exec const& exec, A const& a, M const& preconditioner, B const& b, X const& x,
                               SolverOptions const& options,
                               CgWorkspace<typename X::non_const_value_type, Exec> const& workspace) {
  static_assert(!requires { a.scaling(); }, "einkorn::pcg: a scaled operator is preconditioned already; cg()");
  Kokkos::Profiling::ScopedRegion region("einkorn::pcg");
  refuse_persistent(options, "pcg");
  check_system(a, b, x, options, workspace.size(), "pcg");
  auto const call = workspace.one_call().begin("pcg", "workspace");
  require<InvalidArgument>(is_fusable<M> || workspace.z().extent(0) == workspace.size(),
                           "pcg: the workspace was made without this preconditioner");
  if constexpr (requires { preconditioner.status(); }) {
    auto const status = preconditioner.status();
    if (status.outcome != Outcome::converged) return failed_setup(status.outcome, status.row);
  }
  auto const own_x = as_vector<Exec>(x);
  using Vector = typename CgWorkspace<typename X::non_const_value_type, Exec>::Vector;
  workspace.space().require_fits(exec, a, workspace.p(), workspace.q(), options, "pcg");
  return run_solve<Exec, Vector>(
      exec, as_vector<Exec>(b), own_x, options, workspace,
      [&](typename Vector::const_type const& of_b, SolverOptions const& its_options) {
        return solve_pcg(exec, a, preconditioner, of_b, own_x, its_options, workspace);
      });
}
template <class Exec, class A, class M, class B, class X>
SolveReport pcg_of_matrix(Exec const& exec, A const& a, M const& preconditioner, B const& b, X const& x,
                          SolverOptions const& options) {
  using Workspace = CgWorkspace<typename X::non_const_value_type, Exec>;
  return with_operator(exec, a, x, [&](auto const& op) {
    return pcg_with_workspace(exec, op, preconditioner, b, x, options,
                              Workspace(exec, op, preconditioner, options));
  });
}

}  // namespace detail

/// Solves A x = b for A Hermitian positive definite by CG, preconditioned by M, Hermitian positive definite
/// too.
///
/// As cg() (shapes, aliasing, outcomes, throws), and besides: M is a preconditioner (solvers/precond/), or
/// anything with apply(exec, r, z). One whose set-up has failed (M.status()) gives that outcome at once, with
/// the row, and leaves x as it is; r.z < 0 ends with indefinite_preconditioner. The tolerance is on the
/// residual of A x = b itself, not on the preconditioned one.
///
/// Cost of an iteration with classical scalars: one product and 10 n-vectors without M; 12 with a diagonal,
/// which is applied within the sweeps; 12 and M's own traffic otherwise. For Jacobi a scaled operator
/// (scaled_system.hpp) and cg() move less: 8.
///
/// Source: Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., Algorithm 9.1. Departure: x is updated
/// with p, where p is read anyway.
template <ExecutionSpace Exec, class A, class M, class B,
          detail::PreconditionedSolutionOfOperator<Exec, A, M, B> X>
SolveReport pcg(Exec const& exec, A const& a, M const& preconditioner, B const& b, X const& x,
                SolverOptions const& options,
                CgWorkspace<typename X::non_const_value_type, Exec> const& workspace) {
  return detail::pcg_with_workspace(exec, a, preconditioner, detail::as_input(b), detail::as_output(x), options,
                                    workspace);
}

/// The same with room of its own, and for a matrix with a plan of its own.
template <ExecutionSpace Exec, class A, class M, class B, detail::PreconditionedSolutionOf<Exec, A, M, B> X>
SolveReport pcg(Exec const& exec, A const& a, M const& preconditioner, B const& b, X const& x,
                SolverOptions const& options = {}) {
  return detail::pcg_of_matrix(exec, a, preconditioner, detail::as_input(b), detail::as_output(x), options);
}

/// Calls with types that cannot be solved with: they do not compile, and say why in one sentence.
template <class Exec, class A, class M, class B, detail::NotPreconditionedSolutionOf<Exec, A, M, B> X>
SolveReport pcg(Exec const&, A const&, M const&, B const&, X const&, SolverOptions const& = {}) {
  detail::explain_solve<detail::mistake_in_preconditioned_call<Exec, A, M, B, X>(), A, M, B, X>();
  return {};
}
template <class Exec, class A, class M, class B, class X,
          detail::WrongPreconditionedWorkspace<CgWorkspace, Exec, A, M, B, X> W>
SolveReport pcg(Exec const&, A const&, M const&, B const&, X const&, SolverOptions const&, W const&) {
  detail::explain_solve<detail::mistake_in_preconditioned_call<Exec, A, M, B, X, W, CgWorkspace>(), A, M, X,
                        W>();
  return {};
}

}  // namespace einkorn

#ifdef EINKORN_COMPILED
#include <einkorn/compiled/pcg.hpp>
#endif
