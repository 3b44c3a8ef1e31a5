// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/concepts.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/spmv_options.hpp>

#include <type_traits>
#include <utility>

namespace einkorn {

namespace detail {

/// Scalar and memory space of a matrix type: a format, an AnyMatrix or a CrsMatrix.
template <class Matrix>
struct MatrixTypes {
  static constexpr bool is_matrix = false;
};
template <class Matrix>
requires requires(Matrix const& A) {
  typename Matrix::scalar_type;
  typename Matrix::memory_space;
  A.num_rows;
}
struct MatrixTypes<Matrix> {
  static constexpr bool is_matrix = true;
  using scalar_type = typename Matrix::scalar_type;
  using memory_space = typename Matrix::memory_space;
};
template <class Matrix>
requires requires {
  typename Matrix::scalar_type;
  typename Matrix::memory_space;
  typename Matrix::Plans;
}
struct MatrixTypes<Matrix> {  // an AnyMatrix
  static constexpr bool is_matrix = true;
  using scalar_type = typename Matrix::scalar_type;
  using memory_space = typename Matrix::memory_space;
};
template <CrsMatrixLike Matrix>
struct MatrixTypes<Matrix> {
  static constexpr bool is_matrix = true;
  using scalar_type = std::remove_const_t<typename Matrix::value_type>;
  using memory_space = typename Matrix::device_type::memory_space;
};

template <class Matrix>
concept SomeMatrix = MatrixTypes<Matrix>::is_matrix;

/// A plan of any format.
template <class Plan>
concept PlanOfMatrix = requires(Plan const& plan) {
  typename Plan::Sum;
  requires MatrixTypes<std::remove_cvref_t<decltype(plan.matrix())>>::is_matrix;
};

/// The first type error of a call spmv(exec, ..., x, ..., y).
enum class SpmvMistake {
  none,
  exec,
  plan_for_matrix,
  matrix_for_plan,
  no_matrix,
  no_views,
  ranks,
  const_y,
  real_y,
  vector_space,
  matrix_space,
  factors
};

template <class Exec, class Matrix, class X, class Y>
constexpr SpmvMistake mistake_in_operands() {
  if constexpr (!ExecutionSpace<Exec>)
    return SpmvMistake::exec;
  else if constexpr (!MatrixTypes<Matrix>::is_matrix)
    return SpmvMistake::no_matrix;
  else if constexpr (!Vector<X> || !Vector<Y>)
    return SpmvMistake::no_views;
  else if constexpr (X::rank() != Y::rank())
    return SpmvMistake::ranks;
  else if constexpr (!WritableVector<Y>)
    return SpmvMistake::const_y;
  else if constexpr (!is_complex<typename Y::value_type> &&
                     is_complex<sum_type<typename MatrixTypes<Matrix>::scalar_type, typename X::value_type>>)
    return SpmvMistake::real_y;
  else if constexpr (!AccessibleFrom<X, Exec> || !AccessibleFrom<Y, Exec>)
    return SpmvMistake::vector_space;
  else if constexpr (!AccessibleFrom<MatrixTypes<Matrix>, Exec>)
    return SpmvMistake::matrix_space;
  else
    return SpmvMistake::none;
}

}  // namespace detail

/// Types of x and y that kernels of Exec can use with this matrix type. A call that violates it fails with one
/// static_assert (the spmv overloads at the end of this file).
template <class Exec, class Matrix, class X, class Y>
concept SpmvOperands = (detail::mistake_in_operands<Exec, Matrix, X, Y>() == detail::SpmvMistake::none);

/// VectorScalar, or the scalar of the matrix if it is void.
template <class VectorScalar, class Scalar>
using VectorScalarOr =
    std::conditional_t<std::is_void_v<VectorScalar>, std::remove_const_t<Scalar>, VectorScalar>;

/// The type of sums, alpha and beta. Not deduced.
template <class Format, class X, class Y>
using SpmvSum = std::type_identity_t<
    sum_type<typename Format::scalar_type, typename X::value_type, typename Y::value_type>>;

/// SpmvSum for a plan for vectors of scalar V.
template <class Format, class V>
using PlanSum = std::type_identity_t<sum_type<typename Format::scalar_type, V>>;

/// Whether a plan for vectors of V can be used with x and y; fails with one static_assert if not.
template <class Format, class V, class X, class Y>
constexpr bool check_plan_scalar() {
  constexpr bool serves = std::is_same_v<PlanSum<Format, V>, SpmvSum<Format, X, Y>>;
  static_assert(
      serves, "einkorn::spmv: the plan was made for another vector scalar; make_spmv_plan<VectorScalar>(...)");
  return serves;
}

namespace detail {

/// The first type error of a call; First and Second are alpha and A, or a plan and alpha.
template <class Exec, class First, class Second, class X, class Beta, class Y>
constexpr SpmvMistake mistake_in_spmv() {
  if constexpr (!ExecutionSpace<Exec>) {
    return SpmvMistake::exec;
  } else if constexpr (PlanOfMatrix<First>) {
    using Matrix = std::remove_cvref_t<decltype(std::declval<First const&>().matrix())>;
    constexpr auto mistake = mistake_in_operands<Exec, Matrix, X, Y>();
    if constexpr (mistake == SpmvMistake::none && !(std::is_convertible_v<Second, typename First::Sum> &&
                                                    std::is_convertible_v<Beta, typename First::Sum>))
      return SpmvMistake::factors;
    else
      return mistake;
  } else if constexpr (PlanOfMatrix<Second>) {
    return SpmvMistake::plan_for_matrix;
  } else if constexpr (MatrixTypes<First>::is_matrix) {
    return SpmvMistake::matrix_for_plan;
  } else {
    constexpr auto mistake = mistake_in_operands<Exec, Second, X, Y>();
    if constexpr (mistake == SpmvMistake::none) {
      using Sum =
          sum_type<typename MatrixTypes<Second>::scalar_type, typename X::value_type, typename Y::value_type>;
      constexpr bool convert = std::is_convertible_v<First, Sum> && std::is_convertible_v<Beta, Sum>;
      return convert ? mistake : SpmvMistake::factors;
    } else {
      return mistake;
    }
  }
}

/// Types: argument types of the call, so that each call has its own instance.
template <SpmvMistake mistake, class... Types>
constexpr void explain_spmv() {
  using enum SpmvMistake;
  static_assert(
      mistake != exec,
      "einkorn::spmv: the first argument must be an execution space: spmv(exec, alpha, A, x, beta, y)");
  static_assert(mistake != plan_for_matrix,
                "einkorn::spmv: a plan in A's place; the order is spmv(exec, plan, alpha, x, beta, y)");
  static_assert(mistake != matrix_for_plan,
                "einkorn::spmv: a matrix in alpha's place; the order is spmv(exec, alpha, A, x, beta, y)");
  static_assert(mistake != no_matrix,
                "einkorn::spmv: A must be a matrix in a format of Einkorn or a KokkosSparse::CrsMatrix");
  static_assert(mistake != no_views, "einkorn::spmv: x and y must be Kokkos::Views of rank 1 or 2");
  static_assert(mistake != ranks,
                "einkorn::spmv: x and y must have the same rank: 1, or 2 for several vectors");
  static_assert(mistake != const_y, "einkorn::spmv: y is a View of const values and cannot be written");
  static_assert(mistake != real_y, "einkorn::spmv: y is real, but A or x is complex");
  static_assert(mistake != vector_space, "einkorn::spmv: exec cannot access the memory space of x or y");
  static_assert(mistake != matrix_space, "einkorn::spmv: exec cannot access the memory space of A");
  static_assert(mistake != factors,
                "einkorn::spmv: alpha and beta must convert to the scalar of the sums, sum_type<A, x, y>");
}

template <class Y, class Exec, class First, class Second, class X, class Beta>
concept InWrongSpmv = (mistake_in_spmv<Exec, First, Second, X, Beta, Y>() != SpmvMistake::none);

/// A parameter type to which any type converts, as the last choice of overload resolution.
struct Anything {
  template <class T>
  constexpr Anything(T const&) {}
};

/// The return type of invalid calls, by which a solver detects that a matrix has no product.
struct NoProduct {};

}  // namespace detail

/// Invalid calls: they fail with one static_assert that states the reason.
template <class Exec, class First, class Second, class X, class Beta,
          detail::InWrongSpmv<Exec, First, Second, X, Beta> Y>
detail::NoProduct spmv(Exec const&, First const&, Second const&, X const&, Beta const&, Y const&,
                       SpmvOptions const& = {}) {
  detail::explain_spmv<detail::mistake_in_spmv<Exec, First, Second, X, Beta, Y>(), Exec, First, Second, X, Y>();
  return {};
}
template <class Exec, detail::SomeMatrix Matrix>
detail::NoProduct spmv(Exec const&, detail::Anything, Matrix const&, detail::Anything, detail::Anything,
                       detail::Anything) {
  static_assert(!detail::SomeMatrix<Matrix>,
                "einkorn::spmv: include the header of A's format, <einkorn/formats/FORMAT/spmv.hpp>");
  return {};
}
template <class Exec, detail::PlanOfMatrix Plan>
detail::NoProduct spmv(Exec const&, Plan const&, detail::Anything, detail::Anything, detail::Anything,
                       detail::Anything) {
  static_assert(!detail::PlanOfMatrix<Plan>,
                "einkorn::spmv: include the header of the plan's format, <einkorn/formats/FORMAT/spmv.hpp>");
  return {};
}

}  // namespace einkorn
