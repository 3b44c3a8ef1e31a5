// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn {

/// Launch parameters of the CSR kernels. A structural type: kernels take it as a template argument.
struct SpmvTuning {
  int team_size;         ///< threads per team
  int min_teams_per_sm;  ///< resident teams per multiprocessor (launch bounds)
  int unroll;            ///< entries per lane (segmented_sum: per thread) loaded before the first is used
};

/// Entries that a lane of row_team loads per batch, for rows of `mean` entries: the fewest that load such a row
/// in one batch, since lanes without an entry load too.
constexpr int row_team_unroll(int lanes, double mean) {
  if (lanes < 8) return 4;
  if (lanes == 8) return mean <= 32.0 ? 4 : 6;
  return lanes == 16 && mean <= 96.0 ? 6 : 8;
}

/// row_team with `lanes` lanes per row.
///
/// H200, double, 2026-11, cold, among 27 configurations. Up to 8 lanes a row takes one or two batches, and
/// occupancy hides the latency: 2048 threads per multiprocessor (32 registers) took 340 us on stencil27:160,
/// 1536 took 385. From 16 lanes on loads in flight hide it: unroll 6 with 5 or 6 teams took 361 us on
/// elasticity:80, 3 with 8 teams 365, 8 took 383. Below 16 lanes entries are loaded with the default cache
/// policy: rows begin within sectors, which evict-first fetches twice (352 and 459 us on stencil27:160 and
/// stencil7:256, against 346 and 407).
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
      return {1, 1, 1};  // unused on the host
  }
}

/// row_team with an epilogue that accumulates dot products, for which 32 registers are too few. has_many_rows:
/// at least min_rows_of_small_teams, with small teams, which wait less for their last warp before they store
/// partial sums. H200, 2026-11, 7 points on 464^3 with two dot products, 2 lanes: 2.63 ms, where {512, 3} takes
/// 2.73; 2.43 and 2.46 without dot products. Not measured for fewer rows, where every team adds up all partial
/// sums.
constexpr SpmvTuning accumulating_row_team_tuning(Arch arch, int lanes, int unroll, bool has_many_rows) {
  SpmvTuning tuning = row_team_tuning(arch, lanes, unroll);
  tuning.min_teams_per_sm = (3 * tuning.min_teams_per_sm + 3) / 4;
  bool const is_measured = arch == Arch::hopper || arch == Arch::cuda;
  return has_many_rows && is_measured && lanes <= 4 ? SpmvTuning{128, 12, unroll} : tuning;
}
inline constexpr std::size_t min_rows_of_small_teams = std::size_t(1) << 24;

/// row_bins: most entries of a short row (for a group of lanes) and of a warp's row, and entries per chunk of a
/// longer one.
struct RowBinLimits {
  int short_row, warp_row, chunk;
};

/// A large matrix occupies all lanes: four batches per row, so that few rows are listed or cut. The time of a
/// small one is its longest chain of loads: two batches, one, two. H200, 2026-11, replayed in a graph: the
/// limits of small matrices took wiki-Vote from 6.4 to 3.9 us, SLAM_spheric from 11.8 to 8.3, and cnr-2000 (3.2
/// M entries) from 25 to 31.
constexpr RowBinLimits row_bin_limits(int lanes, std::size_t nnz) {
  bool const is_small = nnz <= std::size_t(1) << 20;
  return is_small ? RowBinLimits{8 * lanes, 128, 2048} : RowBinLimits{16 * lanes, 512, 4096};
}

/// row_bins; `unroll` for all three classes of rows.
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

/// The blocks of nonzero_split. A block holds up to capacity() entries; it begins up to `shift` entries before
/// its nominal place, so that the row there is not cut.
struct NonzeroSplitShape {
  int team_size = 128;               ///< threads per block
  int entries = 4;                   ///< entries per thread: 2, 4 or 8
  int shift = 0;                     ///< less than half of the capacity
  bool wants_few_registers = false;  ///< few_registers_tuning where there is one

  [[nodiscard]] constexpr int capacity() const { return team_size * entries; }
};

/// Most entries per thread of nonzero_split: the registers of a thread hold their values and those of x.
constexpr int max_split_entries(std::size_t sum_bytes) {
  return sum_bytes > 8 ? 4 : 8;
}

/// Entries up to which irregular rows are computed by nonzero_split, beyond by segmented_sum, which is faster where long rows
/// have neighbouring columns. H200, double, 2026-11, cold, the two in this order: 39.6 and 43.6 us on gen:rmat:18 (3.8 M
/// entries), 104 and 109 on gen:powerlaw:300000:40 (12 M), 27.7 and 33.0 on gen:surrogate:webbase-1M (3.1 M); 76 and 68 on
/// gen:surrogate:Si41Ge41H72 (15 M), 127 and 101 on gen:surrogate:rail4284:200 (23 M).
inline constexpr std::int64_t max_nonzero_split_entries = std::int64_t(12) << 20;

/// Entries up to which all teams of nonzero_split should run at once, so that its time is that of one team.
inline constexpr std::size_t max_one_wave_entries = std::size_t(1) << 20;

/// nonzero_split in 48 registers: 10 blocks of 8 entries per thread run at once per multiprocessor, otherwise 8. H200,
/// 2026-11, in a graph: 8.4 -> 7.3 us on boyd1 (1.21 M entries), 6.7 -> 6.3 on xenon1 (1.18 M), whose blocks then all run
/// at once; 9.4 -> 10.7 on wave (2.1 M).
inline constexpr SpmvTuning few_registers_tuning{128, 10, 8};
inline constexpr std::size_t max_few_registers_entries = max_one_wave_entries + max_one_wave_entries / 5;

/// Whether there is such a kernel.
constexpr bool has_few_registers_tuning(Arch arch, std::size_t sum_bytes, bool accumulates) {
  return (arch == Arch::hopper || arch == Arch::cuda) && sum_bytes == 8 && !accumulates;
}

/// The blocks of nonzero_split for a matrix.
///
/// H200, double, 2026-11, in a graph, with a plain CUDA form of the kernel, among 40 shapes on 75 matrices: 10
/// to 20 warps per multiprocessor are fastest, 8 entries per thread before 4 where rows have many entries, so
/// that few threads store rows. Up to 2^20 entries a cut row adds 0.7 us: a block has at least twice the entries
/// of the longest row (up to 2048 entries). With few blocks a row is rarely cut, and larger teams add 0.5 us.
/// Beyond 2^20 entries blocks are many and small, and nearly full, since others hide what one waits for: 17.5 us
/// on cnr-2000 with 128 threads and shifts of 64 entries, 19.7 with 256 and 512, 24 with 1023. On average 3 %
/// more than the best shape of each matrix.
constexpr NonzeroSplitShape nonzero_split_shape(std::size_t nnz, std::size_t longest_row, double mean,
                                                std::size_t sum_bytes) {
  int const max_entries = max_split_entries(sum_bytes);
  int const longest_shift = static_cast<int>(longest_row < 65536 ? longest_row : 65536) - 1;
  auto const shape = [&](int team_size, int entries, int max_shift) {
    return NonzeroSplitShape{team_size, entries, longest_shift < max_shift ? longest_shift : max_shift, false};
  };
  std::size_t const max_nnz_of_4 = mean < 32.0 ? 720000 : 360000;
  bool const has_few_blocks = nnz <= 50000;
  if (nnz <= max_one_wave_entries)
    for (int entries = nnz <= 110000         ? 2
                       : nnz <= max_nnz_of_4 ? 4
                                             : max_entries;
         entries <= max_entries; entries *= 2)
      for (int team_size = 128; team_size <= (has_few_blocks ? 256 : 512); team_size *= 2) {
        auto const capacity = static_cast<std::size_t>(team_size * entries);
        bool const is_last = has_few_blocks && team_size == 256 && entries == max_entries;
        if ((is_last ? 1 : 2) * longest_row <= capacity)
          return shape(team_size, entries, team_size * entries / 2 - 1);
      }
  auto result = shape(128, max_entries, 128 * max_entries / 16);
  result.wants_few_registers =
      max_entries == 8 && nnz > max_one_wave_entries && nnz <= max_few_registers_entries;
  return result;
}

/// nonzero_split with `entries` per thread, and up to 512 threads per team.
constexpr SpmvTuning nonzero_split_tuning(Arch arch, int entries, std::size_t sum_bytes, bool accumulates) {
  int const words = entries * (sum_bytes > 8 ? 2 : 1) * (accumulates ? 2 : 1);
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      return {512, words <= 4 ? 3 : words <= 8 ? 2 : 1, entries};
    case Arch::hip:
    case Arch::mi300:
      return {512, words <= 4 ? 2 : 1, entries};  // analytical, not measured
    default:
      return {1, 1, 1};  // unused on the host
  }
}

/// segmented_sum; a tile has team_size * unroll steps.
///
/// H200, 2026-11: 6 teams of 8 entries per thread (40 registers) were faster than 4 or 5 teams and than 4
/// entries. 17 KB of scratch per team for double: 6 teams take 102 of 228 KB.
constexpr SpmvTuning segmented_sum_tuning(Arch arch, std::size_t sum_bytes) {
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      return {256, sum_bytes > 8 ? 3 : 6, 8};
    case Arch::hip:
    case Arch::mi300:
      return {256, 2, sum_bytes > 8 ? 4 : 8};  // analytical, not measured: 64 KB of LDS per compute unit
    default:
      return {1, 1, 1};
  }
}

}  // namespace einkorn
