// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/diagonals/detail/host_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn::detail {

/// Finds the first slot of the diagonal column - row = offset by binary search; false if no band contains it.
template <class Format>
KOKKOS_FORCEINLINE_FUNCTION bool find_diagonal(Format const& F, typename Format::ordinal_type offset,
                                               typename Format::offset_type& first_slot) {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  auto const begins_by = [&](Ordinal band) { return F.band_offset(band) <= offset; };
  Ordinal const end = partition_point_index(Ordinal(0), F.num_bands(), begins_by);
  if (end == 0) return false;
  Ordinal const band = end - 1;
  auto const inner = static_cast<std::int64_t>(offset) - static_cast<std::int64_t>(F.band_offset(band));
  if (inner >= static_cast<std::int64_t>(F.band_width(band))) return false;
  first_slot = F.band_base(band) + static_cast<Offset>(inner) * F.stride;
  return true;
}

/// Writes every lanes-th entry of a row to its slot; slots are distinct.
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

/// Sums the entries of a row, unsorted and with repeated positions, into their slots, in the order of the row:
/// one thread per row.
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

/// Writes the entries of A to their slots of F.values; other slots are unchanged. Asynchronous on exec; 1
/// launch.
template <class Exec, class Format, class Matrix>
void scatter_to_diagonals(Exec const& exec, char const* label, Format const& F, Matrix const& A) {
  auto const rows = static_cast<std::int64_t>(A.num_rows);
  if (F.num_bands() == 0) return;
  if (F.sorted_unique_rows) {
    constexpr int lanes = is_gpu<Exec> ? diagonal_lanes_per_row : 1;
    range_for<std::int64_t>(label, exec, rows * lanes, ScatterSortedUniqueRows<lanes, Format, Matrix>{F, A});
  } else {
    range_for<std::int64_t>(label, exec, rows, ScatterUnsortedRow<Format, Matrix>{F, A});
  }
}

}  // namespace einkorn::detail
