// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/lanes/lanes.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <limits>

namespace einkorn::detail {

/// Merges the sorted rows of a block row of A by block column: `lanes` threads (one on the host) hold the rows,
/// each the next entry of some of them, and step from one block column to the next one that any row has.
/// fill: writes the block columns, increasing, to columns(offsets(block row)) and on. Otherwise counts them
/// into offsets(block row). Rows of one block row are read side by side, so their reads are in flight together.
template <int lanes, int rows_a_lane, bool fill, class L, class Matrix, class Offsets, class Columns>
struct MergeBlockRow {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  Matrix A;
  int block_size;
  Ordinal num_block_rows;
  Offsets offsets;
  Columns columns;

  /// Called by all lanes of a warp together, with the block row of each.
  KOKKOS_FUNCTION void merge(Ordinal block_row, int lane) const {
    constexpr Ordinal none = std::numeric_limits<Ordinal>::max();
    bool const inside = block_row < num_block_rows && block_row >= 0;
    Ordinal const first_row = inside ? block_row * static_cast<Ordinal>(block_size) : 0;
    int rows = 0;
    if (inside)
      rows = A.num_rows - first_row < block_size ? static_cast<int>(A.num_rows - first_row) : block_size;
    Offset at[rows_a_lane], end[rows_a_lane];
    Ordinal head[rows_a_lane];  // block column of the entry at `at`
    for (int j = 0; j < rows_a_lane && lane + j * lanes < rows; ++j) {
      Ordinal const row = first_row + static_cast<Ordinal>(lane + j * lanes);
      at[j] = A.row_begin(row);
      end[j] = A.row_end(row);
      head[j] = at[j] < end[j] ? A.columns(at[j]) / block_size : none;
    }
    Offset const begin = fill && inside ? offsets(block_row) : Offset(0);
    Offset count = 0;
    for (;;) {
      Ordinal lowest = none;
      for (int j = 0; j < rows_a_lane && lane + j * lanes < rows; ++j)
        lowest = head[j] < lowest ? head[j] : lowest;
      for (int bits = lanes / 2; bits > 0; bits /= 2) {
        Ordinal const other = L::shuffle_xor(lowest, bits, lanes);
        lowest = other < lowest ? other : lowest;
      }
      if (L::ballot(lowest != none) == 0) break;
      if (lowest == none) continue;  // the other groups of the warp go on
      if constexpr (fill)
        if (lane == 0) columns(begin + count) = lowest;
      ++count;
      for (int j = 0; j < rows_a_lane && lane + j * lanes < rows; ++j)
        while (head[j] == lowest) {
          ++at[j];
          head[j] = at[j] < end[j] ? A.columns(at[j]) / block_size : none;
        }
    }
    if constexpr (!fill)
      if (inside && lane == 0) offsets(block_row) = count;
  }
};

/// The same over teams (GPU).
template <int lanes, int team_size, class Exec, class Merge, class Ordinal>
struct MergeOnTeams {
  Merge merger;

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Exec>::member_type const& team) const {
    merger.merge(static_cast<Ordinal>(team.league_rank()) * (team_size / lanes) +
                     static_cast<Ordinal>(team.team_rank() / lanes),
                 team.team_rank() % lanes);
  }
};

template <bool fill, int lanes, int rows_a_lane, class Exec, class Matrix, class Offsets, class Columns>
void merge_rows_with(Exec const& exec, char const* label, Matrix const& A, int block_size,
                     typename Matrix::ordinal_type num_block_rows, Offsets const& offsets,
                     Columns const& columns) {
  using Ordinal = typename Matrix::ordinal_type;
  using Merge = MergeBlockRow<lanes, rows_a_lane, fill, Lanes<Exec>, Matrix, Offsets, Columns>;
  Merge const merger{A, block_size, num_block_rows, offsets, columns};
  if constexpr (is_gpu<Exec>) {
    constexpr int team_size = 128;
    constexpr auto rows_a_team = static_cast<std::size_t>(team_size / lanes);
    auto const teams = (static_cast<std::size_t>(num_block_rows) + rows_a_team - 1) / rows_a_team;
    Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(teams), team_size),
                         MergeOnTeams<lanes, team_size, Exec, Merge, Ordinal>{merger});
  } else {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<Ordinal>>(exec, 0, num_block_rows),
                         [merger](Ordinal block_row) { merger.merge(block_row, 0); });
  }
}

template <bool fill, class Exec, class Matrix, class Offsets, class Columns>
void merge_rows(Exec const& exec, char const* label, Matrix const& A, int block_size,
                typename Matrix::ordinal_type num_block_rows, Offsets const& offsets, Columns const& columns) {
  if constexpr (!is_gpu<Exec>)
    merge_rows_with<fill, 1, 64>(exec, label, A, block_size, num_block_rows, offsets, columns);
  else if (block_size <= 8)
    merge_rows_with<fill, 8, 1>(exec, label, A, block_size, num_block_rows, offsets, columns);
  else
    merge_rows_with<fill, 32, 2>(exec, label, A, block_size, num_block_rows, offsets, columns);
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
