// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/formats/csr/detail/row_dot.hpp>
#include <einkorn/formats/csr/spmv_tuning.hpp>
#include <einkorn/formats/spmm/detail/host_rows.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn::detail {

/// Whole rows in parts (host_parts()) with equal numbers of entries plus rows. Two binary searches per part
/// find its rows; nothing is precomputed. A row belongs to one part (unlike segmented_sum). simd: SIMD lanes
/// within a row of a product with one vector.
template <bool simd, bool conjugated, class Matrix, class X, class Y, class EpilogueOp>
struct SpmvRowSplit {
  using Sum = typename EpilogueOp::sum_type;
  using Accumulators = typename EpilogueOp::Accumulators;
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  Matrix A;
  X x;
  Y y;
  EpilogueOp epilogue;
  Offset num_parts;

  void run(Offset part, Accumulators& accumulators) const {
    Ordinal const first = first_row(part), last = first_row(part + 1);
    if constexpr (Y::rank() == 1) {
      for (Ordinal row = first; row < last; ++row)
        epilogue(accumulators, y(row), row,
                 row_dot<Sum, simd, conjugated>(A, A.row_begin(row), A.row_end(row), x));
    } else {
      if constexpr (may_be_row_major<X, Y>)
        if (is_row_major(x) && is_row_major(y)) {
          for (Ordinal row = first; row < last; ++row) rows_times_matrix<1>(entries_of(row), x, y, epilogue);
          return;
        }
      rows_times_columns(first, last);
    }
  }

 private:
  [[nodiscard]] Ordinal first_row(Offset part) const {
    auto const entries = static_cast<std::int64_t>(A.nnz());
    std::int64_t const steps = entries + static_cast<std::int64_t>(A.num_rows);
    auto const parts = static_cast<std::int64_t>(num_parts), index = static_cast<std::int64_t>(part);
    return rows_before_diagonal(A.row_offsets, A.num_rows, entries,
                                index == parts ? steps : steps / parts * index);
  }

  struct Row {
    Matrix const& A;
    Offset first, num_entries;
    Ordinal number;

    [[nodiscard]] Offset length() const { return num_entries; }
    [[nodiscard]] Ordinal column(Offset j) const { return A.columns(first + j); }
    [[nodiscard]] Sum value(int, Offset j) const {
      return conjugated ? Sum(conjugate(A.values(first + j))) : Sum(A.values(first + j));
    }
    [[nodiscard]] Ordinal row(int) const { return number; }
  };

  [[nodiscard]] Row entries_of(Ordinal row) const {
    return {A, A.row_begin(row), A.row_end(row) - A.row_begin(row), row};
  }

  /// Any layout: one pass over the rows per 8 columns, then 4, 2, 1, so that the gathered entries of a few
  /// columns of X stay in a near cache.
  template <int width = 8>
  void rows_times_columns(Ordinal first, Ordinal last, std::size_t column = 0) const {
    for (; column + width <= y.extent(1); column += width) {
      typename X::const_value_type* from[width];
      for (std::size_t j = 0; j < width; ++j) from[j] = x.data() + (column + j) * x.stride(1);
      for (Ordinal row = first; row < last; ++row) {
        Row const entries = entries_of(row);
        Sum sum[width] = {};
        for (Offset p = 0; p < entries.length(); ++p) {
          auto const at = static_cast<std::size_t>(entries.column(p)) * x.stride(0);
          Sum const value = entries.value(0, p);
          for (int j = 0; j < width; ++j) sum[j] += value * Sum(from[j][at]);
        }
        for (std::size_t j = 0; j < width; ++j) epilogue(y(row, column + j), sum[j]);
      }
    }
    if constexpr (width > 1)
      if (column < y.extent(1)) rows_times_columns<width / 2>(first, last, column);
  }
};

/// y <- alpha A x + beta y on host threads. lanes > 1: SIMD lanes within a row. 1 launch.
template <bool conjugated, class Exec, class Matrix, class X, class Y, class EpilogueOp>
void spmv_row_split(Exec const& exec, int lanes, EpilogueOp const& epilogue, Matrix const& A, X const& x,
                    Y const& y) {
  char const* const label = "einkorn::spmv[csr,row_split]";
  auto const parts = static_cast<typename Matrix::offset_type>(host_parts(exec));
  if constexpr (Y::rank() == 1)
    if (lanes == 1)
      return epilogue.launch_parts(
          exec, label, parts,
          SpmvRowSplit<false, conjugated, Matrix, X, Y, EpilogueOp>{A, x, y, epilogue, parts});
  epilogue.launch_parts(exec, label, parts,
                        SpmvRowSplit<true, conjugated, Matrix, X, Y, EpilogueOp>{A, x, y, epilogue, parts});
}

}  // namespace einkorn::detail
