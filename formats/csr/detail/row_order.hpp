// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/vector_loads.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// How the columns of the rows of a matrix follow one another.
struct RowOrder {
  bool is_sorted = true;  // they never decrease
  bool repeats = false;   // in some row two neighbours are equal: where is_sorted, a position that repeats
};

/// Neighbours in `columns` that decrease and that are equal, less those of them that lie between two rows: work
/// item i < columns.count() looks at four entries and the one before them, the others at the border of a row.
template <class Offsets, class Columns>
struct CountDisorder {
  using Offset = typename Offsets::non_const_value_type;
  using Ordinal = typename Columns::non_const_value_type;

  Offsets row_offsets;
  Columns columns;
  VectorLoads<Ordinal> fours;

  KOKKOS_FUNCTION void operator()(std::size_t i, std::int64_t& descents, std::int64_t& equals) const {
    if (i < fours.count()) {
      auto const four = fours(i);
      Ordinal before = i > 0 ? columns(4 * i - 1) : Ordinal(-1);
      std::size_t const left = columns.extent(0) - 4 * i;
      for (std::size_t j = 0; j < 4; ++j) {
        if (j < left && before > four.entry[j]) ++descents;
        if (j < left && before == four.entry[j]) ++equals;
        before = four.entry[j];
      }
    } else {
      std::size_t const row = i - fours.count();
      Offset const begin = row_offsets(row);
      if (begin == 0 || begin == row_offsets(row + 1)) return;
      if (columns(begin - 1) > columns(begin)) --descents;
      if (columns(begin - 1) == columns(begin)) --equals;
    }
  }
};

/// Reads columns and row_offsets once, whatever the row lengths; 1 launch; fences exec. A is taken as valid.
template <class Exec, class Matrix>
RowOrder row_order(Exec const& exec, Matrix const& A) {
  using Functor = CountDisorder<decltype(A.row_offsets), decltype(A.columns)>;
  if (A.nnz() < 2) return {};
  Functor const functor{A.row_offsets, A.columns, vector_loads(A.columns)};
  std::int64_t descents = 0, equals = 0;
  Kokkos::parallel_reduce("einkorn::row_order",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(
                              exec, 0, functor.fours.count() + static_cast<std::size_t>(A.num_rows)),
                          functor, descents, equals);
  return {descents == 0, equals != 0};
}

}  // namespace einkorn::detail
