// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn::detail {

/// A bijective hash of 64-bit integers: the finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t mix64(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return word ^ (word >> 31);
}

}  // namespace einkorn::detail
