// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/spgemm/detail/column_table.hpp>
#include <einkorn/formats/spgemm/detail/compressed_columns.hpp>
#include <einkorn/formats/spgemm/detail/row_group.hpp>
#include <einkorn/formats/spgemm/detail/schedule.hpp>
#include <einkorn/formats/spgemm/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

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
/// ordered: a group of lanes processes A's entries one after another, its lanes the entries of B's row, whose
/// columns are distinct: every sum is added in the order of A's entries, without atomics. The entries of B for
/// the next entry of A are prefetched. Otherwise the threads of a team process entries of A concurrently and
/// add atomically.
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
  Kokkos::View<Ordinal const*, Device> rows;                 // of this bin; empty: every row
  Kokkos::View<std::uint32_t const*, Device> chunk_offsets;  // of `rows`; empty: one chunk per row
  std::int64_t num_items;
  int num_accumulators, capacity;
  int lanes, segment_lanes;
  bool sorted_rows;  // of B and C: a chunk reads a range of B's rows only

  /// An entry of A and the entries of B that it is multiplied by.
  struct alignas(16) Segment {
    Scalar a;
    typename BMatrix::offset_type first;
    Ordinal count;
  };

  KOKKOS_FORCEINLINE_FUNCTION static std::size_t bytes(int num_accumulators, int capacity) {
    return (ordered ? array_bytes<Segment>(Group::staging_entries) : 0) +
           array_bytes<Scalar>(num_accumulators) + array_bytes<Ordinal>(capacity) +
           array_bytes<RankedColumns>(capacity);
  }

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    Group group{team, lanes, segment_lanes};
    char* scratch = group.scratch(bytes(num_accumulators, capacity));
    auto const item = group.item();
    group.is_idle = item >= num_items;
    Chunk chunk = chunk_of(group.is_idle ? num_items - 1 : item);
    if (group.is_idle) chunk.size = 0;
    chunk.accumulators = take_array<Scalar>(scratch, num_accumulators);
    auto* const keys = take_array<Ordinal>(scratch, capacity);
    Table const table{keys, take_array<RankedColumns>(scratch, capacity), capacity};
    auto* const segments = ordered ? take_array<Segment>(scratch, Group::staging_entries) : nullptr;
    group.for_each(capacity, [&](int slot) { table.clear(slot); });
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
  static constexpr Ordinal none = std::numeric_limits<Ordinal>::max();

  KOKKOS_FORCEINLINE_FUNCTION Chunk chunk_of(std::int64_t item) const {
    std::int64_t index = item, part = 0;
    if (chunk_offsets.extent(0) > 0) {
      index = row_of_entry(chunk_offsets, static_cast<std::int64_t>(chunk_offsets.extent(0)) - 1,
                           static_cast<std::uint32_t>(item));
      part = item - static_cast<std::int64_t>(chunk_offsets(index));
    }
    Chunk chunk{};
    chunk.row = rows.extent(0) > 0 ? rows(index) : static_cast<Ordinal>(index);
    Offset const begin = C.row_begin(chunk.row), end = C.row_end(chunk.row);
    chunk.first = begin + static_cast<Offset>(part * num_accumulators);
    Offset const left = end - chunk.first;
    chunk.size = left < static_cast<Offset>(num_accumulators) ? static_cast<int>(left) : num_accumulators;
    chunk.is_whole_row = end - begin <= static_cast<Offset>(num_accumulators);
    if (sorted_rows && chunk.size > 0) {
      chunk.min_column = C.columns(chunk.first);
      chunk.max_column = C.columns(chunk.first + static_cast<Offset>(chunk.size - 1));
    }
    return chunk;
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
      return {Scalar(A.values(begin + k)), from, static_cast<Ordinal>(end - from)};
    };
    if constexpr (ordered) {
      Ordinal const max_count = group.max_over_warp(count);
      for (Ordinal done = 0; done < max_count; done += Group::max_staged) {
        int const staged = group.stage(segments, count, done, segment_of);
        add_in_order<partial>(group, table, chunk, segments, staged);
      }
    } else {
      group.for_each_staged(segments, count, segment_of, [&](Segment const& segment) {
        group.for_each_in_segment(segment.count,
                                  [&](Ordinal l) { add<partial>(table, chunk, segment.a, load(segment, l)); });
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
    Prefetched result{segment.a, {}, l < segment.count};
    if (result.is_entry) result.entry = load(segment, l);
    return result;
  }

  /// Adds the staged segments one after another; prefetches the next one unless a segment has more entries than
  /// lanes.
  template <bool partial>
  KOKKOS_FORCEINLINE_FUNCTION void add_in_order(Group const& group, Table const& table, Chunk const& chunk,
                                                Segment const* segments, int count) const {
    auto const lane = group.lane() < segment_lanes ? static_cast<Ordinal>(group.lane()) : none;
    int const rounds = group.max_over_warp(count);
    int const num_long = group.template sum<int>(
        count, [&](int s) { return segments[s].count > static_cast<Ordinal>(segment_lanes) ? 1 : 0; });
    if (partial && lanes >= short_length &&
        segment_lanes > 1) {  // a single lane: a segment may repeat a column
      for (int s = 0; s < rounds; s += lanes / short_length)
        add_short_segments<partial>(group, table, chunk, segments + s, lane);
    } else if (group.max_over_warp(num_long) > 0) {
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
    auto const stride = static_cast<Ordinal>(segment_lanes);
    for (Ordinal l = lane; l < segment.count; l += 2 * stride) {
      Prefetched const one = prefetch(segment, l),
                       other = prefetch(segment, segment.count - l > stride ? l + stride : none);
      add<partial>(table, chunk, one.a, one.entry);
      if (other.is_entry) add<partial>(table, chunk, other.a, other.entry);
    }
    group.sync();
  }

  /// Segments with at most short_length entries, as is common in a chunk of a long row: short_length lanes per
  /// segment look up the ranks concurrently; the products are added segment by segment.
  static constexpr int short_length = 4;
  template <bool partial>
  KOKKOS_FORCEINLINE_FUNCTION void add_short_segments(Group const& group, Table const& table,
                                                      Chunk const& chunk, Segment const* segments,
                                                      Ordinal lane) const {
    int const own_segment = group.lane() / short_length, num_segments = lanes / short_length;
    Segment const segment = segments[own_segment];
    if (max_over_lanes<L>(segment.count) > static_cast<Ordinal>(short_length)) {
      for (int s = 0; s < num_segments; ++s) add_segment<partial>(group, table, chunk, segments[s], lane);
      return;
    }
    Prefetched const one = prefetch(segment, static_cast<Ordinal>(group.lane() % short_length));
    int const rank = one.is_entry ? table.find(one.entry.column) : Table::none;
    Scalar const product = rank == Table::none ? Scalar(0) : one.a * one.entry.value;
    for (int s = 0; s < num_segments; ++s) {
      if (s == own_segment && rank != Table::none) chunk.accumulators[rank] += product;
      group.sync();
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION Entry load(Segment const& segment, Ordinal l) const {
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

/// All values of C. At most 8 launches, asynchronous on exec. lanes: per row of B; 1 if a row of B may repeat a
/// column, because two lanes would update the same sum.
template <bool ordered, class Exec, class AMatrix, class BMatrix, class CMatrix, class Schedule>
void compute_values_by_hash(Exec const& exec, AMatrix const& A, BMatrix const& B, CMatrix const& C,
                            Schedule const& schedule, int lanes, bool sorted_rows) {
  using Functor = NumericHashKernel<Exec, AMatrix, BMatrix, CMatrix, ordered>;
  constexpr SpgemmTuning tuning = spgemm_tuning(arch_of<Exec>);
  for (int bin = 0; bin < SpgemmTuning::num_numeric_bins; ++bin) {
    int const size = tuning.accumulator_sizes[bin / 2], slots = slots_for_accumulators(size, bin % 2 == 1);
    Functor functor{A,          B,
                    C,          schedule.bins.of(bin),
                    {},         static_cast<std::int64_t>(schedule.bins.size(bin)),
                    size,       slots,
                    lanes,      lanes,
                    sorted_rows};
    if (bin == SpgemmTuning::num_numeric_bins - 1 && functor.num_items > 0) {
      functor.chunk_offsets = schedule.chunk_offsets;
      functor.num_items = schedule.num_chunks;
      // Scratch limits the groups per multiprocessor, and the rows of B for a long row of C are mostly long.
      if (ordered && lanes > 1) functor.lanes = functor.segment_lanes = lanes_for_mean<Exec>(size);
    }
    launch_groups<!ordered>(exec, "einkorn::spgemm[numeric,hash]", functor, functor.num_items,
                            Functor::bytes(size, slots));
  }
}

}  // namespace einkorn::detail
