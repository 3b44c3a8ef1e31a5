// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/carry.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/column_codes/detail/column_readers.hpp>
#include <einkorn/formats/csr5/csr5.hpp>
#include <einkorn/formats/csr5/csr5_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// CSR5 SpMV on a GPU: Algorithm 8 of Liu and Vinter, ICS 2015, with one tile per warp and one lane of the tile
/// per thread. The first teams compute the rows of the tail, the last teams the empty rows, one row per thread.
///
/// Departures: a segmented scan with shuffles adds the sums of lanes, where the paper subtracts two prefix
/// sums, which cancels digits across rows. A lane without a start writes no y (line 25 omits this guard). The
/// first segment of a tile that continues a row of the previous tile is written to `carry` (the calibrator of
/// the paper), or without carry is left to FinishRows.
/// @tparam indices compressed: some tiles have codes for their columns; decided per tile, uniformly in a warp
template <Indices indices, class Exec, class Format, class X, class Y, class EpilogueOp, class Carry>
struct SpmvTiles {
  using Sum = typename EpilogueOp::sum_type;
  using Accumulators = typename EpilogueOp::Accumulators;
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  static constexpr Csr5Tuning tuning = csr5_tuning(arch_of<Exec>, sizeof(Sum));
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tuning.team_size, tuning.min_teams_per_sm>>;
  using L = Lanes<Exec>;
  static constexpr int team_size = tuning.team_size, tiles_per_team = team_size / L::size;
  static constexpr int batch = tuning.batch;  // (value, column) pairs in flight per lane

  Format F;
  X x;
  Y y;
  EpilogueOp epilogue;
  Carry carry;                 // [num_tiles + 1] or [0]
  int tail_teams, tile_teams;  // the remaining teams compute the empty rows
  int words, y_bits, segment_bits;
  CacheHint<Exec> hint;

  template <class Team>
  KOKKOS_FUNCTION void run(Team const& team, Accumulators& accumulators) const {
    if (team.league_rank() < tail_teams) return sum_tail(team.league_rank(), team.team_rank(), accumulators);
    if (team.league_rank() >= tail_teams + tile_teams)
      return update_empty_row(team.league_rank() - tail_teams - tile_teams, team.team_rank(), accumulators);
    Offset const tile = static_cast<Offset>(team.league_rank() - tail_teams) * tiles_per_team +
                        static_cast<Offset>(team.team_rank() / L::size);
    if (tile >= F.num_tiles) return;
    int const lane = team.team_rank() % L::size;
    if constexpr (indices == Indices::full)
      sum_tile(tile, lane, FullColumns<Ordinal, Offset>{F.columns.data(), 0}, accumulators);
    else
      with_columns_of_tile(F, tile, tile * F.tile_size(), (tile + 1) * F.tile_size(),
                           [&](auto const& columns) { sum_tile(tile, lane, columns, accumulators); });
  }

 private:
  /// The destination of the sums of the segments of a tile.
  struct Target {
    Offset tile, empty_begin;
    Ordinal row;
    bool continues_row, spans_empty_row;  // continues_row: segment 0 began in a previous tile
  };

  KOKKOS_FORCEINLINE_FUNCTION void write(Target const& target, int k, Sum const& sum,
                                         Accumulators& accumulators) const {
    if (k == 0 && target.continues_row) {
      if (carry.extent(0) > 0) carry(target.tile) = sum;
      return;
    }
    Ordinal const row =
        target.row + (target.spans_empty_row ? F.empty_offsets(target.empty_begin + static_cast<Offset>(k))
                                             : static_cast<Ordinal>(k));
    epilogue(accumulators, y(row), row, sum);
  }

  template <class Columns>
  KOKKOS_FORCEINLINE_FUNCTION void sum_tile(Offset tile, int lane, Columns const& columns,
                                            Accumulators& accumulators) const {
    Offset const base = tile * F.tile_size();
    auto const state =
        unpack(packed_descriptor(F.tile_descriptors, F.shape, words, tile, lane), y_bits, segment_bits);
    Target target{tile, 0, F.tile_row(tile), false, F.spans_empty_row(tile)};
    target.continues_row = F.row_offsets(target.row) < base;
    if (target.spans_empty_row) target.empty_begin = F.empty_begin(tile);

    Sum sum = Sum(0), head = Sum(0);  // head: entries before the first start of this lane
    int open = state.y_offset - 1;    // index of the segment of sum
    bool started = false;
    auto const add = [&](bool starts_row, Sum const& product) {
      if (starts_row) {
        if (started)
          write(target, open, sum, accumulators);
        else
          head = sum;
        started = true;
        sum = Sum(0);
        ++open;
      }
      sum += product;
    };
    Offset at = base + static_cast<Offset>(lane);
    int j = 0;
    typename Columns::Raw raw[batch];
    if (batch <= F.shape.sigma) load_columns(columns, at, raw);
    for (; j + batch <= F.shape.sigma; j += batch, at += batch * L::size) {
      Sum products[batch];
      form_products(columns, at, j + 2 * batch <= F.shape.sigma, raw, products);
      for (int u = 0; u < batch; ++u) add((state.starts >> (j + u)) & 1u, products[u]);
    }
    for (; j < F.shape.sigma; ++j, at += L::size)
      add((state.starts >> j) & 1u,
          Sum(F.values(at)) * Sum(x(columns.column(columns.template raw<L>(at, hint)))));
    Sum const rest = sum_of_heads(started ? head : sum, lane, L::ballot(started));
    if (started) write(target, open, sum + rest, accumulators);
  }

  template <class Columns>
  KOKKOS_FORCEINLINE_FUNCTION void load_columns(Columns const& columns, Offset at,
                                                typename Columns::Raw (&raw)[batch]) const {
    for (int u = 0; u < batch; ++u) raw[u] = columns.template raw<L>(at + u * L::size, hint);
  }

  /// The products of the batch whose columns are loaded. Loads the columns of the next batch if there is one.
  /// All loads are issued before the first value is used.
  template <class Columns>
  KOKKOS_FORCEINLINE_FUNCTION void form_products(Columns const& columns, Offset at, bool has_next,
                                                 typename Columns::Raw (&raw)[batch],
                                                 Sum (&products)[batch]) const {
    Scalar values[batch];
    for (int u = 0; u < batch; ++u) products[u] = Sum(x(columns.column(raw[u])));
    for (int u = 0; u < batch; ++u) values[u] = L::load_streaming(F.values.data() + at + u * L::size, hint);
    if (has_next) load_columns(columns, at + batch * L::size, raw);
    for (int u = 0; u < batch; ++u) products[u] *= Sum(values[u]);
  }

  /// The sum of the heads of the lanes to the right, up to and including the first lane with a start: it
  /// completes the open segment of this lane. A segmented scan from the right that adds parts of one row only.
  KOKKOS_FORCEINLINE_FUNCTION Sum sum_of_heads(Sum head, int lane, typename L::Mask started) const {
    auto const from_here = static_cast<typename L::Mask>(started >> lane);
    int const distance =
        from_here != 0 ? L::lowest(from_here) : L::size - 1 - lane;  // to the segment's last lane
    for (int step = 1; L::ballot(step <= distance) != 0; step *= 2) {
      Sum const right = L::shuffle_down(head, step);
      if (step <= distance) head += right;
    }
    Sum const right = L::shuffle_down(head, 1);
    return lane + 1 < L::size ? right : Sum(0);
  }

  /// Rows of the tail, one per thread; the whole warp sums a long row.
  KOKKOS_FORCEINLINE_FUNCTION void sum_tail(int tail_team, int thread, Accumulators& accumulators) const {
    constexpr Offset max_by_thread = 32;
    auto const number = static_cast<Offset>(tail_team) * team_size + static_cast<Offset>(thread);
    bool const inside = number < static_cast<Offset>(F.num_rows - F.tail_row);
    Ordinal const row = F.tail_row + static_cast<Ordinal>(inside ? number : 0);
    Offset const tail_begin = F.tail_begin(), row_begin = F.row_offsets(row);
    Offset const begin = row_begin < tail_begin ? tail_begin : row_begin;
    Offset const end = inside ? F.row_offsets(row + 1) : begin;
    Sum sum = Sum(0);
    if (end - begin <= max_by_thread) sum = sum_entries(begin, end, 1);
    for (auto long_rows = L::ballot(end - begin > max_by_thread); long_rows != 0; long_rows &= long_rows - 1) {
      int const owner = L::lowest(long_rows), lane = thread % L::size;
      Offset const from = L::shuffle(begin, owner), to = L::shuffle(end, owner);
      Sum const part = sum_over_lanes<L, L::size>(sum_entries(from + static_cast<Offset>(lane), to, L::size));
      if (lane == owner) sum = part;
    }
    if (!inside) return;
    if (row_begin >= tail_begin)
      epilogue(accumulators, y(row), row, sum);
    else if (carry.extent(0) > 0)
      carry(F.num_tiles) = sum;
  }

  KOKKOS_FORCEINLINE_FUNCTION void update_empty_row(int team, int thread, Accumulators& accumulators) const {
    auto const at = static_cast<std::size_t>(team) * team_size + static_cast<std::size_t>(thread);
    if (at >= F.empty_rows.extent(0)) return;
    Ordinal const row = F.empty_rows(at);
    epilogue(accumulators, y(row), row, Sum(0));
  }

  KOKKOS_FORCEINLINE_FUNCTION Sum sum_entries(Offset begin, Offset end, int step) const {
    Sum sum = Sum(0);
    Offset const coded = indices == Indices::full ? Offset(0) : F.coded_entries();
    for (Offset k = begin; k < end; k += static_cast<Offset>(step))
      sum += Sum(F.values(k)) * Sum(x(F.columns(k - coded)));
    return sum;
  }
};

/// The carries of each row that crosses tiles, for add_carry. Part t is tile t, part num_tiles the tail.
template <class Format>
struct TileRuns {
  using Ordinal = typename Format::ordinal_type;
  using offset_type = typename Format::offset_type;
  Format F;

  KOKKOS_FUNCTION CarryRun<Ordinal, offset_type> operator()(offset_type part) const {
    if (part == 0) return {};
    offset_type const size = F.tile_size(), first = part * size;
    Ordinal const row = F.tile_row(part);
    if (row >= F.num_rows) return {};
    offset_type const begin = F.row_offsets(row);
    if (begin >= first || first - begin > size)
      return {};  // the row starts here, or an earlier part returns it
    offset_type const last = (F.row_offsets(row + 1) - 1) / size;
    return {row, part, last - part + 1};
  }
};

/// Completes rows that cross tiles without a plan: one warp per boundary reads the entries of such a row beyond
/// its first tile again. Fast for short rows; for rows of many tiles a plan is faster.
template <Indices indices, class Exec, class Format, class X, class Y, class EpilogueOp>
struct FinishRows {
  using Sum = typename EpilogueOp::sum_type;
  using Accumulators = typename EpilogueOp::Accumulators;
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Policy = Kokkos::TeamPolicy<Exec>;
  using L = Lanes<Exec>;
  static constexpr int team_size = 256, parts_per_team = team_size / L::size;

  TileRuns<Format> runs;
  X x;
  Y y;
  EpilogueOp epilogue;

  template <class Team>
  KOKKOS_FUNCTION void run(Team const& team, Accumulators& accumulators) const {
    auto const& F = runs.F;
    Offset const part = static_cast<Offset>(team.league_rank()) * parts_per_team +
                        static_cast<Offset>(team.team_rank() / L::size);
    if (part > F.num_tiles) return;
    auto const run = runs(part);
    if (run.count == 0) return;  // the same in all lanes of the warp
    int const lane = team.team_rank() % L::size;
    Sum sum = Sum(0);
    Offset const end = F.row_offsets(run.row + 1);
    for (Offset k = part * F.tile_size() + static_cast<Offset>(lane); k < end; k += L::size) {
      Offset const at = F.position(k);
      Ordinal const column = indices == Indices::full ? F.columns(at) : F.column(at);
      sum += Sum(F.values(at)) * Sum(x(column));
    }
    sum = sum_over_lanes<L, L::size>(sum);
    if (lane == 0) epilogue.add(accumulators, y(run.row), run.row, sum);
  }
};

template <Indices indices, class Exec, class Format, class X, class Y, class EpilogueOp, class Carry>
void spmv_tiles_gpu(Exec const& exec, EpilogueOp const& epilogue, Format const& F, X const& x, Y const& y,
                    Carry const& carry) {
  using Offset = typename Format::offset_type;
  using Tiles = SpmvTiles<indices, Exec, Format, X, Y, EpilogueOp, Carry>;
  auto const teams_for = [](auto items, int items_per_team) {
    return static_cast<int>(ceil_div(items, static_cast<decltype(items)>(items_per_team)));
  };
  int const tail_teams = teams_for(F.num_rows - F.tail_row, Tiles::team_size);
  int const tile_teams = teams_for(F.num_tiles, Tiles::tiles_per_team);
  int const teams = tail_teams + tile_teams + teams_for(F.empty_rows.extent(0), Tiles::team_size);
  epilogue.launch("einkorn::spmv[csr5,tiles]", typename Tiles::Policy(exec, teams, Tiles::team_size),
                  Tiles{F, x, y, epilogue, carry, tail_teams, tile_teams, F.shape.words(), F.shape.y_bits(),
                        F.shape.segment_bits(), cache_hint(exec, F, x, y)});
  if (F.num_tiles == 0) return;
  TileRuns<Format> const runs{F};
  Offset const parts = F.num_tiles + 1;
  if (carry.extent(0) > 0) {
    add_carry(exec, runs, parts, F.longest_row / F.tile_size() + 2 > max_short_carry_run, carry, y, epilogue);
  } else {
    using Finish = FinishRows<indices, Exec, Format, X, Y, EpilogueOp>;
    epilogue.launch("einkorn::spmv[csr5,finish_rows]",
                    typename Finish::Policy(exec, teams_for(parts, Finish::parts_per_team), Finish::team_size),
                    Finish{runs, x, y, epilogue});
  }
}

}  // namespace einkorn::detail
