// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/coo/detail/spmv_dispatch.hpp>
#include <einkorn/formats/coo/detail/workspace.hpp>
#include <einkorn/formats/hyb/hyb.hpp>
#include <einkorn/formats/padded/detail/spmv_rows.hpp>
#include <einkorn/formats/spmv_checks.hpp>
#include <einkorn/formats/spmv_operands.hpp>
#include <einkorn/formats/spmv_plan.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn {

/// The plan of a Hyb (see formats/spmv_plan.hpp): the workspace of a Coo plan, for the COO part.
template <class Scalar, class Ordinal, class Offset, class Device, class VectorScalar>
class SpmvPlan<Hyb<Scalar, Ordinal, Offset, Device>, VectorScalar> {
 public:
  using Matrix = Hyb<Scalar, Ordinal, Offset, Device>;
  using Sum = sum_type<Scalar, VectorScalar>;
  using Workspace = detail::CooWorkspace<Ordinal, Offset, Device, Sum>;

  /// Prefer make_spmv_plan().
  template <class Exec>
  SpmvPlan(Exec const& exec, Matrix const& F)
      : matrix_(F), workspace_(detail::make_coo_workspace<Sum>(exec, F.coo, false)) {}

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
/// @throws OutOfMemory
/// Cost: 1 allocation; fences exec.
template <class VectorScalar = void, ExecutionSpace Exec, class Scalar, class Ordinal, class Offset,
          class Device>
auto make_spmv_plan(Exec const& exec, Hyb<Scalar, Ordinal, Offset, Device> const& F) {
  using V = VectorScalarOr<VectorScalar, Scalar>;
  require_kokkos("make_spmv_plan");
  return SpmvPlan<Hyb<Scalar, Ordinal, Offset, Device>, V>(exec, F);
}

namespace detail {

/// spmv() with the workspace of a plan or, if `workspace` is nullptr, without one.
template <class Exec, class Format, class X, class Y, class Sum, class Workspace>
void spmv_hyb(Exec const& exec, Epilogue<Sum> const& epilogue, Format const& F, X const& x_view,
              Y const& y_view, Workspace const* workspace) {
  auto const x = as_input(x_view);
  auto const y = as_output(y_view);
  check_spmv(F, x, y);
  check_entries<typename Format::offset_type>(F.coo.values.extent(0));
  ScopedRegion const region("einkorn::spmv[hyb]");
  if (epilogue.alpha == Sum(0) || F.nnz() == 0) return scale(exec, epilogue.beta, y);
  if (F.ell.nnz() > 0)
    spmv_padded_rows(exec, "einkorn::spmv[hyb,ell]", epilogue, F.ell, x, y);
  else if (epilogue.beta != Sum(1))
    scale(exec, epilogue.beta, y);
  if (F.coo.nnz() > 0) add_coo_product(exec, "einkorn::spmv[hyb,coo]", epilogue.alpha, F.coo, x, y, workspace);
}

}  // namespace detail

/// Multiplies a matrix in HYB by a vector or multivector, with a plan: the ELL part, then the COO part.
///
///     y <- alpha A x + beta y
///
/// @param x  [num_cols] or [num_cols, k], any layout, aligned to its scalar
/// @param y  [num_rows] or [num_rows, k], any layout, aligned to its scalar
/// @pre y overlaps neither x nor A (checked).
/// Special values as for CSR (csr/spmv.hpp). Padding adds nothing, even if x(0) is NaN or infinite.
/// @throws DimensionMismatch, InvalidArgument (overlap, alignment), OverflowError (too many entries for
///         Offset), Error (Kokkos not initialised)
/// Cost: asynchronous on exec; no fence, no allocation. 1 launch for the ELL part (as ell/spmv.hpp); for a COO
/// part the launches of coo/spmv.hpp. 2 flops per slot and column; stride * width (scalar + ordinal) + COO
/// entries (scalar + 2 ordinal) + cols scalar + rows scalar bytes, plus rows scalar if beta != 0, plus 2 scalar
/// per row with entries in COO. On a GPU one pass over the COO part computes 4 columns, on the host 1; the ELL
/// part is as in ell/spmv.hpp.
/// Deterministic: results repeat bit for bit.
/// Source: Bell & Garland, 2008, section 4.5.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class V, class X, class Y>
requires SpmvOperands<Exec, Hyb<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv(Exec const& exec, SpmvPlan<Hyb<Scalar, Ordinal, Offset, Device>, V> const& plan,
          PlanSum<Hyb<Scalar, Ordinal, Offset, Device>, V> alpha, X const& x,
          PlanSum<Hyb<Scalar, Ordinal, Offset, Device>, V> beta, Y const& y) {
  using Sum = decltype(alpha);
  if constexpr (check_plan_scalar<Hyb<Scalar, Ordinal, Offset, Device>, V, X, Y>()) {
    auto const call = plan.one_call().begin("spmv", "plan");
    detail::spmv_hyb(exec, Epilogue<Sum>{alpha, beta}, plan.matrix(), x, y, &plan.workspace());
  }
}

/// spmv() without a plan, hence without workspace: one warp (on the host one thread) reads all COO entries of a
/// row. Correct for any matrix, slow for very long rows.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class X, class Y>
requires SpmvOperands<Exec, Hyb<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv(Exec const& exec, SpmvSum<Hyb<Scalar, Ordinal, Offset, Device>, X, Y> alpha,
          Hyb<Scalar, Ordinal, Offset, Device> const& F, X const& x,
          SpmvSum<Hyb<Scalar, Ordinal, Offset, Device>, X, Y> beta, Y const& y) {
  using Sum = decltype(alpha);
  using Workspace = detail::CooWorkspace<Ordinal, Offset, Device, Sum>;
  detail::spmv_hyb(exec, Epilogue<Sum>{alpha, beta}, F, x, y, static_cast<Workspace const*>(nullptr));
}

}  // namespace einkorn
