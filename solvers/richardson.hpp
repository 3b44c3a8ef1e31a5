// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/kernel_view.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/solvers/any_operator.hpp>
#include <einkorn/solvers/engine/call_types.hpp>
#include <einkorn/solvers/engine/prepare_solve.hpp>
#include <einkorn/solvers/engine/solve_space.hpp>
#include <einkorn/solvers/operator.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>
#include <einkorn/solvers/richardson/method.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <optional>

namespace einkorn {

/// Memory of richardson(): r, p, q and the best x, [n] each, and memory for sums. Otherwise as CgWorkspace.
template <class Scalar, class Exec>
class RichardsonWorkspace {
 public:
  using Vector = Kokkos::View<Scalar*, typename Exec::device_type>;
  using Space = detail::SolveSpace<detail::RichardsonState, Vector, Exec, false>;

  /// For an operator a, n x n, and this instance. One allocation per vector.
  /// @throws OutOfMemory, DimensionMismatch (A not square), InvalidArgument (options)
  template <class A>
  RichardsonWorkspace(Exec const& exec, A const& a, SolverOptions const& options = {}) {
    detail::collectively(a, [&] { allocate_for(exec, a, options); });
  }

  [[nodiscard]] std::size_t size() const { return r_.extent(0); }
  [[nodiscard]] std::size_t bytes() const { return 4 * size() * sizeof(Scalar) + space_.bytes(); }
  [[nodiscard]] Vector const& r() const { return r_; }
  [[nodiscard]] Vector const& p() const { return p_; }
  [[nodiscard]] Vector const& q() const { return q_; }
  [[nodiscard]] Vector const& best() const { return best_; }
  [[nodiscard]] Space const& space() const { return space_; }
  /// Held by a solve for its duration; shared by copies of the workspace.
  [[nodiscard]] detail::OneCallAtATime const& one_call() const { return one_call_; }

 private:
  template <class A>
  void allocate_for(Exec const& exec, A const& a, SolverOptions const& options) {
    require_kokkos("RichardsonWorkspace");
    detail::check_options(options);
    detail::require_square("RichardsonWorkspace", static_cast<std::size_t>(a.num_rows()),
                           static_cast<std::size_t>(a.num_cols()));
    auto const n = static_cast<std::size_t>(a.num_rows());
    r_ = allocate<Vector>(exec, "einkorn::RichardsonWorkspace::r", n);
    p_ = allocate<Vector>(exec, "einkorn::RichardsonWorkspace::p", n);
    q_ = allocate<Vector>(exec, "einkorn::RichardsonWorkspace::q", n);
    best_ = allocate<Vector>(exec, "einkorn::RichardsonWorkspace::best", n);
    space_ = Space(exec, a, p_, q_, options, false);
  }

  Vector r_, p_, q_, best_;
  Space space_;
  detail::OneCallAtATime one_call_ = detail::OneCallAtATime::checked();
};

namespace detail {

/// richardson() for b and x in the types of the kernels (core/kernel_view.hpp).
template <class Exec, class A, class M, class B, class X>
SolveReport richardson_with_workspace(
    Exec const& exec, A const& a, M const& preconditioner, B const& b, X const& x, SolverOptions const& options,
    RichardsonWorkspace<typename X::non_const_value_type, Exec> const& workspace) {
  static_assert(
      !requires { a.scaling(); }, "einkorn::richardson: a scaled operator is for cg() and bicgstab()");
  using Vector = typename RichardsonWorkspace<typename X::non_const_value_type, Exec>::Vector;
  auto const check_method = [&]() -> std::optional<SolveReport> {
    refuse_persistent(options, "richardson");
    if constexpr (requires { preconditioner.status(); }) {
      auto const status = preconditioner.status();
      if (!status.usable()) return failed_setup(status.outcome, status.row);
    }
    return {};
  };
  auto const solve = [&](typename Vector::const_type const& b_in_range, Vector const& x_vector,
                         SolverOptions const& solve_options, ProductRequirements const&) {
    return solve_richardson(exec, a, preconditioner, b_in_range, x_vector, solve_options, workspace);
  };
  return prepare_and_solve(exec, "richardson", a, b, x, options, workspace, check_method, solve);
}
template <class Exec, class A, class M, class B, class X>
SolveReport richardson_of_matrix(Exec const& exec, A const& a, M const& preconditioner, B const& b, X const& x,
                                 SolverOptions const& options) {
  using Workspace = RichardsonWorkspace<typename X::non_const_value_type, Exec>;
  return with_operator(exec, a, x, [&](auto const& op) {
    return richardson_with_workspace(exec, op, preconditioner, b, x, options, Workspace(exec, op, options));
  });
}

}  // namespace detail

/// Solves A x = b by Richardson's iteration x <- x + M^-1 (b - A x), with multigrid as M by V-cycles alone.
///
/// As cg(): parameters, aliasing, results, special values, range, exceptions, determinism; A need not be
/// Hermitian.
/// @param preconditioner  M: one of solvers/precond/, or anything with apply(exec, r, z), z <- M^-1 r; it may
///                        differ between applications
/// @param workspace  made for this operator
///
/// Converges for every b if the spectral radius of I - M^-1 A is below 1; the error decreases by about this
/// factor per iteration. A growing residual ends with Outcome::diverged, x is then the best. The residual is
/// that of A x = b. If the setup of M failed (M.status()) with another outcome than indefinite_preconditioner,
/// its outcome and row are returned, and x is unchanged.
///
/// Cost per iteration: one product and 8 n-vectors, including those of the product, and M's own traffic. One sum;
/// the host waits for the device only after run_ahead iterations. Execution::graph and persistent are refused.
///
/// Source: Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., 2003, section 4.1 (4.22). Departures: r is
/// updated by r - A p and replaced by b - A x every replace_every iterations.
template <ExecutionSpace Exec, class A, class M, class B, class X>
requires detail::SolveVectors<Exec, B, X> && detail::LinearOperatorFor<A, Exec, X> &&
         detail::PreconditionerFor<M, Exec, X>
SolveReport richardson(Exec const& exec, A const& a, M const& preconditioner, B const& b, X const& x,
                       SolverOptions const& options,
                       RichardsonWorkspace<typename X::non_const_value_type, Exec> const& workspace) {
  return detail::richardson_with_workspace(exec, a, preconditioner, detail::as_input(b), detail::as_output(x),
                                           options, workspace);
}

/// The same with a workspace made for this call. a: also a matrix, as for cg().
template <ExecutionSpace Exec, class A, class M, class B, class X>
requires detail::SolveVectors<Exec, B, X> &&
         (detail::LinearOperatorFor<A, Exec, X> || detail::MatrixFor<A, Exec, B, X>) &&
         detail::PreconditionerFor<M, Exec, X>
SolveReport richardson(Exec const& exec, A const& a, M const& preconditioner, B const& b, X const& x,
                       SolverOptions const& options = {}) {
  return detail::richardson_of_matrix(exec, a, preconditioner, detail::as_input(b), detail::as_output(x),
                                      options);
}

/// Calls with unsupported types: a static_assert states the reason.
template <class Exec, class A, class M, class B, detail::NotPreconditionedSolutionOf<Exec, A, M, B> X>
SolveReport richardson(Exec const&, A const&, M const&, B const&, X const&, SolverOptions const& = {}) {
  detail::explain_solve<detail::mistake_in_preconditioned_call<Exec, A, M, B, X>(), A, M, B, X>();
  return {};
}
template <class Exec, class A, class M, class B, class X,
          detail::WrongPreconditionedWorkspace<RichardsonWorkspace, Exec, A, M, B, X> W>
SolveReport richardson(Exec const&, A const&, M const&, B const&, X const&, SolverOptions const&, W const&) {
  detail::explain_solve<detail::mistake_in_preconditioned_call<Exec, A, M, B, X, W, RichardsonWorkspace>(), A,
                        M, X, W>();
  return {};
}

}  // namespace einkorn
