// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/bsr/bsr_tuning.hpp>
#include <einkorn/formats/bsr/detail/count_blocks_host.hpp>
#include <einkorn/formats/bsr/detail/find_blocks.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>

namespace einkorn::detail {

/// Merges the sorted rows of a block row of A by block column (host). fill: writes the block columns,
/// increasing, from columns(offsets(block row)) on. Otherwise stores their number in offsets(block row).
template <bool fill, class Matrix, class Offsets, class Columns>
struct MergeBlockRow {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  Matrix A;
  int block_size;
  Offsets offsets;
  Columns columns;

  void operator()(Ordinal block_row) const {
    constexpr Ordinal none = std::numeric_limits<Ordinal>::max();
    Ordinal const first_row = block_row * static_cast<Ordinal>(block_size);
    int const rows =
        A.num_rows - first_row < block_size ? static_cast<int>(A.num_rows - first_row) : block_size;
    Offset at[max_block_size], end[max_block_size];
    Ordinal current[max_block_size];  // block column of entry at[j], or none
    for (int j = 0; j < rows; ++j) {
      at[j] = A.row_begin(first_row + static_cast<Ordinal>(j));
      end[j] = A.row_end(first_row + static_cast<Ordinal>(j));
      current[j] = at[j] < end[j] ? A.columns(at[j]) / block_size : none;
    }
    Offset const begin = fill ? offsets(block_row) : Offset(0);
    Offset count = 0;
    for (;;) {
      Ordinal lowest = none;
      for (int j = 0; j < rows; ++j) lowest = current[j] < lowest ? current[j] : lowest;
      if (lowest == none) break;
      if constexpr (fill) columns(begin + count) = lowest;
      ++count;
      for (int j = 0; j < rows; ++j)
        while (current[j] == lowest) {
          ++at[j];
          current[j] = at[j] < end[j] ? A.columns(at[j]) / block_size : none;
        }
    }
    if constexpr (!fill) offsets(block_row) = count;
  }
};

/// The same for a block size that is known at compile time: collects the block columns in a set, then sorts them.
template <bool fill, int b, class Matrix, class Offsets, class Columns>
struct ListBlockRow {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  Matrix A;
  Offsets offsets;
  Columns columns;

  void operator()(Ordinal block_row) const {
    BlockColumnSet<Ordinal> set;
    if constexpr (fill) {
      Ordinal* const first = columns.data() + offsets(block_row);
      Ordinal* last = first;
      visit_blocks_of_row<b>(A, block_row, set, [&](Ordinal block) { *last++ = block; });
      std::sort(first, last);
    } else {
      Offset count = 0;
      visit_blocks_of_row<b>(A, block_row, set, [&](Ordinal) { ++count; });
      offsets(block_row) = count;
    }
  }
};

template <bool fill, class Exec, class Matrix, class Offsets, class Columns>
void merge_rows(Exec const& exec, char const* label, Matrix const& A, int block_size,
                typename Matrix::ordinal_type num_block_rows, Offsets const& offsets, Columns const& columns) {
  using Ordinal = typename Matrix::ordinal_type;
  if constexpr (is_gpu<Exec>)
    find_blocks_in_teams<fill>(exec, label, A, block_size, num_block_rows, offsets, columns);
  else
    with_block_size(block_size, [&]<int b>(std::integral_constant<int, b>) {
      if constexpr (b > 0)
        range_for<Ordinal>(label, exec, num_block_rows,
                           ListBlockRow<fill, b, Matrix, Offsets, Columns>{A, offsets, columns});
      else
        range_for<Ordinal>(label, exec, num_block_rows,
                           MergeBlockRow<fill, Matrix, Offsets, Columns>{A, block_size, offsets, columns});
    });
}

/// offsets(I) <- the number of blocks of block row I of A, whose rows are sorted. 1 launch.
template <class Exec, class Matrix, class Offsets>
void count_blocks(Exec const& exec, Matrix const& A, int block_size,
                  typename Matrix::ordinal_type num_block_rows, Offsets const& offsets) {
  merge_rows<false>(exec, "einkorn::from_csr[bsr,count]", A, block_size, num_block_rows, offsets, offsets);
}

/// Writes the block columns of every block row I, increasing, from columns(offsets(I)) on. 1 launch.
template <class Exec, class Matrix, class Offsets, class Columns>
void fill_block_columns(Exec const& exec, Matrix const& A, int block_size,
                        typename Matrix::ordinal_type num_block_rows, Offsets const& offsets,
                        Columns const& columns) {
  merge_rows<true>(exec, "einkorn::from_csr[bsr,columns]", A, block_size, num_block_rows, offsets, columns);
}

}  // namespace einkorn::detail
