// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/coo/coo.hpp>
#include <einkorn/formats/coo/detail/spmv_dispatch.hpp>
#include <einkorn/formats/coo/detail/workspace.hpp>
#include <einkorn/formats/coo/validate.hpp>
#include <einkorn/formats/spmv_checks.hpp>
#include <einkorn/formats/spmv_operands.hpp>
#include <einkorn/formats/spmv_plan.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn {

/// The plan of a Coo (see formats/spmv_plan.hpp): its entries in equal parts, and a place for the sum that each
/// part has of the row it goes on with.
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
  /// Memory that the plan holds beside the matrix.
  [[nodiscard]] std::size_t bytes() const { return workspace_.bytes(); }

 private:
  Matrix matrix_;
  Workspace workspace_;
  detail::OneCallAtATime one_call_ = detail::OneCallAtATime::checked();
};

/// A plan for repeated SpMVs with F, whose memory it shares: update_values(exec, F, A) is seen by the next
/// spmv. VectorScalar: the scalar of x and y (void: that of F). Reads rows once, and with checks what
/// validate() reads; 1 allocation; fences exec. Throws InvalidStructure (checks: a Coo may be filled by hand),
/// OutOfMemory.
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

template <class Exec, class Format, class X, class Y, class Sum, class Work>
void spmv_coo(Exec const& exec, Epilogue<Sum> const& epilogue, Format const& F, X const& x_view,
              Y const& y_view, Work const* work) {
  auto const x = as_input(x_view);
  auto const y = as_output(y_view);
  check_spmv(F, x, y);
  check_coo_sizes(F);
  check_entries<typename Format::offset_type>(F.values.extent(0));
  Kokkos::Profiling::ScopedRegion region("einkorn::spmv[coo]");
  if (epilogue.alpha == Sum(0) || F.nnz() == 0) return scale(exec, epilogue.beta, y);
  spmv_entries(exec, "einkorn::spmv[coo]", epilogue, F, x, y, work);
}

}  // namespace detail

/// y <- alpha A x + beta y for A in COO, with a plan.
///
/// Shapes: x [num_cols] or [.., k], y [num_rows] or [.., k], of any layout, aligned to their scalar. Aliasing:
/// y must overlap neither x nor A (checked). Special values: as for CSR (csr/spmv.hpp). Rows must not
/// decrease: make_spmv_plan() looks, spmv does not. Cost: 2 nnz flops a column; bytes = nnz (scalar + 2
/// ordinal) + cols scalar + rows scalar, and rows scalar more when beta != 0; where more than 32 empty rows are
/// neighbours or rows outnumber entries, y is written once and read once more. A multivector shares one pass
/// over A among 4 columns on a GPU; on the host each column reads A anew. Repeatable bit for bit. Asynchronous
/// on exec: no fence, no allocation; 1 launch for the parts (every 4 columns on a GPU), 1 a column for rows
/// that cross parts, 1 for y where it is scaled apart. Throws DimensionMismatch, InvalidArgument (overlap,
/// alignment), InvalidStructure (arrays of different lengths), OverflowError (entries too many for Offset),
/// Error (Kokkos not initialised). Source: Bell & Garland, 2008, section 4.4; departures at
/// detail/spmv_entry_parts.hpp.
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

/// The same without a plan, hence without workspace: the part that a row begins in reads on to the row's end,
/// so that a row of many parts is read by one warp (on the host: one thread) alone. Right for any matrix, slow
/// where a row is long. y is scaled by a launch of its own unless beta == 1, and read and written once more.
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
