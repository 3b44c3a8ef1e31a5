// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/spgemm/detail/column_table.hpp>
#include <einkorn/formats/spgemm/detail/compressed_columns.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn {

/// What a RankTable knows of a word: which of its indices are in the list, and where the first of them stands.
struct alignas(8) RankedColumns {
  std::uint32_t mask;
  int start;
};

/// Tells where in a list an index stands: a hash table as ColumnTable, with the words' places, in memory that
/// the caller owns. The indices of a word stand together in the list and ascend. At least one slot stays empty.
/// With the lanes L of an execution space any number of threads may insert at once, with OneThread one; nobody
/// searches meanwhile.
template <class Index, class L>
struct RankTable {
  static constexpr Index empty = Index(-1);
  static constexpr int none = -1;

  Index* keys;           // [capacity]
  RankedColumns* words;  // [capacity]
  int capacity;          // a power of two

  KOKKOS_FORCEINLINE_FUNCTION void clear(int slot) const {
    keys[slot] = empty;
    words[slot] = {0, 0};
  }

  /// Enters list[place]. Every place once, in any order.
  KOKKOS_FORCEINLINE_FUNCTION void insert(Index const* list, int place) const {
    Index const index = list[place], key = word_of(index);
    int slot = home_of_word(key, capacity);
    for (;; slot = after(slot)) {
      Index found = L::load_volatile(&keys[slot]);
      if (found == empty) found = L::compare_exchange(&keys[slot], Index(empty), key);
      if (found == empty || found == key) break;
    }
    L::atomic_or(&words[slot].mask, bit_of(index));
    if (place == 0 || word_of(list[place - 1]) != key) words[slot].start = place;
  }

  /// The place of an index that is in the list.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int place_of(Index index) const {
    Index const key = word_of(index);
    int slot = home_of_word(key, capacity);
    while (keys[slot] != key) slot = after(slot);
    RankedColumns const word = words[slot];
    return word.start + bits_below(word.mask, bit_of(index));
  }
  /// The place of any index, or none.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int find(Index index) const {
    Index const key = word_of(index);
    int slot = home_of_word(key, capacity);
    while (keys[slot] != key && keys[slot] != empty) slot = after(slot);
    RankedColumns const word = words[slot];
    std::uint32_t const bit = bit_of(index);
    return keys[slot] == key && (word.mask & bit) != 0 ? word.start + bits_below(word.mask, bit) : none;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION int after(int slot) const { return (slot + 1) & (capacity - 1); }
};

}  // namespace einkorn
