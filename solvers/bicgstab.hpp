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
#include <einkorn/solvers/engine/check_system.hpp>
#include <einkorn/solvers/engine/solve_in_range.hpp>
#include <einkorn/solvers/engine/solve_space.hpp>
#include <einkorn/solvers/operator.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <string>
#include <type_traits>

namespace einkorn {

/// What BiCGStab keeps: 7 vectors of n scalars (9 with a preconditioner) and a little for sums. As CgWorkspace.
template <class Scalar, class Exec>
class BicgstabWorkspace {
 public:
  using Vector = Kokkos::View<Scalar*, typename Exec::device_type>;
  using Z = std::conditional_t<is_complex<Scalar>, Kokkos::complex<double>, double>;
  using Space = detail::SolveSpace<detail::BicgstabState<Z>, Vector, Exec, true>;

  /// One allocation a vector. Throws OutOfMemory, DimensionMismatch (A not square), InvalidArgument (options).
  template <class A>
  BicgstabWorkspace(Exec const& exec, A const& a, SolverOptions const& options = {},
                    bool preconditioned = false) {
    require_kokkos("BicgstabWorkspace");
    detail::check_options(options);
    detail::check_square(a, "BicgstabWorkspace");
    auto const n = static_cast<std::size_t>(a.num_rows());
    char const* const names[] = {"r", "r0", "p", "v", "s", "t", "best", "p_hat", "s_hat"};
    int const count = preconditioned ? 9 : 7;
    for (int i = 0; i < count; ++i)
      vectors_[i] = allocate<Vector>(exec, std::string("einkorn::BicgstabWorkspace::") + names[i], n);
    space_ = Space(exec, a, p(), v(), options, false);
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
  /// Held by every solve with the workspace or a copy of it.
  [[nodiscard]] detail::OneCallAtATime const& one_call() const { return one_call_; }

 private:
  Vector vectors_[9];
  Space space_;
  detail::OneCallAtATime one_call_ = detail::OneCallAtATime::checked();
};

namespace detail {

/// bicgstab() for b and x as kernels take them (core/kernel_view.hpp).
template <class Exec, class A, class B, class X>
SolveReport bicgstab_with_workspace(
    Exec const& exec, A const& a, B const& b, X const& x, SolverOptions const& options,
    BicgstabWorkspace<typename X::non_const_value_type, Exec> const& workspace) {
  Kokkos::Profiling::ScopedRegion region("einkorn::bicgstab");
  refuse_persistent(options, "bicgstab");
  check_system(a, b, x, options, workspace.size(), "bicgstab");
  auto const call = workspace.one_call().begin("bicgstab", "workspace");
  auto const own_x = as_vector<Exec>(x);
  using Vector = typename BicgstabWorkspace<typename X::non_const_value_type, Exec>::Vector;
  workspace.space().require_fits(exec, a, workspace.p(), workspace.v(), options, "bicgstab");
  if constexpr (requires { a.scaling(); }) {  // A S (S^-1 x) = b
    require<InvalidArgument>(
        a.sides() == decltype(a.sides())::right,
        "bicgstab: the operator is scaled on both sides; ScaledSides::right is for BiCGStab");
    auto const status = a.status();
    if (status.outcome != Outcome::converged) return failed_setup(status.outcome, status.row);
  }
  return run_solve<Exec, Vector>(
      exec, as_vector<Exec>(b), own_x, options, workspace,
      [&](typename Vector::const_type const& of_b, SolverOptions const& its_options) {
        if constexpr (requires { a.scaling(); }) {
          (void)workspace.space().captures(its_options, a, workspace.size());  // throws while x is the caller's
          divide_by(exec, a.scaling(), own_x);
        }
        auto const result = solve_bicgstab<false>(exec, a, a, of_b, own_x, its_options, workspace);
        if constexpr (requires { a.scaling(); }) {
          multiply_by(exec, a.scaling(), own_x);
          exec.fence("einkorn::bicgstab: x of the caller's system");
        }
        return result;
      });
}
template <class Exec, class A, class M, class B, class X>
SolveReport bicgstab_with_workspace(
    Exec const& exec, A const& a, M const& preconditioner, B const& b, X const& x, SolverOptions const& options,
    BicgstabWorkspace<typename X::non_const_value_type, Exec> const& workspace) {
  Kokkos::Profiling::ScopedRegion region("einkorn::bicgstab");
  refuse_persistent(options, "bicgstab");
  check_system(a, b, x, options, workspace.size(), "bicgstab");
  auto const call = workspace.one_call().begin("bicgstab", "workspace");
  require<InvalidArgument>(workspace.is_preconditioned(),
                           "bicgstab: the workspace was made without a preconditioner");
  if constexpr (requires { preconditioner.status(); }) {
    auto const status = preconditioner.status();
    if (status.outcome != Outcome::converged && status.outcome != Outcome::indefinite_preconditioner)
      return failed_setup(status.outcome, status.row);
  }
  auto const own_x = as_vector<Exec>(x);
  using Vector = typename BicgstabWorkspace<typename X::non_const_value_type, Exec>::Vector;
  workspace.space().require_fits(exec, a, workspace.p(), workspace.v(), options, "bicgstab");
  return run_solve<Exec, Vector>(
      exec, as_vector<Exec>(b), own_x, options, workspace,
      [&](typename Vector::const_type const& of_b, SolverOptions const& its_options) {
        return solve_bicgstab<true>(exec, a, preconditioner, of_b, own_x, its_options, workspace);
      });
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

/// Solves A x = b for any square A by BiCGStab.
///
/// Shapes, aliasing, operators, options, outcomes: as cg(). An s that is small enough already ends the solve in
/// the middle of an iteration, which then counts. replace_every: r becomes b - A x only where their norms
/// differ by more than a quarter; then p and r0 do so too.
///
/// Breakdown: r0.r (rho), r0.Ap (shadow_curvature) or t.s (omega) is at most u times the norms of its factors,
/// u = 2^-53. The iteration is then carried to its end with alpha = 0 (r0.Ap) or omega = 0 (t.s), and the next
/// begins with p = r and r0 = r (after t.s: r0 = r + t |r| / |t|): a restart. It is idle unless |r| is below a
/// half of what it was at the start and the restarts before. After an idle one, r0.r and r0.Ap are divided by
/// down to u^2. The solve ends with Outcome::breakdown after more than 5 idle restarts in a row, or where t =
/// 0. SolveReport::restarts counts these restarts, those where b - A x has departed from r, and those after a
/// candidate that was none.
///
/// Cost of an iteration: two products and 17 n-vectors, the products' x and y included: v = A p with r0.v (3),
/// s with s.s (3), t = A s with t.t, s.t, r0.t and r0.s (3), x, r and p in one sweep with r.r (8).
/// With M (preconditioned from the right, so that the residual stays that of A x = b) 2 more and twice M's own.
///
/// Sources: van der Vorst, SIAM J. Sci. Stat. Comput. 13(2), 1992; fused: Rupp, Weinbub, Juengel & Grasser, ACM
/// TOMS 43(2), 2016, Algorithm 6. Departures: rho of the next iteration is r0.s - omega r0.t, where the paper
/// takes r0.s for the 0 that it is in exact arithmetic; restarts.
template <ExecutionSpace Exec, class A, class B, detail::SolutionOfOperator<Exec, A, B> X>
SolveReport bicgstab(Exec const& exec, A const& a, B const& b, X const& x, SolverOptions const& options,
                     BicgstabWorkspace<typename X::non_const_value_type, Exec> const& workspace) {
  return detail::bicgstab_with_workspace(exec, a, detail::as_input(b), detail::as_output(x), options,
                                         workspace);
}

/// The same, preconditioned from the right. A preconditioner whose set-up has failed (M.status()) gives that
/// outcome at once, with the row; but for one that is merely indefinite, which BiCGStab does not mind.
template <ExecutionSpace Exec, class A, class M, class B,
          detail::PreconditionedSolutionOfOperator<Exec, A, M, B> X>
SolveReport bicgstab(Exec const& exec, A const& a, M const& preconditioner, B const& b, X const& x,
                     SolverOptions const& options,
                     BicgstabWorkspace<typename X::non_const_value_type, Exec> const& workspace) {
  return detail::bicgstab_with_workspace(exec, a, preconditioner, detail::as_input(b), detail::as_output(x),
                                         options, workspace);
}

/// The same with room of its own, and for a matrix with a plan of its own.
template <ExecutionSpace Exec, class A, class B, detail::SolutionOf<Exec, A, B> X>
SolveReport bicgstab(Exec const& exec, A const& a, B const& b, X const& x, SolverOptions const& options = {}) {
  return detail::bicgstab_of_matrix(exec, a, detail::as_input(b), detail::as_output(x), options);
}
template <ExecutionSpace Exec, class A, class M, class B, detail::PreconditionedSolutionOf<Exec, A, M, B> X>
SolveReport bicgstab(Exec const& exec, A const& a, M const& preconditioner, B const& b, X const& x,
                     SolverOptions const& options = {}) {
  return detail::bicgstab_of_matrix(exec, a, preconditioner, detail::as_input(b), detail::as_output(x),
                                    options);
}

/// Calls with types that cannot be solved with: they do not compile, and say why in one sentence.
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
