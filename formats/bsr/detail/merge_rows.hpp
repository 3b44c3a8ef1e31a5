// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/formats/bsr/bsr_tuning.hpp>
#include <einkorn/formats/bsr/detail/find_blocks.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <limits>

namespace einkorn::detail {

/// On the host: merges the sorted rows of a block row of A by block column, stepping from one block column to
/// the next one that any row has. fill: writes the block columns, increasing, to columns(offsets(block row))
/// and on. Otherwise counts them into offsets(block row).
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
    Offset at[largest_block_size], end[largest_block_size];
    Ordinal head[largest_block_size];  // block column of the entry at `at`
    for (int j = 0; j < rows; ++j) {
      at[j] = A.row_begin(first_row + static_cast<Ordinal>(j));
      end[j] = A.row_end(first_row + static_cast<Ordinal>(j));
      head[j] = at[j] < end[j] ? A.columns(at[j]) / block_size : none;
    }
    Offset const begin = fill ? offsets(block_row) : Offset(0);
    Offset count = 0;
    for (;;) {
      Ordinal lowest = none;
      for (int j = 0; j < rows; ++j) lowest = head[j] < lowest ? head[j] : lowest;
      if (lowest == none) break;
      if constexpr (fill) columns(begin + count) = lowest;
      ++count;
      for (int j = 0; j < rows; ++j)
        while (head[j] == lowest) {
          ++at[j];
          head[j] = at[j] < end[j] ? A.columns(at[j]) / block_size : none;
        }
    }
    if constexpr (!fill) offsets(block_row) = count;
  }
};

template <bool fill, class Exec, class Matrix, class Offsets, class Columns>
void merge_rows(Exec const& exec, char const* label, Matrix const& A, int block_size,
                typename Matrix::ordinal_type num_block_rows, Offsets const& offsets, Columns const& columns) {
  if constexpr (is_gpu<Exec>)
    find_blocks_in_teams<fill>(exec, label, A, block_size, num_block_rows, offsets, columns);
  else
    Kokkos::parallel_for(
        label,
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<typename Matrix::ordinal_type>>(exec, 0, num_block_rows),
        MergeBlockRow<fill, Matrix, Offsets, Columns>{A, block_size, offsets, columns});
}

/// offsets(I) <- blocks of block row I of A, whose rows are sorted. 1 launch.
template <class Exec, class Matrix, class Offsets>
void count_blocks(Exec const& exec, Matrix const& A, int block_size,
                  typename Matrix::ordinal_type num_block_rows, Offsets const& offsets) {
  merge_rows<false>(exec, "einkorn::from_csr[bsr,count]", A, block_size, num_block_rows, offsets, offsets);
}

/// The block columns of every block row, increasing, from offsets(I) on. 1 launch.
template <class Exec, class Matrix, class Offsets, class Columns>
void fill_block_columns(Exec const& exec, Matrix const& A, int block_size,
                        typename Matrix::ordinal_type num_block_rows, Offsets const& offsets,
                        Columns const& columns) {
  merge_rows<true>(exec, "einkorn::from_csr[bsr,columns]", A, block_size, num_block_rows, offsets, columns);
}

}  // namespace einkorn::detail
