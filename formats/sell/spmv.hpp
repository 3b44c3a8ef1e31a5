// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/padded/detail/spmv_rows.hpp>
#include <einkorn/formats/sell/row_entries.hpp>
#include <einkorn/formats/sell/sell.hpp>
#include <einkorn/formats/spmv_checks.hpp>
#include <einkorn/formats/spmv_operands.hpp>
#include <einkorn/formats/spmv_plan.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn {

/// spmv() with a custom epilogue for each row of y: Epilogue, or EpilogueWithDots for dot products with the new
/// y in the same pass.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class EpilogueOp, class X,
          class Y>
requires SpmvOperands<Exec, Sell<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv_fused(Exec const& exec, Sell<Scalar, Ordinal, Offset, Device> const& F, EpilogueOp const& epilogue,
                X const& x_view, Y const& y_view) {
  using Sum = typename EpilogueOp::sum_type;
  auto const x = detail::as_input(x_view);
  auto const y = detail::as_output(y_view);
  detail::check_spmv(F, x, y);
  ScopedRegion const region("einkorn::spmv[sell]");
  if (epilogue.alpha == Sum(0) || F.nnz() == 0) return scale(exec, epilogue.beta, y);
  detail::spmv_padded_rows(exec, "einkorn::spmv[sell]", epilogue, F, x, y);
}

/// Multiplies a matrix in SELL-C-sigma by a vector or multivector. x and y are in the original row order.
///
///     y <- alpha A x + beta y
///
/// @param x  [num_cols] or [num_cols, k], any layout, aligned to its scalar
/// @param y  [num_rows] or [num_rows, k], any layout, aligned to its scalar
/// @pre y overlaps neither x nor A (checked).
/// Special values as for CSR (csr/spmv.hpp). Padding adds nothing, even if x(0) is NaN or infinite.
/// @throws DimensionMismatch, InvalidArgument (overlap, alignment), Error (Kokkos not initialised)
/// Cost: 1 launch, 2 for row-major multivectors on a GPU; asynchronous on exec; no fence, no allocation. 2
/// slots flops per column; slots (scalar + ordinal) + slices offset + cols scalar + rows scalar bytes, plus
/// rows scalar if beta != 0, plus rows ordinal if rows are sorted. A slice with codes has 2 bytes per slot in
/// place of the ordinal, and 4 ordinals. For row-major x and y of 4 columns or more, one pass over A computes
/// all columns on the host and up to 128 on a GPU. With slices with codes on a GPU, and other layouts, a pass
/// computes 4 columns on a GPU and 1 on the host.
/// Deterministic: results repeat bit for bit.
/// Source: Kreutzer, Hager, Wellein, Fehske, Bishop, SIAM J. Sci. Comput. 36(5), 2014, section 4.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class X, class Y>
requires SpmvOperands<Exec, Sell<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv(Exec const& exec, SpmvSum<Sell<Scalar, Ordinal, Offset, Device>, X, Y> alpha,
          Sell<Scalar, Ordinal, Offset, Device> const& F, X const& x,
          SpmvSum<Sell<Scalar, Ordinal, Offset, Device>, X, Y> beta, Y const& y) {
  spmv_fused(exec, F, Epilogue<decltype(alpha)>{alpha, beta}, x, y);
}

}  // namespace einkorn
