// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <cstddef>

namespace einkorn {

/// The numbers of the CSR kernels. A structural type: kernels take it as a template argument.
struct SpmvTuning {
  int team_size;         ///< threads a team
  int min_teams_per_sm;  ///< teams that a multiprocessor must have registers for
  int unroll;  ///< entries (row_team: a lane; segmented_sum: a thread) asked for before the first is used
};

/// Entries that a lane of a row_team asks for at once where `lanes` lanes have rows of `mean` entries: as few
/// as take such a row in one batch, since lanes without an entry ask as well.
constexpr int row_team_unroll(int lanes, double mean) {
  if (lanes < 8) return 4;
  if (lanes == 8) return mean <= 32.0 ? 4 : 6;
  return lanes == 16 && mean <= 96.0 ? 6 : 8;
}

/// row_team, with `lanes` lanes a row that each ask for `unroll` entries.
///
/// H200, double, 2026-11, cold, among 27 shapes: a row of up to 8 lanes is over after a batch or two, so what
/// hides the latency is many warps: 2048 threads a multiprocessor (32 registers) gave 340 us on stencil27:160
/// where 1536 gave 385. From 16 lanes on it is loads in flight: 6 of them at 5 or 6 teams gave 361
/// us on elasticity:80 where 3 at 8 teams gave 365, 8 gave 383. Below 16 lanes entries are read with the
/// caches' ordinary policy: rows begin in the middle of sectors, and what is asked for with evict-first is
/// fetched twice (352 and 459 us on stencil27:160 and stencil7:256, against 346 and 407).
constexpr SpmvTuning row_team_tuning(Arch arch, int lanes, int unroll) {
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      if (lanes < 16) return {512, unroll <= 4 ? 4 : 3, unroll};
      return {256, unroll <= 6 ? 6 : 5, unroll};
    case Arch::hip:
    case Arch::mi300:
      return {256, lanes <= 8 ? 4 : 2, unroll};  // analytical, not measured
    default:
      return {1, 1, 1};  // the host takes nothing from here
  }
}

/// The same of a product that gathers sums, for which 32 registers are too few, and rows of up to 4 lanes of a
/// matrix from min_rows_of_small_teams on: a team of few warps waits less for the last of them before it
/// hands its sums over. H200, 2026-11, 7 points on 464^3 with two dot products, 2 lanes: 2.63 ms, where {512,
/// 3} has 2.73; 2.43 and 2.46 without. Smaller matrices: not measured, and their sums are added up by every
/// team.
constexpr SpmvTuning accumulating_row_team_tuning(Arch arch, int lanes, int unroll, bool has_many_rows) {
  SpmvTuning tuning = row_team_tuning(arch, lanes, unroll);
  tuning.min_teams_per_sm = (3 * tuning.min_teams_per_sm + 3) / 4;
  bool const is_measured = arch == Arch::hopper || arch == Arch::cuda;
  return has_many_rows && is_measured && lanes <= 4 ? SpmvTuning{128, 12, unroll} : tuning;
}
inline constexpr std::size_t min_rows_of_small_teams = std::size_t(1) << 24;

/// Rows that a group of lanes takes one after another, so that a team meets more of its x in the first cache:
/// 340 us on stencil27:160 where one row gave 346 and 16 rows 353 (the cache is too small for them); 3 % less
/// than one row on elasticity:80, 1 % more on band:1000000:101.
constexpr int rows_in_turn(int lanes, int unroll) {
  return lanes < 16 || unroll <= 6 ? 4 : 1;
}
/// Teams below which a group takes one row, so that every multiprocessor has several teams.
inline constexpr int min_row_teams = 2048;

/// row_bins: up to how many entries a row is short for a group of `lanes` lanes, or is left to a warp, and what
/// a team takes of a longer one.
struct RowBinLimits {
  int short_row, warp_row, piece;
};

/// A large matrix keeps every lane busy anyway: four batches each, so that few rows are listed or cut. A small
/// one is over when its longest chain of loads is: two batches, one, two. H200, 2026-11, replayed in a graph:
/// the latter took wiki-Vote from 6.4 to 3.9 us, SLAM_spheric from 11.8 to 8.3, and cnr-2000 (3.2 M entries)
/// from 25 to 31.
constexpr RowBinLimits row_bin_limits(int lanes, std::size_t nnz) {
  bool const is_small = nnz <= std::size_t(1) << 20;
  return is_small ? RowBinLimits{8 * lanes, 128, 2048} : RowBinLimits{16 * lanes, 512, 4096};
}

/// Entries up to which an automatic plan takes row_bins where rows are not alike, segmented_sum beyond. H200,
/// 2026-11, in a graph: 13 and 17 us on web-NotreDame (1.5 M), 25 and 22 us on cnr-2000 (3.2 M).
inline constexpr std::size_t max_row_bins_entries = std::size_t(2) << 20;

/// row_bins; `unroll` for all three kinds of rows.
constexpr SpmvTuning row_bins_tuning(Arch arch, std::size_t sum_bytes) {
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      return {256, sum_bytes > 8 ? 4 : 6, 4};
    case Arch::hip:
    case Arch::mi300:
      return {256, sum_bytes > 8 ? 2 : 4, 4};  // analytical, not measured
    default:
      return {1, 1, 1};
  }
}

/// segmented_sum; a tile has team_size * unroll steps.
///
/// H200, 2026-11: 6 teams of 8 entries a thread (40 registers) before 4 or 5 teams, and before 4 entries.
/// 17 KB of scratch a team for double: 6 teams take 102 of 228 KB.
constexpr SpmvTuning segmented_sum_tuning(Arch arch, std::size_t sum_bytes) {
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      return {256, sum_bytes > 8 ? 3 : 6, 8};
    case Arch::hip:
    case Arch::mi300:
      return {256, 2, sum_bytes > 8 ? 4 : 8};  // analytical, not measured: 64 KB of LDS a compute unit
    default:
      return {1, 1, 1};
  }
}

/// Whether whole rows suit groups of lanes on a GPU: no row is much longer than the mean, so that none waits
/// for another, nor so long that its few lanes are busy when all others are done. H200, 2026-11: 18 rows of up
/// to 93261 entries (BOYD1_A) take 447 us by row_team and 6 us by row_bins, 2000 rows of 2000 17 us either way.
constexpr bool rows_suit_lanes(double longest, double mean) {
  return longest <= 4.0 * mean + 32.0 && longest <= 2048.0;
}

/// Lanes that share a row of `mean` entries: the fewest that ask for the row in one batch each.
constexpr int lanes_for_row(Arch arch, double mean) {
  int const most = lockstep_lanes(arch);
  int lanes = 1;
  while (lanes < most && lanes * row_team_unroll(lanes, mean) < mean) lanes *= 2;
  return lanes;
}

}  // namespace einkorn
