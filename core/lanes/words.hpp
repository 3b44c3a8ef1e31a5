// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstring>

namespace einkorn {

/// Applies a function to each 32-bit word of a value, for shuffles of double and complex.
template <class T, class Function>
KOKKOS_FORCEINLINE_FUNCTION T by_words(T const& value, Function const& function) {
  static_assert(sizeof(T) % 4 == 0, "einkorn: the size of a shuffled value must be a multiple of 4 bytes");
  constexpr int count = sizeof(T) / 4;
  std::uint32_t words[count];
  memcpy(words, &value, sizeof(T));
  for (int i = 0; i < count; ++i) words[i] = function(words[i]);
  T result;
  memcpy(static_cast<void*>(&result), words, sizeof(T));
  return result;
}

}  // namespace einkorn
