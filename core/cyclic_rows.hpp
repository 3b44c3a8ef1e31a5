// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/ceil_div.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn::detail {

/// Assigns blocks of rows to teams cyclically; a group of `lanes` threads has rows_per_group rows of a block. `sample`: only every
/// sample-th block.
template <int lanes, int team_size, int rows_per_group>
struct CyclicRows {
  static constexpr std::int64_t groups = team_size / lanes, block_rows = groups * rows_per_group;

  static std::int64_t num_blocks(std::int64_t rows) { return ceil_div(rows, block_rows); }

  /// visit(row) for each row of the calling thread; row is row_at(number), which may be beyond the last row. row_at() is called
  /// for rows_per_group rows before they are visited, so that a thread waits for their bounds once.
  template <class Member, class RowAt, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each(Member const& team, std::int64_t num_rows,
                                                   std::int64_t sample, RowAt const& row_at,
                                                   Visit const& visit) {
    std::int64_t const group = team.team_rank() / lanes;
    std::int64_t const stride = static_cast<std::int64_t>(team.league_size()) * (sample * block_rows);
    for (std::int64_t block = static_cast<std::int64_t>(team.league_rank()) * (sample * block_rows);
         block < num_rows; block += stride) {
      decltype(row_at(block)) rows[rows_per_group];
      for (int i = 0; i < rows_per_group; ++i) rows[i] = row_at(block + i * groups + group);
      for (int i = 0; i < rows_per_group; ++i) visit(rows[i]);
    }
  }
};

}  // namespace einkorn::detail
