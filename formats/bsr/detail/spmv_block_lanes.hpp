// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/formats/bsr/bsr_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn::detail {

/// SpMV with a group of `lanes` neighbouring threads per block row (GPU) and b known at compile time. The lanes
/// are assigned to `slots` blocks at a time (BlockLanes). A lane loads `unroll` blocks before it uses the
/// first; past the end it loads the last block again and discards the product, so that loads are not
/// predicated. Finally the sums of a row are added over slots and columns, in an order that depends on b and
/// lanes only. k columns of a multivector per pass. Source: Bell and Garland, 2008 (CSR-vector), with blocks
/// instead of entries.
template <BsrTuning tuning, int b, int lanes, int k, class Exec, class Format, class X, class Y, class Sum>
struct SpmvBlockLanes {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tuning.team_size, tuning.min_teams_per_sm>>;
  using L = Lanes<Exec>;
  using Shape = BlockLanes<b, lanes>;

  static constexpr int groups = tuning.team_size / lanes;
  static constexpr int parts = Shape::values_per_lane;
  static constexpr int unroll = tuning.unroll;

  Format F;
  X x;
  Y y;
  Epilogue<Sum> epilogue;
  int row_teams;  // teams per pass over the block rows
  int passes;     // block rows per group, in sequence
  CacheHint<Exec> hint;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    work(team.league_rank(), team.team_rank());
  }

  KOKKOS_FORCEINLINE_FUNCTION void work(int team, int thread) const {
    int const column_tile = Y::rank() == 1 ? 0 : team / row_teams;
    auto const column = static_cast<std::size_t>(column_tile) * k;
    auto block_row =
        static_cast<Unsigned>(team - column_tile * row_teams) * static_cast<Unsigned>(groups * passes) +
        static_cast<Unsigned>(thread / lanes);
    for (int pass = 0; pass < passes; ++pass, block_row += groups)
      sum_block_row(block_row, thread % lanes, column);
  }

 private:
  using Unsigned = std::make_unsigned_t<Ordinal>;  // block rows of the last team may overflow Ordinal

  KOKKOS_FORCEINLINE_FUNCTION void sum_block_row(Unsigned position, int lane, std::size_t column) const {
    bool const inside = position < static_cast<Unsigned>(F.num_block_rows);
    auto const block_row = static_cast<Ordinal>(position);
    bool const has_work = lane < Shape::used_lanes;  // the other lanes read the same as lane 0
    int const slot = has_work ? lane / (Shape::rows * b) : 0;
    int const r = has_work ? lane / b % Shape::rows : 0, c = has_work ? lane % b : 0;
    Sum sum[k][parts];
    for (int j = 0; j < k; ++j)
      for (int t = 0; t < parts; ++t) sum[j][t] = Sum(0);
    if (inside) {
      Offset const end = F.row_offsets(block_row + 1);
      for (Offset block = F.row_offsets(block_row) + static_cast<Offset>(slot); block < end;
           block += Shape::slots * unroll)
        add_batch(block, end, r, c, column, sum);
    }
    for (int j = 0; j < k; ++j)
      for (int t = 0; t < parts; ++t) sum[j][t] = sum_of_row(sum[j][t], slot, c);
    if (!inside || !has_work || slot > 0 || c > 0) return;
    Ordinal const first = block_row * b;
    for (int t = 0; t < parts; ++t)
      if (r + t * Shape::rows < b && static_cast<Ordinal>(r + t * Shape::rows) < F.num_rows - first)
        for (int j = 0; j < k; ++j)
          if (k == 1 || column + static_cast<std::size_t>(j) < y.extent(1))
            epilogue(entry(y, first + static_cast<Ordinal>(r + t * Shape::rows),
                           column + static_cast<std::size_t>(j)),
                     sum[j][t]);
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_batch(Offset block, Offset end, int r, int c, std::size_t column,
                                             Sum (&sum)[k][parts]) const {
    Ordinal columns[unroll];
    Scalar values[unroll][parts];
    bool used[unroll];
    for (int u = 0; u < unroll; ++u) {
      Offset const next = block + static_cast<Offset>(u * Shape::slots);
      used[u] = next < end;
      Offset const q = used[u] ? next : end - 1;
      columns[u] = L::load_streaming(F.columns.data() + q, hint);
      for (int t = 0; t < parts; ++t) {
        int const row = r + t * Shape::rows < b ? r + t * Shape::rows : b - 1;  // sum not used
        values[u][t] =
            L::load_streaming(F.values.data() + q * (b * b) + static_cast<Offset>(row * b + c), hint);
      }
    }
    for (int u = 0; u < unroll; ++u) {
      Ordinal const first = columns[u] * b;
      used[u] = used[u] && static_cast<Ordinal>(c) < F.num_cols - first;
      columns[u] = used[u] ? first + static_cast<Ordinal>(c) : Ordinal(0);
    }
    for (int j = 0; j < k; ++j) {
      auto const vector = column + static_cast<std::size_t>(j);
      if (k > 1 && vector >= x.extent(1)) return;
      Sum from_x[unroll];
      for (int u = 0; u < unroll; ++u) from_x[u] = Sum(entry(x, columns[u], vector));
      for (int u = 0; u < unroll; ++u)
        for (int t = 0; t < parts; ++t) {
          Sum const product = Sum(values[u][t]) * from_x[u];
          sum[j][t] += used[u] ? product : Sum(0);
        }
    }
  }

  /// The sum over slots and columns, in the lanes of slot 0 and column 0. Tree reductions over counts that need
  /// not be powers of two.
  KOKKOS_FORCEINLINE_FUNCTION static Sum sum_of_row(Sum sum, int slot, int c) {
    for (int left = Shape::slots; left > 1; left = (left + 1) / 2) {
      int const half = (left + 1) / 2;
      Sum const other = L::shuffle_down(sum, half * Shape::rows * b, lanes);
      if (slot < left - half) sum += other;
    }
    for (int left = b; left > 1; left = (left + 1) / 2) {
      int const half = (left + 1) / 2;
      Sum const other = L::shuffle_down(sum, half, lanes);
      if (c < left - half) sum += other;
    }
    return sum;
  }
};

}  // namespace einkorn::detail
