// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/spgemm/tuning.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn {

/// Items of a launch with accumulators of the same kind and size: an item per group of lanes, or per team.
struct RowBatch {
  int kind = 0;        ///< of accumulator; its meaning is the kernel's
  int slots = 0;       ///< of a table, or words of a bitmap
  int rank_words = 0;  ///< symbolic: RankedColumns of all keys; 0: keys are compared
  int sums = 0;        ///< numeric: accumulators
  int lanes = 0;       ///< per group; 0: an item per team. launch_batches() may increase it
  int segment_lanes = 1;
  std::int64_t first_item = 0, num_items = 0;
  int groups = 1;      ///< per team; set by launch_batches()
  int first_team = 0;  ///< in the launch; set by launch_batches()
};

/// The batches of a launch, with ascending first_team.
template <int max_size>
struct RowBatches {
  RowBatch batches[max_size];
  int size = 0;

  void add(RowBatch const& batch) {
    if (batch.num_items > 0) batches[size++] = batch;
  }
  /// By selections with constant indices: a GPU would copy all batches to local memory for another index.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION RowBatch of_team(int team) const {
    RowBatch result = batches[0];
    for (int b = 1; b < max_size; ++b)
      if (b < size && team >= batches[b].first_team) result = batches[b];
    return result;
  }
};

/// The threads that process one row: a group of `lanes` lanes of one warp or wavefront (L), or the whole team.
/// Of these, segment_lanes, a power of two, share a segment of entries.
/// @pre Member functions are called by all lanes of all groups of a warp: loops run until the last group is
/// done, because divergent groups would be serialized. A group without a row (is_idle) processes any row and
/// writes nothing.
template <class L, class Member, bool whole_team>
struct RowGroup {
  Member const& team;
  int lanes, segment_lanes;
  bool is_idle = false;
  int groups_per_team = 0;  // 0: as many as fit
  int first_team = 0;       // of the batch

  KOKKOS_FORCEINLINE_FUNCTION RowGroup(Member const& member, int lanes_per_group, int lanes_per_segment)
      : team(member), lanes(lanes_per_group), segment_lanes(lanes_per_segment) {}
  KOKKOS_FORCEINLINE_FUNCTION RowGroup(Member const& member, RowBatch const& batch)
      : RowGroup(member, batch.lanes, batch.segment_lanes) {
    groups_per_team = batch.groups;
    first_team = batch.first_team;
  }

  /// Index of the group in the team, and number of groups.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int rank() const {
    return whole_team ? 0 : static_cast<int>(team.team_rank()) >> log2(lanes);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int groups() const {
    if (whole_team) return 1;
    return groups_per_team > 0 ? groups_per_team : static_cast<int>(team.team_size()) >> log2(lanes);
  }
  /// Whether the calling thread belongs to a group: a batch may have fewer groups than fit into the team.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_in_team() const { return rank() < groups(); }
  /// Index of the group among those of all teams of its batch.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::int64_t item() const {
    return static_cast<std::int64_t>(team.league_rank() - first_team) * groups() + rank();
  }
  /// The group's scratch, of a team with `bytes` per group. To be called once per kernel.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION char* scratch(std::size_t bytes) const {
    return static_cast<char*>(
               team.team_scratch(0).get_shmem_aligned(bytes * static_cast<std::size_t>(groups()), 16)) +
           bytes * static_cast<std::size_t>(rank());
  }
  /// Index of the calling lane in the group, and number of lanes.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int lane() const {
    return whole_team ? static_cast<int>(team.team_rank()) : static_cast<int>(team.team_rank()) & (lanes - 1);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int size() const {
    return whole_team ? static_cast<int>(team.team_size()) : lanes;
  }
  /// Synchronizes the group; writes before it are visible after it.
  KOKKOS_FORCEINLINE_FUNCTION void sync() const {
    if constexpr (whole_team)
      team.team_barrier();
    else
      L::sync();
  }
  /// The maximum over the groups of the warp; count is the same in all lanes of a group.
  template <class Index>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index max_over_warp(Index count) const {
    if constexpr (!whole_team)
      return max_over_lanes<L>(count, lanes);
    else
      return count;
  }

  /// body(i) for i = 0 .. count - 1, one lane per i. Synchronizes.
  template <class Index, class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(Index count, Body const& body) const {
    for (auto i = static_cast<Index>(lane()); i < count; i += static_cast<Index>(size())) body(i);
    sync();
  }

  /// visit(group, make(i)) for i = 0 .. count - 1, by segment_lanes lanes each; visit() uses group.for_each_in_segment(). The
  /// lanes of a group first call make() for up to max_staged values of i, one per lane, so that its latency is
  /// paid once. A team uses fewer lanes for an i if it has more i than threads otherwise, and whole warps for long segments.
  /// staged: scratch, [staging_entries]; T() is an empty segment, T::count its entries.
  template <class T, class Index, class Make, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_staged([[maybe_unused]] T* staged, Index count, Make const& make,
                                                   Visit const& visit) const {
    if constexpr (whole_team) {
      for_each_by_team<T>(count, make, visit);
    } else {
      int const own_segment = lane() >> log2(segment_lanes), segments_at_once = size() >> log2(segment_lanes);
      Index const max_count = max_over_warp(count);
      for (Index done = 0; done < max_count; done += max_staged) {
        int const rounds = max_over_warp(stage(staged, count, done, make));
        for (int s = 0; s < rounds; s += segments_at_once) {
          visit(*this, staged[s + own_segment]);
          sync();
        }
      }
    }
  }
  /// staged[s] <- make(done + s) for the remaining i, at most max_staged; T() in the other staging_entries.
  /// Returns their number.
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
  /// body(l) for l = 0 .. count - 1 by the lanes of a segment. No synchronization.
  template <class Index, class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_in_segment(Index count, Body const& body) const {
    for (auto l = static_cast<Index>(lane() & (segment_lanes - 1)); l < count;
         l += static_cast<Index>(segment_lanes))
      body(l);
  }

  /// The sum of body(i) over i = 0 .. count - 1, in all lanes. Synchronizes.
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

  /// The sum of body(item, k) over k = 0 .. count - 1, in all lanes of a group with its own item and count. The lanes of the
  /// whole warp add that of a group with many k. Not for whole teams.
  template <class T, class Item, class Index, class Body>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T sum_of_item(Item item, Index count, Body const& body) const {
    static_assert(!whole_team);
    constexpr int max_steps = 64;
    int const warp_lane = static_cast<int>(team.team_rank()) % L::size, first_lane = warp_lane & ~(lanes - 1);
    bool const is_long = lanes < L::size && count > static_cast<Index>(max_steps * lanes);
    T result = sum<T>(is_long ? Index(0) : count, [&](Index k) { return body(item, k); });
    for (auto left = L::ballot(is_long && lane() == 0); left != 0; left &= left - 1) {
      int const leader = L::lowest(left);
      Item const other = L::shuffle(item, leader);
      Index const size_of_other = L::shuffle(count, leader);
      T total(0);
      constexpr int batch = 4;  // whose latencies overlap
      for (std::int64_t k = warp_lane; k < size_of_other; k += batch * L::size) {
        T parts[batch];
        for (int p = 0; p < batch; ++p) {
          std::int64_t const at = k + p * L::size;
          parts[p] =
              body(other, at < size_of_other ? static_cast<Index>(at) : static_cast<Index>(size_of_other - 1));
          if (at >= size_of_other) parts[p] = T(0);
        }
        for (int p = 0; p < batch; ++p) total += parts[p];
      }
      total = sum_over_lanes<L, L::size>(total);
      if (leader == first_lane) result = total;
    }
    return result;
  }

  /// body(i, count(0) + ... + count(i - 1)) for i = 0 .. size - 1, one lane per i; not called if idle. Returns
  /// the total. Not for whole teams.
  template <class Index, class Count, class Body>
  KOKKOS_FORCEINLINE_FUNCTION auto scan(Index size, Count const& count, Body const& body) const {
    static_assert(!whole_team);
    using T = decltype(count(size));
    T before(0);
    Index const max_count = max_over_warp(size);
    for (Index first = 0; first < max_count; first += static_cast<Index>(lanes)) {
      Index const i = first + static_cast<Index>(lane());
      T const own = i < size ? count(i) : T(0), up_to = inclusive_scan(own);
      if (i < size && !is_idle) body(i, static_cast<T>(before + up_to - own));
      before += last(up_to);
    }
    return before;
  }
  /// The sum of the values of this lane and of those before it. Not for whole teams.
  template <class T>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T inclusive_scan(T value) const {
    static_assert(!whole_team);
    return inclusive_scan_over_lanes<L>(value, lane(), lanes);
  }

  /// The value of the last lane.
  template <class T>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T last(T const& value) const {
    return L::shuffle(value, lanes - 1, lanes);
  }

  /// body() by one lane; not called if idle.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void once(Body const& body) const {
    if (lane() == 0 && !is_idle) body();
  }

 private:
  /// Many segments are read by few lanes each, down to one, so that more of them are loaded at once.
  template <class T, class Index, class Make, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_by_team(Index count, Make const& make, Visit const& visit) const {
    constexpr int max_steps = 32;  // of few lanes
    RowGroup few = *this, warp = *this;
    warp.segment_lanes = L::size;
    while (few.segment_lanes > 1 && static_cast<Index>(size() / few.segment_lanes) < count)
      few.segment_lanes /= 2;
    bool const has_few_lanes = few.segment_lanes < segment_lanes;
    auto const at_once = static_cast<Index>(size() >> log2(few.segment_lanes));
    auto i = static_cast<Index>(lane() >> log2(few.segment_lanes));
    for (Index round = 0; round < ceil_div(count, at_once); ++round, i += at_once) {
      T const segment = i < count ? make(i) : T();
      bool const is_long = has_few_lanes && segment.count > max_steps * few.segment_lanes;
      if (!is_long) visit(few, segment);
      if (!has_few_lanes) continue;
      bool const is_first_lane = (lane() & (few.segment_lanes - 1)) == 0;
      for (auto left = L::ballot(is_long && is_first_lane); left != 0; left &= left - 1)
        visit(warp, L::shuffle(segment, L::lowest(left)));
    }
    sync();
  }
  KOKKOS_FORCEINLINE_FUNCTION static int log2(int power_of_two) {
    return Kokkos::Experimental::popcount_builtin(static_cast<unsigned>(power_of_two - 1));
  }
};

/// The members of RowGroup that need no scratch, for one host thread without a team.
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
  template <class T, class Item, class Index, class Body>
  [[nodiscard]] KOKKOS_INLINE_FUNCTION T sum_of_item(Item item, Index count, Body const& body) const {
    return sum<T>(count, [&](Index k) { return body(item, k); });
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
/// functor(group, i) for i = 0 .. count - 1, by a group of `lanes` lanes each; on a host by one thread.
/// One launch, asynchronous.
template <class Exec, class Functor>
void for_each_by_lanes(Exec const& exec, char const* label, std::size_t count, [[maybe_unused]] int lanes,
                       Functor const& functor) {
  if (count == 0) return;
  if constexpr (is_gpu<Exec>) {
    using Each = EachByLanes<Exec, Functor>;
    constexpr int team_size = 256;
    auto const groups_per_team = static_cast<std::size_t>(team_size / lanes);
    typename Each::Policy const policy(exec, static_cast<int>(ceil_div(count, groups_per_team)), team_size);
    Kokkos::parallel_for(label, light_weight(policy), Each{functor, count, lanes});
  } else {
    range_for<std::size_t>(label, exec, count, EachByThreads<Functor>{functor});
  }
}

/// Lanes for segments of that mean length: the next power of two, at most 32 and a warp's lanes.
template <class Exec>
int lanes_for_mean(double mean_length) {
  int const max_lanes = lockstep_lanes(arch_of<Exec>) < 32 ? lockstep_lanes(arch_of<Exec>) : 32;
  int lanes = 1;
  while (lanes < max_lanes && lanes < mean_length) lanes *= 2;
  return lanes;
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr std::size_t array_bytes(int count) {
  return ceil_div(static_cast<std::size_t>(count) * sizeof(T), 16) * 16;
}
/// An array in scratch, 16-byte aligned; advances `scratch` by array_bytes().
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T* take_array(char*& scratch, int count) {
  T* const array = reinterpret_cast<T*>(scratch);
  scratch += array_bytes<T>(count);
  return array;
}

}  // namespace einkorn
