// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/team_scratch.hpp>
#include <einkorn/formats/column_blocks/column_blocks.hpp>
#include <einkorn/formats/column_blocks/detail/segment_sums.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// The second pass: the rows of a bin, with their partial sums in scratch.
template <class Exec, class Format, class Sums, class Y, class EpilogueOp>
struct AddPartialSums {
  using Sum = typename EpilogueOp::sum_type;
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Code = typename Format::Code;
  using L = Lanes<Exec>;
  static constexpr ColumnBlocksTuning tuning = column_blocks_tuning(arch_of<Exec>);
  static constexpr int team_size = tuning.sum_team_size, min_teams_per_sm = tuning.sum_teams_per_sm;
  static constexpr int warps = team_size / L::size, steps = tuning.entries_per_lane;
  static constexpr int entries = L::size * steps;  // per chunk
  static constexpr int stage_batch = 4;            // partial sums that a lane loads before it stores

  Format F;
  Sums sums;
  Y y;
  EpilogueOp epilogue;

  /// The arrays in scratch.
  struct Scratch {
    Sum* slots;       // [shape.slots + 1]
    Sum* heads;       // [chunks]: sums up to the first flag
    Sum* tails;       // [chunks]: sums after the last flag
    Offset* shifts;   // [num_blocks]: index of a partial sum less its slot
    int* ended;       // [chunks]: whether there is a flag
    Code* slot_ends;  // [num_blocks]
  };

  static std::size_t scratch_bytes(Format const& F) {
    auto const chunks = max_chunks(F), blocks = static_cast<std::size_t>(F.num_blocks());
    return sizeof(Sum) * (static_cast<std::size_t>(F.shape.slots) + 1 + 2 * chunks) + 8 +
           sizeof(Offset) * blocks + sizeof(int) * chunks + sizeof(Code) * blocks;
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto const bin = static_cast<std::size_t>(team.league_rank());
    auto const blocks = static_cast<int>(F.num_blocks());
    Offset const first_chunk = F.bin_chunks(bin);
    int const num_chunks = static_cast<int>(F.bin_chunks(bin + 1) - first_chunk);
    int const thread = team.team_rank(), warp = thread / L::size, lane = thread % L::size;
    Scratch const scratch = carve(team.team_scratch(0).get_shmem_aligned(0, 16));
    auto const table = bin * static_cast<std::size_t>(blocks), slots = table + bin;
    for (int b = thread; b < blocks; b += team_size) {
      auto const at = static_cast<std::size_t>(b);
      scratch.shifts[b] = F.bin_sums(table + at) - static_cast<Offset>(F.bin_slots(slots + at));
      scratch.slot_ends[b] = F.bin_slots(slots + at + 1);
    }
    if (thread == 0) scratch.slots[F.shape.slots] = Sum(0);
    team.team_barrier();
    if (blocks > 0)
      stage(warp, lane, blocks, static_cast<int>(F.bin_slots(slots + static_cast<std::size_t>(blocks))),
            scratch);
    team.team_barrier();
    for (int chunk = warp; chunk < num_chunks; chunk += warps) sum_chunk(first_chunk, chunk, lane, scratch);
    team.team_barrier();
    for (int chunk = thread; chunk < num_chunks; chunk += team_size)
      if (scratch.ended[chunk] != 0) finish_row(first_chunk, chunk, scratch);
  }

 private:
  KOKKOS_FUNCTION static std::size_t max_chunks(Format const& F) {
    return static_cast<std::size_t>(F.shape.slots) / entries + 1;
  }

  KOKKOS_FORCEINLINE_FUNCTION Scratch carve(void* memory) const {
    auto const chunks = max_chunks(F);
    Scratch scratch;
    scratch.slots = static_cast<Sum*>(memory);
    scratch.heads = scratch.slots + F.shape.slots + 1;
    scratch.tails = scratch.heads + chunks;
    auto const end = reinterpret_cast<std::uintptr_t>(scratch.tails + chunks);
    scratch.shifts = reinterpret_cast<Offset*>((end + 7) / 8 * 8);
    scratch.ended = reinterpret_cast<int*>(scratch.shifts + F.num_blocks());
    scratch.slot_ends = reinterpret_cast<Code*>(scratch.ended + chunks);
    return scratch;
  }

  /// Copies the partial sums of the bin to their slots. A warp copies adjacent slots and searches only the block of its
  /// first slot.
  KOKKOS_FORCEINLINE_FUNCTION void stage(int warp, int lane, int blocks, int count,
                                         Scratch const& scratch) const {
    int const per_warp = (count + team_size - 1) / team_size * L::size;
    int const begin = warp * per_warp, end = begin + per_warp < count ? begin + per_warp : count;
    int block = partition_point_index(0, blocks - 1, [&](int b) { return scratch.slot_ends[b] <= begin; });
    for (int base = begin + lane; base < end; base += L::size * stage_batch) {
      Sum loaded[stage_batch];
      for (int u = 0; u < stage_batch; ++u) {
        int const slot = base + u * L::size;
        if (slot >= end) break;
        while (scratch.slot_ends[block] <= slot) ++block;
        loaded[u] = L::load_streaming(sums.data() + (scratch.shifts[block] + static_cast<Offset>(slot)));
      }
      for (int u = 0; u < stage_batch; ++u)
        if (base + u * L::size < end) scratch.slots[base + u * L::size] = loaded[u];
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void sum_chunk(Offset first_chunk, int chunk, int lane,
                                             Scratch const& scratch) const {
    Offset const at = first_chunk + static_cast<Offset>(chunk);
    auto const* const codes = F.sum_codes.data() + at * entries + static_cast<Offset>(lane * steps);
    Ordinal const row = F.sum_rows(at);
    auto const term = [&](int, unsigned slot) { return scratch.slots[slot]; };
    auto const put = [&](int i, Sum const& sum) {
      if (i == 0)
        scratch.heads[chunk] = sum;
      else
        write(row + static_cast<Ordinal>(i), sum);
    };
    SegmentSums<Sum> result;
    if constexpr (L::size == 1) {
      result = sum_serially<Sum>(codes, entries, term, put);
    } else {
      LaneCodes<steps> lane_codes;
      lane_codes.load(codes);
      result = sum_lanes<L, steps, Sum>(lane_codes, lane, term, put);
    }
    if (lane > 0) return;
    scratch.tails[chunk] = result.rest;
    scratch.ended[chunk] = result.ends ? 1 : 0;
  }

  /// The row of the first flag of a chunk: the tail of the last chunk before it that has a flag, the chunks between, and
  /// the head.
  KOKKOS_FORCEINLINE_FUNCTION void finish_row(Offset first_chunk, int chunk, Scratch const& scratch) const {
    int from = chunk;
    while (from > 0 && (from == chunk || scratch.ended[from] == 0)) --from;
    Sum sum = Sum(0);
    for (; from < chunk; ++from) sum += scratch.tails[from];
    write(F.sum_rows(first_chunk + static_cast<Offset>(chunk)), sum + scratch.heads[chunk]);
  }

  KOKKOS_FORCEINLINE_FUNCTION void write(Ordinal row, Sum const& sum) const {
    typename EpilogueOp::Accumulators unused{};
    epilogue(unused, y(row), row, sum);
  }
};

}  // namespace einkorn::detail
