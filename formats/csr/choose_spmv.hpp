// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/formats/csr/row_lengths.hpp>
#include <einkorn/formats/csr/spmv_tuning.hpp>
#include <einkorn/formats/spmv_options.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn {

/// Kernels of an SpMV in CSR.
enum class SpmvKernel {
  row_split,      ///< host: parts of whole rows
  row_team,       ///< GPU: a group of lanes per row
  sorted_rows,    ///< GPU: row_team in the order of the plan
  row_bins,       ///< GPU: groups of lanes, warps and teams, by row length
  segmented_sum,  ///< equal parts of the entries and rows
  nonzero_split   ///< GPU: equal numbers of entries per thread
};

/// Whether whole rows suit groups of lanes on a GPU: no row is much longer than the mean, so that no group
/// waits for another, nor so long that its lanes finish last. H200, 2026-11: 18 rows of up to 93261 entries
/// (BOYD1_A) take 447 us with row_team and 6 us with row_bins, 2000 rows of 2000 entries 17 us with either.
constexpr bool rows_suit_lanes(double longest, double mean) {
  return longest <= 4.0 * mean + 32.0 && longest <= 2048.0;
}

/// Selects the kernel of an algorithm other than atomic_scatter. A plan made on the host has neither a row
/// order nor bins nor blocks, and has_* are false without a plan.
constexpr SpmvKernel choose_spmv_kernel(SpmvAlgorithm algorithm, Arch arch, bool has_row_order, bool has_bins,
                                        bool has_blocks) {
  if (algorithm == SpmvAlgorithm::segmented_sum) return SpmvKernel::segmented_sum;
  if (arch == Arch::host) return SpmvKernel::row_split;
  if (algorithm == SpmvAlgorithm::sorted_rows && has_row_order) return SpmvKernel::sorted_rows;
  if (algorithm == SpmvAlgorithm::row_bins && has_bins) return SpmvKernel::row_bins;
  if (algorithm == SpmvAlgorithm::nonzero_split && has_blocks) return SpmvKernel::nonzero_split;
  return SpmvKernel::row_team;
}

/// Lanes per row of `mean` entries: the fewest that load the row in one batch.
constexpr int lanes_for_row(Arch arch, double mean) {
  int const max_lanes = lockstep_lanes(arch);
  int lanes = 1;
  while (lanes < max_lanes && lanes * row_team_unroll(lanes, mean) < mean) lanes *= 2;
  return lanes;
}

/// Lanes per row of the row kernels: 1 for row_thread, else those of the options or, with 0, of the table. On
/// the host more than 1 stands for SIMD lanes within a row. mean: entries per row.
constexpr int choose_lanes(SpmvOptions const& options, Arch arch, double mean) {
  if (options.algorithm == SpmvAlgorithm::row_thread) return 1;
  int const max_lanes = lockstep_lanes(arch) > 2 ? lockstep_lanes(arch) : 2;
  if (options.lanes > 0) return options.lanes < max_lanes ? options.lanes : max_lanes;
  int const lanes = lanes_for_row(arch, mean);
  bool const needs_two = options.algorithm == SpmvAlgorithm::row_team || arch == Arch::host;
  return needs_two && lanes < 2 ? 2 : lanes;
}

/// Whether a group of lanes loads every row in one batch, or nearly: then row_team is faster than nonzero_split.
/// H200, 2026-11, in a graph, row_team and nonzero_split: 5.4 and 6.2 us on xenon1 (longest row 27, batches of
/// 32), 3.1 and 3.9 on 7 points (7, 8), 3.2 and 3.9 on GT01R (90, 96), 2.3 and 2.5 on well1850 (5, 8); 3.4 and
/// 3.3 on cage10 (25, 16), 3.8 and 3.4 on bcsstk25 (59, 32), 5.5 and 4.5 on rail_79841 (11, 8). On 27 matrices the choice
/// of choose_spmv() takes at most 1.05 times the fastest algorithm.
constexpr bool takes_one_batch(Arch arch, double longest, double mean) {
  int const lanes = lanes_for_row(arch, mean);
  int const batch = (lanes < 2 ? 2 : lanes) * row_team_unroll(lanes, mean);
  return longest <= 17.0 / 16.0 * batch;
}

/// Selects the algorithm of a plan from the row lengths. concurrency: threads of a host space.
///
/// GPU, rows of different lengths: nonzero_split for up to max_nonzero_split_entries, otherwise segmented_sum. Cached rows of
/// similar length, min_mean_of_bins entries and more, and min_entries_of_bins together: row_bins, 3.2 and 3.85 us on bcsstk17
/// (39 entries per row, 4.3 10^5 together), 3.75 and 5.0 on Trefethen_20000 (28); otherwise it is slower: 3.24 and 3.0 on
/// bcsstk25 (16), 2.76 and 2.34 on cavity14 (29, but 7.6 10^4 together).
template <class Ordinal, class Offset>
constexpr SpmvAlgorithm choose_spmv(RowLengths<Ordinal, Offset> const& lengths, Arch arch,
                                    std::size_t concurrency) {
  auto const longest = static_cast<double>(lengths.longest);
  if (arch == Arch::host) {
    bool const is_fair =
        16.0 * longest * static_cast<double>(concurrency) <= static_cast<double>(lengths.entries);
    return is_fair ? SpmvAlgorithm::row_team : SpmvAlgorithm::segmented_sum;
  }
  bool const is_small = static_cast<std::int64_t>(lengths.entries) <= max_cached_entries;
  if (is_small) {
    constexpr double min_mean_of_bins = 24, min_entries_of_bins = 150000;
    if (takes_one_batch(arch, longest, lengths.mean())) return SpmvAlgorithm::row_team;
    bool const suits_bins = lengths.mean() >= min_mean_of_bins &&
                            static_cast<double>(lengths.entries) >= min_entries_of_bins &&
                            rows_suit_lanes(longest, lengths.mean());
    return suits_bins ? SpmvAlgorithm::row_bins : SpmvAlgorithm::nonzero_split;
  }
  if (rows_suit_lanes(longest, lengths.mean())) return SpmvAlgorithm::row_team;
  return static_cast<std::int64_t>(lengths.entries) <= max_nonzero_split_entries ? SpmvAlgorithm::nonzero_split
                                                                                 : SpmvAlgorithm::segmented_sum;
}

/// Rows that a group of lanes computes one after another, so that a team reuses more of x from the L1 cache:
/// 340 us on stencil27:160, where 1 row takes 346 and 16 rows 353; 3 % less than 1 row on elasticity:80, 1 %
/// more on band:1000000:101. 1 where fewer than 2048 teams would be left, so that every multiprocessor has
/// several.
constexpr int rows_per_group(int lanes, int unroll, std::size_t num_rows, int groups_per_team) {
  if (lanes >= 16 && unroll > 6) return 1;
  auto const rows_per_team = static_cast<std::size_t>(4 * groups_per_team);
  return (num_rows + rows_per_team - 1) / rows_per_team < 2048 ? 1 : 4;
}

}  // namespace einkorn
