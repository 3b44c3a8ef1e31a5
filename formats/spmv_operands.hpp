// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/concepts.hpp>
#include <einkorn/core/scalar.hpp>

#include <type_traits>

namespace einkorn {

/// x and y of one rank that kernels of Exec may multiply a matrix of this format with.
template <class Exec, class Format, class X, class Y>
concept SpmvOperands = ExecutionSpace<Exec> && Vector<X> && WritableVector<Y> && bool(X::rank() == Y::rank()) &&
                       AccessibleFrom<Format, Exec>&& AccessibleFrom<X, Exec>&& AccessibleFrom<Y, Exec>;

/// The scalar of x and y that a caller names, or that of the matrix where he leaves it void.
template <class VectorScalar, class Scalar>
using VectorScalarOr =
    std::conditional_t<std::is_void_v<VectorScalar>, std::remove_const_t<Scalar>, VectorScalar>;

/// The type of alpha and beta, which is not deduced from them: what sums of products are taken in.
template <class Format, class X, class Y>
using SpmvSum = std::type_identity_t<
    sum_type<typename Format::scalar_type, typename X::value_type, typename Y::value_type>>;

/// The same for a plan made for vectors of the scalar V.
template <class Format, class V>
using PlanSum = std::type_identity_t<sum_type<typename Format::scalar_type, V>>;

template <class Format, class V, class X, class Y>
constexpr void check_plan_scalar() {
  static_assert(
      std::is_same_v<PlanSum<Format, V>, SpmvSum<Format, X, Y>>,
      "einkorn::spmv: the plan was made for another vector scalar; make_spmv_plan<VectorScalar>(...)");
}

}  // namespace einkorn
