// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/fill_limit.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
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

/// The extent of slice `slice` of slice_rows positions; row_at(position) is the row at a position.
template <class Matrix, class RowAt>
KOKKOS_FORCEINLINE_FUNCTION SliceExtent<Matrix> slice_extent(Matrix const& A,
                                                             typename Matrix::ordinal_type slice,
                                                             typename Matrix::ordinal_type slice_rows,
                                                             RowAt const& row_at) {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  Ordinal const first = slice * slice_rows;
  Ordinal const count = A.num_rows - first < slice_rows ? A.num_rows - first : slice_rows;
  Offset width = 0;
  for (Ordinal i = 0; i < count; ++i) {
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
    auto const extent =
        slice_extent(A, static_cast<Ordinal>(slice), slice_rows, [](Ordinal position) { return position; });
    slots += static_cast<std::int64_t>(extent.slots());
  }
};

/// Stores the width of each slice of F and counts the slots of its rows.
template <class Format, class Matrix>
struct SliceWidths {
  using Ordinal = typename Format::ordinal_type;

  Format F;
  Matrix A;
  decltype(Format::slice_offsets) widths;

  KOKKOS_FUNCTION void operator()(Ordinal slice, std::uint64_t& slots) const {
    auto const extent =
        slice_extent(A, slice, F.slice_rows, [this](Ordinal position) { return F.row_at(position); });
    widths(slice) = extent.width;
    slots += extent.slots();
  }
};

/// F.slice_offsets(s) <- length of the longest row of slice s, in the order of F.rows. Returns the slots of the
/// rows: rows times width, summed over the slices. Fences exec.
template <class Exec, class Format, class Matrix>
double slice_widths(Exec const& exec, Format const& F, Matrix const& A) {
  using Ordinal = typename Format::ordinal_type;
  auto const widths = F.slice_offsets;
  std::uint64_t slots = 0;
  range_reduce<Ordinal>("einkorn::from_csr[sell,widths]", exec, F.num_slices(),
                        SliceWidths<Format, Matrix>{F, A, widths}, slots);
  return static_cast<double>(slots);
}

/// offsets(slice) <- offsets(slice) * C.
template <class Format>
struct ScaleSliceOffsets {
  using Offset = typename Format::offset_type;

  decltype(Format::slice_offsets) offsets;
  Offset C;

  KOKKOS_FUNCTION void operator()(std::size_t slice) const { offsets(slice) *= C; }
};

/// Replaces the widths in F.slice_offsets by slot offsets. Returns the total number of slots. Fences exec.
/// @throws OverflowError if the slots do not fit Offset
template <class Exec, class Format>
std::size_t widths_to_offsets(Exec const& exec, Format const& F) {
  using Offset = typename Format::offset_type;
  auto const offsets = F.slice_offsets;
  auto const C = static_cast<Offset>(F.slice_rows);
  Offset const widths = counts_to_offsets(exec, offsets);  // at most nnz: a slice has a row of its width
  require_stored_fits<Offset>("SELL", static_cast<double>(widths) * static_cast<double>(C));
  range_for<std::size_t>("einkorn::from_csr[sell,offsets]", exec, offsets.extent(0),
                         ScaleSliceOffsets<Format>{offsets, C});
  return static_cast<std::size_t>(widths) * static_cast<std::size_t>(C);
}

}  // namespace einkorn::detail
