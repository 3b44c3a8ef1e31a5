// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue.hpp>
#include <einkorn/formats/padded/detail/spmv_rows.hpp>
#include <einkorn/formats/sell/row_entries.hpp>
#include <einkorn/formats/sell/sell.hpp>
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
requires SpmvOperands<Exec, Sell<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv_fused(Exec const& exec, Sell<Scalar, Ordinal, Offset, Device> const& F, EpilogueOp const& epilogue,
                X const& x_view, Y const& y_view) {
  using Sum = typename EpilogueOp::sum_type;
  auto const x = detail::as_input(x_view);
  auto const y = detail::as_output(y_view);
  detail::check_spmv(F, x, y);
  Kokkos::Profiling::ScopedRegion region("einkorn::spmv[sell]");
  if (epilogue.alpha == Sum(0) || F.nnz() == 0) return scale(exec, epilogue.beta, y);
  detail::spmv_padded_rows(exec, "einkorn::spmv[sell]", epilogue, F, x, y);
}

/// y <- alpha A x + beta y for A in SELL-C-sigma. x and y are in the caller's order: sorting never shows.
///
/// Shapes: x [num_cols] or [.., k], y [num_rows] or [.., k], of any layout, aligned to their scalar. Aliasing:
/// y must overlap neither x nor A (checked). Special values: as for CSR (csr/spmv.hpp); padding adds nothing,
/// NaN and infinity in x(0) included. Cost: 2 slots flops a column; bytes = slots (scalar + ordinal) (2 bytes
/// in place of the ordinal in slices with codes, and 4 ordinals a slice) + slices offset + cols scalar + rows
/// scalar, rows scalar more when beta != 0, and rows ordinal more when rows are sorted. Row-major x and y of 4
/// columns or more share one pass over A among all columns on the host and up to 128 on a GPU, where slices
/// with codes, and other layouts, share it among 4; on the host each column of these reads A anew. Repeatable
/// bit for bit. Asynchronous on exec: no fence, no allocation; 1 launch, 2 for row-major multivectors on a GPU.
/// Throws DimensionMismatch, InvalidArgument (overlap, alignment), Error (Kokkos not initialised). Source:
/// Kreutzer, Hager, Wellein, Fehske, Bishop, SIAM J. Sci. Comput. 36(5), 2014, section 4.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class X, class Y>
requires SpmvOperands<Exec, Sell<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv(Exec const& exec, SpmvSum<Sell<Scalar, Ordinal, Offset, Device>, X, Y> alpha,
          Sell<Scalar, Ordinal, Offset, Device> const& F, X const& x,
          SpmvSum<Sell<Scalar, Ordinal, Offset, Device>, X, Y> beta, Y const& y) {
  spmv_fused(exec, F, Epilogue<decltype(alpha)>{alpha, beta}, x, y);
}

}  // namespace einkorn
