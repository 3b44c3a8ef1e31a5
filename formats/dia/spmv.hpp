// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/dia/dia.hpp>
#include <einkorn/formats/diagonals/detail/row_entries.hpp>
#include <einkorn/formats/diagonals/detail/spmv_host.hpp>
#include <einkorn/formats/diagonals/detail/spmv_rows.hpp>
#include <einkorn/formats/spmv_checks.hpp>
#include <einkorn/formats/spmv_operands.hpp>
#include <einkorn/formats/spmv_plan.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn {

/// spmv() with a custom epilogue for each row of y: Epilogue, or EpilogueWithDots for dot products with the new
/// y in the same pass.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class EpilogueOp, class X,
          class Y>
requires SpmvOperands<Exec, Dia<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv_fused(Exec const& exec, Dia<Scalar, Ordinal, Offset, Device> const& F, EpilogueOp const& epilogue,
                X const& x_view, Y const& y_view) {
  using Sum = typename EpilogueOp::sum_type;
  auto const x = detail::as_input(x_view);
  auto const y = detail::as_output(y_view);
  detail::check_spmv(F, x, y);
  detail::check_entries<Offset>(F.values.extent(0));
  ScopedRegion const region("einkorn::spmv[dia]");
  if (epilogue.alpha == Sum(0) || F.num_diagonals() == 0 || F.num_cols == 0)
    return scale(exec, epilogue.beta, y);
  if constexpr (is_gpu<Exec>)
    detail::spmv_diagonal_rows(exec, "einkorn::spmv[dia]", epilogue, F, F.offsets, x, y);
  else
    detail::spmv_diagonals_host(exec, "einkorn::spmv[dia]", epilogue, F, x, y);
}

/// Multiplies a matrix in DIA by a vector or multivector.
///
///     y <- alpha A x + beta y
///
/// @param x  [num_cols] or [num_cols, k], any layout, aligned to its scalar
/// @param y  [num_rows] or [num_rows, k], any layout, aligned to its scalar
/// @pre y overlaps neither x nor A (checked).
/// beta == 0 overwrites y even if it contains NaN; alpha == 0 reads neither A nor x. Stored zeros are
/// multiplied: NaN or infinity in x affects every row whose diagonals cross it.
/// @throws DimensionMismatch, InvalidArgument (overlap, alignment), OverflowError (slots beyond Offset), Error
///         (Kokkos not initialised)
/// Cost: 1 launch, asynchronous on exec; no fence, no allocation. 2 stride * num_diagonals flops per column;
/// stride * num_diagonals scalar + cols scalar + rows scalar bytes, plus rows scalar if beta != 0. On a GPU one
/// pass over A computes 4 columns; on the host a block of A is read from the cache for each column.
/// Deterministic: results repeat bit for bit.
/// Source: Bell & Garland, 2008, section 4.1.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class X, class Y>
requires SpmvOperands<Exec, Dia<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv(Exec const& exec, SpmvSum<Dia<Scalar, Ordinal, Offset, Device>, X, Y> alpha,
          Dia<Scalar, Ordinal, Offset, Device> const& F, X const& x,
          SpmvSum<Dia<Scalar, Ordinal, Offset, Device>, X, Y> beta, Y const& y) {
  spmv_fused(exec, F, Epilogue<decltype(alpha)>{alpha, beta}, x, y);
}

/// Row access (RowEntries of formats/row_access.hpp).
template <class Scalar, class Ordinal, class Offset, class Device>
auto row_entries(Dia<Scalar, Ordinal, Offset, Device> const& F) {
  return detail::BandRowEntries<Dia<Scalar, Ordinal, Offset, Device>>{F};
}

}  // namespace einkorn
