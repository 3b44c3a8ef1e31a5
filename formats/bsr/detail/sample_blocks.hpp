// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/detail/result_memory.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/bsr/bsr_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Rows of a sampled group, divisible by every block size from 2 to 8.
inline constexpr int sampled_group_rows = 840;

/// The sampled groups of rows: num_sampled of num_groups, evenly spaced. Group i has the sampled_group_rows
/// rows from first_row(i) on; the last group may have fewer rows if all groups are sampled.
struct RowGroups {
  std::int64_t num_groups, num_sampled;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_row(std::int64_t i) const {
    return i * num_groups / num_sampled * sampled_group_rows;
  }
};

/// The numbers of blocks per block size, and of entries, of sampled groups of rows.
struct BlockCounts {
  std::int64_t blocks[max_detected_block_size + 1] = {};  // [block size]
  std::int64_t entries = 0;
};

/// Counts, for all block sizes at once, the entries that are the first of their block: no previous entry of the
/// row is in the block, and no previous row of the block row has an entry in it (one binary search per row, the
/// nearest row first).
template <class Matrix>
struct SampleBlocks {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  Matrix A;
  RowGroups groups;

  /// Counts the entries of a group that one of `threads` threads visits, which share them for any row lengths.
  KOKKOS_FUNCTION void count_in_group(std::int64_t group, int thread, int threads, BlockCounts& counts) const {
    std::int64_t const first = groups.first_row(group), rows = static_cast<std::int64_t>(A.num_rows);
    auto const first_row = static_cast<Ordinal>(first);
    auto const last_row =
        static_cast<Ordinal>(first + sampled_group_rows < rows ? first + sampled_group_rows : rows);
    Offset const end = A.row_begin(last_row);
    for (Offset k = A.row_begin(first_row) + static_cast<Offset>(thread); k < end;
         k += static_cast<Offset>(threads)) {
      Ordinal const row = row_of_entry(A.row_offsets, first_row, last_row, k);
      ++counts.entries;
      count<2>(row, k, counts);
      count<3>(row, k, counts);
      count<4>(row, k, counts);
      count<5>(row, k, counts);
      count<6>(row, k, counts);
      count<7>(row, k, counts);
      count<8>(row, k, counts);
    }
  }

 private:
  template <int b>
  KOKKOS_FORCEINLINE_FUNCTION void count(Ordinal row, Offset k, BlockCounts& counts) const {
    Ordinal const column = A.columns(k), first = column - column % b;
    if (k > A.row_begin(row) && A.columns(k - 1) >= first) return;
    Ordinal const first_row = row - row % b;
    for (Ordinal above = row; above > first_row;)
      if (has_block(--above, first, b)) return;
    ++counts.blocks[b];
  }
  /// Whether the row has an entry in the columns first .. first + b - 1.
  KOKKOS_FORCEINLINE_FUNCTION bool has_block(Ordinal row, Ordinal first, Ordinal b) const {
    Offset const end = A.row_end(row);
    Offset const k = lower_bound_index(A.columns, A.row_begin(row), end, first);
    return k < end && A.columns(k) - first < b;
  }
};

/// GPU: teams_per_group teams share a group; teams process their parts of groups cyclically. Adds the blocks of block size
/// b to words[b] and the entries to words[0].
template <class Exec, class Matrix>
struct SampleBlocksInTeams {
  using L = Lanes<Exec>;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr int team_size = 256, warps = team_size / L::size, num_words = max_detected_block_size + 1;
  static constexpr std::size_t scratch_bytes = warps * num_words * sizeof(std::int64_t) + 16;

  SampleBlocks<Matrix> sample;
  int teams_per_group;
  std::uint64_t* words;  // [num_words], zeros at first

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto* const sums = static_cast<std::int64_t*>(team.team_scratch(0).get_shmem_aligned(
        warps * num_words * sizeof(std::int64_t), alignof(std::int64_t)));
    BlockCounts counts;
    std::int64_t const items = sample.groups.num_sampled * teams_per_group;
    for (std::int64_t item = team.league_rank(); item < items; item += team.league_size()) {
      int const part = static_cast<int>(item % teams_per_group);
      sample.count_in_group(item / teams_per_group, part * team_size + team.team_rank(),
                            teams_per_group * team_size, counts);
    }
    counts.blocks[0] = counts.entries;
    int const rank = team.team_rank();
    for (int word = 0; word < num_words; ++word) {
      std::int64_t const sum = sum_over_lanes<L, L::size>(counts.blocks[word]);
      if (rank % L::size == 0) sums[rank / L::size * num_words + word] = sum;
    }
    team.team_barrier();
    if (rank >= num_words) return;
    std::int64_t sum = 0;
    for (int warp = 0; warp < warps; ++warp) sum += sums[warp * num_words + rank];
    if (sum != 0) Kokkos::atomic_add(&words[rank], static_cast<std::uint64_t>(sum));
  }
};

/// The entries of a group on average.
template <class Matrix>
double entries_per_group(Matrix const& A) {
  return static_cast<double>(A.nnz()) / std::max(1.0, static_cast<double>(A.num_rows)) * sampled_group_rows;
}

/// Launches SampleBlocksInTeams, with 4 entries per thread on average. Asynchronous on exec.
template <class Exec, class Matrix>
void launch_sample_blocks(Exec const& exec, Matrix const& A, RowGroups const& groups, std::uint64_t* words) {
  using Functor = SampleBlocksInTeams<Exec, Matrix>;
  int const teams_per_group =
      static_cast<int>(std::clamp(entries_per_group(A) / (4 * Functor::team_size), 1.0, 64.0));
  std::int64_t const teams = std::min(groups.num_sampled * teams_per_group, max_resident_teams);
  Kokkos::TeamPolicy<Exec> policy(exec, static_cast<int>(teams), Functor::team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes)));
  Kokkos::parallel_for("einkorn::detect_block_size", light_weight(policy),
                       Functor{{A, groups}, teams_per_group, words});
}

/// GPU: the counts of the sampled groups. 1 launch; fences exec.
template <class Exec, class Matrix>
BlockCounts sample_blocks(Exec const& exec, Matrix const& A, RowGroups const& groups) {
  BlockCounts counts;
  if (groups.num_sampled == 0) return counts;
  constexpr int num_words = SampleBlocksInTeams<Exec, Matrix>::num_words;
  ResultMemory<Exec> memory(exec, num_words);
  launch_sample_blocks(exec, A, groups, memory.data());
  auto const words = memory.template read<num_words>();
  counts.entries = static_cast<std::int64_t>(words[0]);
  for (int b = min_detected_block_size; b <= max_detected_block_size; ++b)
    counts.blocks[b] = static_cast<std::int64_t>(words[static_cast<std::size_t>(b)]);
  return counts;
}

/// The block size with the fewest bytes; the smallest in case of ties.
template <class Matrix>
int block_size_of_min_bytes(BlockCounts const& counts) {
  auto const bytes = [&](int b) {
    return static_cast<double>(counts.blocks[b]) *
           static_cast<double>(static_cast<std::size_t>(b * b) * sizeof(typename Matrix::scalar_type) +
                               sizeof(typename Matrix::ordinal_type));
  };
  int best = min_detected_block_size;
  for (int b = min_detected_block_size + 1; b <= max_detected_block_size; ++b)
    if (bytes(b) < bytes(best)) best = b;
  return best;
}

/// The block size with the fewest bytes in a sample of A, whose rows are sorted: 8 to 32 groups of rows (more than 8 up to
/// 2^19 entries), at most 1/32 of all. 0 if A is small (fewer than 2^20 entries or 256 groups), or if the sample has less than
/// half of the expected number of entries, because a few rows have most of them.
template <class Exec, class Matrix>
int block_size_of_row_groups(Exec const& exec, Matrix const& A) {
  std::int64_t const num_groups = static_cast<std::int64_t>(A.num_rows) / sampled_group_rows;
  auto const nnz = static_cast<double>(A.nnz());
  if (num_groups < 256 || nnz < 1048576.0) return 0;
  auto const wanted = static_cast<std::int64_t>(std::clamp(524288.0 / entries_per_group(A), 8.0, 32.0));
  RowGroups const groups{num_groups, std::min(wanted, num_groups / 32)};
  auto const counts = sample_blocks(exec, A, groups);
  double const expected = nnz * static_cast<double>(groups.num_sampled) / static_cast<double>(num_groups);
  return static_cast<double>(counts.entries) < 0.5 * expected ? 0 : block_size_of_min_bytes<Matrix>(counts);
}

}  // namespace einkorn::detail
