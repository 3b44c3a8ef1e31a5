// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace einkorn {

/// The slot of a hash table where the search for an integer begins: the high bits of its product with the golden ratio
/// (Knuth), because columns of a mesh differ by multiples of powers of two.
/// @param capacity  slots of the table
template <class Index>
KOKKOS_FORCEINLINE_FUNCTION int home_slot(Index key, int capacity) {
  auto bits = static_cast<std::uint32_t>(key);
  if constexpr (sizeof(Index) > 4) bits ^= static_cast<std::uint32_t>(key >> 32) * 0x85ebca6bu;
  return static_cast<int>(
      (static_cast<std::uint64_t>(bits * 0x9e3779b1u) * static_cast<std::uint32_t>(capacity)) >> 32);
}

}  // namespace einkorn
