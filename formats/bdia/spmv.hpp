// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/formats/bdia/bdia.hpp>
#include <einkorn/formats/bdia/detail/spmv_windows.hpp>
#include <einkorn/formats/diagonals/detail/row_entries.hpp>
#include <einkorn/formats/diagonals/detail/spmv_host.hpp>
#include <einkorn/formats/diagonals/detail/spmv_rows.hpp>
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
requires SpmvOperands<Exec, Bdia<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv_fused(Exec const& exec, Bdia<Scalar, Ordinal, Offset, Device> const& F, EpilogueOp const& epilogue,
                X const& x_view, Y const& y_view) {
  using Sum = typename EpilogueOp::sum_type;
  auto const x = detail::as_input(x_view);
  auto const y = detail::as_output(y_view);
  detail::check_spmv(F, x, y);
  detail::check_entries<Offset>(F.values.extent(0));
  Kokkos::Profiling::ScopedRegion region("einkorn::spmv[bdia]");
  if (epilogue.alpha == Sum(0) || F.num_diagonals() == 0 || F.num_cols == 0)
    return scale(exec, epilogue.beta, y);
  char const* const label = "einkorn::spmv[bdia]";
  if constexpr (is_gpu<Exec>) {
    bool const is_narrow =
        EpilogueOp::is_captured ||
        (F.num_bands() > 1 && F.num_diagonals() <= static_cast<Offset>(F.num_bands()) * max_narrow_band_width);
    if (is_narrow && static_cast<Offset>(F.diagonals.extent(0)) == F.num_diagonals())
      return detail::spmv_diagonal_rows<diagonal_rows_tuning(arch_of<Exec>, sizeof(Scalar))>(
          exec, label, epilogue, F, F.diagonals, x, y);
    constexpr bool several_columns = Y::rank() == 2;
    constexpr BdiaTuning one = bdia_tuning(arch_of<Exec>, sizeof(Scalar), several_columns, false);
    constexpr BdiaTuning several = bdia_tuning(arch_of<Exec>, sizeof(Scalar), several_columns, true);
    if constexpr (!several_columns)
      if (F.num_bands() == 1) return detail::spmv_windows<one, true>(exec, label, epilogue, F, x, y);
    detail::spmv_windows<several, false>(exec, label, epilogue, F, x, y);
  } else {
    detail::spmv_diagonals_host(exec, label, epilogue, F, x, y);
  }
}

/// y <- alpha A x + beta y for A in bDIA.
///
/// Shapes: x [num_cols] or [.., k], y [num_rows] or [.., k], of any layout, aligned to their scalar. Aliasing:
/// y must overlap neither x nor A (checked). Special values: beta == 0 overwrites y, NaN in it included;
/// alpha
/// == 0 reads neither A nor x; a stored zero meets its x, so a NaN or infinity in x spreads to every row whose
/// bands cross it. Cost: 2 stride * num_diagonals flops a column; bytes = stride * num_diagonals scalar + cols
/// scalar + rows scalar, and rows scalar more when beta != 0; on a GPU x is besides read from the second cache
/// once a band, in windows that overlap by the width of the band (several bands of up to narrow_band diagonals
/// on the mean are multiplied as by DIA). A multivector shares one pass over A among 4
/// columns on a GPU; on the host a block of A is read from a cache for each column. Repeatable bit for bit.
/// Asynchronous on exec: no fence, no allocation; 1 launch. Throws DimensionMismatch, InvalidArgument
/// (overlap, alignment), OverflowError (slots beyond Offset), Error (Kokkos not initialised). Source: Wang, Ren
/// & Tian, "bDIA", section 3; departures at detail/spmv_windows.hpp.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device, class X, class Y>
requires SpmvOperands<Exec, Bdia<Scalar, Ordinal, Offset, Device>, X, Y>
void spmv(Exec const& exec, SpmvSum<Bdia<Scalar, Ordinal, Offset, Device>, X, Y> alpha,
          Bdia<Scalar, Ordinal, Offset, Device> const& F, X const& x,
          SpmvSum<Bdia<Scalar, Ordinal, Offset, Device>, X, Y> beta, Y const& y) {
  spmv_fused(exec, F, Epilogue<decltype(alpha)>{alpha, beta}, x, y);
}

/// The rows' entries (see formats/spmv_plan.hpp).
template <class Scalar, class Ordinal, class Offset, class Device>
auto row_entries(Bdia<Scalar, Ordinal, Offset, Device> const& F) {
  return detail::BandRowEntries<Bdia<Scalar, Ordinal, Offset, Device>>{F};
}

}  // namespace einkorn
