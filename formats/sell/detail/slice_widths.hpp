// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn::detail {

/// The width of a slice, the length of its longest row, and its rows.
template <class Matrix>
struct SliceExtent {
  typename Matrix::ordinal_type rows;
  typename Matrix::offset_type width;

  /// Slots of the rows; those of positions after the last row do not count.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t slots() const {
    return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(width);
  }
};

/// The extent of slice `slice` of slice_rows positions; row_at(position) is the row at a position. The longest row is one of
/// the first `candidates`.
template <class Matrix, class RowAt>
KOKKOS_FORCEINLINE_FUNCTION SliceExtent<Matrix> slice_extent(Matrix const& A,
                                                             typename Matrix::ordinal_type slice,
                                                             typename Matrix::ordinal_type slice_rows,
                                                             typename Matrix::ordinal_type candidates,
                                                             RowAt const& row_at) {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  Ordinal const first = slice * slice_rows;
  Ordinal const count = A.num_rows - first < slice_rows ? A.num_rows - first : slice_rows;
  Offset width = 0;
  for (Ordinal i = 0; i < count && i < candidates; ++i) {
    Ordinal const row = row_at(first + i);
    Offset const length = A.row_end(row) - A.row_begin(row);
    width = length > width ? length : width;
  }
  return {count, width};
}

/// Counts the slots of SELL without sorting; widths are not stored (for structure()).
template <class Matrix>
struct CountSliceSlots {
  using Ordinal = typename Matrix::ordinal_type;

  Matrix A;
  Ordinal slice_rows;

  KOKKOS_FUNCTION void operator()(std::int64_t slice, std::int64_t& slots) const {
    auto const extent = slice_extent(A, static_cast<Ordinal>(slice), slice_rows, slice_rows,
                                     [](Ordinal position) { return position; });
    slots += static_cast<std::int64_t>(extent.slots());
  }
};

}  // namespace einkorn::detail
