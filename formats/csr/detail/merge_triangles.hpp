// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/scalar.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn::detail {

/// The diagonal is part of the half.
struct IncludedDiagonal {
  static constexpr bool is_separate = false;
};

/// The diagonal is a separate View.
template <class View>
struct SeparateDiagonal {
  static constexpr bool is_separate = true;
  View view;
};

/// The sources of the entries of a symmetric matrix: H, a half with sorted rows, and M, its transpose. A row of
/// the full matrix is
///
///   H above the diagonal:  M's row without the diagonal | the diagonal, if separate | H's row
///   H below the diagonal:  H's row | the diagonal, if separate | M's row without the diagonal
///
/// so diagonal entries within the half come from H, with all repetitions. In a row of M the diagonal entries
/// are at the end (H above) or at the beginning (H below).
template <class Half, class Diagonal>
struct TwoTriangles {
  using Ordinal = typename Half::ordinal_type;
  using Offset = typename Half::offset_type;
  static constexpr bool has_separate_diagonal = Diagonal::is_separate;

  Half half, mirror;
  Diagonal diagonal;
  bool half_above;

  KOKKOS_FUNCTION Offset from_half(Ordinal row) const { return half.row_end(row) - half.row_begin(row); }
  /// Number of off-diagonal entries in the row of M.
  KOKKOS_FUNCTION Offset from_mirror(Ordinal row) const {
    Offset begin = mirror.row_begin(row), end = mirror.row_end(row);
    if (half_above)
      while (begin < end && mirror.columns(end - 1) == row) --end;
    else
      while (begin < end && mirror.columns(begin) == row) ++begin;
    return end - begin;
  }
  KOKKOS_FUNCTION Offset row_length(Ordinal row) const {
    return from_half(row) + from_mirror(row) + static_cast<Offset>(Diagonal::is_separate ? 1 : 0);
  }
};

/// Writes entry k of the full matrix.
template <bool conjugates, class Triangles, class Offsets, class Columns, class Values>
struct MergeTriangles {
  using Ordinal = typename Triangles::Ordinal;
  using Offset = typename Triangles::Offset;
  using Value = typename Values::non_const_value_type;

  Triangles from;
  Ordinal num_rows;
  Offsets offsets;
  Columns columns;
  Values values;

  KOKKOS_FUNCTION void operator()(Offset k) const {
    Ordinal const row = row_of_entry(offsets, num_rows, k);
    Offset const half = from.from_half(row), all = offsets(row + 1) - offsets(row);
    constexpr Offset separate = Triangles::has_separate_diagonal ? 1 : 0;
    Offset const mirror = all - half - separate, first = from.half_above ? mirror : half;
    Offset position = k - offsets(row);
    if constexpr (separate == 1) {
      if (position == first) {
        columns(k) = row;
        values(k) = Value(from.diagonal.view(row));
        return;
      }
    }
    bool const is_first = position < first;
    if (!is_first) position -= first + separate;
    if (is_first == from.half_above) {  // M: without its diagonal entries
      Offset const at =
          (from.half_above ? from.mirror.row_begin(row) : from.mirror.row_end(row) - mirror) + position;
      columns(k) = from.mirror.columns(at);
      values(k) = conjugates ? conjugate(from.mirror.values(at)) : from.mirror.values(at);
    } else {
      Offset const at = from.half.row_begin(row) + position;
      columns(k) = from.half.columns(at);
      values(k) = from.half.values(at);
    }
  }
};

}  // namespace einkorn::detail
