// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn {

/// A set of indices as words of 32: index i is bit i % 32 of the word with key i / 32. Neighbouring indices, of
/// which sparse rows are full, share a word: a union of sets is then an OR a word, their number a count of
/// bits, and the place of an index among the sorted ones is what stands before its word and the bits below its
/// own. Source: the compressed rows of Deveci, Trott & Rajamanickam, Parallel Computing 78 (2018), section 3.2.
inline constexpr int word_bits = 32;

/// One of them. With indices of 4 bytes it is read as one.
template <class Index>
struct alignas(2 * sizeof(Index)) CompressedColumns {
  Index key;
  std::uint32_t mask;
};

template <class Index>
KOKKOS_FORCEINLINE_FUNCTION constexpr Index word_of(Index index) {
  return static_cast<Index>(index >> 5);
}
template <class Index>
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t bit_of(Index index) {
  return std::uint32_t(1) << (static_cast<std::uint32_t>(index) & 31u);
}
/// Words that the indices 0 .. count - 1 need.
template <class Index>
KOKKOS_FORCEINLINE_FUNCTION constexpr Index words_for(Index count) {
  return static_cast<Index>(word_of(count) + (count % word_bits != 0 ? 1 : 0));
}
KOKKOS_FORCEINLINE_FUNCTION int bits_in(std::uint32_t mask) {
  return Kokkos::Experimental::popcount_builtin(mask);
}
/// The set bits of mask below a bit.
KOKKOS_FORCEINLINE_FUNCTION int bits_below(std::uint32_t mask, std::uint32_t bit) {
  return bits_in(mask & (bit - 1));
}
/// Number of the lowest set bit; mask must not be 0.
KOKKOS_FORCEINLINE_FUNCTION int lowest_bit(std::uint32_t mask) {
  return Kokkos::Experimental::countr_zero_builtin(mask);
}

/// Writes the indices of a word to consecutive places, ascending. Returns the place after the last one.
template <class Index>
KOKKOS_FORCEINLINE_FUNCTION Index* write_indices(Index key, std::uint32_t mask, Index* to) {
  for (; mask != 0; mask &= mask - 1) *to++ = static_cast<Index>(key * word_bits + lowest_bit(mask));
  return to;
}

}  // namespace einkorn
