// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/row_access.hpp>
#include <einkorn/formats/spmm/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Strided row access (row_access.hpp) for CSR.
template <class Matrix>
struct StridedCsrRows {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Scalar = typename Matrix::scalar_type;
  static constexpr EntryOrder order = EntryOrder::by_row;
  static constexpr bool has_varying_lengths = true;
  Matrix A;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Ordinal row_at(Ordinal row) const { return row; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset begin(Ordinal row) const { return A.row_begin(row); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset length(Ordinal row) const {
    return A.row_end(row) - A.row_begin(row);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset entries(Ordinal row) const { return length(row); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static constexpr Offset stride() { return 1; }
};
/// Strided row access for padded rows (padded/detail/spmv_rows.hpp) with uncompressed columns.
template <class Format>
struct StridedPaddedRows {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  static constexpr EntryOrder order = EntryOrder::by_slot;
  static constexpr bool has_varying_lengths = requires(Format const& F) { F.slots_before(Ordinal(0)); };
  Format A;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Ordinal row_at(Ordinal at) const { return A.row_at(at); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset begin(Ordinal at) const { return A.slot_begin(at); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset length(Ordinal at) const { return A.slot_count(at); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset entries(Ordinal at) const {
    Offset low = 0, high = A.slot_count(at);
    while (low < high) {
      Offset const middle = low + (high - low) / 2;
      if (A.columns(A.slot_begin(at) + middle * A.slot_stride()) < 0)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset stride() const { return A.slot_stride(); }
};

/// Y <- alpha A X + beta Y for the rows of more than `bound` entries, which the kernel finds itself. Team
/// `chunk * slices + slice` searches rows block_rows * (chunk + i * chunks) .. + block_rows - 1 for every i:
/// adjacent rows, often long together, belong to different chunks. A whole team sums a row of more than
/// max_warp_row entries, each team of the chunk for one slice of the columns; its warps share the other rows.
/// Groups of lanes take every n-th step of a row; the order in which their sums are added depends only on the
/// length.
///
/// TeamSum and WarpSum ("GroupSum": RowTileSum, ColumnTileSum) sum a row times a tile of `columns` columns with
/// `lanes` lanes, step_entries entries per step.
template <class TeamSum, class WarpSum, LongRowsTuning tuning, class Exec, StridedRows Rows, class X, class Y,
          class Sum>
struct SpmmLongRows {
  using Ordinal = typename Rows::Ordinal;
  using Offset = typename Rows::Offset;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tuning.team_size, tuning.min_teams_per_sm>>;
  using Team = typename Policy::member_type;
  using L = Lanes<Exec>;

  static constexpr int warps = tuning.team_size / L::size;
  static constexpr int max_rounds = 32;  // of team_size rows: the bits of `found`

  Rows A;
  X x;
  Y y;
  Epilogue<Sum> epilogue;
  Offset bound;
  std::size_t chunks, slices;
  CacheHint<Exec> hint;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto& scratch = *static_cast<Scratch*>(team.team_scratch(0).get_shmem_aligned(sizeof(Scratch), 16));
    auto const team_index = static_cast<std::size_t>(team.league_rank());
    std::size_t const chunk = team_index / slices, slice = team_index % slices;
    std::uint32_t found = 0;  // bit i: row i * team_size + team_rank of the chunk
    int rounds = 0;
    for (constexpr int batch = 8; row_of_chunk(chunk, rounds * tuning.team_size) < num_rows();
         rounds += batch) {
      Offset lengths[batch];
      for (int u = 0; u < batch; ++u) {
        std::size_t const row = row_of_chunk(chunk, (rounds + u) * tuning.team_size + team.team_rank());
        lengths[u] = row < num_rows() ? A.length(static_cast<Ordinal>(row)) : Offset(0);
      }
      for (int u = 0; u < batch; ++u)
        if (lengths[u] > bound) found |= std::uint32_t(1) << (rounds + u);
    }
    if (!any_of(team, scratch, found != 0)) return;
    for (int round = 0; round < rounds; ++round) {
      team.team_barrier();
      bool const is_long = (found >> round & 1) != 0;
      if (is_long)
        scratch.lengths[team.team_rank()] =
            A.entries(static_cast<Ordinal>(row_of_chunk(chunk, round * tuning.team_size + team.team_rank())));
      if (any_of(team, scratch, is_long)) sum_round(team, scratch, chunk, round, slice);
    }
  }

  /// Scratch of a team: per warp a mask of long rows and sums, per thread a length.
  struct Scratch {
    typename L::Mask masks[warps];
    Offset lengths[tuning.team_size];
    Sum sums[warps][TeamSum::columns];
  };

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::size_t num_rows() const {
    return static_cast<std::size_t>(A.A.num_rows);
  }
  /// The n-th row of a chunk, which may be past the last row.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::size_t row_of_chunk(std::size_t chunk, int n) const {
    constexpr int block = tuning.block_rows;
    return (chunk + static_cast<std::size_t>(n / block) * chunks) * block + static_cast<std::size_t>(n % block);
  }

  /// Whether the condition holds for any thread; stores its mask per warp in scratch.masks. One barrier.
  KOKKOS_FORCEINLINE_FUNCTION static bool any_of(Team const& team, Scratch& scratch, bool condition) {
    auto const mask = L::ballot(condition);
    if (team.team_rank() % L::size == 0) scratch.masks[team.team_rank() / L::size] = mask;
    team.team_barrier();
    bool any = false;
    for (int warp = 0; warp < warps; ++warp) any = any || scratch.masks[warp] != 0;
    return any;
  }

  /// Sums the rows of scratch.masks.
  KOKKOS_FORCEINLINE_FUNCTION void sum_round(Team const& team, Scratch& scratch, std::size_t chunk, int round,
                                             std::size_t slice) const {
    constexpr auto width = static_cast<std::size_t>(WarpSum::columns);
    std::size_t const first_task = slice * warps + static_cast<std::size_t>(team.team_rank() / L::size),
                      num_tasks = slices * warps;
    std::size_t task = 0;
    for (int warp = 0; warp < warps; ++warp)
      for (auto mask = scratch.masks[warp]; mask != 0; mask &= mask - 1) {
        int const n = warp * L::size + L::lowest(mask);
        auto const row = static_cast<Ordinal>(row_of_chunk(chunk, round * tuning.team_size + n));
        Offset const length = scratch.lengths[n];
        if (length > static_cast<Offset>(tuning.max_warp_row)) {
          sum_by_team(team, scratch, row, length, slice * TeamSum::columns);
          continue;
        }
        for (std::size_t first = 0; first < y.extent(1); first += width, ++task)
          if (task % num_tasks == first_task) sum_by_warp(team, row, length, first);
      }
  }

  /// The sums of one group for the tile of columns that contains `first`.
  template <class GroupSum>
  KOKKOS_FORCEINLINE_FUNCTION GroupSum sum_of_group(Ordinal position, Offset length, std::size_t first,
                                                    int rank, int num_lanes) const {
    GroupSum sum(A, x, rank % GroupSum::lanes, GroupSum::tile_begin(first, y.extent(1)), hint);
    sum.add(A.begin(position), length, length, rank / GroupSum::lanes * GroupSum::step_entries,
            num_lanes / GroupSum::lanes * GroupSum::step_entries);
    sum.add_groups_of_warp();
    return sum;
  }

  KOKKOS_FORCEINLINE_FUNCTION void sum_by_warp(Team const& team, Ordinal position, Offset length,
                                               std::size_t first) const {
    int const rank = team.team_rank() % L::size;
    auto const sum = sum_of_group<WarpSum>(position, length, first, rank, L::size);
    if (WarpSum::holds_sums(rank)) sum.write(epilogue, y, A.row_at(position), first);
  }

  /// Two barriers.
  KOKKOS_FORCEINLINE_FUNCTION void sum_by_team(Team const& team, Scratch& scratch, Ordinal position,
                                               Offset length, std::size_t first) const {
    int const rank = team.team_rank();
    auto sum = sum_of_group<TeamSum>(position, length, first, rank, tuning.team_size);
    if (TeamSum::holds_sums(rank % L::size)) sum.store(scratch.sums[rank / L::size]);
    team.team_barrier();
    if (rank < L::size && TeamSum::holds_sums(rank)) {
      for (int warp = 1; warp < warps; ++warp) sum.add_stored(scratch.sums[warp]);
      sum.write(epilogue, y, A.row_at(position), first);
    }
    team.team_barrier();
  }
};

/// 1 launch.
template <class TeamSum, class WarpSum, LongRowsTuning tuning, class Exec, StridedRows Rows, class X, class Y,
          class Sum>
void spmm_long_rows(Exec const& exec, char const* label, Epilogue<Sum> const& epilogue, Rows const& A,
                    X const& x, Y const& y, typename Rows::Offset bound) {
  using Functor = SpmmLongRows<TeamSum, WarpSum, tuning, Exec, Rows, X, Y, Sum>;
  constexpr std::size_t max_blocks =
      static_cast<std::size_t>(Functor::max_rounds) * tuning.team_size / tuning.block_rows;
  auto const blocks = ceil_div(static_cast<std::size_t>(A.A.num_rows), tuning.block_rows);
  auto const slices = ceil_div(y.extent(1), TeamSum::columns);
  // Odd: see LongRowsTuning.
  std::size_t const chunks =
      std::max(ceil_div(blocks, max_blocks), ceil_div(static_cast<std::size_t>(tuning.min_teams), slices)) | 1;
  typename Functor::Policy policy(exec, static_cast<int>(chunks * slices), tuning.team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(sizeof(typename Functor::Scratch) + 16)));
  Kokkos::parallel_for(label, light_weight(policy),
                       Functor{A, x, y, epilogue, bound, chunks, slices, cache_hint(exec, A.A, x, y)});
}

/// Sums the rows that are too long for groups, and returns the largest length of the others. longest: entries
/// of the longest row, or the largest Offset where it is unknown. 1 launch where rows may be long, else none.
template <class TeamSum, class WarpSum, LongRowsTuning tuning, class Exec, StridedRows Rows, class X, class Y,
          class Sum>
typename Rows::Offset launch_long_rows(Exec const& exec, char const* label, Epilogue<Sum> const& epilogue,
                                       Rows const& A, X const& x, Y const& y, typename Rows::Offset longest) {
  if constexpr (Rows::has_varying_lengths) {
    std::size_t const mean = A.A.values.extent(0) / static_cast<std::size_t>(A.A.num_rows);
    std::size_t const bound =
        std::max(static_cast<std::size_t>(tuning.bound), mean * static_cast<std::size_t>(tuning.mean_factor));
    if (static_cast<std::size_t>(longest) > bound) {
      spmm_long_rows<TeamSum, WarpSum, tuning>(exec, label, epilogue, A, x, y,
                                               static_cast<typename Rows::Offset>(bound));
      return static_cast<typename Rows::Offset>(bound);
    }
  }
  return longest;
}

}  // namespace einkorn::detail
