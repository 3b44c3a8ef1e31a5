// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn {

/// Those who work on one row together: the vector lanes of a thread, or the whole team. A member function must
/// be called by all of them. After each, what one of them wrote is seen by all.
template <class Member, bool whole_team>
struct RowGroup {
  Member const& team;

  /// Which group of the team this is, and how many there are.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int rank() const { return whole_team ? 0 : team.team_rank(); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int groups() const { return whole_team ? 1 : team.team_size(); }

  /// body(i) for i = 0 .. count - 1, side by side.
  template <class Index, class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(Index count, Body const& body) const {
    if constexpr (whole_team) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), body);
      team.team_barrier();
    } else {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count), body);
    }
  }

  /// outer(i) for i = 0 .. count - 1: side by side by the threads of a team, one after the other in a thread;
  /// to be filled with in_lanes().
  template <class Index, class Outer>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_outer(Index count, Outer const& outer) const {
    if constexpr (whole_team) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), outer);
      team.team_barrier();
    } else {
      for (Index i = 0; i < count; ++i) outer(i);
    }
  }
  template <class Index, class Body>
  KOKKOS_FORCEINLINE_FUNCTION void in_lanes(Index count, Body const& body) const {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count), body);
  }

  /// The sum of body(i), for all of them.
  template <class T, class Index, class Body>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T sum(Index count, Body const& body) const {
    T result(0);
    auto const add = [&](Index i, T& partial) { partial += body(i); };
    if constexpr (whole_team) {
      Kokkos::parallel_reduce(Kokkos::TeamVectorRange(team, count), add, result);
      team.team_barrier();
    } else {
      Kokkos::parallel_reduce(Kokkos::ThreadVectorRange(team, count), add, result);
    }
    return result;
  }

  /// body() by one of them.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void once(Body const& body) const {
    if constexpr (whole_team)
      Kokkos::single(Kokkos::PerTeam(team), body);
    else
      Kokkos::single(Kokkos::PerThread(team), body);
  }
};

/// An array in the scratch of a team; moves `from` past it.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T* take(char*& from, int count) {
  T* const array = reinterpret_cast<T*>(from);
  from += (static_cast<std::size_t>(count) * sizeof(T) + 15) / 16 * 16;
  return array;
}
/// What take() takes.
template <class T>
constexpr std::size_t bytes_taken(int count) {
  return (static_cast<std::size_t>(count) * sizeof(T) + 15) / 16 * 16;
}

}  // namespace einkorn
