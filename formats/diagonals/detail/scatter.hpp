// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/formats/diagonals/detail/host_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn::detail {

/// The first slot of the diagonal column - row = offset, by binary search; false when it is in no band.
template <class Format>
KOKKOS_FORCEINLINE_FUNCTION bool find_diagonal(Format const& F, typename Format::ordinal_type offset,
                                               typename Format::offset_type& first_slot) {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  Ordinal low = 0, high = F.num_bands();  // of the first band that begins behind the diagonal
  while (low < high) {
    Ordinal const middle = low + (high - low) / 2;
    if (F.band_offset(middle) <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return false;
  Ordinal const band = low - 1;
  auto const inner = static_cast<std::int64_t>(offset) - static_cast<std::int64_t>(F.band_offset(band));
  if (inner >= static_cast<std::int64_t>(F.band_width(band))) return false;
  first_slot = F.band_base(band) + static_cast<Offset>(inner) * F.stride;
  return true;
}

/// Some entries of a row to their slots; no two go to the same one.
template <int lanes, class Format, class Matrix>
struct ScatterSortedUniqueRows {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;

  Format F;
  Matrix A;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    auto const row = static_cast<Ordinal>(item / lanes);
    Offset const end = A.row_end(row);
    Offset slot = 0;
    for (Offset k = A.row_begin(row) + static_cast<Offset>(item % lanes); k < end; k += lanes)
      if (find_diagonal(F, A.columns(k) - row, slot))
        F.values(slot + static_cast<Offset>(row)) = Scalar(A.values(k));
  }
};

/// A row whose entries may come in any order and positions: what shares a slot is added up in the order of the
/// row, by one thread.
template <class Format, class Matrix>
struct ScatterUnsortedRow {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;

  Format F;
  Matrix A;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    auto const row = static_cast<Ordinal>(item);
    Offset const begin = A.row_begin(row), end = A.row_end(row);
    Offset slot = 0;
    for (Offset k = begin; k < end; ++k)
      if (find_diagonal(F, A.columns(k) - row, slot)) F.values(slot + static_cast<Offset>(row)) = Scalar(0);
    for (Offset k = begin; k < end; ++k)
      if (find_diagonal(F, A.columns(k) - row, slot))
        F.values(slot + static_cast<Offset>(row)) += Scalar(A.values(k));
  }
};

/// The entries of A to their slots of F.values; other slots stay as they are. Asynchronous on exec; 1 launch.
template <class Exec, class Format, class Matrix>
void scatter_to_diagonals(Exec const& exec, char const* label, Format const& F, Matrix const& A) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  auto const rows = static_cast<std::int64_t>(A.num_rows);
  if (F.num_bands() == 0) return;
  if (F.sorted_unique_rows) {
    constexpr int lanes = is_gpu<Exec> ? diagonal_lanes_per_row : 1;
    Kokkos::parallel_for(label, Policy(exec, 0, rows * lanes),
                         ScatterSortedUniqueRows<lanes, Format, Matrix>{F, A});
  } else {
    Kokkos::parallel_for(label, Policy(exec, 0, rows), ScatterUnsortedRow<Format, Matrix>{F, A});
  }
}

}  // namespace einkorn::detail
