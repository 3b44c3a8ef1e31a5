// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/formats/row_access.hpp>
#include <einkorn/formats/spmv_operands.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn {

/// Data that repeated SpMVs with one matrix reuse: row statistics and the selected algorithm, transposes,
/// workspace. make_spmv_plan(exec, matrix, ...) makes one. This template is for formats without such data; the
/// others specialize it (csr/spmv_plan.hpp, csr5/spmv.hpp).
///
/// A plan shares the memory of its matrix. It serves one execution space instance and one thread at a time;
/// concurrent SpMVs need separate plans. Without NDEBUG, a call with a plan with workspace throws
/// InvalidArgument during a call of another thread; with NDEBUG the result is undefined.
/// @tparam VectorScalar scalar of x and y
template <class Matrix, class VectorScalar>
class SpmvPlan {
 public:
  using Sum = sum_type<typename Matrix::scalar_type, VectorScalar>;

  explicit SpmvPlan(Matrix const& F) : matrix_(F) {}
  [[nodiscard]] Matrix const& matrix() const { return matrix_; }
  /// Bytes of the plan in addition to the matrix.
  [[nodiscard]] static constexpr std::size_t bytes() { return 0; }

 private:
  Matrix matrix_;
};

/// A format whose spmv is the same with and without a plan: it has a member `needs_no_workspace`.
template <class Format>
concept NeedsNoWorkspace = Format::needs_no_workspace;

/// A plan for repeated SpMVs with F, whose memory it shares: the next spmv uses values of update_values(exec,
/// F, A). Allocates nothing.
/// @tparam VectorScalar scalar of x and y; void: that of F
template <class VectorScalar = void, ExecutionSpace Exec, NeedsNoWorkspace Format>
auto make_spmv_plan(Exec const&, Format const& F) {
  using V = VectorScalarOr<VectorScalar, typename Format::scalar_type>;
  require_kokkos("make_spmv_plan");
  return SpmvPlan<Format, V>(F);
}

/// As spmv_fused(exec, plan.matrix(), epilogue, x, y), for the formats that have it.
template <class Exec, NeedsNoWorkspace Format, class V, class EpilogueOp, class X, class Y>
requires requires(Exec const& exec, Format const& F, EpilogueOp const& epilogue, X const& x, Y const& y) {
  spmv_fused(exec, F, epilogue, x, y);
}
void spmv_fused(Exec const& exec, SpmvPlan<Format, V> const& plan, EpilogueOp const& epilogue, X const& x,
                Y const& y) {
  spmv_fused(exec, plan.matrix(), epilogue, x, y);
}

/// Row access of the matrix of a plan, for the formats that have it (row_access.hpp).
template <NeedsNoWorkspace Format, class V>
requires requires(Format const& F) {
  { row_entries(F) } -> RowEntries;
}
auto row_entries(SpmvPlan<Format, V> const& plan) {
  return row_entries(plan.matrix());
}

/// y <- alpha A x + beta y, as spmv(exec, alpha, plan.matrix(), x, beta, y).
template <class Exec, NeedsNoWorkspace Format, class V, class X, class Y>
requires SpmvOperands<Exec, Format, X, Y>
void spmv(Exec const& exec, SpmvPlan<Format, V> const& plan, PlanSum<Format, V> alpha, X const& x,
          PlanSum<Format, V> beta, Y const& y) {
  if constexpr (check_plan_scalar<Format, V, X, Y>()) spmv(exec, alpha, plan.matrix(), x, beta, y);
}

}  // namespace einkorn
