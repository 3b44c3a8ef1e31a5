// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/concepts.hpp>
#include <einkorn/core/epilogue_with_dots.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/spmv_operands.hpp>
#include <einkorn/solvers/operator.hpp>
#include <einkorn/solvers/options.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <type_traits>

namespace einkorn::detail {

/// The first mistake in the argument types of a solver's call. explain_solve() reports it in one sentence.
enum class SolveMistake {
  none,
  exec,
  no_views,
  ranks,
  const_x,
  scalars,
  mixed,
  vector_space,
  sizes,
  no_apply,
  old_sweep,
  matrix_space,
  real_x,
  other_vectors,
  no_header,
  no_operator,
  matrix_for_operator,
  preconditioner,
  workspace
};

/// The vectors of a solver's workspace.
template <class Exec, class X>
using SolverVector = Kokkos::View<typename X::non_const_value_type*, typename Exec::device_type>;

template <class T>
inline constexpr bool is_solver_scalar =
    std::is_same_v<real_type<T>, float> || std::is_same_v<real_type<T>, double>;

template <class A>
concept HasNumRows = requires(A const& a) { a.num_rows(); };

/// make_operator() accepts A, and the header of its product is included.
template <class A, class Exec, class Vector>
concept HasProduct = requires(A const& a, Exec const& exec, Vector const& x) {
  make_operator<typename Vector::value_type>(exec, a);
  requires !std::is_same_v<decltype(spmv(exec, 1, a, x, 0, x)), NoProduct>;
};

/// An operator with sweep(), the former name of apply_fused().
template <class A, class Exec, class Vector>
concept HasOldSweep = requires(
    A const& a, Exec const& exec, Vector const& x,
    EpilogueWithDots<typename Vector::value_type, typename Vector::const_type, false> const& epilogue) {
  a.sweep(exec, epilogue, x, x);
  requires !requires { a.apply_fused(exec, epilogue, x, x); };
};

template <class Exec, class B, class X>
constexpr SolveMistake mistake_in_vectors() {
  if constexpr (!ExecutionSpace<Exec>)
    return SolveMistake::exec;
  else if constexpr (!Kokkos::is_view<B>::value || !Kokkos::is_view<X>::value)
    return SolveMistake::no_views;
  else if constexpr (B::rank() != 1 || X::rank() != 1)
    return SolveMistake::ranks;
  else if constexpr (std::is_const_v<typename X::value_type>)
    return SolveMistake::const_x;
  else if constexpr (!is_solver_scalar<typename X::value_type>)
    return SolveMistake::scalars;
  else if constexpr (!std::is_same_v<typename X::value_type, typename B::non_const_value_type>)
    return SolveMistake::mixed;
  else if constexpr (!AccessibleFrom<B, Exec> || !AccessibleFrom<X, Exec>)
    return SolveMistake::vector_space;
  else
    return SolveMistake::none;
}

/// A: an operator, or with takes_matrices anything that make_operator() accepts.
template <bool takes_matrices, class Exec, class A, class B, class X>
constexpr SolveMistake mistake_in_solve() {
  constexpr auto mistake = mistake_in_vectors<Exec, B, X>();
  if constexpr (mistake != SolveMistake::none) {
    return mistake;
  } else {
    using V = typename X::non_const_value_type;
    using Vector = SolverVector<Exec, X>;
    if constexpr (LinearOperator<A, Exec, Vector, Vector>)
      return HasOldSweep<A, Exec, Vector> ? SolveMistake::old_sweep : SolveMistake::none;
    else if constexpr (requires(A const& a, Exec const& exec, Vector const& x) { a.apply(exec, x, x); })
      return SolveMistake::sizes;
    else if constexpr (MatrixTypes<A>::is_matrix) {
      if constexpr (!AccessibleFrom<MatrixTypes<A>, Exec>)
        return SolveMistake::matrix_space;
      else if constexpr (is_complex<typename MatrixTypes<A>::scalar_type> && !is_complex<V>)
        return SolveMistake::real_x;
      else if constexpr (!takes_matrices)
        return SolveMistake::matrix_for_operator;
      else if constexpr (HasProduct<A, Exec, Vector>)
        return SolveMistake::none;
      else if constexpr (HasNumRows<A>)  // an AnyMatrix
        return SolveMistake::other_vectors;
      else
        return SolveMistake::no_header;
    } else if constexpr (requires(A const& a, Exec const& exec) { make_operator<V>(exec, a); })
      return takes_matrices ? SolveMistake::none : SolveMistake::matrix_for_operator;
    else
      return HasNumRows<A> ? SolveMistake::no_apply : SolveMistake::no_operator;
  }
}

template <class Workspace, template <class, class> class Wanted, class Exec, class X>
inline constexpr bool is_workspace = false;
template <template <class, class> class Wanted, class Exec, class X>
inline constexpr bool is_workspace<Wanted<typename X::non_const_value_type, Exec>, Wanted, Exec, X> = true;

/// What the public functions require: of b and x, of an operator, of a matrix (with the header of its format),
/// and of a preconditioner, for the vectors of the workspace.
template <class Exec, class B, class X>
concept SolveVectors = (mistake_in_vectors<Exec, B, X>() == SolveMistake::none);
template <class A, class Exec, class X>
concept LinearOperatorFor = LinearOperator<A, Exec, SolverVector<Exec, X>, SolverVector<Exec, X>> &&
                            !HasOldSweep<A, Exec, SolverVector<Exec, X>>;
template <class A, class Exec, class B, class X>
concept MatrixFor = (mistake_in_solve<true, Exec, A, B, X>() == SolveMistake::none);
template <class M, class Exec, class X>
concept PreconditionerFor = Preconditioner<M, Exec, SolverVector<Exec, X>, SolverVector<Exec, X>>;

/// The negations, for the overloads that report the mistake. Wanted: the class template of the solver's
/// workspace. X = SolverOptions: (exec, A, b, x, options) is a call without a preconditioner.
template <class X, class Exec, class A, class B>
concept NotSolutionOf = !(SolveVectors<Exec, B, X> && MatrixFor<A, Exec, B, X>);
template <class Workspace, template <class, class> class Wanted, class Exec, class A, class B, class X>
concept WrongWorkspace =
    !(SolveVectors<Exec, B, X> && LinearOperatorFor<A, Exec, X>) || !is_workspace<Workspace, Wanted, Exec, X>;
template <class X, class Exec, class A, class M, class B>
concept NotPreconditionedSolutionOf =
    !std::is_same_v<X, SolverOptions> && (NotSolutionOf<X, Exec, A, B> || !PreconditionerFor<M, Exec, X>);
template <class Workspace, template <class, class> class Wanted, class Exec, class A, class M, class B, class X>
concept WrongPreconditionedWorkspace =
    !std::is_same_v<X, SolverOptions> &&
    (WrongWorkspace<Workspace, Wanted, Exec, A, B, X> || !PreconditionerFor<M, Exec, X>);

template <class Exec, class A, class B, class X>
constexpr SolveMistake mistake_in_call() {
  return mistake_in_solve<true, Exec, A, B, X>();
}
template <class Exec, class A, class B, class X, class Workspace, template <class, class> class Wanted>
constexpr SolveMistake mistake_in_call() {
  constexpr auto mistake = mistake_in_solve<false, Exec, A, B, X>();
  return mistake == SolveMistake::none ? SolveMistake::workspace : mistake;
}
template <class Exec, class A, class M, class B, class X>
constexpr SolveMistake mistake_in_preconditioned_call() {
  constexpr auto mistake = mistake_in_solve<true, Exec, A, B, X>();
  return mistake == SolveMistake::none ? SolveMistake::preconditioner : mistake;
}
template <class Exec, class A, class M, class B, class X, class Workspace, template <class, class> class Wanted>
constexpr SolveMistake mistake_in_preconditioned_call() {
  constexpr auto mistake = mistake_in_solve<false, Exec, A, B, X>();
  if constexpr (mistake != SolveMistake::none)
    return mistake;
  else
    return PreconditionerFor<M, Exec, X> ? SolveMistake::workspace : SolveMistake::preconditioner;
}

/// Types: those of the call, so that each call has its own message.
template <SolveMistake mistake, class... Types>
constexpr void explain_solve() {
  using enum SolveMistake;
  static_assert(mistake != exec, "einkorn: a solver's first argument must be an execution space");
  static_assert(mistake != no_views, "einkorn: b and x of a solver must be Kokkos::Views");
  static_assert(mistake != ranks,
                "einkorn: b and x of a solver must have rank 1; solve for one vector at a time");
  static_assert(mistake != const_x, "einkorn: x of a solver is a View of const values and cannot be written");
  static_assert(mistake != scalars,
                "einkorn: b and x of a solver must hold float, double or Kokkos::complex of them");
  static_assert(mistake != mixed, "einkorn: b and x of a solver must have the same scalar");
  static_assert(mistake != vector_space, "einkorn: exec cannot access the memory space of a solver's b or x");
  static_assert(mistake != sizes, "einkorn: an operator needs num_rows() const and num_cols() const");
  static_assert(mistake != no_apply,
                "einkorn: an operator needs apply(exec, x, y) const, for Views of x's scalar on exec's device");
  static_assert(mistake != old_sweep, "einkorn: rename sweep() of the operator to apply_fused()");
  static_assert(mistake != matrix_space, "einkorn: exec cannot access the memory space of a solver's A");
  static_assert(mistake != real_x, "einkorn: A is complex, so b and x of a solver must be complex");
  static_assert(mistake != other_vectors,
                "einkorn: the AnyMatrix was made for another vector scalar; make_any_matrix<scalar of x>(...)");
  static_assert(mistake != no_header,
                "einkorn: include the header of A's format, <einkorn/formats/FORMAT/spmv.hpp>");
  static_assert(mistake != no_operator,
                "einkorn: A of a solver must be a matrix of Einkorn, a KokkosSparse::CrsMatrix or an operator "
                "with num_rows(), num_cols() and apply(exec, x, y)");
  static_assert(mistake != matrix_for_operator,
                "einkorn: with a workspace, A must be an operator: make_operator<scalar of x>(exec, A)");
  static_assert(mistake != preconditioner,
                "einkorn: a preconditioner needs apply(exec, r, z) const, for Views on exec's device");
  static_assert(mistake != workspace,
                "einkorn: the workspace must be of this solver, for the scalar of x and for exec");
}

}  // namespace einkorn::detail
