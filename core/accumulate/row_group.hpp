// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/launch.hpp>

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

  /// visit(make(i)) for i = 0 .. count - 1; visit() is to be filled with in_lanes(). The threads of a team take
  /// an i each, side by side. Lanes of a thread first make `most_staged` of them, an i each, and then visit one
  /// after the other: what make() waits for, it waits for once. staged: scratch for as many.
  static constexpr int most_staged = 32;
  template <class T, class Index, class Make, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_staged([[maybe_unused]] T* staged, Index count, Make const& make,
                                                   Visit const& visit) const {
    if constexpr (whole_team) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](Index i) { visit(make(i)); });
      team.team_barrier();
    } else {
      for (Index done = 0; done < count; done += most_staged) {
        int const size = count - done < Index(most_staged) ? static_cast<int>(count - done) : most_staged;
        for_each(size, [&](int s) { staged[s] = make(static_cast<Index>(done + static_cast<Index>(s))); });
        for (int s = 0; s < size; ++s) visit(staged[s]);
      }
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

  /// body(i, sum of count(0) .. count(i - 1)) for i = 0 .. size - 1, side by side. Lanes of a thread only.
  template <class Index, class Count, class Body>
  KOKKOS_FORCEINLINE_FUNCTION void scan(Index size, Count const& count, Body const& body) const {
    static_assert(!whole_team);
    using T = decltype(count(size));
    Kokkos::parallel_scan(Kokkos::ThreadVectorRange(team, size), [&](Index i, T& before, bool is_final) {
      if (is_final) body(i, before);
      before += count(i);
    });
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

/// What of it needs no scratch, for one thread of a host, without a team.
struct ThreadGroup {
  template <class T, class Index, class Body>
  [[nodiscard]] KOKKOS_INLINE_FUNCTION T sum(Index count, Body const& body) const {
    T result(0);
    for (Index i = 0; i < count; ++i) result += body(i);
    return result;
  }
  template <class Index, class Count, class Body>
  KOKKOS_INLINE_FUNCTION void scan(Index size, Count const& count, Body const& body) const {
    auto before = decltype(count(size))(0);
    for (Index i = 0; i < size; ++i) {
      body(i, before);
      before += count(i);
    }
  }
  template <class Body>
  KOKKOS_INLINE_FUNCTION void once(Body const& body) const {
    body();
  }
};

/// The kernels of for_each_by_lanes().
template <class Exec, class Functor>
struct EachByLanes {
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Member = typename Policy::member_type;

  Functor functor;
  std::size_t count;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const i = static_cast<std::size_t>(team.league_rank()) * static_cast<std::size_t>(team.team_size()) +
                   static_cast<std::size_t>(team.team_rank());
    if (i < count) functor(RowGroup<Member, false>{team}, i);
  }
};
template <class Functor>
struct EachByThreads {
  Functor functor;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { functor(ThreadGroup(), i); }
};
/// functor(group, i) for i = 0 .. count - 1, each by a group of `lanes` lanes; on a host by one thread.
/// One launch, asynchronous.
template <class Exec, class Functor>
void for_each_by_lanes(Exec const& exec, char const* label, std::size_t count, [[maybe_unused]] int lanes,
                       Functor const& functor) {
  if (count == 0) return;
  if constexpr (is_gpu<Exec>) {
    using Each = EachByLanes<Exec, Functor>;
    auto const a_team = static_cast<std::size_t>(256 / lanes);
    typename Each::Policy const policy(exec, static_cast<int>((count + a_team - 1) / a_team),
                                       static_cast<int>(a_team), lanes);
    Kokkos::parallel_for(label, light_weight(policy), Each{functor, count});
  } else {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, count),
                         EachByThreads<Functor>{functor});
  }
}

/// Lanes for runs of entries that are so long in the mean: the power of two that reaches it, up to a warp's.
template <class Exec>
int lanes_for(double mean_length) {
  int const most = lockstep_lanes(arch_of<Exec>) < 32 ? lockstep_lanes(arch_of<Exec>) : 32;
  int lanes = 1;
  while (lanes < most && lanes < mean_length) lanes *= 2;
  return lanes;
}

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
