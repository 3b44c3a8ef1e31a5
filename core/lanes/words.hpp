// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstring>

namespace einkorn {

/// Applies a function of one 32-bit word to each word of a value: how a shuffle moves double and complex.
template <class T, class Function>
KOKKOS_FORCEINLINE_FUNCTION T by_words(T const& value, Function const& function) {
  static_assert(sizeof(T) % 4 == 0, "einkorn: a value that lanes exchange is a multiple of 4 bytes");
  constexpr int count = sizeof(T) / 4;
  std::uint32_t words[count];
  memcpy(words, &value, sizeof(T));
  for (int i = 0; i < count; ++i) words[i] = function(words[i]);
  T result;
  memcpy(static_cast<void*>(&result), words, sizeof(T));
  return result;
}

}  // namespace einkorn
