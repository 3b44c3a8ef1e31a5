// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/spgemm/detail/column_table.hpp>
#include <einkorn/formats/spgemm/detail/compressed_columns.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn {

/// The columns of a key that are in the list, and the rank of the first.
struct alignas(8) RankedColumns {
  std::uint32_t mask;
  int first_rank;
};

/// Maps an index to its rank (position) in a list: a hash table like ColumnTable, in memory of the caller.
/// @pre The indices of a key are consecutive in the list and ascending. At least one slot stays empty. With the
/// lanes L of an execution space any number of threads may insert concurrently, with OneThread one; no search runs
/// at the same time.
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
