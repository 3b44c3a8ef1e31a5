// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/kernel_view.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/solvers/any_operator.hpp>
#include <einkorn/solvers/bicgstab/method.hpp>
#include <einkorn/solvers/engine/call_types.hpp>
#include <einkorn/solvers/engine/prepare_solve.hpp>
#include <einkorn/solvers/engine/solve_space.hpp>
#include <einkorn/solvers/operator.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>

namespace einkorn {

/// Memory of BiCGStab: r, r0, p, v, s, t and the best x (with a preconditioner p_hat and s_hat), [n] each, and
/// memory for sums. Otherwise as CgWorkspace. Source: the vectors of van der Vorst, 1992.
template <class Scalar, class Exec>
class BicgstabWorkspace {
 public:
  using Vector = Kokkos::View<Scalar*, typename Exec::device_type>;
  using Z = std::conditional_t<is_complex<Scalar>, Kokkos::complex<double>, double>;
  using Space = detail::SolveSpace<detail::BicgstabState<Z>, Vector, Exec, true>;

  /// For an operator a, n x n, and this instance. One allocation per vector.
  /// @throws OutOfMemory, DimensionMismatch (A not square), InvalidArgument (options)
  template <class A>
  BicgstabWorkspace(Exec const& exec, A const& a, SolverOptions const& options = {},
                    bool preconditioned = false) {
    detail::collectively(a, [&] { allocate_for(exec, a, options, preconditioned); });
  }

  [[nodiscard]] std::size_t size() const { return r().extent(0); }
  [[nodiscard]] bool is_preconditioned() const { return p_hat().extent(0) == size(); }
  [[nodiscard]] std::size_t bytes() const {
    std::size_t entries = 0;
    for (auto const& vector : vectors_) entries += vector.extent(0);
    return entries * sizeof(Scalar) + space_.bytes();
  }
  [[nodiscard]] Vector const& r() const { return vectors_[0]; }
  [[nodiscard]] Vector const& shadow() const { return vectors_[1]; }
  [[nodiscard]] Vector const& p() const { return vectors_[2]; }
  [[nodiscard]] Vector const& v() const { return vectors_[3]; }
  [[nodiscard]] Vector const& s() const { return vectors_[4]; }
  [[nodiscard]] Vector const& t() const { return vectors_[5]; }
  [[nodiscard]] Vector const& best() const { return vectors_[6]; }
  [[nodiscard]] Vector const& p_hat() const { return vectors_[7]; }
  [[nodiscard]] Vector const& s_hat() const { return vectors_[8]; }
  [[nodiscard]] Space const& space() const { return space_; }
  /// Held by a solve for its duration; shared by copies of the workspace.
  [[nodiscard]] detail::OneCallAtATime const& one_call() const { return one_call_; }

 private:
  template <class A>
  void allocate_for(Exec const& exec, A const& a, SolverOptions const& options, bool preconditioned) {
    require_kokkos("BicgstabWorkspace");
    detail::check_options(options);
    detail::require_square("BicgstabWorkspace", static_cast<std::size_t>(a.num_rows()),
                           static_cast<std::size_t>(a.num_cols()));
    auto const n = static_cast<std::size_t>(a.num_rows());
    char const* const names[] = {"r", "r0", "p", "v", "s", "t", "best", "p_hat", "s_hat"};
    int const count = preconditioned ? 9 : 7;
    for (int i = 0; i < count; ++i)
      vectors_[i] = allocate<Vector>(exec, detail::joined("einkorn::BicgstabWorkspace::", names[i]).c_str(), n);
    space_ = Space(exec, a, p(), v(), options, false);
  }

  Vector vectors_[9];
  Space space_;
  detail::OneCallAtATime one_call_ = detail::OneCallAtATime::checked();
};

namespace detail {

/// bicgstab() for b and x in the types of the kernels (core/kernel_view.hpp).
template <class Exec, class A, class B, class X>
SolveReport bicgstab_with_workspace(
    Exec const& exec, A const& a, B const& b, X const& x, SolverOptions const& options,
    BicgstabWorkspace<typename X::non_const_value_type, Exec> const& workspace) {
  using Vector = typename BicgstabWorkspace<typename X::non_const_value_type, Exec>::Vector;
  constexpr bool is_scaled = requires { a.scaling(); };
  auto const check_method = [&]() -> std::optional<SolveReport> {
    refuse_persistent(options, "bicgstab");
    if constexpr (is_scaled) {
      require<InvalidArgument>(
          a.sides() == decltype(a.sides())::right,
          "bicgstab: the operator is scaled on both sides; ScaledSides::right is for BiCGStab");
      auto const status = a.status();
      if (status.outcome != Outcome::converged) return failed_setup(status.outcome, status.row);
    }
    return {};
  };
  auto const solve = [&](typename Vector::const_type const& b_in_range, Vector const& x_vector,
                         SolverOptions const& solve_options, ProductRequirements const&) {
    if constexpr (is_scaled) {  // A S (S^-1 x) = b
      (void)workspace.space().iterations_per_graph(solve_options, a,
                                                   workspace.size());  // throws before x is scaled
      divide_by(exec, a.scaling(), x_vector);
      auto const result = solve_bicgstab<false>(exec, a, a, b_in_range, x_vector, solve_options, workspace);
      multiply_by(exec, a.scaling(), x_vector);
      exec.fence("einkorn::bicgstab: x of the caller's system");
      return result;
    } else {
      return solve_bicgstab<false>(exec, a, a, b_in_range, x_vector, solve_options, workspace);
    }
  };
  return prepare_and_solve(exec, "bicgstab", a, b, x, options, workspace, check_method, solve);
}
template <class Exec, class A, class M, class B, class X>
SolveReport bicgstab_with_workspace(
    Exec const& exec, A const& a, M const& preconditioner, B const& b, X const& x, SolverOptions const& options,
    BicgstabWorkspace<typename X::non_const_value_type, Exec> const& workspace) {
  using Vector = typename BicgstabWorkspace<typename X::non_const_value_type, Exec>::Vector;
  auto const check_method = [&]() -> std::optional<SolveReport> {
    refuse_persistent(options, "bicgstab");
    require<InvalidArgument>(workspace.is_preconditioned(),
                             "bicgstab: the workspace was made without a preconditioner");
    if constexpr (requires { preconditioner.status(); }) {
      auto const status = preconditioner.status();
      if (status.outcome != Outcome::converged && status.outcome != Outcome::indefinite_preconditioner)
        return failed_setup(status.outcome, status.row);
    }
    return {};
  };
  auto const solve = [&](typename Vector::const_type const& b_in_range, Vector const& x_vector,
                         SolverOptions const& solve_options, ProductRequirements const&) {
    return solve_bicgstab<true>(exec, a, preconditioner, b_in_range, x_vector, solve_options, workspace);
  };
  return prepare_and_solve(exec, "bicgstab", a, b, x, options, workspace, check_method, solve);
}
template <class Exec, class A, class B, class X>
SolveReport bicgstab_of_matrix(Exec const& exec, A const& a, B const& b, X const& x,
                               SolverOptions const& options) {
  using Workspace = BicgstabWorkspace<typename X::non_const_value_type, Exec>;
  return with_operator(exec, a, x, [&](auto const& op) {
    return bicgstab_with_workspace(exec, op, b, x, options, Workspace(exec, op, options));
  });
}
template <class Exec, class A, class M, class B, class X>
SolveReport bicgstab_of_matrix(Exec const& exec, A const& a, M const& preconditioner, B const& b, X const& x,
                               SolverOptions const& options) {
  using Workspace = BicgstabWorkspace<typename X::non_const_value_type, Exec>;
  return with_operator(exec, a, x, [&](auto const& op) {
    return bicgstab_with_workspace(exec, op, preconditioner, b, x, options, Workspace(exec, op, options, true));
  });
}

}  // namespace detail

/// Solves A x = b for a square A by BiCGStab.
///
/// As cg(): parameters, aliasing, results, special values, range, exceptions, determinism; A need not be
/// Hermitian. If s meets the target, the solve ends in the middle of an iteration, which counts. replace_every:
/// r becomes b - A x only if their squared norms differ by more than a quarter, together with p and r0.
///
/// Breakdown: a divisor r0.r (rho), r0.Ap (shadow_curvature) or t.s (omega) is negligible at u times the norms
/// of its factors, u = 2^-53. The iteration is then completed with alpha = 0 (r0.Ap) or omega = 0 (t.s), and
/// the next one restarts with p = r and r0 = r (after t.s: r0 = r + t |r| / |t|). A restart is stalled unless
/// |r| is below half of its value at the start and at the earlier restarts; after a stalled one, r0.r and r0.Ap
/// are negligible at u^2. More than 5 consecutive stalled restarts, or t = 0, end with Outcome::breakdown.
/// SolveReport::restarts counts these restarts, those at replacements, and those after a true-residual check
/// that did not end the solve.
///
/// Cost per iteration: two products and 17 n-vectors, including x and y of the products: v = A p with r0.v (3),
/// s with s.s (3), t = A s with t.t, s.t, r0.t and r0.s (3), x, r and p in one pass with r.r (8).
///
/// Sources: van der Vorst, SIAM J. Sci. Stat. Comput. 13(2), 1992; fused: Rupp, Weinbub, Juengel & Grasser, ACM
/// TOMS 43(2), 2016, Algorithm 6. Departures: the next rho is r0.s - omega r0.t, where the paper omits r0.s,
/// which is 0 in exact arithmetic; restarts.
template <ExecutionSpace Exec, class A, class B, class X>
requires detail::SolveVectors<Exec, B, X> && detail::LinearOperatorFor<A, Exec, X>
SolveReport bicgstab(Exec const& exec, A const& a, B const& b, X const& x, SolverOptions const& options,
                     BicgstabWorkspace<typename X::non_const_value_type, Exec> const& workspace) {
  return detail::bicgstab_with_workspace(exec, a, detail::as_input(b), detail::as_output(x), options,
                                         workspace);
}

/// The same, preconditioned from the right, so that the residual is that of A x = b.
///
/// @param preconditioner  M, as for pcg(), not necessarily definite
/// @param workspace  made with preconditioned = true
///
/// If the setup of M failed (M.status()) with another outcome than indefinite_preconditioner, its outcome and
/// row are returned, and x is unchanged. Cost: 2 n-vectors per iteration more, and twice M's own traffic.
template <ExecutionSpace Exec, class A, class M, class B, class X>
requires detail::SolveVectors<Exec, B, X> && detail::LinearOperatorFor<A, Exec, X> &&
         detail::PreconditionerFor<M, Exec, X>
SolveReport bicgstab(Exec const& exec, A const& a, M const& preconditioner, B const& b, X const& x,
                     SolverOptions const& options,
                     BicgstabWorkspace<typename X::non_const_value_type, Exec> const& workspace) {
  return detail::bicgstab_with_workspace(exec, a, preconditioner, detail::as_input(b), detail::as_output(x),
                                         options, workspace);
}

/// The same with a workspace made for this call. a: also a matrix, as for cg().
template <ExecutionSpace Exec, class A, class B, class X>
requires detail::SolveVectors<Exec, B, X> &&
         (detail::LinearOperatorFor<A, Exec, X> || detail::MatrixFor<A, Exec, B, X>)
SolveReport bicgstab(Exec const& exec, A const& a, B const& b, X const& x, SolverOptions const& options = {}) {
  return detail::bicgstab_of_matrix(exec, a, detail::as_input(b), detail::as_output(x), options);
}
template <ExecutionSpace Exec, class A, class M, class B, class X>
requires detail::SolveVectors<Exec, B, X> &&
         (detail::LinearOperatorFor<A, Exec, X> || detail::MatrixFor<A, Exec, B, X>) &&
         detail::PreconditionerFor<M, Exec, X>
SolveReport bicgstab(Exec const& exec, A const& a, M const& preconditioner, B const& b, X const& x,
                     SolverOptions const& options = {}) {
  return detail::bicgstab_of_matrix(exec, a, preconditioner, detail::as_input(b), detail::as_output(x),
                                    options);
}

/// Calls with unsupported types: a static_assert states the reason.
template <class Exec, class A, class B, detail::NotSolutionOf<Exec, A, B> X>
SolveReport bicgstab(Exec const&, A const&, B const&, X const&, SolverOptions const& = {}) {
  detail::explain_solve<detail::mistake_in_call<Exec, A, B, X>(), A, B, X>();
  return {};
}
template <class Exec, class A, class B, class X, detail::WrongWorkspace<BicgstabWorkspace, Exec, A, B, X> W>
SolveReport bicgstab(Exec const&, A const&, B const&, X const&, SolverOptions const&, W const&) {
  detail::explain_solve<detail::mistake_in_call<Exec, A, B, X, W, BicgstabWorkspace>(), A, B, X, W>();
  return {};
}
template <class Exec, class A, class M, class B, detail::NotPreconditionedSolutionOf<Exec, A, M, B> X>
SolveReport bicgstab(Exec const&, A const&, M const&, B const&, X const&, SolverOptions const& = {}) {
  detail::explain_solve<detail::mistake_in_preconditioned_call<Exec, A, M, B, X>(), A, M, B, X>();
  return {};
}
template <class Exec, class A, class M, class B, class X,
          detail::WrongPreconditionedWorkspace<BicgstabWorkspace, Exec, A, M, B, X> W>
SolveReport bicgstab(Exec const&, A const&, M const&, B const&, X const&, SolverOptions const&, W const&) {
  detail::explain_solve<detail::mistake_in_preconditioned_call<Exec, A, M, B, X, W, BicgstabWorkspace>(), A, M,
                        X, W>();
  return {};
}

}  // namespace einkorn

#ifdef EINKORN_COMPILED
#include <einkorn/compiled/bicgstab.hpp>
#endif
