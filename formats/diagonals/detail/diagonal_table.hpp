// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/detail/home_slot.hpp>
#include <einkorn/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// GPU: a set of diagonals, open addressing, in `size` words of device memory that are zeros at first. Word 0 is the number of
/// diagonals, or more than `capacity` if there were too many; the others are slots, with a key, or 0.
struct DiagonalTable {
  static constexpr int slots = 1024, size = 1 + slots;
  static constexpr std::uint64_t capacity = 512;

  std::uint64_t* words;

  /// @param key  not 0
  /// @return false if the table is full
  template <class L>
  KOKKOS_FUNCTION bool insert(std::uint64_t key) const {
    std::uint64_t* const count = words;
    std::uint64_t* const table = words + 1;
    int slot = home_slot(key, slots);
    for (int probe = 0; probe < slots; ++probe) {
      std::uint64_t const known = table[slot];  // through the L1 cache, where it may be stale
      if (known == key) return true;
      if (known == 0) {
        if (L::load_volatile(count) > capacity) return false;
        std::uint64_t const found = Kokkos::atomic_compare_exchange(&table[slot], std::uint64_t(0), key);
        if (found == 0) return Kokkos::atomic_fetch_add(count, std::uint64_t(1)) < capacity;
        if (found == key) return true;
      }
      slot = slot + 1 == slots ? 0 : slot + 1;
    }
    Kokkos::atomic_max(count, capacity + 1);
    return false;
  }
};

/// The keys of a table less `shift`, ascending, from its words on the host.
/// @pre the table is not full
inline auto read_diagonal_table(std::uint64_t const* words, std::int64_t shift) {
  auto result = allocate_vector<std::int64_t>("einkorn::diagonals", static_cast<std::size_t>(words[0]));
  auto next = result.begin();
  for (int slot = 1; slot < DiagonalTable::size; ++slot)
    if (words[slot] != 0) *next++ = static_cast<std::int64_t>(words[slot]) - shift;
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace einkorn::detail
