// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/ell/ell.hpp>
#include <einkorn/formats/padded/detail/spmv_rows.hpp>
#include <einkorn/formats/spmv_checks.hpp>
#include <einkorn/formats/spmv_operands.hpp>
#include <einkorn/formats/spmv_plan.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn {

/// spmv() with a custom epilogue for each row of y: Epilogue, or EpilogueWithDots for dot products with the new
/// y in the same pass.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class EpilogueOp, class X,
          class Y>
requires SpmvOperands<Exec, Ell<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv_fused(Exec const& exec, Ell<Scalar, Ordinal, Offset, Device> const& F, EpilogueOp const& epilogue,
                X const& x_view, Y const& y_view) {
  using Sum = typename EpilogueOp::sum_type;
  auto const x = detail::as_input(x_view);
  auto const y = detail::as_output(y_view);
  detail::check_spmv(F, x, y);
  ScopedRegion const region("einkorn::spmv[ell]");
  if (epilogue.alpha == Sum(0) || F.nnz() == 0) return scale(exec, epilogue.beta, y);
  detail::spmv_padded_rows(exec, "einkorn::spmv[ell]", epilogue, F, x, y);
}

/// Multiplies a matrix in ELL by a vector or multivector.
///
///     y <- alpha A x + beta y
///
/// @param x  [num_cols] or [num_cols, k], any layout, aligned to its scalar
/// @param y  [num_rows] or [num_rows, k], any layout, aligned to its scalar
/// @pre y overlaps neither x nor A (checked).
/// Special values as for CSR (csr/spmv.hpp). Padding adds nothing, even if x(0) is NaN or infinite.
/// @throws DimensionMismatch, InvalidArgument (overlap, alignment), Error (Kokkos not initialised)
/// Cost: 1 launch, asynchronous on exec; no fence, no allocation. 2 stride * width flops per column; stride *
/// width (scalar + ordinal) + cols scalar + rows scalar bytes, plus rows scalar if beta != 0. On a GPU one pass
/// over A computes 4 columns; on the host a group of rows is read from the cache for each column. For row-major
/// x and y of 4 columns or more each row is read once for all columns, on a GPU for up to 128.
/// Deterministic: results repeat bit for bit.
/// Source: Bell & Garland, 2008, section 4.2.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class X, class Y>
requires SpmvOperands<Exec, Ell<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv(Exec const& exec, SpmvSum<Ell<Scalar, Ordinal, Offset, Device>, X, Y> alpha,
          Ell<Scalar, Ordinal, Offset, Device> const& F, X const& x,
          SpmvSum<Ell<Scalar, Ordinal, Offset, Device>, X, Y> beta, Y const& y) {
  spmv_fused(exec, F, Epilogue<decltype(alpha)>{alpha, beta}, x, y);
}

}  // namespace einkorn
