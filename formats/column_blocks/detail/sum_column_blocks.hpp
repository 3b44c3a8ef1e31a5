// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/team_scratch.hpp>
#include <einkorn/formats/column_blocks/column_blocks.hpp>
#include <einkorn/formats/column_blocks/detail/segment_sums.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// The first pass: the partial sums of one item, a part of the chunks of a column block, with the block of x in scratch.
template <class Exec, class Format, class X, class Sums>
struct SumColumnBlocks {
  using Sum = typename Sums::value_type;
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  using XScalar = typename X::non_const_value_type;
  using L = Lanes<Exec>;
  static constexpr ColumnBlocksTuning tuning = column_blocks_tuning(arch_of<Exec>);
  static constexpr int team_size = tuning.x_team_size, min_teams_per_sm = tuning.x_teams_per_sm;
  static constexpr int warps = team_size / L::size, steps = tuning.entries_per_lane;
  static constexpr int entries = L::size * steps;  // per chunk
  static constexpr int stage_batch = 8;            // entries of x that a thread loads before it stores

  Format F;
  X x;
  Sums sums;

  static std::size_t scratch_bytes(Format const& F) {
    return sizeof(XScalar) * static_cast<std::size_t>(F.shape.columns);
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto const item = static_cast<std::size_t>(team.league_rank());
    auto const columns = static_cast<std::size_t>(F.shape.columns);
    auto* const block = static_cast<XScalar*>(
        team.team_scratch(0).get_shmem_aligned(sizeof(XScalar) * columns, alignof(XScalar)));
    std::size_t const first = static_cast<std::size_t>(F.item_blocks(item)) * columns;
    std::size_t const left = static_cast<std::size_t>(F.num_cols) - first;
    int const warp = team.team_rank() / L::size, lane = team.team_rank() % L::size;
    Offset chunk = F.item_chunks(item) + static_cast<Offset>(warp);
    Offset const end = F.item_chunks(item + 1);
    Chunk next = chunk < end ? load(chunk, lane) : Chunk{};
    stage(team.team_rank(), first, static_cast<int>(left < columns ? left : columns), block);
    team.team_barrier();
    for (; chunk < end; chunk += warps) {
      Chunk const current = next;
      if (chunk + warps < end) next = load(chunk + warps, lane);
      sum_chunk(current, chunk, lane, block);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void stage(int thread, std::size_t first, int count, XScalar* block) const {
    for (int base = thread; base < count; base += team_size * stage_batch) {
      XScalar entries_of_x[stage_batch];
      for (int u = 0; u < stage_batch; ++u) {
        int const i = base + u * team_size;
        entries_of_x[u] = i < count ? x(first + static_cast<std::size_t>(i)) : XScalar(0);
      }
      for (int u = 0; u < stage_batch; ++u)
        if (base + u * team_size < count) block[base + u * team_size] = entries_of_x[u];
    }
  }

  /// The entries of a chunk that a lane reads, loaded while the chunk before is summed. Empty on the host.
  struct Chunk {
    LaneCodes<L::size == 1 ? 0 : steps> codes;
    Scalar values[L::size == 1 ? 1 : steps];
    Offset first_sum, end_sum;
  };

  KOKKOS_FORCEINLINE_FUNCTION Chunk load(Offset chunk, int lane) const {
    Chunk loaded;
    if constexpr (L::size > 1) {
      loaded.codes.load(F.codes.data() + chunk * entries + static_cast<Offset>(lane * steps));
      Scalar const* const values = F.values.data() + chunk * entries + static_cast<Offset>(lane);
      for (int j = 0; j < steps; ++j) loaded.values[j] = L::load_streaming(values + j * L::size);
    }
    loaded.first_sum = F.chunk_sums(chunk);
    loaded.end_sum = F.chunk_sums(chunk + 1);
    return loaded;
  }

  KOKKOS_FORCEINLINE_FUNCTION void sum_chunk(Chunk const& loaded, Offset chunk, int lane,
                                             XScalar const* block) const {
    Sum* const chunk_sums = sums.data() + loaded.first_sum;
    auto const put = [chunk_sums](int i, Sum const& sum) { chunk_sums[i] = sum; };
    if constexpr (L::size == 1) {
      Scalar const* const values = F.values.data() + chunk * entries;
      sum_serially<Sum>(
          F.codes.data() + chunk * entries, entries,
          [&](int e, unsigned i) { return Sum(values[e]) * Sum(block[i]); }, put);
    } else {
      auto const term = [&](int j, unsigned i) { return Sum(loaded.values[j]) * Sum(block[i]); };
      if (loaded.end_sum - loaded.first_sum <= static_cast<Offset>(tuning.max_few_sums))
        sum_lanes<L, steps, Sum>(loaded.codes, lane, term, put);
      else
        sum_steps<L, steps, Sum>(loaded.codes, lane, term, put);
    }
  }
};

}  // namespace einkorn::detail
