// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn {

/// Those who work on one row together: a group of `lanes` lanes of one warp or wavefront (L), threads of the
/// team each, or the whole team. `run_lanes` of them, a power of two, share a run of entries. A member function
/// must be called by all of them, and by all groups of a warp: these go on together until the last of them is
/// done, since lanes that part and wait for each other by turns take as long as all of them one after the
/// other. A group without a row (`is_idle`) goes along on any row and writes nothing.
template <class L, class Member, bool whole_team>
struct RowGroup {
  Member const& team;
  int lanes, run_lanes;
  bool is_idle = false;

  /// Which group of the team this is, and how many there are.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int rank() const {
    return whole_team ? 0 : static_cast<int>(team.team_rank()) >> log2(lanes);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int groups() const {
    return whole_team ? 1 : static_cast<int>(team.team_size()) >> log2(lanes);
  }
  /// The number of the group among those of all teams.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::int64_t item() const {
    return static_cast<std::int64_t>(team.league_rank()) * groups() + rank();
  }
  /// Scratch of the group's own, of a team that has `bytes` for each. Once a kernel.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION char* scratch(std::size_t bytes) const {
    return static_cast<char*>(
               team.team_scratch(0).get_shmem_aligned(bytes * static_cast<std::size_t>(groups()), 16)) +
           bytes * static_cast<std::size_t>(rank());
  }
  /// The calling lane's place in the group, and how many there are.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int lane() const {
    return whole_team ? static_cast<int>(team.team_rank()) : static_cast<int>(team.team_rank()) & (lanes - 1);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int size() const {
    return whole_team ? static_cast<int>(team.team_size()) : lanes;
  }
  /// What one of them wrote before, all of them see after.
  KOKKOS_FORCEINLINE_FUNCTION void sync() const {
    if constexpr (whole_team)
      team.team_barrier();
    else
      L::sync();
  }
  /// The largest count among the groups of the warp; that of a group is the same in all its lanes.
  template <class Index>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index longest(Index count) const {
    if constexpr (!whole_team)
      return max_over_lanes<L>(count, lanes);
    else
      return count;
  }

  /// body(i) for i = 0 .. count - 1, side by side. All meet then.
  template <class Index, class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(Index count, Body const& body) const {
    for (auto i = static_cast<Index>(lane()); i < count; i += static_cast<Index>(size())) body(i);
    sync();
  }

  /// visit(make(i)) for i = 0 .. count - 1; visit() is to be filled with in_lanes(). Those who share a run take
  /// an i each, side by side. The lanes of a group first make `max_staged` of them, an i each: what make()
  /// waits for, it waits for once. staged: scratch, [staging_entries]; a T() is a run without entries.
  template <class T, class Index, class Make, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_staged([[maybe_unused]] T* staged, Index count, Make const& make,
                                                   Visit const& visit) const {
    int const own_run = lane() >> log2(run_lanes), runs_at_once = size() >> log2(run_lanes);
    if constexpr (whole_team) {
      for (auto i = static_cast<Index>(own_run); i < count; i += static_cast<Index>(runs_at_once))
        visit(make(i));
      sync();
    } else {
      Index const most = longest(count);
      for (Index done = 0; done < most; done += max_staged) {
        int const rounds = longest(stage(staged, count, done, make));
        for (int s = 0; s < rounds; s += runs_at_once) {
          visit(staged[s + own_run]);
          sync();
        }
      }
    }
  }
  /// staged[s] <- make(done + s), as many as there are left and max_staged; behind them, T() to the end of its
  /// room. How many.
  static constexpr int max_staged = 32, staging_entries = max_staged + 8;
  template <class T, class Index, class Make>
  KOKKOS_FORCEINLINE_FUNCTION int stage(T* staged, Index count, Index done, Make const& make) const {
    Index const left = done < count ? count - done : Index(0);
    int const own = left < Index(max_staged) ? static_cast<int>(left) : max_staged;
    for_each(staging_entries, [&](int s) {
      staged[s] = s < own ? make(static_cast<Index>(done + static_cast<Index>(s))) : T();
    });
    return own;
  }
  /// body(l) for l = 0 .. count - 1 by those who share a run. Nobody waits for anybody.
  template <class Index, class Body>
  KOKKOS_FORCEINLINE_FUNCTION void in_lanes(Index count, Body const& body) const {
    for (auto l = static_cast<Index>(lane() & (run_lanes - 1)); l < count; l += static_cast<Index>(run_lanes))
      body(l);
  }

  /// The sum of body(i), for all of them. All meet.
  template <class T, class Index, class Body>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T sum(Index count, Body const& body) const {
    T result(0);
    if constexpr (whole_team) {
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, count), [&](Index i, T& partial) { partial += body(i); }, result);
      team.team_barrier();
    } else {
      for (auto i = static_cast<Index>(lane()); i < count; i += static_cast<Index>(lanes)) result += body(i);
      for (int bits = lanes / 2; bits > 0; bits /= 2) result += L::shuffle_xor(result, bits, lanes);
    }
    return result;
  }

  /// body(i, sum of count(0) .. count(i - 1)) for i = 0 .. size - 1, side by side; nothing when idle. The sum
  /// of all. Lanes of a warp only.
  template <class Index, class Count, class Body>
  KOKKOS_FORCEINLINE_FUNCTION auto scan(Index size, Count const& count, Body const& body) const {
    static_assert(!whole_team);
    using T = decltype(count(size));
    T before(0);
    Index const most = longest(size);
    for (Index first = 0; first < most; first += static_cast<Index>(lanes)) {
      Index const i = first + static_cast<Index>(lane());
      T const own = i < size ? count(i) : T(0), up_to = sum_up_to(own);
      if (i < size && !is_idle) body(i, static_cast<T>(before + up_to - own));
      before += last(up_to);
    }
    return before;
  }
  /// The sum of the values of this lane and of those before it.
  template <class T>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T sum_up_to(T value) const {
    static_assert(!whole_team);
    for (int distance = 1; distance < lanes; distance *= 2) {
      T const other = L::shuffle(value, lane() < distance ? lane() : lane() - distance, lanes);
      if (lane() >= distance) value += other;
    }
    return value;
  }

  /// The value of the last lane.
  template <class T>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T last(T const& value) const {
    return L::shuffle(value, lanes - 1, lanes);
  }

  /// body() by one of them; by nobody when idle.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void once(Body const& body) const {
    if (lane() == 0 && !is_idle) body();
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static int log2(int power_of_two) {
    return Kokkos::Experimental::popcount_builtin(static_cast<unsigned>(power_of_two - 1));
  }
};

/// What of it needs no scratch, for one thread of a host, without a team.
struct ThreadGroup {
  static constexpr bool is_idle = false;

  template <class Index, class Body>
  KOKKOS_INLINE_FUNCTION void for_each(Index count, Body const& body) const {
    for (Index i = 0; i < count; ++i) body(i);
  }
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
  using Group = RowGroup<Lanes<Exec>, Member, false>;

  Functor functor;
  std::size_t count;
  int lanes;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Group group{team, lanes, lanes};
    auto const i = static_cast<std::size_t>(group.item());
    group.is_idle = i >= count;
    functor(group, group.is_idle ? count - 1 : i);
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
    constexpr int team_size = 256;
    auto const a_team = static_cast<std::size_t>(team_size / lanes);
    typename Each::Policy const policy(exec, static_cast<int>((count + a_team - 1) / a_team), team_size);
    Kokkos::parallel_for(label, light_weight(policy), Each{functor, count, lanes});
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
KOKKOS_FORCEINLINE_FUNCTION constexpr std::size_t bytes_taken(int count) {
  return (static_cast<std::size_t>(count) * sizeof(T) + 15) / 16 * 16;
}

}  // namespace einkorn
