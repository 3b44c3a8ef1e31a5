// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/bsr/bsr.hpp>
#include <einkorn/formats/bsr/detail/spmv_dispatch.hpp>
#include <einkorn/formats/spmv_checks.hpp>
#include <einkorn/formats/spmv_operands.hpp>
#include <einkorn/formats/spmv_plan.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn {

/// y <- alpha A x + beta y for A in BSR.
///
/// @param x [num_cols] or [num_cols, k], any layout, aligned to its scalar
/// @param y [num_rows] or [num_rows, k], likewise; must overlap neither x nor A (checked)
/// Special values: beta == 0 overwrites y, including NaN; alpha == 0 reads neither A nor x. NaN or infinity
/// in x(j) affects all rows of the blocks with column j, since stored zeros are multiplied by x. Padding
/// beyond the last column does not read x.
/// @throws DimensionMismatch, InvalidArgument (overlap, alignment), OverflowError (more values than Offset
/// counts), Error (Kokkos not initialised)
/// Cost: 1 launch; 2 blocks b^2 flops per column; bytes = blocks (b^2 scalar + ordinal) + (block rows + 1)
/// offset + cols scalar + rows scalar, and rows scalar more if beta != 0. One pass over A computes 4 columns
/// of a multivector. Block sizes 1 .. 8 are compile-time constants of the kernels; others use a kernel with
/// the size at run time.
/// Asynchronous on exec, without fence or allocation. Deterministic: repeatable bit for bit.
/// Source: Barrett et al., Templates, SIAM 1994, section 4.3.1 (BCRS); lanes as in CSR-vector of Bell and
/// Garland, 2008.
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
  ScopedRegion const region("einkorn::spmv[bsr]");
  if (alpha == Sum(0) || F.num_blocks() == 0) return scale(exec, beta, y);
  detail::spmv_blocks(exec, Epilogue<Sum>{alpha, beta}, F, x, y);
}

}  // namespace einkorn
