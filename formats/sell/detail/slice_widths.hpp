// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/range_launch.hpp>

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

/// Stores the slots of each slice of F and counts them. If the rows of each slice are sorted by descending length
/// (is_sorted), its first row is the longest.
template <bool is_sorted, class Format, class Matrix>
struct SizeSlices {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;

  Format F;
  Matrix A;
  decltype(Format::slice_offsets) sizes;

  KOKKOS_FUNCTION void operator()(Ordinal slice, std::uint64_t& slots_of_rows, std::uint64_t& all_slots) const {
    Ordinal const candidates = is_sorted ? Ordinal(1) : F.slice_rows;
    auto const extent = slice_extent(A, slice, F.slice_rows, candidates,
                                     [this](Ordinal position) { return F.row_at(position); });
    std::uint64_t const size =
        static_cast<std::uint64_t>(F.slice_rows) * static_cast<std::uint64_t>(extent.width);
    sizes(slice) = static_cast<Offset>(size);
    slots_of_rows += extent.slots();
    all_slots += size;
  }
};

/// Slots of SELL: those of rows, and all, with those of the positions after the last row.
struct SliceSlots {
  std::uint64_t of_rows = 0, all = 0;
};

/// F.slice_offsets(s) <- C times the length of the longest row of slice s, in the order of F.rows. Fences exec.
template <bool is_sorted, class Exec, class Format, class Matrix>
SliceSlots size_slices(Exec const& exec, Format const& F, Matrix const& A) {
  using Ordinal = typename Format::ordinal_type;
  SliceSlots slots;
  range_reduce<Ordinal>("einkorn::from_csr[sell,sizes]", exec, F.num_slices(),
                        SizeSlices<is_sorted, Format, Matrix>{F, A, F.slice_offsets}, slots.of_rows, slots.all);
  return slots;
}

}  // namespace einkorn::detail
