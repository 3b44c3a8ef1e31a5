// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/formats/bsr/bsr_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// SpMV for a block size b known at run time only (GPU). A group of 32 threads computes a chunk of 32 / b rows
/// of a block row, or one row with several columns per lane if b > 32. A chunk visits all blocks of its block
/// row, so that a lane has one sum. Reads are coalesced within a row of a block; neighbouring chunks of one
/// block row share its cache lines.
template <BsrTuning tuning, int k, class Exec, class Format, class X, class Y, class Sum>
struct SpmvBlockChunks {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tuning.team_size, tuning.min_teams_per_sm>>;
  using L = Lanes<Exec>;

  static constexpr int lanes = 32;
  static constexpr int chunks_per_team = tuning.team_size / lanes;
  static constexpr int unroll = tuning.unroll;

  Format F;
  X x;
  Y y;
  Epilogue<Sum> epilogue;
  int chunk_teams;  // teams per pass over the chunks
  CacheHint<Exec> hint;

  static int chunks_per_block_row(int block_size) {
    int const rows = block_size < lanes ? lanes / block_size : 1;
    return ceil_div(block_size, rows);
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    work(team.league_rank(), team.team_rank());
  }

  KOKKOS_FORCEINLINE_FUNCTION void work(int team, int thread) const {
    int const column_tile = Y::rank() == 1 ? 0 : team / chunk_teams;
    auto const column = static_cast<std::size_t>(column_tile) * k;
    int const size = F.block_size, width = size < lanes ? size : lanes, rows = lanes / width;
    int const chunks = ceil_div(size, rows), lane = thread % lanes;
    std::int64_t const chunk =
        static_cast<std::int64_t>(team - column_tile * chunk_teams) * chunks_per_team + thread / lanes;
    bool const inside = chunk / chunks < static_cast<std::int64_t>(F.num_block_rows);
    auto const block_row = inside ? static_cast<Ordinal>(chunk / chunks) : Ordinal(0);
    Ordinal const first = block_row * static_cast<Ordinal>(size);
    int const r = static_cast<int>(chunk % chunks) * rows + lane / width;
    bool const has_work =
        inside && lane / width < rows && r < size && static_cast<Ordinal>(r) < F.num_rows - first;
    Sum sum[k];
    for (int j = 0; j < k; ++j) sum[j] = Sum(0);
    if (has_work) {
      Offset const begin = F.row_offsets(block_row), end = F.row_offsets(block_row + 1);
      for (int c = lane % width; c < size; c += lanes)
        for (Offset block = begin; block < end; block += unroll) add_batch(block, end, r, c, column, sum);
    }
    for (int j = 0; j < k; ++j)
      for (int left = width; left > 1; left = (left + 1) / 2) {
        int const half = (left + 1) / 2;
        Sum const other = L::shuffle_down(sum[j], half, lanes);
        if (lane % width < left - half) sum[j] += other;
      }
    if (!has_work || lane % width > 0) return;
    for (int j = 0; j < k; ++j)
      if (k == 1 || column + static_cast<std::size_t>(j) < y.extent(1))
        epilogue(entry(y, first + static_cast<Ordinal>(r), column + static_cast<std::size_t>(j)), sum[j]);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void add_batch(Offset block, Offset end, int r, int c, std::size_t column,
                                             Sum (&sum)[k]) const {
    auto const size = static_cast<Ordinal>(F.block_size);
    Offset const entries_per_block = F.entries_per_block();
    auto const in_block = static_cast<Offset>(static_cast<Ordinal>(r) * size + static_cast<Ordinal>(c));
    Ordinal columns[unroll];
    Scalar values[unroll];
    bool used[unroll];
    for (int u = 0; u < unroll; ++u) {
      Offset const next = block + static_cast<Offset>(u);
      used[u] = next < end;
      Offset const q = used[u] ? next : end - 1;
      columns[u] = F.columns(q);  // cached: the other chunks of the block row read it too
      values[u] = L::load_streaming(F.values.data() + q * entries_per_block + in_block, hint);
    }
    for (int u = 0; u < unroll; ++u) {
      Ordinal const first = columns[u] * size;
      used[u] = used[u] && static_cast<Ordinal>(c) < F.num_cols - first;
      columns[u] = used[u] ? first + static_cast<Ordinal>(c) : Ordinal(0);
    }
    for (int j = 0; j < k; ++j) {
      auto const vector = column + static_cast<std::size_t>(j);
      if (k > 1 && vector >= x.extent(1)) return;
      Sum from_x[unroll];
      for (int u = 0; u < unroll; ++u) from_x[u] = Sum(entry(x, columns[u], vector));
      for (int u = 0; u < unroll; ++u) {
        Sum const product = Sum(values[u]) * from_x[u];
        sum[j] += used[u] ? product : Sum(0);
      }
    }
  }
};

}  // namespace einkorn::detail
