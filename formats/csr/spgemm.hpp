// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/detail/spgemm_steps.hpp>
#include <einkorn/formats/csr/spgemm_options.hpp>
#include <einkorn/formats/csr/spgemm_plan.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <type_traits>

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
/// columns (core/accumulate/index_words.hpp), which are fewer and sort fast; the values are added to sorted
/// places, without atomics, in a fixed order; rows too long for any table take a bitmap in scratch and come in
/// pieces; by teams, rows of C that are alike but for a shift of their columns, as on structured grids, are
/// worked out once, and their values find the places of their sums without a search (SpgemmAlikeRows). On the
/// host: Gustavson, ACM TOMS 4 (1978), rows in parts of equal products.
///
/// Throws DimensionMismatch (both shapes), InvalidStructure (A or B, with Checks::on), OverflowError (C's
/// entries do not fit COffset: names one that does), OutOfMemory (or options.workspace_limit: how many bytes),
/// StalePlan (a plan with matrices of another structure). Nothing of the caller's is changed then.

/// The pattern of C = A B. Fences exec.
template <class COffset = void, ExecutionSpace Exec, class AScalar, class AOffset, class BScalar, class BOffset,
          class Ordinal, class Device>
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

/// C = A B, pattern and values.
template <class COffset = void, ExecutionSpace Exec, class AScalar, class AOffset, class BScalar, class BOffset,
          class Ordinal, class Device>
auto spgemm(Exec const& exec, Csr<AScalar, Ordinal, AOffset, Device> const& A,
            Csr<BScalar, Ordinal, BOffset, Device> const& B, SpgemmOptions const& options = {}) {
  Kokkos::Profiling::ScopedRegion region("einkorn::spgemm");
  using Steps = detail::SpgemmStepsFor<COffset, Exec, decltype(A), decltype(B)>;
  auto const plan = Steps::symbolic(exec, A, B, options);
  auto const C = Steps::product_of(exec, plan);
  Steps::values(exec, plan, A, B, C);
  return C;
}

/// All of them for a KokkosSparse::CrsMatrix on either side, or anything of its shape, as it is.
template <class COffset = void, ExecutionSpace Exec, CrsMatrixLike AMatrix, CrsMatrixLike BMatrix>
auto spgemm_symbolic(Exec const& exec, AMatrix const& A, BMatrix const& B, SpgemmOptions const& options = {}) {
  return spgemm_symbolic<COffset>(exec, as_csr(A), as_csr(B), options);
}
template <ExecutionSpace Exec, class Plan, CrsMatrixLike AMatrix, CrsMatrixLike BMatrix>
auto spgemm_numeric(Exec const& exec, Plan const& plan, AMatrix const& A, BMatrix const& B) {
  return spgemm_numeric(exec, plan, as_csr(A), as_csr(B));
}
template <class COffset = void, ExecutionSpace Exec, CrsMatrixLike AMatrix, CrsMatrixLike BMatrix>
auto spgemm(Exec const& exec, AMatrix const& A, BMatrix const& B, SpgemmOptions const& options = {}) {
  return spgemm<COffset>(exec, as_csr(A), as_csr(B), options);
}

}  // namespace einkorn
