// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/scan.hpp>
#include <einkorn/formats/fill_limit.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

template <class Format, class Matrix>
struct SliceWidths {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;

  Format F;
  Matrix A;
  decltype(Format::slice_offsets) widths;

  KOKKOS_FUNCTION void operator()(Ordinal slice, std::uint64_t& sum) const {
    Ordinal const first = slice * F.slice_rows;
    Ordinal const count = F.num_rows - first < F.slice_rows ? F.num_rows - first : F.slice_rows;
    Offset width = 0;
    for (Ordinal i = 0; i < count; ++i) {
      Ordinal const row = F.row_at(first + i);
      Offset const length = A.row_end(row) - A.row_begin(row);
      width = length > width ? length : width;
    }
    widths(slice) = width;
    sum += static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(width);
  }
};

/// F.slice_offsets(s) <- length of the longest row of slice s, for F.rows and F.slice_rows as they are. Returns
/// the slots that the rows then have: rows times width, added up over the slices. Fences exec.
template <class Exec, class Format, class Matrix>
double slice_widths(Exec const& exec, Format const& F, Matrix const& A) {
  using Ordinal = typename Format::ordinal_type;
  auto const widths = F.slice_offsets;
  std::uint64_t slots = 0;
  Kokkos::parallel_reduce("einkorn::from_csr[sell,widths]",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<Ordinal>>(exec, 0, F.num_slices()),
                          SliceWidths<Format, Matrix>{F, A, widths}, slots);
  return static_cast<double>(slots);
}

template <class Format>
struct ScaleSliceOffsets {
  using Offset = typename Format::offset_type;

  decltype(Format::slice_offsets) offsets;
  Offset C;

  KOKKOS_FUNCTION void operator()(std::size_t slice) const { offsets(slice) *= C; }
};

/// The widths of the slices to the offsets of their slots. Returns the slots in all; throws OverflowError where
/// they do not fit Offset. Fences exec.
template <class Exec, class Format>
std::size_t widths_to_offsets(Exec const& exec, Format const& F) {
  using Offset = typename Format::offset_type;
  auto const offsets = F.slice_offsets;
  auto const C = static_cast<Offset>(F.slice_rows);
  Offset const widths = counts_to_offsets(exec, offsets);  // at most nnz: each slice has a row of its width
  require_stored_fits<Offset>("SELL", static_cast<double>(widths) * static_cast<double>(C));
  Kokkos::parallel_for("einkorn::from_csr[sell,offsets]",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, offsets.extent(0)),
                       ScaleSliceOffsets<Format>{offsets, C});
  return static_cast<std::size_t>(widths) * static_cast<std::size_t>(C);
}

}  // namespace einkorn::detail
