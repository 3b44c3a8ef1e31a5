// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/spgemm/detail/compressed_columns.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace einkorn {

/// In place of lanes (Lanes<Exec>): of a table that one thread at a time inserts into.
struct OneThread {
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T load_volatile(T const* address) {
    return *address;
  }
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T compare_exchange(T* address, T expected, T desired) {
    T const found = *address;
    if (found == expected) *address = desired;
    return found;
  }
  static KOKKOS_FORCEINLINE_FUNCTION void atomic_or(std::uint32_t* address, std::uint32_t bits) {
    *address |= bits;
  }
};

/// The capacity that a table of so many keys needs, full to at most four fifths.
constexpr std::size_t capacity_for_words(std::size_t num_keys) {
  std::size_t slots = 4;
  while (4 * slots < 5 * num_keys) slots *= 2;
  return slots;
}

/// Where the search for a key begins in a table of `capacity` slots, a power of two.
template <class Index>
KOKKOS_FORCEINLINE_FUNCTION int home_of_word(Index key, int capacity) {
  auto bits = static_cast<std::uint32_t>(key);
  if constexpr (sizeof(Index) > 4) bits ^= static_cast<std::uint32_t>(key >> 32) * 0x85ebca6bu;
  return static_cast<int>(
      (static_cast<std::uint64_t>(bits * 0x9e3779b1u) * static_cast<std::uint32_t>(capacity)) >> 32);
}

/// A hash table of words (index_words.hpp) in memory that the caller owns, mostly the scratch of a team: open
/// addressing, linear probing that wraps around, no removal. Capacity is a power of two, key -1 an empty slot.
///
/// With the lanes L of an execution space any number of threads may insert at once (compare-and-swap on a key,
/// atomic OR on a mask); what is in the table then does not depend on who came first, only in which slot a key
/// lies does. With OneThread, one thread at a time. find() must not run beside insert().
///
/// Source: seed 004 (hash by the low bits, atomicCAS, probing from slot to slot). Departures: the hash
/// multiplies (Knuth's golden ratio) and takes the high bits, since the columns of a mesh are far apart by
/// multiples of powers of two; a slot holds a word of 32 columns, not one.
template <class Index, class L>
struct ColumnTable {
  static constexpr Index empty = Index(-1);
  static constexpr int none = -1;

  using Word = CompressedColumns<Index>;

  Word* words;  // [capacity]
  int capacity;

  KOKKOS_FORCEINLINE_FUNCTION void clear(int slot) const { words[slot] = {empty, 0}; }

  KOKKOS_FORCEINLINE_FUNCTION int home(Index key) const { return home_of_word(key, capacity); }
  KOKKOS_FORCEINLINE_FUNCTION int after(int slot) const { return (slot + 1) & (capacity - 1); }

  /// The slot of the key, after this with at least the bits of mask; none when the table is full without it.
  KOKKOS_FORCEINLINE_FUNCTION int insert(Index key, std::uint32_t mask) const {
    int slot = home(key);
    for (int probes = 0; probes < capacity; ++probes, slot = after(slot)) {
      Word const found = analyze(slot);
      if (found.key == key) {
        if ((found.mask & mask) != mask) L::atomic_or(&words[slot].mask, mask);  // most bits come many times
        return slot;
      }
      if (found.key == empty && is_taken(slot, key)) {
        L::atomic_or(&words[slot].mask, mask);
        return slot;
      }
    }
    return none;
  }

  /// The slot of the key, or none.
  KOKKOS_FORCEINLINE_FUNCTION int find(Index key) const {
    int slot = home(key);
    for (int probes = 0; probes < capacity; ++probes, slot = after(slot)) {
      if (words[slot].key == key) return slot;
      if (words[slot].key == empty) return none;
    }
    return none;
  }

 private:
  /// A slot that others may be writing to.
  KOKKOS_FORCEINLINE_FUNCTION Word analyze(int slot) const {
    if constexpr (sizeof(Word) == sizeof(std::uint64_t) && !std::is_same_v<L, OneThread>)
      return Kokkos::bit_cast<Word>(L::load_volatile(reinterpret_cast<std::uint64_t const*>(&words[slot])));
    else
      return {L::load_volatile(&words[slot].key), L::load_volatile(&words[slot].mask)};
  }
  /// Takes an empty slot for the key, unless another key was faster.
  KOKKOS_FORCEINLINE_FUNCTION bool is_taken(int slot, Index key) const {
    Index const found = L::compare_exchange(&words[slot].key, Index(empty), key);
    return found == empty || found == key;
  }
};

}  // namespace einkorn
