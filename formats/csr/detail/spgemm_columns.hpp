// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/accumulate/index_words.hpp>
#include <einkorn/core/accumulate/row_group.hpp>
#include <einkorn/core/accumulate/word_table.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_NestedSort.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace einkorn::detail {

/// The count of a row whose table was too small; words_of_C is then what it was.
template <class Offset>
inline constexpr auto overflowed = static_cast<Offset>(-1);

/// Which rows of C a launch is for, and where what it finds goes.
template <class AMatrix, class Words, class COffset>
struct ColumnsOfC {
  using Ordinal = typename AMatrix::ordinal_type;
  using Device = typename AMatrix::device_type;
  using Offset = COffset;

  /// Words of a row of B, or some of them.
  struct Run {
    typename Words::offset_type first;
    Ordinal count;
  };

  AMatrix A;
  Words words;
  Kokkos::View<Ordinal const*, Device> rows;  // of C, less first_row; empty: item i is row first_row + i
  Ordinal first_row = 0;
  std::int64_t num_items = 0;
  Kokkos::View<COffset*, Device> offsets;     // of C: counts while counting, then offsets
  Kokkos::View<Ordinal*, Device> words_of_C;  // [rows], written while counting
  Kokkos::View<Ordinal*, Device> columns;     // of C; empty while counting
  bool counting = true, sorted = true;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Ordinal row(std::int64_t item) const {
    return first_row + (rows.extent(0) > 0 ? rows(item) : static_cast<Ordinal>(item));
  }
  /// Entries in the low half, words in the high one: one sum for both.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t counted(std::uint32_t mask) {
    return mask == 0 ? 0 : (std::uint64_t(1) << 32) + static_cast<std::uint64_t>(bits_in(mask));
  }
  KOKKOS_FORCEINLINE_FUNCTION void store_counts(Ordinal row, std::uint64_t entries,
                                                std::uint64_t num_words) const {
    offsets(row) = static_cast<COffset>(entries);
    words_of_C(row) = static_cast<Ordinal>(num_words);
  }
  KOKKOS_FORCEINLINE_FUNCTION void write(Ordinal key, std::uint32_t mask, COffset at) const {
    for_each_index(key, mask, [&](Ordinal column) { columns(at++) = column; });
  }
  /// The columns of words 0 .. count - 1, which are in order, by a whole team. How many there are.
  template <class Member, class MaskOf, class KeyOf>
  KOKKOS_FORCEINLINE_FUNCTION int write_in_order(Member const& team, int count, COffset offset,
                                                 MaskOf const& mask_of, KeyOf const& key_of) const {
    int total = 0;
    Kokkos::parallel_scan(
        Kokkos::TeamThreadRange(team, count),
        [&](int i, int& before, bool is_final) {
          std::uint32_t const mask = mask_of(i);
          if (is_final && mask != 0)
            Kokkos::single(Kokkos::PerThread(team), [&] {
              write(key_of(i), mask, static_cast<COffset>(offset + static_cast<COffset>(before)));
            });
          before += bits_in(mask);
        },
        total);
    return total;
  }
};

/// The columns of a row of C in a hash table of words: all words of the rows of B that A's row names go in, in
/// any order. Counting: the sum of their bits; a table without an empty slot may lack words, and is said to
/// have overflowed. Writing: the words, ordered by key, hand out their columns: a
/// group of lanes finds the place of a word by looking at all of them (few), a team sorts its table.
template <class Exec, class Rows, bool whole_team>
struct HashedColumns {
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Ordinal = typename Rows::Ordinal;
  using Run = typename Rows::Run;
  using Table = WordTable<Ordinal, true>;
  using Group = RowGroup<typename Policy::member_type, whole_team>;

  Rows on;
  int capacity;

  /// Scratch of a group.
  KOKKOS_FORCEINLINE_FUNCTION static std::size_t bytes(int capacity, bool counting) {
    auto const table = bytes_taken<Ordinal>(capacity) + bytes_taken<std::uint32_t>(capacity);
    if (whole_team) return table;
    return bytes_taken<Run>(Group::most_staged) + (counting ? table : 2 * table + bytes_taken<int>(1));
  }

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    Group const group{team};
    std::size_t const own = bytes(capacity, on.counting);
    char* scratch = static_cast<char*>(team.team_scratch(0).get_shmem_aligned(
                        own * static_cast<std::size_t>(group.groups()), 16)) +
                    own * static_cast<std::size_t>(group.rank());
    auto const item = static_cast<std::int64_t>(team.league_rank()) * group.groups() + group.rank();
    if (item >= on.num_items) return;
    auto const row = on.row(item);
    auto* const keys = take<Ordinal>(scratch, capacity);
    auto* const masks = take<std::uint32_t>(scratch, capacity);
    Table const table{keys, masks, capacity};
    auto* const runs = whole_team ? nullptr : take<Run>(scratch, Group::most_staged);
    group.for_each(capacity, [&](int slot) { table.clear(slot); });
    insert(group, table, row, runs);
    if (on.counting) {
      auto const counts = group.template sum<std::uint64_t>(
          capacity, [&](int slot) { return Rows::counted(table.masks[slot]); });
      group.once([&] {
        if (counts >> 32 < static_cast<std::uint64_t>(capacity))
          on.store_counts(row, counts & 0xffffffffu, counts >> 32);
        else
          on.offsets(row) = overflowed<typename Rows::Offset>;
      });
    } else if constexpr (whole_team) {
      write_sorted(group, table, on.offsets(row));
    } else {
      write_ranked(group, table, on.offsets(row), scratch);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void insert(Group const& group, Table const& table, Ordinal row,
                                          Run* runs) const {
    auto const begin = on.A.row_begin(row);
    bool is_full = false;  // as this lane has seen
    group.for_each_staged(
        runs, static_cast<Ordinal>(on.A.row_end(row) - begin),
        [&](Ordinal k) -> Run {
          Ordinal const j = on.A.columns(begin + k);
          auto const first = on.words.offsets(j);
          return {first, static_cast<Ordinal>(on.words.offsets(j + 1) - first)};
        },
        [&](Run const& run) {
          group.in_lanes(run.count, [&](Ordinal w) {
            if (!is_full)
              is_full = table.insert(on.words.key(run.first + w), on.words.mask(run.first + w)) == Table::none;
          });
        });
  }

  KOKKOS_FORCEINLINE_FUNCTION void write_ranked(Group const& group, Table const& table,
                                                typename Rows::Offset offset, char* scratch) const {
    auto* const keys = take<Ordinal>(scratch, capacity);
    auto* const masks = take<std::uint32_t>(scratch, capacity);
    auto* const size = take<int>(scratch, 1);
    group.for_each(1, [&](int) { *size = 0; });
    group.for_each(capacity, [&](int slot) {
      if (table.keys[slot] == Table::empty) return;
      int const at = Kokkos::atomic_fetch_add(size, 1);
      keys[at] = table.keys[slot];
      masks[at] = table.masks[slot];
    });
    int const count = Kokkos::atomic_load(size);
    group.for_each(count, [&](int i) {
      int start = 0;
      for (int other = 0; other < count; ++other)
        if (keys[other] < keys[i]) start += bits_in(masks[other]);
      on.write(keys[i], masks[i],
               static_cast<typename Rows::Offset>(offset + static_cast<typename Rows::Offset>(start)));
    });
  }

  /// The table itself is sorted, empty slots last: as unsigned numbers they are the largest.
  struct Before {
    KOKKOS_FUNCTION bool operator()(Ordinal a, Ordinal b) const {
      return static_cast<std::make_unsigned_t<Ordinal>>(a) < static_cast<std::make_unsigned_t<Ordinal>>(b);
    }
  };
  KOKKOS_FORCEINLINE_FUNCTION void write_sorted(Group const& group, Table const& table,
                                                typename Rows::Offset offset) const {
    using Space = typename Exec::scratch_memory_space;
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    auto const slots = static_cast<std::size_t>(capacity);
    if (on.sorted)
      Kokkos::Experimental::sort_by_key_team(
          group.team, Kokkos::View<Ordinal*, Space, Unmanaged>(table.keys, slots),
          Kokkos::View<std::uint32_t*, Space, Unmanaged>(table.masks, slots), Before());
    group.team.team_barrier();
    on.write_in_order(
        group.team, capacity, offset, [&](int slot) { return table.masks[slot]; },
        [&](int slot) { return table.keys[slot]; });
  }
};

/// The columns of a long row of C in a bitmap, as many columns at a time as it has bits. The words come out in
/// order. Where columns of B are sorted, each of its rows is entered by a binary search.
template <class Exec, class Rows>
struct BitmapColumns {
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Ordinal = typename Rows::Ordinal;
  using Group = RowGroup<typename Policy::member_type, true>;

  Rows on;
  int capacity;  // words of the bitmap
  Ordinal words_of_all_columns;
  bool sorted_B;

  KOKKOS_FORCEINLINE_FUNCTION static std::size_t bytes(int capacity, bool) {
    return bytes_taken<std::uint32_t>(capacity);
  }

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    Group const group{team};
    char* scratch =
        static_cast<char*>(team.team_scratch(0).get_shmem_aligned(bytes(capacity, on.counting), 16));
    auto const row = on.row(team.league_rank());
    auto* const bits = take<std::uint32_t>(scratch, capacity);
    std::uint64_t entries = 0, num_words = 0;
    for (Ordinal first = 0; first < words_of_all_columns; first += static_cast<Ordinal>(capacity)) {
      Ordinal const left = words_of_all_columns - first;
      int const size = left < static_cast<Ordinal>(capacity) ? static_cast<int>(left) : capacity;
      group.for_each(size, [&](int w) { bits[w] = 0; });
      mark(group, row, bits, first, size);
      if (on.counting) {
        auto const counts =
            group.template sum<std::uint64_t>(size, [&](int w) { return Rows::counted(bits[w]); });
        entries += counts & 0xffffffffu;
        num_words += counts >> 32;
      } else {
        auto const offset =
            static_cast<typename Rows::Offset>(on.offsets(row) + static_cast<typename Rows::Offset>(entries));
        entries += static_cast<std::uint64_t>(on.write_in_order(
            team, size, offset, [&](int w) { return bits[w]; },
            [&](int w) { return static_cast<Ordinal>(first + w); }));
        team.team_barrier();
      }
      if (left <= static_cast<Ordinal>(capacity)) break;  // before `first` can pass the largest Ordinal
    }
    if (on.counting) group.once([&] { on.store_counts(row, entries, num_words); });
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void mark(Group const& group, Ordinal row, std::uint32_t* bits, Ordinal first,
                                        int size) const {
    auto const begin = on.A.row_begin(row);
    bool const narrow = sorted_B && static_cast<Ordinal>(size) < words_of_all_columns;
    group.for_each_staged(
        static_cast<typename Rows::Run*>(nullptr), static_cast<Ordinal>(on.A.row_end(row) - begin),
        [&](Ordinal k) -> typename Rows::Run {
          Ordinal const j = on.A.columns(begin + k);
          auto const from = narrow ? on.words.first_from(j, first) : on.words.offsets(j);
          auto const end =
              narrow ? on.words.first_from(j, first + static_cast<Ordinal>(size)) : on.words.offsets(j + 1);
          return {from, static_cast<Ordinal>(end - from)};
        },
        [&](typename Rows::Run const& run) {
          group.in_lanes(run.count, [&](Ordinal w) {
            Ordinal const at = on.words.key(run.first + w) - first;
            if (at >= 0 && at < static_cast<Ordinal>(size))
              Kokkos::atomic_or(&bits[at], on.words.mask(run.first + w));
          });
        });
  }
};

}  // namespace einkorn::detail
