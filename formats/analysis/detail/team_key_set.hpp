// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/detail/home_slot.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn::detail {

/// A set of integers in the scratch of a team: a hash table with linear probing. Integers of 64 bits are cut to 32.
class TeamKeySet {
 public:
  /// Empties the set. Collective over the team, which has to pass a barrier before insert().
  /// @param slots  larger than the number of keys that will be inserted
  template <class Member>
  KOKKOS_FUNCTION TeamKeySet(Member const& team, int* memory, int slots) : table_(memory), slots_(slots) {
    for (int i = team.team_rank(); i < slots; i += team.team_size()) table_[i] = empty;
  }
  /// Whether the key was not in the set.
  template <class Key>
  KOKKOS_FUNCTION bool insert(Key given) const {
    int const key = static_cast<int>(given);
    for (int at = home_slot(key, slots_);; at = at + 1 == slots_ ? 0 : at + 1) {
      int const held = Kokkos::atomic_compare_exchange(&table_[at], empty, key);
      if (held == empty) return true;
      if (held == key) return false;
    }
  }

 private:
  static constexpr int empty = -1;

  int* table_;
  int slots_;
};

}  // namespace einkorn::detail
