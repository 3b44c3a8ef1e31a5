// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/lanes/equal_lanes.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/spgemm/detail/column_table.hpp>
#include <einkorn/formats/spgemm/detail/compressed_columns.hpp>
#include <einkorn/formats/spgemm/detail/launch_batches.hpp>
#include <einkorn/formats/spgemm/detail/numeric_team_chunk.hpp>
#include <einkorn/formats/spgemm/detail/row_group.hpp>
#include <einkorn/formats/spgemm/detail/schedule.hpp>
#include <einkorn/formats/spgemm/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Adds atomically to each part of a complex number.
template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION void add_atomically(Scalar* to, Scalar const& value) {
  if constexpr (is_complex<Scalar>) {
    auto* const parts = reinterpret_cast<real_type<Scalar>*>(to);
    Kokkos::atomic_add(parts, value.real());
    Kokkos::atomic_add(parts + 1, value.imag());
  } else {
    Kokkos::atomic_add(to, value);
  }
}

/// The values of rows of C, or of chunks of rows, on their known columns. A group has a rank table of the
/// chunk's columns and one accumulator per column in scratch.
///
/// ordered: every sum is added in the order of A's entries, without atomics. If as many lanes share a segment (the
/// entries of B for one entry of A) as a group has, the group processes the segments one after another, because the
/// columns of one are distinct. Otherwise the lanes of a group process as many consecutive products, of several
/// segments, and lanes with the same column add one after another. Entries of B are prefetched. Not ordered: the
/// threads of a team process entries of A concurrently and add atomically.
template <class Exec, class AMatrix, class BMatrix, class CMatrix, bool ordered>
struct NumericHashKernel {
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Ordinal = typename CMatrix::ordinal_type;
  using Offset = typename CMatrix::offset_type;
  using Scalar = typename CMatrix::scalar_type;
  using Device = typename CMatrix::device_type;
  using L = Lanes<Exec>;
  using Table = RankTable<Ordinal, L>;
  using Group = RowGroup<L, typename Policy::member_type, !ordered>;

  AMatrix A;
  BMatrix B;
  CMatrix C;
  Kokkos::View<Ordinal const*, Device> rows;                 // by item; empty: item i is row i
  Kokkos::View<std::uint32_t const*, Device> chunk_offsets;  // of the rows of a batch of row_chunks
  static constexpr int max_batches = SpgemmTuning::num_numeric_bins;
  RowBatches<max_batches> batches;
  bool sorted_rows;  // of B and C: a chunk reads a range of B's rows only

  /// RowBatch::kind: an item is a row, or a chunk of one of the rows from first_item on, by a team if ordered and
  /// the rows of C are sorted (NumericTeamChunk).
  enum Kind : int { whole_rows, row_chunks, team_chunks };
  using TeamChunk = NumericTeamChunk<Exec, AMatrix, BMatrix, CMatrix>;

  /// An entry of A and the entries of B that it is multiplied by.
  struct alignas(16) Segment {
    Scalar a;
    std::int64_t first, count;
  };

  KOKKOS_FORCEINLINE_FUNCTION static std::size_t bytes_of(RowBatch const& batch) {
    if (batch.kind == team_chunks) return TeamChunk::bytes(batch.sums, batch.slots);
    return (ordered ? array_bytes<Segment>(Group::staging_entries) : 0) + array_bytes<Scalar>(batch.sums) +
           array_bytes<Ordinal>(batch.slots) + array_bytes<RankedColumns>(batch.slots);
  }

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    RowBatch const batch = batches.of_team(static_cast<int>(team.league_rank()));
    if constexpr (ordered)
      if (batch.kind == team_chunks) return run_team_chunk(team, batch);
    Group group{team, batch};
    if (!group.is_in_team()) return;
    char* scratch = group.scratch(bytes_of(batch));
    auto const item = group.item();
    group.is_idle = item >= batch.num_items;
    Chunk chunk = chunk_of(batch, group.is_idle ? batch.num_items - 1 : item);
    if (group.is_idle) chunk.size = 0;
    chunk.accumulators = take_array<Scalar>(scratch, batch.sums);
    auto* const keys = take_array<Ordinal>(scratch, batch.slots);
    Table const table{keys, take_array<RankedColumns>(scratch, batch.slots), batch.slots};
    auto* const segments = ordered ? take_array<Segment>(scratch, Group::staging_entries) : nullptr;
    group.for_each(batch.slots, [&](int slot) { table.clear(slot); });
    auto const* const columns = C.columns.data() + chunk.first;
    group.for_each(chunk.size, [&](int p) {
      chunk.accumulators[p] = Scalar(0);
      table.insert(columns, p);
    });
    if (group.max_over_warp(chunk.is_whole_row ? 0 : 1) == 0)  // uniform within the warp
      add_products<false>(group, table, chunk, segments);
    else
      add_products<true>(group, table, chunk, segments);
    group.for_each(chunk.size,
                   [&](int p) { C.values(chunk.first + static_cast<Offset>(p)) = chunk.accumulators[p]; });
  }

 private:
  struct Chunk {
    Ordinal row;
    Offset first;  // entry of C
    int size;
    bool is_whole_row;
    Ordinal min_column, max_column;  // if sorted_rows
    Scalar* accumulators;
  };
  struct Entry {
    Ordinal column;
    Scalar value;
  };

  KOKKOS_FORCEINLINE_FUNCTION Chunk chunk_of(RowBatch const& batch, std::int64_t item) const {
    std::int64_t index = item, part = 0;
    if (batch.kind != whole_rows) {
      index = row_of_entry(chunk_offsets, static_cast<std::int64_t>(chunk_offsets.extent(0)) - 1,
                           static_cast<std::uint32_t>(item));
      part = item - static_cast<std::int64_t>(chunk_offsets(index));
    }
    index += batch.first_item;
    Chunk chunk{};
    chunk.row = rows.extent(0) > 0 ? rows(index) : static_cast<Ordinal>(index);
    Offset const begin = C.row_begin(chunk.row), end = C.row_end(chunk.row);
    chunk.first = begin + static_cast<Offset>(part * batch.sums);
    Offset const left = end - chunk.first;
    chunk.size = left < static_cast<Offset>(batch.sums) ? static_cast<int>(left) : batch.sums;
    chunk.is_whole_row = end - begin <= static_cast<Offset>(batch.sums);
    if (sorted_rows && chunk.size > 0) {
      chunk.min_column = C.columns(chunk.first);
      chunk.max_column = C.columns(chunk.first + static_cast<Offset>(chunk.size - 1));
    }
    return chunk;
  }

  KOKKOS_FORCEINLINE_FUNCTION void run_team_chunk(typename Policy::member_type const& team,
                                                  RowBatch const& batch) const {
    auto const item = static_cast<std::int64_t>(static_cast<int>(team.league_rank()) - batch.first_team);
    Chunk const chunk = chunk_of(batch, item);
    TeamChunk{A, B, C, team, chunk.row, chunk.first, chunk.size, chunk.is_whole_row, sorted_rows}.run(batch);
  }

  /// Adds the products of A's row whose columns are in the chunk.
  template <bool partial>
  KOKKOS_FORCEINLINE_FUNCTION void add_products(Group const& group, Table const& table, Chunk const& chunk,
                                                Segment* segments) const {
    auto const begin = A.row_begin(chunk.row);
    Ordinal const count = chunk.size == 0 ? Ordinal(0) : static_cast<Ordinal>(A.row_end(chunk.row) - begin);
    auto const segment_of = [&](Ordinal k) -> Segment {
      Ordinal const j = A.columns(begin + k);
      auto from = B.row_begin(j), end = B.row_end(j);
      if (partial && sorted_rows) {
        from = lower_bound_index(B.columns, from, end, chunk.min_column);
        end = lower_bound_index(B.columns, from, end, static_cast<Ordinal>(chunk.max_column + 1));
      }
      return {Scalar(A.values(begin + k)), static_cast<std::int64_t>(from),
              static_cast<std::int64_t>(end - from)};
    };
    if constexpr (ordered) {
      Ordinal const max_count = group.max_over_warp(count);
      for (Ordinal done = 0; done < max_count; done += Group::max_staged) {
        int const staged = group.stage(segments, count, done, segment_of);
        if (group.lanes > group.segment_lanes)
          add_concatenated<partial>(group, table, chunk, segments, staged);
        else
          add_in_order<partial>(group, table, chunk, segments, staged);
      }
    } else {
      group.for_each_staged(segments, count, segment_of, [&](Group const& lanes, Segment const& segment) {
        lanes.for_each_in_segment(
            segment.count, [&](std::int64_t l) { add<partial>(table, chunk, segment.a, load(segment, l)); });
      });
    }
  }

  /// This lane's entry of a segment.
  struct Prefetched {
    Scalar a;
    Entry entry;
    bool is_entry;
  };
  KOKKOS_FORCEINLINE_FUNCTION Prefetched prefetch(Segment const& segment, Ordinal l) const {
    Prefetched result{segment.a, {}, l < static_cast<Ordinal>(segment.count)};
    if (result.is_entry) result.entry = load(segment, l);
    return result;
  }

  /// Adds the staged segments one after another; prefetches the next one unless a segment has more entries than
  /// lanes.
  template <bool partial>
  KOKKOS_FORCEINLINE_FUNCTION void add_in_order(Group const& group, Table const& table, Chunk const& chunk,
                                                Segment const* segments, int count) const {
    auto const lane = static_cast<Ordinal>(group.lane());
    int const rounds = group.max_over_warp(count);
    int const num_long =
        group.template sum<int>(count, [&](int s) { return segments[s].count > group.lanes ? 1 : 0; });
    if (group.max_over_warp(num_long) > 0) {
      for (int s = 0; s < rounds; ++s) add_segment<partial>(group, table, chunk, segments[s], lane);
    } else {
      auto const add_one = [&](Prefetched const& one) {
        if (one.is_entry) add<partial>(table, chunk, one.a, one.entry);
        group.sync();
      };
      Prefetched even = prefetch(segments[0], lane);
      for (int s = 0; s < rounds; s += 2) {  // unrolled by two: no copy of prefetched values
        Prefetched const odd = prefetch(segments[s + 1], lane);
        add_one(even);
        even = prefetch(segments[s + 2], lane);
        add_one(odd);
      }
    }
  }
  template <bool partial>
  KOKKOS_FORCEINLINE_FUNCTION void add_segment(Group const& group, Table const& table, Chunk const& chunk,
                                               Segment const& segment, Ordinal lane) const {
    auto const stride = static_cast<Ordinal>(group.lanes), count = static_cast<Ordinal>(segment.count);
    for (Ordinal l = lane; l < count; l += 2 * stride) {
      Prefetched const one = prefetch(segment, l),
                       other = prefetch(segment, count - l > stride ? l + stride : count);
      add<partial>(table, chunk, one.a, one.entry);
      if (other.is_entry) add<partial>(table, chunk, other.a, other.entry);
    }
    group.sync();
  }

  /// Adds the products of the staged segments, one after another in steps of one product per lane. Lanes with the
  /// same column add in their order. A segment may repeat a column.
  template <bool partial>
  KOKKOS_FORCEINLINE_FUNCTION void add_concatenated(Group const& group, Table const& table, Chunk const& chunk,
                                                    Segment* segments, int count) const {
    // first <- of entry 0 of the concatenation, if the segment began there; count <- end of the segment in it.
    auto const total = group.scan(
        count, [&](int s) { return segments[s].count; },
        [&](int s, std::int64_t before) {
          segments[s].first -= before;
          segments[s].count += before;
        });
    group.sync();
    auto const num_products = group.is_idle ? std::int64_t(0) : total, stride = std::int64_t(group.lanes),
               rounds = group.max_over_warp((num_products + stride - 1) / stride);
    int own_segment = 0;
    auto const load_product = [&](std::int64_t p) {
      Prefetched result{Scalar(0), {}, p < num_products};
      if (!result.is_entry) return result;
      if (segments[own_segment].count <= p)  // the first segment that ends after p
        own_segment = static_cast<int>(
            lower_bound_index([&](int s) { return segments[s].count; }, own_segment + 1, count - 1, p + 1));
      result.a = segments[own_segment].a;
      result.entry = load(segments[own_segment], p);
      return result;
    };
    Prefetched next = load_product(group.lane());
    for (std::int64_t round = 0; round < rounds; ++round) {
      Prefetched const one = next;
      next = load_product((round + 1) * stride + group.lane());
      int rank = Table::none;
      if (one.is_entry) rank = partial ? table.find(one.entry.column) : table.rank_of(one.entry.column);
      // Ranks are at least 0: a lane without a product gets a number of its own.
      int const turn = EqualLanes<L>::before(rank == Table::none ? -1 - group.lane() : rank,
                                             static_cast<int>(group.team.team_rank()), group.lanes);
      for (int t = 0; L::ballot(turn >= t) != 0; ++t) {
        if (turn == t && rank != Table::none) add_fused(chunk.accumulators[rank], one.a, one.entry.value);
        group.sync();
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION Entry load(Segment const& segment, std::int64_t l) const {
    return {B.columns(segment.first + l), Scalar(B.values(segment.first + l))};
  }

  template <bool partial>
  KOKKOS_FORCEINLINE_FUNCTION static void add(Table const& table, Chunk const& chunk, Scalar const& a,
                                              Entry const& b) {
    int const rank = partial ? table.find(b.column) : table.rank_of(b.column);
    if (partial && rank == Table::none) return;
    if constexpr (ordered)
      chunk.accumulators[rank] += a * b.value;
    else
      add_atomically(&chunk.accumulators[rank], a * b.value);
  }
};

/// Lanes of a group: of short rows as many as share a segment, so that a warp computes several rows. Longer rows have
/// tables that are cleared, filled and read by more lanes.
template <class Exec>
int numeric_lanes(SpgemmTuning const& tuning, int segment_lanes, bool concatenates, RowBatch const& batch) {
  bool const is_short = batch.sums <= tuning.accumulator_sizes[0];
  int const lanes = lanes_for_mean<Exec>(batch.sums);
  return is_short || (!concatenates && 2 * segment_lanes >= lanes) ? segment_lanes : lanes;
}

/// All values of C. Asynchronous on exec. segment_lanes: lanes per row of B; 1 if a row of B may
/// repeat a column, because two lanes would update the same sum.
template <bool ordered, class Exec, class AMatrix, class BMatrix, class CMatrix, class Schedule>
void compute_values_by_hash(Exec const& exec, AMatrix const& A, BMatrix const& B, CMatrix const& C,
                            Schedule const& schedule, int segment_lanes, bool sorted_rows) {
  using Functor = NumericHashKernel<Exec, AMatrix, BMatrix, CMatrix, ordered>;
  constexpr SpgemmTuning tuning = spgemm_tuning(arch_of<Exec>);
  static_assert(tuning.team_size <= Functor::TeamChunk::max_threads);
  Functor functor{A, B, C, schedule.bins.items, schedule.chunk_offsets, {}, sorted_rows};
  for (int bin = SpgemmTuning::num_numeric_bins - 1; bin >= 0; --bin) {  // the longest rows first
    RowBatch batch;
    bool const is_chunked = bin == SpgemmTuning::chunk_bin;
    batch.sums = tuning.accumulator_sizes[is_chunked ? SpgemmTuning::num_accumulator_sizes - 1 : bin / 2];
    batch.slots = slots_for_accumulators(batch.sums, is_chunked || bin % 2 == 1);
    batch.first_item = static_cast<std::int64_t>(schedule.bins.offsets[static_cast<std::size_t>(bin)]);
    batch.num_items = static_cast<std::int64_t>(schedule.bins.size(bin));
    batch.segment_lanes = segment_lanes;
    if (ordered) batch.lanes = numeric_lanes<Exec>(tuning, segment_lanes, schedule.concatenates, batch);
    if (is_chunked && batch.num_items > 0) {
      batch.num_items = schedule.num_chunks;
      batch.kind = Functor::row_chunks;
      if (ordered && schedule.chunks_by_team) {
        batch.kind = Functor::team_chunks;
        batch.lanes = 0;
        batch.sums = schedule.chunk_size;
        batch.slots =
            static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(tuning.chunk_words),
                                                     static_cast<std::uint64_t>(num_keys_for(C.num_cols))));
      }
    }
    functor.batches.add(batch);
  }
  launch_batches(exec, "einkorn::spgemm[numeric,hash]", functor);
}

}  // namespace einkorn::detail
