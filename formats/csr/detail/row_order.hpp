// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/vector_loads.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// The order of the columns within the rows of a matrix.
struct RowOrder {
  bool is_sorted = true;  // columns are non-decreasing
  bool repeats = false;   // two neighbours in a row are equal; with is_sorted, a repeated position
};

/// Counts decreasing and equal neighbours in `columns`, less those at the border of two rows: work item i <
/// columns.count() compares four entries and the one before them, the others subtract the border of a row.
template <class Offsets, class Columns>
struct CountDisorder {
  using Offset = typename Offsets::non_const_value_type;
  using Ordinal = typename Columns::non_const_value_type;

  Offsets row_offsets;
  Columns columns;
  VectorLoads<Ordinal> loads;

  KOKKOS_FUNCTION void operator()(std::size_t i, std::int64_t& descents, std::int64_t& equals) const {
    if (i < loads.count()) {
      auto const vector = loads(i);
      Ordinal before = i > 0 ? columns(4 * i - 1) : Ordinal(-1);
      std::size_t const left = columns.extent(0) - 4 * i;
      for (std::size_t j = 0; j < 4; ++j) {
        if (j < left && before > vector.entry[j]) ++descents;
        if (j < left && before == vector.entry[j]) ++equals;
        before = vector.entry[j];
      }
    } else {
      std::size_t const row = i - loads.count();
      Offset const begin = row_offsets(row);
      if (begin == 0 || begin == row_offsets(row + 1)) return;
      if (columns(begin - 1) > columns(begin)) --descents;
      if (columns(begin - 1) == columns(begin)) --equals;
    }
  }
};

/// Reads columns and row_offsets once, whatever the row lengths; 1 launch; fences exec. A must be valid.
template <class Exec, class Matrix>
RowOrder row_order(Exec const& exec, Matrix const& A) {
  using Functor = CountDisorder<decltype(A.row_offsets), decltype(A.columns)>;
  if (A.nnz() < 2) return {};
  Functor const functor{A.row_offsets, A.columns, vector_loads(A.columns)};
  std::int64_t descents = 0, equals = 0;
  Kokkos::parallel_reduce("einkorn::row_order",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(
                              exec, 0, functor.loads.count() + static_cast<std::size_t>(A.num_rows)),
                          functor, descents, equals);
  return {descents == 0, equals != 0};
}

}  // namespace einkorn::detail
