// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/accumulate/index_words.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn {

/// A hash table of words (index_words.hpp) in memory that the caller owns, mostly the scratch of a team: open
/// addressing, linear probing that wraps around, no removal. Capacity is a power of two, key -1 an empty slot.
///
/// With `shared` any number of threads may insert at once (compare-and-swap on a key, atomic OR on a mask);
/// what is in the table then does not depend on who came first, only in which slot a key lies does. Without,
/// one thread at a time. find() must not run beside insert().
///
/// Source: seed 004 (hash by the low bits, atomicCAS, probing from slot to slot). Departures: the hash
/// multiplies (Knuth's golden ratio) and takes the high bits, since the columns of a mesh are far apart by
/// multiples of powers of two; a slot holds a word of 32 columns, not one.
template <class Index, bool shared>
struct WordTable {
  static constexpr Index empty = Index(-1);
  static constexpr int none = -1;

  Index* keys;           // [capacity]
  std::uint32_t* masks;  // [capacity]
  int capacity;

  KOKKOS_FORCEINLINE_FUNCTION void clear(int slot) const {
    keys[slot] = empty;
    masks[slot] = 0;
  }

  /// Where the search for a key begins.
  KOKKOS_FORCEINLINE_FUNCTION int home(Index key) const {
    auto const bits = static_cast<std::uint32_t>(key) ^ high_part(key);
    return static_cast<int>(
        (static_cast<std::uint64_t>(bits * 0x9e3779b1u) * static_cast<std::uint32_t>(capacity)) >> 32);
  }
  KOKKOS_FORCEINLINE_FUNCTION int after(int slot) const { return (slot + 1) & (capacity - 1); }

  /// The slot of the key, after this with at least the bits of mask; none when the table is full without it.
  KOKKOS_FORCEINLINE_FUNCTION int insert(Index key, std::uint32_t mask) const {
    int const slot = slot_for(key);
    if (slot != none) {
      if constexpr (shared)
        Kokkos::atomic_or(&masks[slot], mask);
      else
        masks[slot] |= mask;
    }
    return slot;
  }

  /// The capacity that a table of so many keys needs, full to at most four fifths.
  static constexpr std::size_t capacity_for(std::size_t num_keys) {
    std::size_t slots = 4;
    while (4 * slots < 5 * num_keys) slots *= 2;
    return slots;
  }

  /// The slot of the key, or none.
  KOKKOS_FORCEINLINE_FUNCTION int find(Index key) const {
    int slot = home(key);
    for (int probes = 0; probes < capacity; ++probes, slot = after(slot)) {
      if (keys[slot] == key) return slot;
      if (keys[slot] == empty) return none;
    }
    return none;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION int slot_for(Index key) const {
    int slot = home(key);
    for (int probes = 0; probes < capacity; ++probes, slot = after(slot)) {
      if constexpr (shared) {
        Index found = Kokkos::atomic_load(&keys[slot]);
        if (found == empty) found = Kokkos::atomic_compare_exchange(&keys[slot], Index(empty), key);
        if (found == empty || found == key) return slot;
      } else {
        if (keys[slot] == key) return slot;
        if (keys[slot] == empty) {
          keys[slot] = key;
          return slot;
        }
      }
    }
    return none;
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t high_part(Index key) {
    if constexpr (sizeof(Index) > 4)
      return static_cast<std::uint32_t>(key >> 32) * 0x85ebca6bu;
    else
      return 0;
  }
};

/// Puts index p of a list into the table: afterwards place_in_list() finds p. The indices of a word stand
/// together and ascend; starts[slot] is the place of the first of them. Every p once, in any order.
template <class Table, class Indices, class Place>
KOKKOS_FORCEINLINE_FUNCTION void insert_place(Table const& table, Place* starts, Indices const* list, Place p) {
  auto const key = word_of(list[p]);
  int const slot = table.insert(key, bit_of(list[p]));
  if (p == 0 || word_of(list[p - 1]) != key) starts[slot] = static_cast<Place>(p);
}
/// The place of the index whose word is in `slot` and that is `bit` there.
template <class Table, class Place>
KOKKOS_FORCEINLINE_FUNCTION Place place_in_list(Table const& table, Place const* starts, int slot,
                                                std::uint32_t bit) {
  return static_cast<Place>(starts[slot] + bits_below(table.masks[slot], bit));
}

}  // namespace einkorn
