// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/scalar.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn::detail {

/// Stands for a diagonal that lies inside the half.
struct DiagonalInside {
  static constexpr bool is_apart = false;
};

/// The diagonal as a View.
template <class View>
struct DiagonalApart {
  static constexpr bool is_apart = true;
  View view;
};

/// Where the entries of a symmetric matrix come from: H, a half with sorted rows, and M, its transpose. A row
/// of the full matrix is
///
///   H above the diagonal:  M's row without the diagonal | the diagonal, if apart | H's row
///   H below the diagonal:  H's row | the diagonal, if apart | M's row without the diagonal
///
/// so that diagonal entries inside the half come from H, with all their repetitions. M's have their place at
/// the end of its row (H above) or at its beginning (H below).
template <class Half, class Diagonal>
struct TwoTriangles {
  using Ordinal = typename Half::ordinal_type;
  using Offset = typename Half::offset_type;
  static constexpr bool has_diagonal_apart = Diagonal::is_apart;

  Half half, mirror;
  Diagonal diagonal;
  bool half_above;

  KOKKOS_FUNCTION Offset from_half(Ordinal row) const { return half.row_end(row) - half.row_begin(row); }
  /// Entries of M's row off the diagonal; steps over the diagonal ones.
  KOKKOS_FUNCTION Offset from_mirror(Ordinal row) const {
    Offset begin = mirror.row_begin(row), end = mirror.row_end(row);
    if (half_above)
      while (begin < end && mirror.columns(end - 1) == row) --end;
    else
      while (begin < end && mirror.columns(begin) == row) ++begin;
    return end - begin;
  }
  KOKKOS_FUNCTION Offset row_length(Ordinal row) const {
    return from_half(row) + from_mirror(row) + static_cast<Offset>(Diagonal::is_apart ? 1 : 0);
  }
};

/// Entry k of the full matrix.
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
    constexpr Offset apart = Triangles::has_diagonal_apart ? 1 : 0;
    Offset const mirror = all - half - apart, first = from.half_above ? mirror : half;
    Offset place = k - offsets(row);
    if constexpr (apart == 1) {
      if (place == first) {
        columns(k) = row;
        values(k) = Value(from.diagonal.view(row));
        return;
      }
    }
    bool const is_first = place < first;
    if (!is_first) place -= first + apart;
    if (is_first == from.half_above) {  // of M's entries the diagonal ones are left out, at one end of the row
      Offset const at =
          (from.half_above ? from.mirror.row_begin(row) : from.mirror.row_end(row) - mirror) + place;
      columns(k) = from.mirror.columns(at);
      values(k) = conjugates ? conjugate(from.mirror.values(at)) : from.mirror.values(at);
    } else {
      Offset const at = from.half.row_begin(row) + place;
      columns(k) = from.half.columns(at);
      values(k) = from.half.values(at);
    }
  }
};

}  // namespace einkorn::detail
