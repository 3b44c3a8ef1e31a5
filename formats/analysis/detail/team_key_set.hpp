// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

namespace einkorn::detail {

/// A set of integers in the scratch of a team: a hash table with linear probing. Integers of 64 bits are cut to 32.
class TeamKeySet {
 public:
  /// Empties the set. Collective over the team, which has to pass a barrier before insert().
  /// @param slots  a power of 2, larger than the number of keys that will be inserted
  template <class Member>
  KOKKOS_FUNCTION TeamKeySet(Member const& team, int* memory, int slots)
      : table_(memory), mask_(static_cast<unsigned>(slots) - 1) {
    for (int i = team.team_rank(); i < slots; i += team.team_size()) table_[i] = empty;
  }
  /// Whether the key was not in the set.
  template <class Key>
  KOKKOS_FUNCTION bool insert(Key given) const {
    int const key = static_cast<int>(given);
    unsigned const hash = static_cast<unsigned>(key) * 2654435769u;
    for (unsigned at = (hash >> 16 ^ hash) & mask_;; at = (at + 1) & mask_) {
      int const held = Kokkos::atomic_compare_exchange(&table_[at], empty, key);
      if (held == empty) return true;
      if (held == key) return false;
    }
  }

 private:
  static constexpr int empty = -1;

  int* table_;
  unsigned mask_;
};

}  // namespace einkorn::detail
