// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/formats/spgemm/detail/column_table.hpp>
#include <einkorn/formats/spgemm/detail/compressed_columns.hpp>
#include <einkorn/formats/spgemm/detail/row_group.hpp>

#include <Kokkos_Core.hpp>

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
    write_indices(key, mask, columns.data() + at);
  }
  /// The columns of words 0 .. count - 1, which are in order, by a whole team, of one vector lane a thread: the
  /// scan of Kokkos over the threads of a team is wrong on CUDA where there are more. How many there are.
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
          before += bits_in(mask);
        },
        total);
    return total;
  }
};

/// The columns of a row of C in a hash table of words: all words of the rows of B that A's row names go in, in
/// any order. Counting: the sum of their bits; a table without an empty slot may lack words, and is said to
/// have overflowed. Writing: the words, sorted by key, hand out their columns. A group of lanes packs its words
/// first, sorts them and writes columns through scratch, so that they leave side by side; a team sorts its
/// table.
template <class Exec, class Rows, bool whole_team>
struct HashedColumns {
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Ordinal = typename Rows::Ordinal;
  using Offset = typename Rows::Offset;
  using Run = typename Rows::Run;
  using Table = ColumnTable<Ordinal, Lanes<Exec>>;
  using Word = typename Table::Word;
  using Group = RowGroup<Lanes<Exec>, typename Policy::member_type, whole_team>;

  Rows on;
  int capacity;
  int lanes, run_lanes;

  /// Scratch of a group.
  KOKKOS_FORCEINLINE_FUNCTION static std::size_t bytes(int capacity, bool counting) {
    auto const table = bytes_taken<Word>(capacity);
    if (whole_team) return table;
    return bytes_taken<Run>(Group::staging_entries) + (counting ? table : 2 * table);
  }

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    Group group{team, lanes, run_lanes};
    char* scratch = group.scratch(bytes(capacity, on.counting));
    auto const item = group.item();
    group.is_idle = item >= on.num_items;
    auto const row = on.row(group.is_idle ? on.num_items - 1 : item);
    Table const table = take_table(scratch);
    group.for_each(capacity, [&](int slot) { table.clear(slot); });
    auto* const runs = whole_team ? nullptr : take<Run>(scratch, Group::staging_entries);
    if (on.words.compressed)
      insert<true>(group, table, row, runs);
    else
      insert<false>(group, table, row, runs);
    if (on.counting) {
      auto const counts = group.template sum<std::uint64_t>(
          capacity, [&](int slot) { return Rows::counted(table.words[slot].mask); });
      group.once([&] {
        if (counts >> 32 < static_cast<std::uint64_t>(capacity))
          on.store_counts(row, counts & 0xffffffffu, counts >> 32);
        else
          on.offsets(row) = overflowed<Offset>;
      });
    } else if constexpr (whole_team) {
      write_sorted(group, table, on.offsets(row));
    } else {
      write_packed(group, table, take_table(scratch), on.offsets(row));
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION Table take_table(char*& scratch) const {
    return {take<Word>(scratch, capacity), capacity};
  }

  template <bool compressed>
  KOKKOS_FORCEINLINE_FUNCTION void insert(Group const& group, Table const& table, Ordinal row,
                                          Run* runs) const {
    auto const begin = on.A.row_begin(row);
    bool is_full = false;  // as this lane has seen
    group.for_each_staged(
        runs, group.is_idle ? Ordinal(0) : static_cast<Ordinal>(on.A.row_end(row) - begin),
        [&](Ordinal k) -> Run {
          Ordinal const j = on.A.columns(begin + k);
          auto const first = on.words.offsets(j);
          return {first, static_cast<Ordinal>(on.words.offsets(j + 1) - first)};
        },
        [&](Run const& run) {
          group.in_lanes(run.count, [&](Ordinal w) {
            if (is_full) return;
            auto const word = on.words.template word_as<compressed>(run.first + w);
            is_full = table.insert(word.key, word.mask) == Table::none;
          });
        });
  }

  /// other: a table's room besides.
  KOKKOS_FORCEINLINE_FUNCTION void write_packed(Group const& group, Table const& table, Table const& other,
                                                Offset offset) const {
    int const count = group.scan(
        capacity, [&](int slot) { return table.words[slot].key == Table::empty ? 0 : 1; },
        [&](int slot, int at) {
          if (table.words[slot].key != Table::empty) other.words[at] = table.words[slot];
        });
    group.sync();
    int const most = group.longest(count);
    if (most <= 32) {  // a place by looking at all others
      group.for_each(count, [&](int i) {
        int place = 0;
        for (int o = 0; o < count; ++o) place += other.words[o].key < other.words[i].key ? 1 : 0;
        table.words[place] = other.words[i];
      });
      write_words(group, table, count, most, other, offset);
    } else {
      sort_words(group, other, count, most);
      write_words(group, other, count, most, table, offset);
    }
  }

  /// Bitonic sort of words 0 .. count - 1.
  KOKKOS_FORCEINLINE_FUNCTION void sort_words(Group const& group, Table const& words, int count,
                                              int most) const {
    int size = 1;
    while (size < most) size *= 2;
    group.for_each(size - count, [&](int i) { words.clear(count + i); });
    for (int blocks = 2; blocks <= size; blocks *= 2)
      for (int distance = blocks / 2; distance > 0; distance /= 2)
        group.for_each(size / 2, [&](int pair) {
          int const low = 2 * pair - (pair & (distance - 1)), high = low + distance;
          bool const ascends = (low & blocks) == 0;
          if (comes_before(words.words[high], words.words[low]) == ascends)
            Kokkos::kokkos_swap(words.words[low], words.words[high]);
        });
  }
  /// Empty slots last: as unsigned numbers their keys are the largest.
  KOKKOS_FORCEINLINE_FUNCTION static bool comes_before(Word const& a, Word const& b) {
    using Key = std::make_unsigned_t<Ordinal>;
    return static_cast<Key>(a.key) < static_cast<Key>(b.key);
  }

  /// The columns of sorted words, through the room of another table.
  KOKKOS_FORCEINLINE_FUNCTION void write_words(Group const& group, Table const& words, int count, int most,
                                               Table const& other, Offset offset) const {
    auto* const staged = reinterpret_cast<Ordinal*>(other.words);
    int const room = capacity * static_cast<int>(sizeof(Word) / sizeof(Ordinal));
    for (int first = 0; first < most; first += group.size()) {
      int const own = first + group.lane();
      auto [key, mask] = own < count ? words.words[own] : Word{};
      int const up_to = group.sum_up_to(bits_in(mask)), total = group.last(up_to);
      int at = up_to - bits_in(mask);
      for (int done = 0, rounds = group.longest(total); done < rounds; done += room) {
        for (; mask != 0 && at < done + room; mask &= mask - 1, ++at)
          staged[at - done] = static_cast<Ordinal>(key * word_bits + lowest_bit(mask));
        group.sync();
        int const size = total - done < room ? total - done : room;
        group.for_each(size, [&](int i) {
          if (!group.is_idle) on.columns(offset + static_cast<Offset>(done + i)) = staged[i];
        });
      }
      offset += static_cast<Offset>(total);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void write_sorted(Group const& group, Table const& table, Offset offset) const {
    if (on.sorted) sort_words(group, table, capacity, capacity);
    on.write_in_order(
        group.team, capacity, offset, [&](int slot) { return table.words[slot].mask; },
        [&](int slot) { return table.words[slot].key; });
  }
};

/// The columns of a long row of C in a bitmap, as many columns at a time as it has bits. The words come out in
/// order. Where columns of B are sorted, each of its rows is entered by a binary search.
template <class Exec, class Rows>
struct BitmapColumns {
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Ordinal = typename Rows::Ordinal;
  using Group = RowGroup<Lanes<Exec>, typename Policy::member_type, true>;

  Rows on;
  int capacity;  // words of the bitmap
  int lanes, run_lanes;
  Ordinal words_of_all_columns;
  bool sorted_B;

  KOKKOS_FORCEINLINE_FUNCTION static std::size_t bytes(int capacity, bool) {
    return bytes_taken<std::uint32_t>(capacity);
  }

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    Group const group{team, lanes, run_lanes};
    char* scratch = group.scratch(bytes(capacity, on.counting));
    auto const row = on.row(group.item());
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
            auto const word = on.words.word(run.first + w);
            Ordinal const at = word.key - first;
            if (at >= 0 && at < static_cast<Ordinal>(size)) Lanes<Exec>::atomic_or(&bits[at], word.mask);
          });
        });
  }
};

}  // namespace einkorn::detail
