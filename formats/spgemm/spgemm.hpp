// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/spgemm/detail/driver.hpp>
#include <einkorn/formats/spgemm/options.hpp>
#include <einkorn/formats/spgemm/plan.hpp>
#include <einkorn/formats/spmv_operands.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <type_traits>
#include <utility>

namespace einkorn {

/// C = A B, the product of two sparse matrices, in two phases: the pattern of C (spgemm_symbolic), then its
/// values (spgemm_numeric), which may be repeated for new values on the same patterns; spgemm() does both.
///
///   C(i, j) = sum over k of A(i, k) B(k, j)         A: m x l, B: l x n, C: m x n, all in CSR on one device
///
/// C has an entry wherever a product falls, also where the sum cancels to zero. Rows of A and B may be unsorted
/// and may repeat columns. Rows of C are sorted by default; sums are taken in C's scalar, in the order of A's
/// entries and within one in that of B's (an unsorted A gives another order, and other last bits, than a sorted
/// one). Repeatable bit for bit, on any number of threads; not with SpgemmSums::unordered or
/// SpgemmRows::unsorted.
///
/// COffset: the offsets of C; as A's where left out. Cost: 2 flops a product; bytes at least 12 (nnz(A) +
/// nnz(B) + nnz(C)) for double and 32-bit indices, at most 12 a product more; the pattern touches each row of B
/// twice, as words of 32 columns where these are fewer than two thirds of its entries. Temporaries: by rows
/// and entries, however many columns C has beside them; see SpgemmReport.
///
/// Algorithm: seed 004 (count and fill, a hash table with linear probing in scratch). Departures, and why: rows
/// go to tables of several sizes, as their lengths differ; the count and the columns work on words of 32
/// columns (formats/spgemm/detail/compressed_columns.hpp), which are fewer and sort fast; the values are added
/// to sorted places, without atomics, in a fixed order; rows too long for any table take a bitmap in scratch
/// and come in pieces; by teams, rows of C that are alike but for a shift of their columns, as on structured
/// grids, are worked out once, and their values find the places of their sums without a search
/// (SpgemmRowClasses). On the host: Gustavson, ACM TOMS 4 (1978), rows in parts of equal products.
///
/// Throws DimensionMismatch (both shapes), InvalidStructure (A or B, with Checks::on), OverflowError (C's
/// entries do not fit COffset: names one that does), OutOfMemory (or options.workspace_limit: how many bytes),
/// StalePlan (a plan with matrices of another structure). Nothing of the caller's is changed then.

/// The pattern of C = A B. Fences exec.
template <class COffset = void, ExecutionSpace Exec, class AScalar, class AOffset, class BScalar, class BOffset,
          class Ordinal, class Device>
requires AccessibleFrom<Device, Exec>
auto spgemm_symbolic(Exec const& exec, Csr<AScalar, Ordinal, AOffset, Device> const& A,
                     Csr<BScalar, Ordinal, BOffset, Device> const& B, SpgemmOptions const& options = {}) {
  Kokkos::Profiling::ScopedRegion region("einkorn::spgemm_symbolic");
  using Steps = detail::SpgemmStepsFor<COffset, Exec, decltype(A), decltype(B)>;
  return SpgemmPlan(Steps::symbolic(exec, A, B, options));
}

/// The values of C on the plan's pattern, into C.values, which must be of plan.nnz() entries and overlap
/// neither A nor B. Asynchronous on exec but for the comparison of structures (Checks::on). Allocates nothing.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class AScalar,
          class AOffset, class BScalar, class BOffset>
void spgemm_numeric(Exec const& exec, SpgemmPlan<Scalar, Ordinal, Offset, Device> const& plan,
                    Csr<AScalar, Ordinal, AOffset, Device> const& A,
                    Csr<BScalar, Ordinal, BOffset, Device> const& B,
                    Csr<Scalar, Ordinal, Offset, Device> const& C) {
  auto const call = plan.one_call().begin("spgemm_numeric", "plan");
  Kokkos::Profiling::ScopedRegion region("einkorn::spgemm_numeric");
  detail::SpgemmStepsFor<Offset, Exec, decltype(A), decltype(B)>::numeric(exec, plan.state(), A, B, C);
}

/// The same into a new C, whose row_offsets and columns are the plan's.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class AScalar,
          class AOffset, class BScalar, class BOffset>
Csr<Scalar, Ordinal, Offset, Device> spgemm_numeric(Exec const& exec,
                                                    SpgemmPlan<Scalar, Ordinal, Offset, Device> const& plan,
                                                    Csr<AScalar, Ordinal, AOffset, Device> const& A,
                                                    Csr<BScalar, Ordinal, BOffset, Device> const& B) {
  auto const C = detail::SpgemmStepsFor<Offset, Exec, decltype(A), decltype(B)>::product_of(exec, plan.state());
  spgemm_numeric(exec, plan, A, B, C);
  return C;
}

namespace detail {

template <class Scalar, class Ordinal, class Offset, class Device>
Csr<Scalar const, Ordinal, Offset, Device> with_const_values(Csr<Scalar, Ordinal, Offset, Device> const& A) {
  return A;
}

/// spgemm() for operands whose values cannot be written.
template <class COffset, class Exec, class AMatrix, class BMatrix>
typename SpgemmStepsFor<COffset, Exec, AMatrix, BMatrix>::CMatrix multiply(Exec const& exec, AMatrix const& A,
                                                                           BMatrix const& B,
                                                                           SpgemmOptions const& options) {
  using Steps = SpgemmStepsFor<COffset, Exec, AMatrix, BMatrix>;
  auto const plan = Steps::symbolic(exec, A, B, options);
  auto const C = Steps::product_of(exec, plan);
  Steps::values(exec, plan, A, B, C);
  return C;
}

}  // namespace detail

/// C = A B, pattern and values.
template <class COffset = void, ExecutionSpace Exec, class AScalar, class AOffset, class BScalar, class BOffset,
          class Ordinal, class Device>
requires AccessibleFrom<Device, Exec>
auto spgemm(Exec const& exec, Csr<AScalar, Ordinal, AOffset, Device> const& A,
            Csr<BScalar, Ordinal, BOffset, Device> const& B, SpgemmOptions const& options = {}) {
  Kokkos::Profiling::ScopedRegion region("einkorn::spgemm");
  return detail::multiply<COffset>(exec, detail::with_const_values(A), detail::with_const_values(B), options);
}

namespace detail {

/// A as a Csr: itself, or what a CrsMatrix shares its memory with.
template <class A>
decltype(auto) csr_of(A const& a) {
  if constexpr (CsrMatrix<A>)
    return (a);
  else
    return as_csr(a);
}

/// One of them is a CrsMatrix, and the other at least a Csr; on one device, with one type of columns.
template <class A, class B>
concept CrsOperands =
    (CrsMatrixLike<A> && (CsrMatrix<B> || CrsMatrixLike<B>)) || (CrsMatrixLike<B> && CsrMatrix<A>);

/// What is wrong with the types of spgemm(exec, A, B); the first that is.
enum class SpgemmMistake { none, exec, plan, no_csr, no_matrix, ordinals, devices, space };

template <class Exec, class A, class B>
constexpr SpgemmMistake mistake_in_spgemm() {
  constexpr bool are_csr = (CsrMatrix<A> || CrsMatrixLike<A>) && (CsrMatrix<B> || CrsMatrixLike<B>);
  if constexpr (!ExecutionSpace<Exec>) {
    return SpgemmMistake::exec;
  } else if constexpr (PlanOfMatrix<A> || PlanOfMatrix<B>) {
    return SpgemmMistake::plan;
  } else if constexpr (are_csr) {
    using OfA = std::remove_cvref_t<decltype(csr_of(std::declval<A const&>()))>;
    using OfB = std::remove_cvref_t<decltype(csr_of(std::declval<B const&>()))>;
    if constexpr (!std::is_same_v<typename OfA::ordinal_type, typename OfB::ordinal_type>)
      return SpgemmMistake::ordinals;
    else if constexpr (!std::is_same_v<typename OfA::device_type, typename OfB::device_type>)
      return SpgemmMistake::devices;
    else
      return AccessibleFrom<typename OfA::device_type, Exec> ? SpgemmMistake::none : SpgemmMistake::space;
  } else {
    return MatrixTypes<A>::is_matrix && MatrixTypes<B>::is_matrix ? SpgemmMistake::no_csr
                                                                  : SpgemmMistake::no_matrix;
  }
}

/// Types: of the call, so that each call gets its sentence.
template <SpgemmMistake mistake, class... Types>
constexpr void explain_spgemm() {
  using enum SpgemmMistake;
  static_assert(mistake != exec,
                "einkorn::spgemm: the first argument must be an execution space: spgemm(exec, A, B)");
  static_assert(mistake != plan,
                "einkorn::spgemm: a plan in a matrix's place; spgemm_numeric(exec, plan, A, B)");
  static_assert(mistake != no_csr, "einkorn::spgemm: A and B must be in CSR; convert by to_csr(exec, A)");
  static_assert(mistake != no_matrix,
                "einkorn::spgemm: A and B must be a Csr or a KokkosSparse::CrsMatrix each");
  static_assert(mistake != ordinals, "einkorn::spgemm: A and B must have the same Ordinal (type of columns)");
  static_assert(mistake != devices, "einkorn::spgemm: A and B must have the same Device (memory)");
  static_assert(mistake != space, "einkorn::spgemm: exec cannot access the memory space of A and B");
}

template <class Exec, class A, class B>
concept NoSpgemm = (mistake_in_spgemm<Exec, A, B>() != SpgemmMistake::none);

}  // namespace detail

/// All of them for a KokkosSparse::CrsMatrix on either side or both, or anything of its shape, as it is.
template <class COffset = void, ExecutionSpace Exec, class A, class B>
requires detail::CrsOperands<A, B> && (!detail::NoSpgemm<Exec, A, B>)
auto spgemm_symbolic(Exec const& exec, A const& a, B const& b, SpgemmOptions const& options = {}) {
  return spgemm_symbolic<COffset>(exec, detail::csr_of(a), detail::csr_of(b), options);
}
template <ExecutionSpace Exec, class Plan, class A, class B>
requires detail::CrsOperands<A, B> && (!detail::NoSpgemm<Exec, A, B>)
auto spgemm_numeric(Exec const& exec, Plan const& plan, A const& a, B const& b) {
  return spgemm_numeric(exec, plan, detail::csr_of(a), detail::csr_of(b));
}
template <class COffset = void, ExecutionSpace Exec, class A, class B>
requires detail::CrsOperands<A, B> && (!detail::NoSpgemm<Exec, A, B>)
auto spgemm(Exec const& exec, A const& a, B const& b, SpgemmOptions const& options = {}) {
  return spgemm<COffset>(exec, detail::csr_of(a), detail::csr_of(b), options);
}

/// Calls that no product takes: they do not compile, and say why in one sentence.
template <class COffset = void, class Exec, class A, class B>
requires detail::NoSpgemm<Exec, A, B>
A spgemm(Exec const&, A const&, B const&, SpgemmOptions const& = {}) {
  detail::explain_spgemm<detail::mistake_in_spgemm<Exec, A, B>(), COffset, A, B>();
}
template <class COffset = void, class Exec, class A, class B>
requires detail::NoSpgemm<Exec, A, B>
A spgemm_symbolic(Exec const&, A const&, B const&, SpgemmOptions const& = {}) {
  detail::explain_spgemm<detail::mistake_in_spgemm<Exec, A, B>(), COffset, A, B>();
}

}  // namespace einkorn

#ifdef EINKORN_COMPILED
#include <einkorn/compiled/spgemm.hpp>
#endif
