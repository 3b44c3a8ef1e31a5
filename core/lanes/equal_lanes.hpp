// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/lanes/lanes.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn {

/// before(number, rank, lanes): how many lanes before the calling one, in its group of `lanes` lanes (a power of two),
/// have the same number. rank: of the thread in its team. Collective over the warp. Cost: `lanes` - 1 shuffles.
template <class L>
struct EqualLanes {
  KOKKOS_FORCEINLINE_FUNCTION static int before(int number, int rank, int lanes) {
    int const lane = rank & (lanes - 1);
    int count = 0;
    for (int distance = 1; distance < lanes; ++distance) {
      int const other = L::shuffle(number, lane < distance ? lane : lane - distance, lanes);
      if (lane >= distance && other == number) ++count;
    }
    return count;
  }
  /// The lanes of the warp that have the same number, the calling one included.
  KOKKOS_FORCEINLINE_FUNCTION static auto mask(int number, int rank) {
    using Mask = typename L::Mask;
    int const lane = rank & (L::size - 1);
    Mask result = Mask(1) << lane;
    for (int bits = 1; bits < L::size; ++bits)
      if (L::shuffle_xor(number, bits) == number) result |= Mask(1) << (lane ^ bits);
    return result;
  }
};

#ifdef KOKKOS_ENABLE_CUDA
/// By one match instruction.
template <>
struct EqualLanes<Warp> {
  KOKKOS_FORCEINLINE_FUNCTION static int before([[maybe_unused]] int number, [[maybe_unused]] int rank,
                                                [[maybe_unused]] int lanes) {
    KOKKOS_IF_ON_DEVICE(
        (unsigned const all = 0xffffffffu, before = (1u << (rank & 31)) - 1u,
         first_of_group = static_cast<unsigned>(rank) & 31u & ~(static_cast<unsigned>(lanes) - 1u);
         return __popc(__match_any_sync(all, number) & before & (all << first_of_group));))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  KOKKOS_FORCEINLINE_FUNCTION static Warp::Mask mask([[maybe_unused]] int number, int) {
    KOKKOS_IF_ON_DEVICE((return __match_any_sync(0xffffffffu, number);))
    KOKKOS_IF_ON_HOST((return 0;))
  }
};
#endif

}  // namespace einkorn
