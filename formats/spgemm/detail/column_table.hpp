// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/detail/home_slot.hpp>
#include <einkorn/formats/spgemm/detail/compressed_columns.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace einkorn {

/// Replaces Lanes<Exec> for a table that one thread at a time inserts into.
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
  static KOKKOS_FORCEINLINE_FUNCTION int fetch_add(int* address, int value) {
    int const before = *address;
    *address += value;
    return before;
  }
};

/// The capacity of a table for num_keys keys: a power of two, filled to at most four fifths.
constexpr std::size_t table_capacity(std::size_t num_keys) {
  std::size_t slots = 4;
  while (4 * slots < 5 * num_keys) slots *= 2;
  return slots;
}

/// A hash table of compressed columns in memory of the caller, usually the scratch of a team: open addressing,
/// linear probing with wrap-around, no removal. The capacity is a power of two; key -1 marks an empty slot.
///
/// With the lanes L of an execution space any number of threads may insert concurrently (compare-and-swap on
/// the key, atomic OR on the mask); the contents do not depend on the order, only the slots do. With OneThread,
/// one thread at a time. find() must not run concurrently with insert().
///
/// Source: Nagasaka, Nukada & Matsuoka, ICPP 2017 (compare-and-swap, linear probing). Departures: the hash
/// is home_slot(); a slot holds 32 columns, not one.
template <class Index, class L>
struct ColumnTable {
  static constexpr Index empty = Index(-1);
  static constexpr int none = -1;

  using Entry = CompressedColumns<Index>;

  Entry* columns;  // [capacity]
  int capacity;

  KOKKOS_FORCEINLINE_FUNCTION void clear(int slot) const { columns[slot] = {empty, 0}; }

  KOKKOS_FORCEINLINE_FUNCTION int home(Index key) const { return home_slot(key, capacity); }
  KOKKOS_FORCEINLINE_FUNCTION int next_slot(int slot) const { return (slot + 1) & (capacity - 1); }

  /// Adds the bits of mask to the key. Returns its slot; none if the table is full without the key.
  KOKKOS_FORCEINLINE_FUNCTION int insert(Index key, std::uint32_t mask) const {
    int slot = home(key);
    for (int probes = 0; probes < capacity; ++probes, slot = next_slot(slot)) {
      Entry const found = load(slot);
      if (found.key == key) {
        if ((found.mask & mask) != mask) L::atomic_or(&columns[slot].mask, mask);  // most bits are already set
        return slot;
      }
      if (found.key == empty && claim(slot, key)) {
        L::atomic_or(&columns[slot].mask, mask);
        return slot;
      }
    }
    return none;
  }

  /// The slot of the key, or none.
  KOKKOS_FORCEINLINE_FUNCTION int find(Index key) const {
    int slot = home(key);
    for (int probes = 0; probes < capacity; ++probes, slot = next_slot(slot)) {
      if (columns[slot].key == key) return slot;
      if (columns[slot].key == empty) return none;
    }
    return none;
  }

 private:
  /// Loads a slot that other threads may write to.
  KOKKOS_FORCEINLINE_FUNCTION Entry load(int slot) const {
    if constexpr (sizeof(Entry) == sizeof(std::uint64_t) && !std::is_same_v<L, OneThread>)
      return Kokkos::bit_cast<Entry>(L::load_volatile(reinterpret_cast<std::uint64_t const*>(&columns[slot])));
    else
      return {L::load_volatile(&columns[slot].key), L::load_volatile(&columns[slot].mask)};
  }
  /// Claims an empty slot for the key. False if another key has claimed it.
  KOKKOS_FORCEINLINE_FUNCTION bool claim(int slot, Index key) const {
    Index const found = L::compare_exchange(&columns[slot].key, Index(empty), key);
    return found == empty || found == key;
  }
};

/// The indices of a key that are in a list, and the rank (position) of the first.
struct alignas(8) RankedColumns {
  std::uint32_t mask;
  int first_rank;
};

/// Maps an index to its rank (position) in a list: a hash table like ColumnTable, in memory of the caller.
/// @pre The indices of a key are consecutive in the list and ascending. At least one slot stays empty. With the
/// lanes L of an execution space any number of threads may insert concurrently, with OneThread one; no search
/// runs at the same time.
template <class Index, class L>
struct RankTable {
  static constexpr Index empty = Index(-1);
  static constexpr int none = -1;

  Index* keys;             // [capacity]
  RankedColumns* columns;  // [capacity]
  int capacity;            // a power of two

  KOKKOS_FORCEINLINE_FUNCTION void clear(int slot) const {
    keys[slot] = empty;
    columns[slot] = {0, 0};
  }

  /// Inserts list[rank]. To be called once per rank, in any order.
  KOKKOS_FORCEINLINE_FUNCTION void insert(Index const* list, int rank) const {
    Index const index = list[rank], key = key_of(index);
    int slot = home_slot(key, capacity);
    for (;; slot = next_slot(slot)) {
      Index found = L::load_volatile(&keys[slot]);
      if (found == empty) found = L::compare_exchange(&keys[slot], Index(empty), key);
      if (found == empty || found == key) break;
    }
    L::atomic_or(&columns[slot].mask, bit_of(index));
    if (rank == 0 || key_of(list[rank - 1]) != key) columns[slot].first_rank = rank;
  }

  /// The rank of an index that is in the list.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int rank_of(Index index) const {
    Index const key = key_of(index);
    int slot = home_slot(key, capacity);
    while (keys[slot] != key) slot = next_slot(slot);
    RankedColumns const ranked = columns[slot];
    return ranked.first_rank + bits_below(ranked.mask, bit_of(index));
  }
  /// The rank of an index, or none.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int find(Index index) const {
    Index const key = key_of(index);
    int slot = home_slot(key, capacity);
    while (keys[slot] != key && keys[slot] != empty) slot = next_slot(slot);
    RankedColumns const ranked = columns[slot];
    std::uint32_t const bit = bit_of(index);
    return keys[slot] == key && (ranked.mask & bit) != 0 ? ranked.first_rank + bits_below(ranked.mask, bit)
                                                         : none;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION int next_slot(int slot) const { return (slot + 1) & (capacity - 1); }
};

}  // namespace einkorn
