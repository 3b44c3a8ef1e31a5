// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/formats/column_blocks/detail/chunk_layout.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn::detail {

/// The index of the highest set bit. @pre mask != 0
template <class Mask>
KOKKOS_FORCEINLINE_FUNCTION int highest_bit(Mask mask) {
  return static_cast<int>(8 * sizeof(Mask)) - 1 - Kokkos::Experimental::countl_zero_builtin(mask);
}

/// The bits of lanes 0 .. lane - 1.
template <class Mask>
KOKKOS_FORCEINLINE_FUNCTION Mask lanes_below(int lane) {
  return (Mask(1) << lane) - 1;
}

/// The sum of the values of this lane and of the `distance` lanes before it. Collective over the warp; as many shuffles as
/// the largest distance needs.
template <class L, class T>
KOKKOS_FORCEINLINE_FUNCTION T segmented_scan(T value, int lane, int distance) {
  for (int step = 1; step < L::size; step *= 2) {
    if (L::ballot(distance >= step) == 0) break;
    T const before = L::shuffle(value, (lane - step) & (L::size - 1));
    if (distance >= step) value += before;
  }
  return value;
}

/// What is left of a chunk after its flags. rest: the sum after the last flag, or of the whole chunk; ends: whether there is
/// a flag.
template <class Sum>
struct SegmentSums {
  Sum rest;
  bool ends;
};

/// Sums the segments of a chunk whose entries are contiguous per lane. put(i, sum) for the i-th flag of the chunk.
/// Collective over the warp.
/// @param term term(j, index): entry j of this lane
template <class L, int steps, class Sum, class Term, class Put>
KOKKOS_FORCEINLINE_FUNCTION SegmentSums<Sum> sum_lanes(LaneCodes<steps> const& codes, int lane,
                                                       Term const& term, Put const& put) {
  using Mask = typename L::Mask;
  Sum terms[steps];
  int count = 0;
  for (int j = 0; j < steps; ++j) terms[j] = term(j, codes.index(j));
  for (int j = 0; j < steps; ++j) count += codes.ends(j) ? 1 : 0;
  int const first_index = inclusive_scan_over_lanes<L>(count, lane) - count;

  Sum sum = Sum(0), first = Sum(0);
  bool ended = false;
  int index = first_index;
  for (int j = 0; j < steps; ++j) {
    sum += terms[j];
    if (codes.ends(j)) {
      if (ended)
        put(index, sum);
      else
        first = sum;
      ended = true;
      ++index;
      sum = Sum(0);
    }
  }
  Mask const ends = L::ballot(ended);
  int const start =
      highest_bit(static_cast<Mask>((ends | Mask(1)) & (lanes_below<Mask>(lane) | Mask(1) << lane)));
  Sum const open = segmented_scan<L>(sum, lane, lane - start);
  Sum const carried = L::shuffle(open, (lane - 1) & (L::size - 1));
  if (ended) put(first_index, lane > 0 ? carried + first : first);
  return {L::shuffle(open, L::size - 1), ends != 0};
}

/// The same for a chunk whose entries are contiguous per step.
template <class L, int steps, class Sum, class Term, class Put>
KOKKOS_FORCEINLINE_FUNCTION void sum_steps(LaneCodes<steps> const& codes, int lane, Term const& term,
                                           Put const& put) {
  using Mask = typename L::Mask;
  Sum carry = Sum(0);
  int index = 0;
  for (int j = 0; j < steps; ++j) {
    Mask const ends = L::ballot(codes.ends(j));
    Mask const below = lanes_below<Mask>(lane);
    int const start = highest_bit(static_cast<Mask>((ends << 1 | Mask(1)) & (below | Mask(1) << lane)));
    Sum sum = term(j, codes.index(j));
    if (lane == 0) sum += carry;
    sum = segmented_scan<L>(sum, lane, lane - start);
    if (codes.ends(j))
      put(index + Kokkos::Experimental::popcount_builtin(static_cast<Mask>(ends & below)), sum);
    index += Kokkos::Experimental::popcount_builtin(ends);
    carry = L::shuffle(sum, L::size - 1);
    if (ends >> (L::size - 1) != 0) carry = Sum(0);
  }
}

/// The same for one lane, with codes in memory.
template <class Sum, class Term, class Put>
KOKKOS_FORCEINLINE_FUNCTION SegmentSums<Sum> sum_serially(std::uint16_t const* codes, int entries,
                                                          Term const& term, Put const& put) {
  Sum sum = Sum(0);
  int index = 0;
  for (int e = 0; e < entries; ++e) {
    unsigned const code = codes[e];
    sum += term(e, code & ChunkCode::index_mask);
    if ((code & ChunkCode::end_flag) == 0) continue;
    put(index++, sum);
    sum = Sum(0);
  }
  return {sum, index > 0};
}

}  // namespace einkorn::detail
