// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/coo/coo.hpp>
#include <einkorn/formats/coo/detail/spmv_dispatch.hpp>
#include <einkorn/formats/coo/detail/workspace.hpp>
#include <einkorn/formats/coo/validate.hpp>
#include <einkorn/formats/spmv_checks.hpp>
#include <einkorn/formats/spmv_operands.hpp>
#include <einkorn/formats/spmv_plan.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn {

/// The plan of a Coo (see formats/spmv_plan.hpp): equal parts of its entries, and one carry per part for the
/// row that continues in it.
template <class Scalar, class Ordinal, class Offset, class Device, class VectorScalar>
class SpmvPlan<Coo<Scalar, Ordinal, Offset, Device>, VectorScalar> {
 public:
  using Matrix = Coo<Scalar, Ordinal, Offset, Device>;
  using Sum = sum_type<Scalar, VectorScalar>;
  using Workspace = detail::CooWorkspace<Ordinal, Offset, Device, Sum>;

  /// Prefer make_spmv_plan().
  template <class Exec>
  SpmvPlan(Exec const& exec, Matrix const& F)
      : matrix_(F), workspace_(detail::make_coo_workspace<Sum>(exec, F, true)) {}

  [[nodiscard]] Matrix const& matrix() const { return matrix_; }
  [[nodiscard]] Workspace const& workspace() const { return workspace_; }
  /// Held by every call with the plan.
  [[nodiscard]] detail::OneCallAtATime const& one_call() const { return one_call_; }
  /// Bytes of the plan without the matrix.
  [[nodiscard]] std::size_t bytes() const { return workspace_.bytes(); }

 private:
  Matrix matrix_;
  Workspace workspace_;
  detail::OneCallAtATime one_call_ = detail::OneCallAtATime::checked();
};

/// Makes a plan for repeated SpMVs with F. The plan shares the memory of F: update_values(exec, F, A) affects
/// the next spmv.
/// @tparam VectorScalar  scalar of x and y (void: that of F)
/// @throws InvalidStructure (checks: a Coo may be filled by the caller), OutOfMemory
/// Cost: reads rows once, and with checks what validate() reads; 1 allocation; fences exec.
template <class VectorScalar = void, ExecutionSpace Exec, class Scalar, class Ordinal, class Offset,
          class Device>
auto make_spmv_plan(Exec const& exec, Coo<Scalar, Ordinal, Offset, Device> const& F,
                    Checks checks = Checks::on) {
  using V = VectorScalarOr<VectorScalar, Scalar>;
  require_kokkos("make_spmv_plan");
  if (detail::are_on(checks)) validate(exec, F);
  return SpmvPlan<Coo<Scalar, Ordinal, Offset, Device>, V>(exec, F);
}

namespace detail {

/// spmv() with the workspace of a plan or, if `workspace` is nullptr, without one.
template <class Exec, class Format, class X, class Y, class Sum, class Workspace>
void spmv_coo(Exec const& exec, Epilogue<Sum> const& epilogue, Format const& F, X const& x_view,
              Y const& y_view, Workspace const* workspace) {
  auto const x = as_input(x_view);
  auto const y = as_output(y_view);
  check_spmv(F, x, y);
  check_coo_sizes(F);
  check_entries<typename Format::offset_type>(F.values.extent(0));
  ScopedRegion const region("einkorn::spmv[coo]");
  if (epilogue.alpha == Sum(0) || F.nnz() == 0) return scale(exec, epilogue.beta, y);
  char const* const label = "einkorn::spmv[coo]";
  if (workspace != nullptr && !workspace->has_long_gaps)
    return sum_entries<CooRows::write>(exec, label, epilogue, F, x, y, *workspace);
  if (epilogue.beta != Sum(1)) scale(exec, epilogue.beta, y);
  add_coo_product(exec, label, epilogue.alpha, F, x, y, workspace);
}

}  // namespace detail

/// Multiplies a matrix in COO by a vector or multivector, with a plan.
///
///     y <- alpha A x + beta y
///
/// @param x  [num_cols] or [num_cols, k], any layout, aligned to its scalar
/// @param y  [num_rows] or [num_rows, k], any layout, aligned to its scalar
/// @pre y overlaps neither x nor A (checked). Rows are non-decreasing (checked by make_spmv_plan(), not here).
/// Special values as for CSR (csr/spmv.hpp).
/// @throws DimensionMismatch, InvalidArgument (overlap, alignment), InvalidStructure (arrays of different
///         lengths), OverflowError (too many entries for Offset), Error (Kokkos not initialised)
/// Cost: asynchronous on exec; no fence, no allocation. 1 launch for the parts (on a GPU per 4 columns, on the
/// host per column), 1 per column for rows that cross parts, 1 if y is scaled separately. 2 nnz flops per
/// column; nnz (scalar + 2 ordinal) + cols scalar + rows scalar bytes, plus rows scalar if beta != 0. If more
/// than 32 consecutive rows are empty, or rows outnumber entries, y is read and written once more. On a GPU one
/// pass over A computes 4 columns, on the host 1.
/// Deterministic: results repeat bit for bit.
/// Source: Bell & Garland, 2008, section 4.4; departures: see detail/spmv_entry_parts.hpp.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class V, class X, class Y>
requires SpmvOperands<Exec, Coo<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv(Exec const& exec, SpmvPlan<Coo<Scalar, Ordinal, Offset, Device>, V> const& plan,
          PlanSum<Coo<Scalar, Ordinal, Offset, Device>, V> alpha, X const& x,
          PlanSum<Coo<Scalar, Ordinal, Offset, Device>, V> beta, Y const& y) {
  using Sum = decltype(alpha);
  if constexpr (check_plan_scalar<Coo<Scalar, Ordinal, Offset, Device>, V, X, Y>()) {
    auto const call = plan.one_call().begin("spmv", "plan");
    detail::spmv_coo(exec, Epilogue<Sum>{alpha, beta}, plan.matrix(), x, y, &plan.workspace());
  }
}

/// spmv() without a plan, hence without workspace: the part in which a row begins reads the row to its end.
/// Correct for any matrix, but one warp (on the host one thread) reads a row of many parts. Unless beta == 1 a
/// separate launch scales y, which is read and written once more.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class X, class Y>
requires SpmvOperands<Exec, Coo<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv(Exec const& exec, SpmvSum<Coo<Scalar, Ordinal, Offset, Device>, X, Y> alpha,
          Coo<Scalar, Ordinal, Offset, Device> const& F, X const& x,
          SpmvSum<Coo<Scalar, Ordinal, Offset, Device>, X, Y> beta, Y const& y) {
  using Sum = decltype(alpha);
  using Workspace = detail::CooWorkspace<Ordinal, Offset, Device, Sum>;
  detail::spmv_coo(exec, Epilogue<Sum>{alpha, beta}, F, x, y, static_cast<Workspace const*>(nullptr));
}

}  // namespace einkorn
