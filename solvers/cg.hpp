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
#include <einkorn/solvers/engine/check_system.hpp>
#include <einkorn/solvers/engine/solve_in_range.hpp>
#include <einkorn/solvers/operator.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>
#include <einkorn/solvers/workspace.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn {

namespace detail {

/// cg() for b and x as kernels take them (core/kernel_view.hpp).
template <class Exec, class A, class B, class X>
SolveReport cg_with_workspace(Exec const& exec, A const& a, B const& b, X const& x,
                              SolverOptions const& options,
                              CgWorkspace<typename X::non_const_value_type, Exec> const& workspace) {
  Kokkos::Profiling::ScopedRegion region("einkorn::cg");
  if (options.recurrence == Recurrence::classical) refuse_persistent(options, "cg, classical");
  check_system(a, b, x, options, workspace.size(), "cg");
  auto const call = workspace.one_call().begin("cg", "workspace");
  if constexpr (requires { a.scaling(); }) {
    require<InvalidArgument>(a.sides() == decltype(a.sides())::both,
                             "cg: the operator is scaled from the right only; ScaledSides::both is for CG");
    require<InvalidArgument>(options.recurrence == Recurrence::fused,
                             "cg: a scaled operator is for fused scalars");
    auto const status = a.status();
    if (status.outcome != Outcome::converged) return failed_setup(status.outcome, status.row);
  }
  auto const own_x = as_vector<Exec>(x);
  using Vector = typename CgWorkspace<typename X::non_const_value_type, Exec>::Vector;
  workspace.space().require_fits(exec, a, workspace.p(), workspace.q(), options, "cg");
  return run_solve<Exec, Vector>(
      exec, as_vector<Exec>(b), own_x, options, workspace,
      [&](typename Vector::const_type const& of_b, SolverOptions const& its_options) {
        if constexpr (!requires { a.scaling(); })
          if (its_options.recurrence == Recurrence::classical)
            return solve_pcg(exec, a, NoPreconditioner{}, of_b, own_x, its_options, workspace);
        return solve_cg(exec, a, of_b, own_x, its_options, workspace);
      });
}
template <class Exec, class A, class B, class X>
SolveReport cg_of_matrix(Exec const& exec, A const& a, B const& b, X const& x, SolverOptions const& options) {
  using Workspace = CgWorkspace<typename X::non_const_value_type, Exec>;
  return with_operator(exec, a, x, [&](auto const& op) {
    return cg_with_workspace(exec, op, b, x, options, Workspace(exec, op, options));
  });
}

}  // namespace detail

/// Solves A x = b for A Hermitian positive definite by the method of conjugate gradients.
///
/// Shapes: b [n], x [n], contiguous, A n x n; x holds x0 and then the answer. Aliasing: b and x must not
/// overlap. A: an operator (solvers/operator.hpp), or anything that make_operator() takes: a Csr or CrsMatrix,
/// a matrix of another format or an AnyMatrix whose header is included; then its plan is made for this one
/// call. Scalars: of x; dot products in double.
///
/// Ends as SolveReport::outcome says, and never by an exception from inside the iteration; the residual that it
/// reports is computed anew from x. b = 0 gives x = 0; x0 that is good enough gives 0 iterations. Unless it
/// converged, x is the best of those met at the start, at the replacements and at the end. Where the callback
/// throws, x is x0 again.
///
/// Scale: every threshold is relative. Where |b|^2 is outside of 1e-200 .. 1e200, or |b - A x0|^2 above, b and
/// x are multiplied by a power of two for the time of the solve (one n-vector allocated, 5 n-vectors and two
/// products more). A residual or an x that a double cannot hold even so ends with non_finite or stagnated. A
/// whose products overflow or vanish when squared is not scaled.
///
/// Cost of an iteration: one product and 8 n-vectors, the product's x and y included (Recurrence::classical:
/// 10): q = A p with q.q and p.q (2), then r and p in one sweep with r.r (5), in every second iteration x too,
/// for both (7). An iteration whose residual falls to a quarter or less updates x by itself. A scaled operator
/// (see scaled_system.hpp) has one vector more in the iterations whose residual is near the target, and with
/// keep_history in all. Every replace_every iterations one product and 3 to 9 n-vectors more, in which r
/// becomes b - A x: |b - A x - r| then stays within rounding of |A| |x| + |b| however long the solve.
///
/// The host launches ahead and looks at a word that the device writes; no fence and no copy before the end.
/// Repeatable bit for bit. Blocks until the solve has ended. Throws DimensionMismatch (shapes, A not square),
/// InvalidArgument (options; overlap), OutOfMemory.
///
/// Sources: Hestenes & Stiefel, 1952; fused: Rupp, Weinbub, Juengel & Grasser, ACM TOMS 43(2), 2016, Algorithm
/// 3; replacement: van der Vorst & Ye, SIAM J. Sci. Comput. 22(3), 2000. Departures: the residual is replaced
/// at fixed intervals; the true residual decides at the end; x is updated for two iterations at once.
template <ExecutionSpace Exec, class A, class B, detail::SolutionOfOperator<Exec, A, B> X>
SolveReport cg(Exec const& exec, A const& a, B const& b, X const& x, SolverOptions const& options,
               CgWorkspace<typename X::non_const_value_type, Exec> const& workspace) {
  return detail::cg_with_workspace(exec, a, detail::as_input(b), detail::as_output(x), options, workspace);
}

/// The same with room of its own, and for a matrix with a plan of its own.
template <ExecutionSpace Exec, class A, class B, detail::SolutionOf<Exec, A, B> X>
SolveReport cg(Exec const& exec, A const& a, B const& b, X const& x, SolverOptions const& options = {}) {
  return detail::cg_of_matrix(exec, a, detail::as_input(b), detail::as_output(x), options);
}

/// Calls with types that cannot be solved with: they do not compile, and say why in one sentence.
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
