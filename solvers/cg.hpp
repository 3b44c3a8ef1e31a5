// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/concepts.hpp>
#include <einkorn/core/kernel_view.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/solvers/any_operator.hpp>
#include <einkorn/solvers/cg/method.hpp>
#include <einkorn/solvers/cg/pcg_method.hpp>
#include <einkorn/solvers/engine/call_types.hpp>
#include <einkorn/solvers/engine/prepare_solve.hpp>
#include <einkorn/solvers/operator.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/precond/identity.hpp>
#include <einkorn/solvers/report.hpp>
#include <einkorn/solvers/workspace.hpp>

#include <Kokkos_Core.hpp>

#include <optional>

namespace einkorn {

namespace detail {

/// cg() for b and x in the types of the kernels (core/kernel_view.hpp).
template <class Exec, class A, class B, class X>
SolveReport cg_with_workspace(Exec const& exec, A const& a, B const& b, X const& x,
                              SolverOptions const& options,
                              CgWorkspace<typename X::non_const_value_type, Exec> const& workspace) {
  using Vector = typename CgWorkspace<typename X::non_const_value_type, Exec>::Vector;
  constexpr bool is_scaled = requires { a.scaling(); };
  auto const check_method = [&]() -> std::optional<SolveReport> {
    if (options.recurrence == Recurrence::classical) refuse_persistent(options, "cg, classical");
    if constexpr (is_scaled) {
      require<InvalidArgument>(a.sides() == decltype(a.sides())::both,
                               "cg: the operator is scaled from the right only; ScaledSides::both is for CG");
      require<InvalidArgument>(options.recurrence == Recurrence::fused,
                               "cg: a scaled operator needs Recurrence::fused");
      auto const status = a.status();
      if (status.outcome != Outcome::converged) return failed_setup(status.outcome, status.row);
    }
    return {};
  };
  auto const solve = [&](typename Vector::const_type const& b_in_range, Vector const& x_vector,
                         SolverOptions const& solve_options, ProductRequirements const& requirements) {
    if constexpr (!is_scaled)
      if (solve_options.recurrence == Recurrence::classical)
        return solve_pcg(exec, a, Identity(), b_in_range, x_vector, solve_options, workspace);
    return solve_cg(exec, a, b_in_range, x_vector, solve_options, workspace, requirements);
  };
  return prepare_and_solve(exec, "cg", a, b, x, options, workspace, check_method, solve);
}
template <class Exec, class A, class B, class X>
SolveReport cg_of_matrix(Exec const& exec, A const& a, B const& b, X const& x, SolverOptions const& options) {
  using Workspace = CgWorkspace<typename X::non_const_value_type, Exec>;
  return with_operator(exec, a, x, [&](auto const& op) {
    return cg_with_workspace(exec, op, b, x, options, Workspace(exec, op, options));
  });
}

}  // namespace detail

/// Solves A x = b for a Hermitian positive definite A by the method of conjugate gradients.
///
/// @param exec     execution-space instance
/// @param a        operator (solvers/operator.hpp), n x n
/// @param b        right-hand side [n], contiguous
/// @param x        [n], contiguous, scalar of b: x0 on entry, the solution on return; sums are in double
/// @param options  solvers/options.hpp
/// @param workspace  made for this operator and this instance; the solve then allocates no device memory
/// except for the range, below
/// @pre b and x do not overlap.
///
/// Result: SolveReport::outcome; nothing is thrown from within the iteration except by the callback, after
/// which x = x0. SolveReport::residual is |b - A x|, recomputed. Unless converged, x is the best of those at
/// the start, at the replacements and at the end.
///
/// Special values: NaN or infinity in A, b or x0 ends with Outcome::non_finite before the first iteration, with
/// x = x0 (with a scaled operator, up to rounding); one that arises later also ends with non_finite. b = 0
/// gives x = 0 whatever A and x0 hold. If x0 meets the target, no iteration is done.
///
/// Range: all thresholds are relative. If |b|^2 is outside 1e-200 ... 1e200, or |b - A x0|^2 above it, b and x
/// are scaled by a power of two during the solve (cost: one allocation of n scalars, 5 n-vectors, two
/// products). If the residual or x is out of range even then, the outcome is non_finite or stagnated. A is not
/// scaled.
///
/// @throws DimensionMismatch (shapes; A not square), InvalidArgument (options; overlap; contiguity; a workspace
/// that is too small or in use), OutOfMemory
///
/// Cost per iteration: one product and 8 n-vectors, including x and y of the product: q = A p with q.q and p.q
/// (2), then r, p and r.r in one pass (5), in every second iteration with x (7). On a GPU 8.5 for launches and
/// graphs of at most 500 000 rows, whose update reads x in every iteration (cg/prologue.hpp), and fewer for a
/// system on the chip (engine/resident.hpp). Recurrence::classical: 10. A scaled operator (scaled_system.hpp):
/// one more in iterations whose residual is near the target, with keep_history or a callback in all. Every
/// replace_every iterations: one product and 3 to 11 n-vectors besides its x and y, which keep |b - A x - r|
/// within rounding of |A| |x| + |b|. Blocks until the solve has ended; no fence and no copy before.
///
/// Deterministic: bitwise equal results on one machine with one number of threads.
///
/// Sources: Hestenes & Stiefel, 1952; fused recurrence: Rupp, Weinbub, Juengel & Grasser, ACM TOMS 43(2), 2016,
/// Algorithm 3; replacement: van der Vorst & Ye, SIAM J. Sci. Comput. 22(3), 2000. Departures: the residual is
/// replaced at fixed intervals; the true residual decides convergence; x is updated every second iteration.
template <ExecutionSpace Exec, class A, class B, class X>
requires detail::SolveVectors<Exec, B, X> && detail::LinearOperatorFor<A, Exec, X>
SolveReport cg(Exec const& exec, A const& a, B const& b, X const& x, SolverOptions const& options,
               CgWorkspace<typename X::non_const_value_type, Exec> const& workspace) {
  return detail::cg_with_workspace(exec, a, detail::as_input(b), detail::as_output(x), options, workspace);
}

/// The same with a workspace made for this call. a: also a matrix: a Csr, a CrsMatrix, or a matrix of another
/// format or an AnyMatrix whose header is included; its plan is made for this call.
template <ExecutionSpace Exec, class A, class B, class X>
requires detail::SolveVectors<Exec, B, X> &&
         (detail::LinearOperatorFor<A, Exec, X> || detail::MatrixFor<A, Exec, B, X>)
SolveReport cg(Exec const& exec, A const& a, B const& b, X const& x, SolverOptions const& options = {}) {
  return detail::cg_of_matrix(exec, a, detail::as_input(b), detail::as_output(x), options);
}

/// Calls with unsupported types: a static_assert states the reason.
template <class Exec, class A, class B, detail::NotSolutionOf<Exec, A, B> X>
SolveReport cg(Exec const&, A const&, B const&, X const&, SolverOptions const& = {}) {
  detail::explain_solve<detail::mistake_in_call<Exec, A, B, X>(), A, B, X>();
  return {};
}
template <class Exec, class A, class B, class X, detail::WrongWorkspace<CgWorkspace, Exec, A, B, X> W>
SolveReport cg(Exec const&, A const&, B const&, X const&, SolverOptions const&, W const&) {
  detail::explain_solve<detail::mistake_in_call<Exec, A, B, X, W, CgWorkspace>(), A, B, X, W>();
  return {};
}

}  // namespace einkorn

#ifdef EINKORN_COMPILED
#include <einkorn/compiled/cg.hpp>
#endif
