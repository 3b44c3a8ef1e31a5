// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/lanes/cache_hint.hpp>
#include <einkorn/core/lanes/scalar.hpp>
#include <einkorn/core/lanes/warp.hpp>
#include <einkorn/core/lanes/wavefront.hpp>

#include <cstddef>
#include <type_traits>

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

/// The lockstep lanes of an execution space, which exchange values by shuffles: Warp, Wavefront or ScalarLane.
template <class Exec>
using Lanes = typename detail::LanesOf<arch_of<Exec>>::type;

template <class Exec>
using CacheHint = typename Lanes<Exec>::CacheHint;

/// The hint for loads of the entries of A in a product with x and y: by the bytes of values and indices, of x and
/// of y. Row offsets and codes of columns are not counted.
template <class Exec, class Matrix, class X, class Y>
CacheHint<Exec> cache_hint(Exec const& exec, Matrix const& A, X const& x, Y const& y) {
  auto const bytes_of = [](auto const& view) {
    return view.span() * sizeof(typename std::decay_t<decltype(view)>::value_type);
  };
  std::size_t bytes = bytes_of(A.values) + bytes_of(x) + bytes_of(y);
  if constexpr (requires { A.columns.span(); }) bytes += bytes_of(A.columns);
  if constexpr (requires { A.rows.span(); }) bytes += bytes_of(A.rows);
  return Lanes<Exec>::cache_hint(exec, bytes);
}

/// The sum over each group of `width` lanes (a power of two), in every lane of the group. Fixed order:
/// butterfly with distances width / 2, width / 4, ..., 1.
template <class L, int width, class T>
KOKKOS_FORCEINLINE_FUNCTION T sum_over_lanes(T value) {
  for (int bits = width / 2; bits > 0; bits /= 2) value += L::shuffle_xor(value, bits, width);
  return value;
}

/// The number of adjacent lanes that hold the same one of the `count` results of sums_over_lanes().
template <class L, int count>
inline constexpr int lanes_of_sum = count == 1 ? L::size : lanes_of_sum<L, (count + 1) / 2> / 2;

/// `count` <= L::size sums over the lanes of a warp, with fewer shuffles than `count` calls of
/// sum_over_lanes(). Sum j is returned in the lanes_of_sum<L, count> lanes from lane j lanes_of_sum<L, count>
/// on. Recursive halving: each half of the lanes continues with half of the numbers. Fixed order of additions.
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
      T const own = is_upper ? upper : lower, other = is_upper ? lower : upper;
      sums[j] = own + L::shuffle_xor(other, bits);
    }
    return sums_over_lanes<L, half, bits / 2>(sums, lane);
  }
}

/// The maximum over the lanes of a warp that are congruent modulo `from`, a power of two: with from == 1 over
/// all lanes, and over all groups of `from` adjacent lanes if the lanes of a group hold one value.
template <class L, class T>
KOKKOS_FORCEINLINE_FUNCTION T max_over_lanes(T value, int from = 1) {
  for (int bits = from; bits < L::size; bits *= 2) {
    T const other = L::shuffle_xor(value, bits);
    if (other > value) value = other;
  }
  return value;
}

/// The sum of the values of this lane and of those before it, in each group of `width` lanes (a power of two).
/// @param lane  of the group
template <class L, class T>
KOKKOS_FORCEINLINE_FUNCTION T inclusive_scan_over_lanes(T value, int lane, int width = L::size) {
  for (int distance = 1; distance < width; distance *= 2) {
    T const other = L::shuffle(value, lane < distance ? lane : lane - distance, width);
    if (lane >= distance) value += other;
  }
  return value;
}

/// Sums over a team of `team_size` threads, a multiple of L::size. The lanes of the first warp receive the sums
/// over the team, other lanes those over their warps. Order: within warps, then over warps, both as in
/// sum_over_lanes(). Collective over the team; one barrier.
/// @param warp_sums team scratch, [count * team_size / L::size]; reusable after the next team barrier
template <class L, int team_size, int count, class Team>
KOKKOS_FORCEINLINE_FUNCTION void sum_over_team(Team const& team, double (&sums)[count], double* warp_sums) {
  constexpr int warps = team_size / L::size;
  static_assert(warps <= L::size);
  for (int j = 0; j < count; ++j) sums[j] = sum_over_lanes<L, L::size>(sums[j]);
  int const warp = team.team_rank() / L::size;
  if (team.team_rank() % L::size == 0)
    for (int j = 0; j < count; ++j) warp_sums[j * warps + warp] = sums[j];
  team.team_barrier();
  if (warp == 0)
    for (int j = 0; j < count; ++j)
      sums[j] =
          sum_over_lanes<L, L::size>(team.team_rank() < warps ? warp_sums[j * warps + team.team_rank()] : 0.0);
}

/// True in the last of `count` teams to call it on one counter. Thread 0 of the team calls store() first; what
/// the teams stored is then visible to the last team. Collective over the team; one barrier.
/// @param counter 0 before the first call; the caller resets it in the last team
/// @param flag one integer of team scratch
template <class L, class Team, class Store>
KOKKOS_FORCEINLINE_FUNCTION bool is_last_team(Team const& team, unsigned* counter, int count, int* flag,
                                              Store const& store) {
  if (team.team_rank() == 0) {
    store();
    *flag = L::arrive(counter) == static_cast<unsigned>(count - 1);
  }
  team.team_barrier();
  if (*flag == 0) return false;
  L::acquire_fence();
  return true;
}

}  // namespace einkorn
