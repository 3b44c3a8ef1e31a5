// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue.hpp>
#include <einkorn/formats/ell/ell.hpp>
#include <einkorn/formats/padded/detail/spmv_rows.hpp>
#include <einkorn/formats/spmv_checks.hpp>
#include <einkorn/formats/spmv_operands.hpp>
#include <einkorn/formats/spmv_plan.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

namespace einkorn {

/// The product below with what a kernel does with each row of y left to `update` (Update, or EpilogueWithDots
/// for the dot products that the new y feeds, in the same sweep).
template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class EpilogueOp, class X,
          class Y>
requires SpmvOperands<Exec, Ell<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv_fused(Exec const& exec, Ell<Scalar, Ordinal, Offset, Device> const& F, EpilogueOp const& epilogue,
                X const& x_view, Y const& y_view) {
  using Sum = typename EpilogueOp::sum_type;
  auto const x = detail::as_input(x_view);
  auto const y = detail::as_output(y_view);
  detail::check_spmv(F, x, y);
  Kokkos::Profiling::ScopedRegion region("einkorn::spmv[ell]");
  if (epilogue.alpha == Sum(0) || F.nnz() == 0) return scale(exec, epilogue.beta, y);
  detail::spmv_padded_rows(exec, "einkorn::spmv[ell]", epilogue, F, x, y);
}

/// y <- alpha A x + beta y for A in ELL.
///
/// Shapes: x [num_cols] or [.., k], y [num_rows] or [.., k], of any layout, aligned to their scalar. Aliasing:
/// y must overlap neither x nor A (checked). Special values: as for CSR (csr/spmv.hpp); padding adds nothing,
/// NaN and infinity in x(0) included. Cost: 2 stride * width flops a column; bytes = stride * width (scalar +
/// ordinal) + cols scalar + rows scalar, and rows scalar more when beta != 0. A multivector shares one pass
/// over A among 4 columns on a GPU; on the host a group of rows is read from a cache for each column. Where x
/// and y are row-major and have 4 columns or more, each row is read once for all of them, on a GPU for up to
/// 128. Repeatable bit for bit. Asynchronous on exec: no fence, no allocation; 1 launch. Throws
/// DimensionMismatch, InvalidArgument (overlap, alignment), Error (Kokkos not initialised). Source: Bell &
/// Garland, 2008, section 4.2.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class X, class Y>
requires SpmvOperands<Exec, Ell<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv(Exec const& exec, SpmvSum<Ell<Scalar, Ordinal, Offset, Device>, X, Y> alpha,
          Ell<Scalar, Ordinal, Offset, Device> const& F, X const& x,
          SpmvSum<Ell<Scalar, Ordinal, Offset, Device>, X, Y> beta, Y const& y) {
  spmv_fused(exec, F, Epilogue<decltype(alpha)>{alpha, beta}, x, y);
}

}  // namespace einkorn
