// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/formats/analysis/detail/counters.hpp>
#include <einkorn/formats/analysis/detail/team_key_set.hpp>
#include <einkorn/formats/bsr/bsr_tuning.hpp>
#include <einkorn/formats/bsr/detail/count_blocks_host.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Upper limit of the sampled block rows per block size.
inline constexpr std::int64_t max_sampled_block_rows = 1024;
/// Host: the entries of the sample per block size, about; at least 64 block rows. An SpMV of so many entries takes 10 us.
inline constexpr std::int64_t sampled_entries_on_host = 16384;

/// GPU: slots of the table of block columns, for twice the entries of a block row of 8 x 8 blocks, and more for uneven rows.
constexpr int block_table_slots(std::int64_t mean_row_length) {
  constexpr int max_slots = 8192;  // 32 KB of scratch
  int slots = 512;
  while (slots < max_slots && slots < 64 * mean_row_length) slots *= 2;
  return slots;
}

/// Block rows of b x b blocks with more entries are not in the sample: their blocks would determine its time.
/// @param mean_row_length nnz / num_rows + 1
template <class Exec>
constexpr std::int64_t max_block_row_entries(int b, std::int64_t mean_row_length) {
  return is_gpu<Exec> ? block_table_slots(mean_row_length) / 2 : 1024 * std::int64_t(b);
}

/// Counts the b x b blocks and the entries of a sample of block rows, for b = 2 .. 8 in one launch (GPU). A team collects
/// the block columns of a block row, whose entries are adjacent.
template <class Exec, class Matrix, class Device>
struct SampleBlockFill {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Counters = StructureCounters<Device>;
  static constexpr int team_size = 64;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<team_size>>;
  using Member = typename Policy::member_type;

  Matrix A;
  Counters counters;
  std::int64_t max_block_rows;  // per block size
  int slots;

  [[nodiscard]] std::size_t scratch_bytes() const { return static_cast<std::size_t>(slots + 1) * sizeof(int); }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    switch (2 + team.league_rank() / max_block_rows) {
      case 2:
        return analyze<2>(team);
      case 3:
        return analyze<3>(team);
      case 4:
        return analyze<4>(team);
      case 5:
        return analyze<5>(team);
      case 6:
        return analyze<6>(team);
      case 7:
        return analyze<7>(team);
      default:
        return analyze<8>(team);
    }
  }

 private:
  template <int b>
  KOKKOS_FUNCTION void analyze(Member const& team) const {
    auto const rows = static_cast<std::int64_t>(A.num_rows);
    SampledBlockRows const sampled(b, rows, max_block_rows);
    auto const sample = team.league_rank() % max_block_rows;
    if (sample >= sampled.num_sampled) return;
    auto const first = sampled.block_row(sample) * b, last = Kokkos::min(first + b, rows);
    auto const begin = static_cast<std::int64_t>(A.row_begin(static_cast<Ordinal>(first)));
    auto const end = static_cast<std::int64_t>(A.row_begin(static_cast<Ordinal>(last)));
    if (end - begin > slots / 2) return;
    auto* const memory = static_cast<int*>(team.team_scratch(0).get_shmem_aligned(
        static_cast<std::size_t>(slots + 1) * sizeof(int), alignof(int)));
    int* const blocks = memory + slots;
    TeamKeySet const found(team, memory, slots);
    if (team.team_rank() == 0) *blocks = 0;
    team.team_barrier();
    int new_blocks = 0;
    for (auto k = begin + team.team_rank(); k < end; k += team.team_size())
      if (found.insert(A.columns(static_cast<Offset>(k)) / b)) ++new_blocks;
    add_in_team<Exec>(blocks, new_blocks);
    team.team_barrier();
    if (team.team_rank() != 0) return;
    Kokkos::atomic_add(&counters.counts(Counters::blocks + b), static_cast<std::int64_t>(*blocks));
    Kokkos::atomic_add(&counters.counts(Counters::block_entries + b), end - begin);
  }
};

template <class Exec, class Matrix, class Device>
void analyze_blocks(Exec const& exec, Matrix const& A, StructureCounters<Device> const& counters) {
  auto const rows = static_cast<std::int64_t>(A.num_rows);
  auto const mean = static_cast<std::int64_t>(A.nnz()) / rows + 1;
  if constexpr (is_gpu<Exec>) {
    using Functor = SampleBlockFill<Exec, Matrix, Device>;
    // Long rows need fewer block rows for a sample of the same size.
    auto const max_block_rows = std::max<std::int64_t>(max_sampled_block_rows / (1 + mean / 64), 256);
    Functor const functor{A, counters, std::min(max_block_rows, ceil_div(rows, std::int64_t(2))),
                          block_table_slots(mean)};
    typename Functor::Policy policy(exec, static_cast<int>(7 * functor.max_block_rows), Functor::team_size);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(functor.scratch_bytes() + sizeof(int))));
    Kokkos::parallel_for("einkorn::structure[blocks]", policy, functor);
  } else {
    for (int b = min_detected_block_size; b <= max_detected_block_size; ++b) {
      SampledBlockRows const sample(
          b, rows, std::clamp<std::int64_t>(sampled_entries_on_host / (b * mean), 64, max_sampled_block_rows));
      auto const counts = count_blocks_on_host("einkorn::structure[blocks]", exec, A, sample,
                                               max_block_row_entries<Exec>(b, mean));
      counters.counts(StructureCounters<Device>::blocks + b) = counts.blocks;
      counters.counts(StructureCounters<Device>::block_entries + b) = counts.entries;
    }
  }
}

}  // namespace einkorn::detail
