// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/lanes/scalar.hpp>
#include <einkorn/core/lanes/warp.hpp>
#include <einkorn/core/lanes/wavefront.hpp>

namespace einkorn {

namespace detail {

template <Arch arch>
struct LanesOf {
  using type = ScalarLane;
};
#ifdef KOKKOS_ENABLE_CUDA
template <>
struct LanesOf<Arch::cuda> {
  using type = Warp;
};
template <>
struct LanesOf<Arch::hopper> {
  using type = Warp;
};
#endif
#ifdef KOKKOS_ENABLE_HIP
template <>
struct LanesOf<Arch::hip> {
  using type = Wavefront;
};
template <>
struct LanesOf<Arch::mi300> {
  using type = Wavefront;
};
#endif

}  // namespace detail

/// The lockstep lanes that threads of an execution space exchange values in: Warp, Wavefront or ScalarLane.
template <class Exec>
using Lanes = typename detail::LanesOf<arch_of<Exec>>::type;

/// Sum over groups of `width` lanes (a power of two), the same in every lane of a group. The order of the
/// additions is fixed: partners at distance width/2, width/4, ..., 1.
template <class L, int width, class T>
KOKKOS_FORCEINLINE_FUNCTION T sum_over_lanes(T value) {
  for (int bits = width / 2; bits > 0; bits /= 2) value += L::shuffle_xor(value, bits, width);
  return value;
}

/// How many neighbouring lanes have one of `count` sums of sums_over_lanes().
template <class L, int count>
inline constexpr int lanes_of_sum = count == 1 ? L::size : lanes_of_sum<L, (count + 1) / 2> / 2;

/// Sums of `count` numbers over the lanes of a warp, at most L::size, by fewer shuffles than as many
/// sum_over_lanes(): number j's is returned in the lanes from j lanes_of_sum<L, count> on. Half of the numbers
/// go to either half of the lanes, and so on; the order of the additions is fixed.
template <class L, int count, int bits = L::size / 2, class T>
KOKKOS_FORCEINLINE_FUNCTION T sums_over_lanes(T const (&values)[count], int lane) {
  if constexpr (count == 1) {
    return sum_over_lanes<L, 2 * bits>(values[0]);
  } else {
    constexpr int half = lanes_of_sum<L, 1> / lanes_of_sum<L, count> / 2;
    bool const is_upper = (lane & bits) != 0;
    T sums[half];
    for (int j = 0; j < half; ++j) {
      T const lower = values[j], upper = j + half < count ? T(values[j + half]) : T(0);
      T const kept = is_upper ? upper : lower, given = is_upper ? lower : upper;
      sums[j] = kept + L::shuffle_xor(given, bits);
    }
    return sums_over_lanes<L, half, bits / 2>(sums, lane);
  }
}

/// The largest value among the lanes of a warp whose numbers are alike below the bit `from`: of all of them,
/// or, for values that groups of `from` lanes have in common, among the groups.
template <class L, class T>
KOKKOS_FORCEINLINE_FUNCTION T max_over_lanes(T value, int from = 1) {
  for (int bits = from; bits < L::size; bits *= 2) {
    T const other = L::shuffle_xor(value, bits);
    if (other > value) value = other;
  }
  return value;
}

/// Sums over a team of `team_size` threads, a multiple of L::size, in every lane of its first warp; other lanes
/// are left with the sums of their warps. Warps first, then over the warps, each in the order of
/// sum_over_lanes(). Every thread of the team calls it; one barrier. of_warps: memory of the team, [count *
/// team_size / L::size], free again after the team's next barrier.
template <class L, int team_size, int count, class Team>
KOKKOS_FORCEINLINE_FUNCTION void sum_over_team(Team const& team, double (&sums)[count], double* of_warps) {
  constexpr int warps = team_size / L::size;
  static_assert(warps <= L::size);
  for (int j = 0; j < count; ++j) sums[j] = sum_over_lanes<L, L::size>(sums[j]);
  int const warp = team.team_rank() / L::size;
  if (team.team_rank() % L::size == 0)
    for (int j = 0; j < count; ++j) of_warps[j * warps + warp] = sums[j];
  team.team_barrier();
  if (warp == 0)
    for (int j = 0; j < count; ++j)
      sums[j] =
          sum_over_lanes<L, L::size>(team.team_rank() < warps ? of_warps[j * warps + team.team_rank()] : 0.0);
}

}  // namespace einkorn
