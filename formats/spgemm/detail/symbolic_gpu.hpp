// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/formats/spgemm/detail/column_table.hpp>
#include <einkorn/formats/spgemm/detail/compressed_columns.hpp>
#include <einkorn/formats/spgemm/detail/row_group.hpp>
#include <einkorn/formats/spgemm/detail/symbolic_bitmap.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace einkorn::detail {

/// The count of a row whose table was too small; its compressed_counts are unchanged.
template <class Offset>
inline constexpr auto overflowed = static_cast<Offset>(-1);

/// Input and output of the symbolic kernels.
template <class AMatrix, class CompressedB, class COffset>
struct SymbolicArgs {
  using Ordinal = typename AMatrix::ordinal_type;
  using Device = typename AMatrix::device_type;
  using Offset = COffset;

  /// A segment of the compressed columns of a row of B.
  struct Segment {
    typename CompressedB::offset_type first;
    Ordinal count;
  };

  AMatrix A;
  CompressedB B;
  Kokkos::View<Ordinal const*, Device> rows;  // of C, minus first_row; empty: item i is row first_row + i
  Ordinal first_row = 0;
  Kokkos::View<COffset*, Device> offsets;            // of C: counts while counting, then offsets
  Kokkos::View<COffset*, Device> counts;             // of C: counts while writing; or empty
  Kokkos::View<Ordinal*, Device> compressed_counts;  // [rows], written with the counts
  Kokkos::View<Ordinal*, Device> columns;            // of C; empty while counting
  bool counting = true, sorted = true;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Ordinal row(std::int64_t item) const {
    return first_row + (rows.extent(0) > 0 ? rows(item) : static_cast<Ordinal>(item));
  }
  /// Entries in the low half, compressed columns in the high half: one sum for both.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t counted(std::uint32_t mask) {
    return mask == 0 ? 0 : (std::uint64_t(1) << 32) + static_cast<std::uint64_t>(count_bits(mask));
  }
  /// Whether store_counts() is called for every row.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool stores_counts() const {
    return counting || counts.extent(0) > 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION void store_counts(Ordinal row, std::uint64_t entries,
                                                std::uint64_t num_compressed) const {
    (counting ? offsets : counts)(row) = static_cast<COffset>(entries);
    compressed_counts(row) = static_cast<Ordinal>(num_compressed);
  }
  KOKKOS_FORCEINLINE_FUNCTION void write(Ordinal key, std::uint32_t mask, COffset at) const {
    write_indices(key, mask, columns.data() + at);
  }
  /// Writes the columns of pairs 0 .. count - 1 in their order and returns their number. By a whole team with
  /// one vector lane per thread: with more, Kokkos' scan over the threads of a team is wrong on CUDA.
  template <class Member, class MaskOf, class KeyOf>
  KOKKOS_FORCEINLINE_FUNCTION int write_in_order(Member const& team, int count, COffset offset,
                                                 MaskOf const& mask_of, KeyOf const& key_of) const {
    int total = 0;
    Kokkos::parallel_scan(
        Kokkos::TeamThreadRange(team, count),
        [&](int i, int& before, bool is_final) {
          std::uint32_t const mask = mask_of(i);
          if (is_final && mask != 0)
            write(key_of(i), mask, static_cast<COffset>(offset + static_cast<COffset>(before)));
          before += count_bits(mask);
        },
        total);
    return total;
  }
};

/// The accumulators of the symbolic kernels: RowBatch::kind.
enum SymbolicAccumulator : int { group_table, team_table, team_bitmap };

/// The columns of a row of C in a hash table: the compressed columns of all rows of B that A's row refers to,
/// in any order. Counting: the sum of their bits; a full table may lack keys and is reported as overflowed.
/// Writing: the keys are sorted and each writes its columns. A group of lanes sorts the pairs by the ranks of their
/// keys, or by buckets if B has too many columns, and writes columns through scratch, so that writes are
/// coalesced; a team sorts its table.
template <class Exec, class Args, bool whole_team>
struct SymbolicHashRow {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Ordinal = typename Args::Ordinal;
  using Offset = typename Args::Offset;
  using Segment = typename Args::Segment;
  using Table = ColumnTable<Ordinal, Lanes<Exec>>;
  using Entry = typename Table::Entry;
  using Group = RowGroup<Lanes<Exec>, Member, whole_team>;

  Args const& args;
  RowBatch const& batch;

  /// Scratch of a group. The staged segments share memory with the ranks, or with the buckets.
  KOKKOS_FORCEINLINE_FUNCTION static std::size_t bytes(int slots, int rank_words, bool counting) {
    auto const table = array_bytes<Entry>(slots);
    if (whole_team) return table;
    auto const staged = array_bytes<Segment>(Group::staging_entries),
               shared = rank_words > 0 ? array_bytes<RankedColumns>(rank_words)
                                       : array_bytes<int>(num_buckets(slots));
    return counting ? staged + table : (staged > shared ? staged : shared) + 2 * table;
  }
  /// RankedColumns for num_keys keys if they need at most as much memory as the segments or half of a table; 0 for more,
  /// and for small tables, whose few keys are compared.
  static int rank_words(int slots, std::uint64_t num_keys) {
    constexpr int max_compared_slots = 32;
    std::size_t const max_bytes =
        std::max(array_bytes<Segment>(Group::staging_entries), array_bytes<Entry>(slots) / 2);
    std::uint64_t const words = (num_keys + 31) / 32;
    return whole_team || slots <= max_compared_slots || words * sizeof(RankedColumns) > max_bytes
               ? 0
               : static_cast<int>(words);
  }

  KOKKOS_FORCEINLINE_FUNCTION void run(Member const& team) const {
    Group group{team, batch};
    if (!group.is_in_team()) return;
    char* scratch = group.scratch(bytes(batch.slots, batch.rank_words, args.counting));
    auto const item = group.item();
    group.is_idle = item >= batch.num_items;
    auto const row = args.row(batch.first_item + (group.is_idle ? batch.num_items - 1 : item));
    Table const table = take_table(scratch);
    group.for_each(batch.slots, [&](int slot) { table.clear(slot); });
    Table const other = !whole_team && !args.counting ? take_table(scratch) : table;
    auto* const segments = whole_team ? nullptr : take_array<Segment>(scratch, Group::staging_entries);
    if (args.B.compressed)
      insert<true>(group, table, row, segments);
    else
      insert<false>(group, table, row, segments);
    if (args.stores_counts()) {
      auto const counts = group.template sum<std::uint64_t>(
          batch.slots, [&](int slot) { return Args::counted(table.columns[slot].mask); });
      group.once([&] {
        if (args.counting && counts >> 32 == static_cast<std::uint64_t>(batch.slots))
          args.offsets(row) = overflowed<Offset>;
        else
          args.store_counts(row, counts & 0xffffffffu, counts >> 32);
      });
    }
    if (args.counting) return;
    if constexpr (whole_team) {
      write_sorted(group, table, args.offsets(row));
    } else if (batch.rank_words > 0) {
      write_ranked(group, table, other, reinterpret_cast<RankedColumns*>(segments), args.offsets(row));
    } else {
      write_packed(group, table, other, reinterpret_cast<int*>(segments), args.offsets(row));
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION Table take_table(char*& scratch) const {
    return {take_array<Entry>(scratch, batch.slots), batch.slots};
  }

  template <bool compressed>
  KOKKOS_FORCEINLINE_FUNCTION void insert(Group const& group, Table const& table, Ordinal row,
                                          Segment* segments) const {
    auto const begin = args.A.row_begin(row);
    bool is_full = false;  // as seen by this lane
    group.for_each_staged(
        segments, group.is_idle ? Ordinal(0) : static_cast<Ordinal>(args.A.row_end(row) - begin),
        [&](Ordinal k) -> Segment {
          Ordinal const j = args.A.columns(begin + k);
          auto const first = args.B.offsets(j);
          return {first, static_cast<Ordinal>(args.B.offsets(j + 1) - first)};
        },
        [&](Group const& lanes, Segment const& segment) {
          lanes.for_each_in_segment(segment.count, [&](Ordinal w) {
            if (is_full) return;
            auto const column = args.B.template load_as<compressed>(segment.first + w);
            is_full = table.insert(column.key, column.mask) == Table::none;
          });
        });
  }

  /// other: memory for a second table. ranks: [rank_words].
  KOKKOS_FORCEINLINE_FUNCTION void write_ranked(Group const& group, Table const& table, Table const& other,
                                                RankedColumns* ranks, Offset offset) const {
    group.for_each(batch.rank_words, [&](int w) { ranks[w] = {0, 0}; });
    group.for_each(batch.slots, [&](int slot) {
      Ordinal const key = table.columns[slot].key;
      if (key != Table::empty) Lanes<Exec>::atomic_or(&ranks[key_of(key)].mask, bit_of(key));
    });
    int const count = group.scan(
        batch.rank_words, [&](int w) { return count_bits(ranks[w].mask); },
        [&](int w, int before) { ranks[w].first_rank = before; });
    group.sync();
    group.for_each(batch.slots, [&](int slot) {
      Entry const entry = table.columns[slot];
      if (entry.key == Table::empty) return;
      RankedColumns const rank = ranks[key_of(entry.key)];
      other.columns[rank.first_rank + bits_below(rank.mask, bit_of(entry.key))] = entry;
    });
    write_columns(group, other, count, group.max_over_warp(count), table, offset);
  }

  /// other: memory for a second table. ends: [num_buckets].
  KOKKOS_FORCEINLINE_FUNCTION void write_packed(Group const& group, Table const& table, Table const& other,
                                                int* ends, Offset offset) const {
    int const count = group.scan(
        batch.slots, [&](int slot) { return table.columns[slot].key == Table::empty ? 0 : 1; },
        [&](int slot, int at) {
          if (table.columns[slot].key != Table::empty) other.columns[at] = table.columns[slot];
        });
    group.sync();
    int const max_count = group.max_over_warp(count);
    if (max_count <= 32) {  // rank counting
      group.for_each(count, [&](int i) {
        int rank = 0;
        for (int o = 0; o < count; ++o) rank += other.columns[o].key < other.columns[i].key ? 1 : 0;
        table.columns[rank] = other.columns[i];
      });
      write_columns(group, table, count, max_count, other, offset);
    } else {
      sort_by_buckets(group, other, count, table, ends);
      write_columns(group, other, count, max_count, table, offset);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static int num_buckets(int slots) { return slots / 2; }
  template <class Unsigned>
  KOKKOS_FORCEINLINE_FUNCTION static int bit_width(Unsigned number) {
    return static_cast<int>(8 * sizeof(Unsigned)) - Kokkos::Experimental::countl_zero_builtin(number);
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T min_over_group(Group const& group, T value) {
    for (int bits = group.size() / 2; bits > 0; bits /= 2) {
      T const other = Lanes<Exec>::shuffle_xor(value, bits, group.size());
      if (other < value) value = other;
    }
    return value;
  }

  /// Sorts pairs 0 .. count - 1 by key. Each bucket has an equal part of the range of the row's keys; within a bucket
  /// the rank of a key is the number of smaller ones. If all keys are in one bucket, this takes count^2 / lanes
  /// steps, for 400 keys as many as a bitonic sort.
  /// other: memory for a second table; ends: [num_buckets].
  KOKKOS_FORCEINLINE_FUNCTION void sort_by_buckets(Group const& group, Table const& table, int count,
                                                   Table const& other, int* ends) const {
    using Key = std::make_unsigned_t<Ordinal>;
    int const buckets = num_buckets(batch.slots);
    Key least = static_cast<Key>(~Key(0)), complement_of_greatest = least;
    for (int i = group.lane(); i < count; i += group.size()) {
      auto const key = static_cast<Key>(table.columns[i].key), complement = static_cast<Key>(~key);
      if (key < least) least = key;
      if (complement < complement_of_greatest) complement_of_greatest = complement;
    }
    least = min_over_group(group, least);
    auto const range = static_cast<Key>(~min_over_group(group, complement_of_greatest) - least);
    int const surplus_bits = bit_width(range) - bit_width(static_cast<Key>(buckets)) + 1,
              shift = surplus_bits > 0 ? surplus_bits : 0;
    auto const bucket_of = [&](Ordinal key) {
      return static_cast<int>(static_cast<Key>(static_cast<Key>(key) - least) >> shift);
    };

    group.for_each(buckets, [&](int b) { ends[b] = 0; });
    group.for_each(count, [&](int i) { Lanes<Exec>::fetch_add(&ends[bucket_of(table.columns[i].key)], 1); });
    group.scan(buckets, [&](int b) { return ends[b]; }, [&](int b, int before) { ends[b] = before; });
    group.sync();
    group.for_each(count, [&](int i) {
      Entry const entry = table.columns[i];
      other.columns[Lanes<Exec>::fetch_add(&ends[bucket_of(entry.key)], 1)] = entry;
    });
    group.for_each(count, [&](int i) {
      Entry const entry = other.columns[i];
      int const bucket = bucket_of(entry.key), end = ends[bucket];
      int rank = bucket == 0 ? 0 : ends[bucket - 1];
      for (int o = rank; o < end; ++o) rank += other.columns[o].key < entry.key ? 1 : 0;
      table.columns[rank] = entry;
    });
  }

  /// Bitonic sort of pairs 0 .. count - 1.
  KOKKOS_FORCEINLINE_FUNCTION void sort_entries(Group const& group, Table const& table, int count,
                                                int max_count) const {
    int size = 1;
    while (size < max_count) size *= 2;
    group.for_each(size - count, [&](int i) { table.clear(count + i); });
    for (int blocks = 2; blocks <= size; blocks *= 2)
      for (int distance = blocks / 2; distance > 0; distance /= 2)
        group.for_each(size / 2, [&](int pair) {
          int const low = 2 * pair - (pair & (distance - 1)), high = low + distance;
          bool const ascends = (low & blocks) == 0;
          if (comes_before(table.columns[high], table.columns[low]) == ascends)
            Kokkos::kokkos_swap(table.columns[low], table.columns[high]);
        });
  }
  /// Empty slots last: as an unsigned number, their key is the largest.
  KOKKOS_FORCEINLINE_FUNCTION static bool comes_before(Entry const& a, Entry const& b) {
    using Key = std::make_unsigned_t<Ordinal>;
    return static_cast<Key>(a.key) < static_cast<Key>(b.key);
  }

  /// Writes the columns of sorted pairs through the memory of another table.
  KOKKOS_FORCEINLINE_FUNCTION void write_columns(Group const& group, Table const& table, int count,
                                                 int max_count, Table const& other, Offset offset) const {
    auto* const staged = reinterpret_cast<Ordinal*>(other.columns);
    int const capacity_in_columns = batch.slots * static_cast<int>(sizeof(Entry) / sizeof(Ordinal));
    for (int first = 0; first < max_count; first += group.size()) {
      int const own = first + group.lane();
      auto [key, mask] = own < count ? table.columns[own] : Entry{};
      int const up_to = group.inclusive_scan(count_bits(mask)), total = group.last(up_to);
      int at = up_to - count_bits(mask);
      for (int done = 0, rounds = group.max_over_warp(total); done < rounds; done += capacity_in_columns) {
        for (; mask != 0 && at < done + capacity_in_columns; mask &= mask - 1, ++at)
          staged[at - done] = static_cast<Ordinal>(key * mask_bits + lowest_bit(mask));
        group.sync();
        int const size = total - done < capacity_in_columns ? total - done : capacity_in_columns;
        group.for_each(size, [&](int i) {
          if (!group.is_idle) args.columns(offset + static_cast<Offset>(done + i)) = staged[i];
        });
      }
      offset += static_cast<Offset>(total);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void write_sorted(Group const& group, Table const& table, Offset offset) const {
    if (args.sorted) sort_entries(group, table, batch.slots, batch.slots);
    args.write_in_order(
        group.team, batch.slots, offset, [&](int slot) { return table.columns[slot].mask; },
        [&](int slot) { return table.columns[slot].key; });
  }
};

/// The rows of C in batches, each with the accumulator of its kind.
template <class Exec, class Args>
struct SymbolicKernel {
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Ordinal = typename Args::Ordinal;
  using ByGroup = SymbolicHashRow<Exec, Args, false>;
  using ByTeam = SymbolicHashRow<Exec, Args, true>;
  using ByBitmap = SymbolicBitmapRow<Exec, Args>;

  static constexpr int max_batches = SpgemmTuning::num_symbolic_bins;
  Args args;
  RowBatches<max_batches> batches;
  std::uint64_t num_keys;
  bool sorted_B;

  /// Scratch of a group, or of a team.
  [[nodiscard]] std::size_t bytes_of(RowBatch const& batch) const {
    if (batch.kind == group_table) return ByGroup::bytes(batch.slots, batch.rank_words, args.counting);
    return batch.kind == team_table ? ByTeam::bytes(batch.slots, 0, args.counting)
                                    : ByBitmap::bytes(batch.slots);
  }

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    RowBatch const batch = batches.of_team(static_cast<int>(team.league_rank()));
    if (batch.kind == group_table)
      ByGroup{args, batch}.run(team);
    else if (batch.kind == team_table)
      ByTeam{args, batch}.run(team);
    else
      ByBitmap{args, batch, static_cast<Ordinal>(num_keys), sorted_B}.run(team);
  }
};

}  // namespace einkorn::detail
