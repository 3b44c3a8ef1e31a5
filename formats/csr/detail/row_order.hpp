// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/range_launch.hpp>
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

/// Neighbours in the columns of a matrix, whatever the row lengths. Work items: groups of columns, then rows.
template <class Offsets, class Columns>
struct ColumnNeighbours {
  using Offset = typename Offsets::non_const_value_type;
  using Ordinal = typename Columns::non_const_value_type;

  Offsets row_offsets;
  Columns columns;
  VectorLoads<Ordinal> loads;
  std::size_t num_rows;

  static constexpr int batch = 4;  // groups of four per work item

  [[nodiscard]] KOKKOS_FUNCTION std::size_t num_items() const {
    return loads.template num_items<batch>() + num_rows;
  }

  /// For a column calls next(before, column); before is that of the entry before it, also of another row, and -1 at the first
  /// one. For a row calls border(before, column) with its first entry, unless it is empty or begins at the first entry of
  /// the matrix: next() was called with the same arguments.
  template <class Next, class Border>
  KOKKOS_FORCEINLINE_FUNCTION void visit(std::size_t i, Next const& next, Border const& border) const {
    std::size_t const first_of_rows = loads.template num_items<batch>();
    if (i < first_of_rows) {
      loads.template for_each_of_item<batch>(i, [&](auto const& vector, std::size_t g) {
        Ordinal before = g > 0 ? columns(4 * g - 1) : Ordinal(-1);
        std::size_t const left = columns.extent(0) - 4 * g;
        for (std::size_t j = 0; j < 4; ++j) {
          if (j < left) next(before, vector.entry[j]);
          before = vector.entry[j];
        }
      });
    } else {
      std::size_t const row = i - first_of_rows;
      Offset const begin = row_offsets(row);
      if (begin == 0 || begin == row_offsets(row + 1)) return;
      border(columns(begin - 1), columns(begin));
    }
  }
};

template <class Matrix>
auto column_neighbours(Matrix const& A) {
  return ColumnNeighbours<decltype(A.row_offsets), decltype(A.columns)>{
      A.row_offsets, A.columns, vector_loads(A.columns), static_cast<std::size_t>(A.num_rows)};
}

/// Counts decreasing and equal neighbours, less those at the border of two rows.
template <class Neighbours>
struct CountDisorder {
  using Ordinal = typename Neighbours::Ordinal;
  Neighbours neighbours;

  KOKKOS_FUNCTION void operator()(std::size_t i, std::int64_t& descents, std::int64_t& equals) const {
    neighbours.visit(
        i,
        [&](Ordinal before, Ordinal column) {
          if (before > column) ++descents;
          if (before == column) ++equals;
        },
        [&](Ordinal before, Ordinal column) {
          if (before > column) --descents;
          if (before == column) --equals;
        });
  }
};

/// Host: the same for all neighbours, without branches, so that compilers vectorize the loop.
template <class Ordinal>
struct CountDisorderOnHost {
  Ordinal const* columns;

  void operator()(std::size_t i, std::int64_t& descents, std::int64_t& equals) const {
    descents += columns[i] > columns[i + 1];
    equals += columns[i] == columns[i + 1];
  }
};

/// Host: those at the border of two rows.
template <class Offset, class Ordinal>
struct CountDisorderOfBorders {
  Offset const* row_offsets;
  Ordinal const* columns;

  void operator()(std::size_t row, std::int64_t& descents, std::int64_t& equals) const {
    Offset const begin = row_offsets[row];
    if (begin == 0 || begin == row_offsets[row + 1]) return;
    descents += columns[begin - 1] > columns[begin];
    equals += columns[begin - 1] == columns[begin];
  }
};

/// Reads columns and row_offsets once, whatever the row lengths; 1 launch, on the host 2; fences exec. A must be valid.
template <class Exec, class Matrix>
RowOrder row_order(Exec const& exec, Matrix const& A) {
  if (A.nnz() < 2) return {};
  std::int64_t descents = 0, equals = 0;
  if constexpr (is_gpu<Exec>) {
    auto const neighbours = column_neighbours(A);
    range_reduce<std::size_t>("einkorn::row_order", exec, neighbours.num_items(),
                              CountDisorder<decltype(neighbours)>{neighbours}, descents, equals);
  } else {
    using Offset = typename Matrix::offset_type;
    using Ordinal = typename Matrix::ordinal_type;
    std::int64_t border_descents = 0, border_equals = 0;
    range_reduce<std::size_t>("einkorn::row_order[borders]", exec, static_cast<std::size_t>(A.num_rows),
                              CountDisorderOfBorders<Offset, Ordinal>{A.row_offsets.data(), A.columns.data()},
                              border_descents, border_equals);
    range_reduce<std::size_t>("einkorn::row_order", exec, static_cast<std::size_t>(A.nnz()) - 1,
                              CountDisorderOnHost<Ordinal>{A.columns.data()}, descents, equals);
    descents -= border_descents;
    equals -= border_equals;
  }
  return {descents == 0, equals != 0};
}

}  // namespace einkorn::detail
