// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/spgemm/detail/numeric_driver.hpp>
#include <einkorn/formats/spgemm/detail/symbolic_driver.hpp>
#include <einkorn/formats/spgemm/options.hpp>
#include <einkorn/formats/spgemm/plan.hpp>
#include <einkorn/formats/spmv_operands.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace einkorn {

/// C = A B, the product of two sparse matrices, in two phases: the pattern of C (spgemm_symbolic), then its
/// values (spgemm_numeric), which can be repeated for new values on the same patterns; spgemm() does both.
///
///   C(i, j) = sum over k of A(i, k) B(k, j)         A: m x l, B: l x n, C: m x n, all in CSR on one device
///
/// COffset: offset type of C; by default A's. C has an entry for every position with at least one product, even
/// if the sum cancels to zero. Rows of A and B may be unsorted and may repeat columns. Rows of C are sorted by
/// default. Sums are computed in C's scalar type.
///
/// Throws DimensionMismatch (both shapes), InvalidStructure (A or B, with Checks::on), OverflowError (C's
/// entries do not fit COffset; names a type that does), OutOfMemory (also for options.workspace_limit; with the
/// required bytes), StalePlan (operands of another structure than the plan's). Arguments are then unchanged.
///
/// Cost: 2 flops per product; for double and 32-bit indices at least 12 (nnz(A) + nnz(B) + nnz(C)) bytes, plus
/// at most 12 per product. The symbolic phase reads each row of B twice per entry of A, compressed to (key,
/// 32-bit mask) pairs if these are at most two thirds of its entries. Temporaries grow with rows and entries;
/// see SpgemmReport.
///
/// Deterministic: products are added in the order of A's entries and within one in that of B's, so the result
/// is the same bit for bit for any number of threads. Exceptions: SpgemmSums::unordered, SpgemmRows::unsorted.
///
/// Source: Deveci, Trott & Rajamanickam, Parallel Computing 78 (2018): compressed rows of B; Nagasaka, Nukada &
/// Matsuoka, ICPP 2017: rows in bins, hash tables with linear probing; on the host Gustavson, ACM TOMS 4
/// (1978), rows in parts of equal numbers of products. Departures: the pattern is written from compressed
/// columns, sorted; the values are added at the known ranks, without atomics, in a fixed order; rows that
/// exceed every table use a bitmap and are computed in chunks; translation-equivalent rows are computed once
/// (SpgemmRowClasses).

namespace detail {

/// A with constant values: the phases are compiled once for constant and other values.
template <class Scalar, class Ordinal, class Offset, class Device>
Csr<Scalar const, Ordinal, Offset, Device> with_const_values(Csr<Scalar, Ordinal, Offset, Device> const& A) {
  return A;
}

/// The symbolic phase for operands with constant values, in a call with such Options.
template <class Exec, class AMatrix, class BMatrix, class COffset, class Options>
using SymbolicPhase = SpgemmSymbolic<Exec, AMatrix, BMatrix, COffset,
                                     is_host_product<Exec, typename AMatrix::device_type> &&
                                         std::derived_from<Options, SpgemmTeamOptions>>;

}  // namespace detail

/// The pattern of C = A B. Waits for exec to read sizes; the columns are written asynchronously on exec.
template <class COffset = void, ExecutionSpace Exec, class AScalar, class AOffset, class BScalar, class BOffset,
          class Ordinal, class Device, std::derived_from<SpgemmOptions> Options = SpgemmOptions>
requires AccessibleFrom<Device, Exec>
auto spgemm_symbolic(Exec const& exec, Csr<AScalar, Ordinal, AOffset, Device> const& A,
                     Csr<BScalar, Ordinal, BOffset, Device> const& B, Options const& options = {}) {
  Kokkos::Profiling::ScopedRegion region("einkorn::spgemm_symbolic");
  using Symbolic = detail::SymbolicPhase<Exec, Csr<AScalar const, Ordinal, AOffset, Device>,
                                         Csr<BScalar const, Ordinal, BOffset, Device>, COffset, Options>;
  return SpgemmPlan(Symbolic::run(exec, A, B, options));
}

/// The values of C on the plan's pattern.
/// @pre C has the plan's row_offsets and columns; C.values has plan.nnz() entries and overlaps neither A nor B.
/// Asynchronous on exec except for the comparison of structures (Checks::on). Allocates no memory. Throws
/// InvalidArgument if the plan was made on a GPU and exec is of the host, or the other way round.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, bool teams_on_host,
          class AScalar, class AOffset, class BScalar, class BOffset>
void spgemm_numeric(Exec const& exec, SpgemmPlan<Scalar, Ordinal, Offset, Device, teams_on_host> const& plan,
                    Csr<AScalar, Ordinal, AOffset, Device> const& A,
                    Csr<BScalar, Ordinal, BOffset, Device> const& B,
                    Csr<Scalar, Ordinal, Offset, Device> const& C) {
  auto const call = plan.one_call().begin("spgemm_numeric", "plan");
  Kokkos::Profiling::ScopedRegion region("einkorn::spgemm_numeric");
  auto const const_A = detail::with_const_values(A);
  auto const const_B = detail::with_const_values(B);
  detail::require_numeric_operands(exec, plan.state(), const_A, const_B, C);
  detail::compute_numeric(exec, plan.state(), const_A, const_B, C);
}

/// The values in a new C, which shares the plan's row_offsets and columns.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, bool teams_on_host,
          class AScalar, class AOffset, class BScalar, class BOffset>
Csr<Scalar, Ordinal, Offset, Device> spgemm_numeric(
    Exec const& exec, SpgemmPlan<Scalar, Ordinal, Offset, Device, teams_on_host> const& plan,
    Csr<AScalar, Ordinal, AOffset, Device> const& A, Csr<BScalar, Ordinal, BOffset, Device> const& B) {
  auto const C = detail::allocate_product(exec, plan.state());
  spgemm_numeric(exec, plan, A, B, C);
  return C;
}

namespace detail {

/// spgemm() for operands with constant values.
template <class COffset, class Exec, class AMatrix, class BMatrix, class Options>
typename SpgemmStateFor<COffset, AMatrix, BMatrix>::Matrix multiply(Exec const& exec, AMatrix const& A,
                                                                    BMatrix const& B, Options const& options) {
  auto const plan = SymbolicPhase<Exec, AMatrix, BMatrix, COffset, Options>::run(exec, A, B, options);
  auto const C = allocate_product(exec, plan);
  compute_numeric(exec, plan, A, B, C);
  return C;
}

}  // namespace detail

/// C = A B, pattern and values.
template <class COffset = void, ExecutionSpace Exec, class AScalar, class AOffset, class BScalar, class BOffset,
          class Ordinal, class Device, std::derived_from<SpgemmOptions> Options = SpgemmOptions>
requires AccessibleFrom<Device, Exec>
auto spgemm(Exec const& exec, Csr<AScalar, Ordinal, AOffset, Device> const& A,
            Csr<BScalar, Ordinal, BOffset, Device> const& B, Options const& options = {}) {
  Kokkos::Profiling::ScopedRegion region("einkorn::spgemm");
  return detail::multiply<COffset>(exec, detail::with_const_values(A), detail::with_const_values(B), options);
}

namespace detail {

/// A as a Csr, which shares its memory.
template <class A>
decltype(auto) csr_of(A const& a) {
  if constexpr (CsrMatrix<A>)
    return (a);
  else
    return as_csr(a);
}

/// At least one KokkosSparse::CrsMatrix, and a Csr or another.
template <class A, class B>
concept CrsOperands =
    (CrsMatrixLike<A> && (CsrMatrix<B> || CrsMatrixLike<B>)) || (CrsMatrixLike<B> && CsrMatrix<A>);

/// The first error in the types of spgemm(exec, A, B).
enum class SpgemmTypeError { none, exec, plan, no_csr, no_matrix, ordinals, devices, space };

template <class Exec, class A, class B>
constexpr SpgemmTypeError spgemm_type_error() {
  constexpr bool are_csr = (CsrMatrix<A> || CrsMatrixLike<A>) && (CsrMatrix<B> || CrsMatrixLike<B>);
  if constexpr (!ExecutionSpace<Exec>) {
    return SpgemmTypeError::exec;
  } else if constexpr (PlanOfMatrix<A> || PlanOfMatrix<B>) {
    return SpgemmTypeError::plan;
  } else if constexpr (are_csr) {
    using CsrA = std::remove_cvref_t<decltype(csr_of(std::declval<A const&>()))>;
    using CsrB = std::remove_cvref_t<decltype(csr_of(std::declval<B const&>()))>;
    if constexpr (!std::is_same_v<typename CsrA::ordinal_type, typename CsrB::ordinal_type>)
      return SpgemmTypeError::ordinals;
    else if constexpr (!std::is_same_v<typename CsrA::device_type, typename CsrB::device_type>)
      return SpgemmTypeError::devices;
    else
      return AccessibleFrom<typename CsrA::device_type, Exec> ? SpgemmTypeError::none : SpgemmTypeError::space;
  } else {
    return MatrixTypes<A>::is_matrix && MatrixTypes<B>::is_matrix ? SpgemmTypeError::no_csr
                                                                  : SpgemmTypeError::no_matrix;
  }
}

/// Types: those of the call, so that every call has its own message.
template <SpgemmTypeError error, class... Types>
constexpr void explain_spgemm() {
  using enum SpgemmTypeError;
  static_assert(error != exec,
                "einkorn::spgemm: the first argument must be an execution space: spgemm(exec, A, B)");
  static_assert(error != plan,
                "einkorn::spgemm: a plan was passed instead of a matrix; use spgemm_numeric(exec, plan, A, B)");
  static_assert(error != no_csr, "einkorn::spgemm: A and B must be in CSR; convert by to_csr(exec, A)");
  static_assert(error != no_matrix, "einkorn::spgemm: A and B must be a Csr or a KokkosSparse::CrsMatrix each");
  static_assert(error != ordinals, "einkorn::spgemm: A and B must have the same Ordinal (type of columns)");
  static_assert(error != devices, "einkorn::spgemm: A and B must have the same Device (memory)");
  static_assert(error != space, "einkorn::spgemm: exec cannot access the memory space of A and B");
}

template <class Exec, class A, class B>
concept NoSpgemm = (spgemm_type_error<Exec, A, B>() != SpgemmTypeError::none);

}  // namespace detail

/// The same functions for a KokkosSparse::CrsMatrix, or a class with its interface, as A, B or both; no copy.
template <class COffset = void, ExecutionSpace Exec, class A, class B,
          std::derived_from<SpgemmOptions> Options = SpgemmOptions>
requires detail::CrsOperands<A, B> && (!detail::NoSpgemm<Exec, A, B>)
auto spgemm_symbolic(Exec const& exec, A const& a, B const& b, Options const& options = {}) {
  return spgemm_symbolic<COffset>(exec, detail::csr_of(a), detail::csr_of(b), options);
}
template <ExecutionSpace Exec, class Plan, class A, class B>
requires detail::CrsOperands<A, B> && (!detail::NoSpgemm<Exec, A, B>)
auto spgemm_numeric(Exec const& exec, Plan const& plan, A const& a, B const& b) {
  return spgemm_numeric(exec, plan, detail::csr_of(a), detail::csr_of(b));
}
template <class COffset = void, ExecutionSpace Exec, class A, class B,
          std::derived_from<SpgemmOptions> Options = SpgemmOptions>
requires detail::CrsOperands<A, B> && (!detail::NoSpgemm<Exec, A, B>)
auto spgemm(Exec const& exec, A const& a, B const& b, Options const& options = {}) {
  return spgemm<COffset>(exec, detail::csr_of(a), detail::csr_of(b), options);
}

/// Calls with wrong types do not compile; the message gives the reason.
template <class COffset = void, class Exec, class A, class B>
requires detail::NoSpgemm<Exec, A, B>
A spgemm(Exec const&, A const&, B const&, SpgemmOptions const& = {}) {
  detail::explain_spgemm<detail::spgemm_type_error<Exec, A, B>(), COffset, A, B>();
}
template <class COffset = void, class Exec, class A, class B>
requires detail::NoSpgemm<Exec, A, B>
A spgemm_symbolic(Exec const&, A const&, B const&, SpgemmOptions const& = {}) {
  detail::explain_spgemm<detail::spgemm_type_error<Exec, A, B>(), COffset, A, B>();
}

}  // namespace einkorn

#ifdef EINKORN_COMPILED
#include <einkorn/compiled/spgemm.hpp>
#endif
