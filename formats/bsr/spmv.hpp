// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue.hpp>
#include <einkorn/formats/bsr/bsr.hpp>
#include <einkorn/formats/bsr/detail/spmv_dispatch.hpp>
#include <einkorn/formats/spmv_checks.hpp>
#include <einkorn/formats/spmv_operands.hpp>
#include <einkorn/formats/spmv_plan.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

namespace einkorn {

/// y <- alpha A x + beta y for A in BSR.
///
/// Shapes: x [num_cols] or [.., k], y [num_rows] or [.., k], of any layout, aligned to their scalar. Aliasing:
/// y must overlap neither x nor A (checked). Special values: beta == 0 overwrites y, NaN in it included;
/// alpha == 0 reads neither A nor x. A NaN or infinity in x spreads to every row of the blocks that meet it,
/// through the zeros that a block stores; padding past the last column reads nothing of x. Cost: 2 blocks b^2
/// flops a column; bytes = blocks (b^2 scalar + ordinal) + (block rows + 1) offset + cols scalar + rows scalar,
/// and rows scalar more when beta != 0. A multivector shares one pass over A among 4 columns. Block sizes 1 ..
/// 8 have kernels of their own; others run one that learns the size at run time. Repeatable bit for bit.
/// Asynchronous on exec: no fence, no allocation; 1 launch. Throws DimensionMismatch, InvalidArgument
/// (overlap, alignment), OverflowError (values that Offset cannot count), Error (Kokkos not initialised).
/// Source: BSR as in Barrett et al., Templates, SIAM 1994, section 4.3.1 (BCRS); lanes as in CSR-vector of Bell
/// & Garland, 2008.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class X, class Y>
requires SpmvOperands<Exec, Bsr<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv(Exec const& exec, SpmvSum<Bsr<Scalar, Ordinal, Offset, Device>, X, Y> alpha,
          Bsr<Scalar, Ordinal, Offset, Device> const& F, X const& x_view,
          SpmvSum<Bsr<Scalar, Ordinal, Offset, Device>, X, Y> beta, Y const& y_view) {
  using Sum = decltype(alpha);
  auto const x = detail::as_input(x_view);
  auto const y = detail::as_output(y_view);
  detail::check_spmv(F, x, y);
  detail::check_entries<Offset>(F.values.extent(0));
  Kokkos::Profiling::ScopedRegion region("einkorn::spmv[bsr]");
  if (alpha == Sum(0) || F.num_blocks() == 0) return scale(exec, beta, y);
  detail::spmv_blocks(exec, Epilogue<Sum>{alpha, beta}, F, x, y);
}

}  // namespace einkorn
