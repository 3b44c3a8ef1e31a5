// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/concepts.hpp>
#include <einkorn/core/kernel_view.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/solvers/any_operator.hpp>
#include <einkorn/solvers/cg/pcg_method.hpp>
#include <einkorn/solvers/engine/call_types.hpp>
#include <einkorn/solvers/engine/prepare_solve.hpp>
#include <einkorn/solvers/operator.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>
#include <einkorn/solvers/workspace.hpp>

#include <Kokkos_Core.hpp>

#include <optional>

namespace einkorn {

namespace detail {

/// pcg() for b and x in the types of the kernels (core/kernel_view.hpp).
template <class Exec, class A, class M, class B, class X>
SolveReport pcg_with_workspace(Exec const& exec, A const& a, M const& preconditioner, B const& b, X const& x,
                               SolverOptions const& options,
                               CgWorkspace<typename X::non_const_value_type, Exec> const& workspace) {
  static_assert(
      !requires { a.scaling(); }, "einkorn::pcg: a scaled operator is preconditioned already; call cg()");
  using Vector = typename CgWorkspace<typename X::non_const_value_type, Exec>::Vector;
  auto const check_method = [&]() -> std::optional<SolveReport> {
    refuse_persistent(options, "pcg");
    require<InvalidArgument>(is_fusable<M> || workspace.z().extent(0) == workspace.size(),
                             "pcg: the workspace was made without this preconditioner");
    if constexpr (requires { preconditioner.status(); }) {
      auto const status = preconditioner.status();
      if (status.outcome != Outcome::converged) return failed_setup(status.outcome, status.row);
    }
    return {};
  };
  auto const solve = [&](typename Vector::const_type const& b_in_range, Vector const& x_vector,
                         SolverOptions const& solve_options, ProductRequirements const&) {
    return solve_pcg(exec, a, preconditioner, b_in_range, x_vector, solve_options, workspace);
  };
  return prepare_and_solve(exec, "pcg", a, b, x, options, workspace, check_method, solve);
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

/// Solves A x = b for a Hermitian positive definite A by CG, preconditioned by a Hermitian positive definite M.
///
/// As cg(): shapes, aliasing, results, range, exceptions, determinism. Besides:
/// @param preconditioner  M: one of solvers/precond/, or anything with apply(exec, r, z), z <- M^-1 r
/// @param workspace  made with this preconditioner
///
/// The tolerance applies to the residual of A x = b, not to the preconditioned one.
///
/// If its type has `static constexpr bool is_variable = true`, M may differ between applications, as an
/// iteration with a tolerance does, or be Hermitian only up to the rounding of a lower precision. Then beta =
/// Re z_new.(r_new - r) / r.z, which for real scalars keeps the new direction conjugate to the last one, but
/// not to earlier ones: it pays where M is close to A. r.z must be positive in each application.
///
/// Special values: as cg(). If the setup of M failed (M.status()), its outcome and row are returned, and x is
/// unchanged. r.z < 0 ends with Outcome::indefinite_preconditioner, NaN or infinity in r.z with non_finite.
///
/// Cost per iteration (classical recurrence): one product and 10 n-vectors without M; 12 with a diagonal, which
/// is applied within the passes; 12 and M's own traffic otherwise, 13 if M is variable. For Jacobi, cg() with a
/// scaled operator (scaled_system.hpp) moves 8.
///
/// Sources: Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., 2003, Algorithm 9.1; variable M: Golub
/// & Ye, SIAM J. Sci. Comput. 21(4), 1999. Departures: x is updated together with p; the old r is not stored
/// for a variable M, because r_new - r = -alpha q.
template <ExecutionSpace Exec, class A, class M, class B, class X>
requires detail::SolveVectors<Exec, B, X> && detail::LinearOperatorFor<A, Exec, X> &&
         detail::PreconditionerFor<M, Exec, X>
SolveReport pcg(Exec const& exec, A const& a, M const& preconditioner, B const& b, X const& x,
                SolverOptions const& options,
                CgWorkspace<typename X::non_const_value_type, Exec> const& workspace) {
  return detail::pcg_with_workspace(exec, a, preconditioner, detail::as_input(b), detail::as_output(x), options,
                                    workspace);
}

/// The same with a workspace made for this call. a: also a matrix, as for cg().
template <ExecutionSpace Exec, class A, class M, class B, class X>
requires detail::SolveVectors<Exec, B, X> &&
         (detail::LinearOperatorFor<A, Exec, X> || detail::MatrixFor<A, Exec, B, X>) &&
         detail::PreconditionerFor<M, Exec, X>
SolveReport pcg(Exec const& exec, A const& a, M const& preconditioner, B const& b, X const& x,
                SolverOptions const& options = {}) {
  return detail::pcg_of_matrix(exec, a, preconditioner, detail::as_input(b), detail::as_output(x), options);
}

/// Calls with unsupported types: a static_assert states the reason.
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
