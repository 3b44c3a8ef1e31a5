// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn {

/// Compressed columns: index i is bit i % 32 of the mask with key i / 32. Adjacent indices share a key. A union
/// of sets is one OR per key, its size a population count, and the rank of an index in the sorted set is the
/// number of indices with smaller keys plus the bits below its own. Source: the compressed rows of Deveci,
/// Trott & Rajamanickam, Parallel Computing 78 (2018), section 3.2.
inline constexpr int mask_bits = 32;

/// A (key, mask) pair. With indices of 4 bytes it is loaded as one 64-bit word.
template <class Index>
struct alignas(2 * sizeof(Index)) CompressedColumns {
  Index key;
  std::uint32_t mask;
};

template <class Index>
KOKKOS_FORCEINLINE_FUNCTION constexpr Index key_of(Index index) {
  return static_cast<Index>(index >> 5);
}
template <class Index>
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t bit_of(Index index) {
  return std::uint32_t(1) << (static_cast<std::uint32_t>(index) & 31u);
}
/// Keys of the indices 0 .. count - 1.
template <class Index>
KOKKOS_FORCEINLINE_FUNCTION constexpr Index num_keys_for(Index count) {
  return static_cast<Index>(key_of(count) + (count % mask_bits != 0 ? 1 : 0));
}
KOKKOS_FORCEINLINE_FUNCTION int count_bits(std::uint32_t mask) {
  return Kokkos::Experimental::popcount_builtin(mask);
}
/// The set bits of mask below a bit.
KOKKOS_FORCEINLINE_FUNCTION int bits_below(std::uint32_t mask, std::uint32_t bit) {
  return count_bits(mask & (bit - 1));
}
/// Index of the lowest set bit; mask must not be 0.
KOKKOS_FORCEINLINE_FUNCTION int lowest_bit(std::uint32_t mask) {
  return Kokkos::Experimental::countr_zero_builtin(mask);
}

/// Writes the indices of a (key, mask) pair consecutively, ascending. Returns the end of the output.
template <class Index>
KOKKOS_FORCEINLINE_FUNCTION Index* write_indices(Index key, std::uint32_t mask, Index* to) {
  for (; mask != 0; mask &= mask - 1) *to++ = static_cast<Index>(key * mask_bits + lowest_bit(mask));
  return to;
}

}  // namespace einkorn
