// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/range_launch.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Several counters, which are summed over the items of a launch.
template <int num>
struct Counts {
  std::uint64_t of[num] = {};

  KOKKOS_FORCEINLINE_FUNCTION void add(int c, std::uint64_t count) { of[c] += count; }
  /// Adds 1 to counter first + c, 0 <= c < count. On a GPU the counters stay in registers.
  template <int first, int count>
  KOKKOS_FORCEINLINE_FUNCTION void add_one_of(int c) {
    for (int i = 0; i < count; ++i) of[first + i] += i == c ? 1 : 0;
  }
};

/// Of a GPU: threads sum in registers, teams in scratch, the launch by atomic additions of integers.
template <class Exec, int num, class Functor>
struct SumCountsByTeams {
  using Policy = Kokkos::TeamPolicy<Exec>;
  using L = Lanes<Exec>;

  Functor functor;
  std::size_t num_items;
  std::uint64_t* totals;  // [num]

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    auto const threads = static_cast<std::size_t>(team.team_size());
    Counts<num> counts;
    for (auto i = static_cast<std::size_t>(team.league_rank()) * threads +
                  static_cast<std::size_t>(team.team_rank());
         i < num_items; i += threads * static_cast<std::size_t>(team.league_size()))
      functor(i, counts);
    auto* const sums = static_cast<std::uint64_t*>(
        team.team_scratch(0).get_shmem_aligned(num * sizeof(std::uint64_t), sizeof(std::uint64_t)));
    if (team.team_rank() < num) sums[team.team_rank()] = 0;
    team.team_barrier();
    for (int c = 0; c < num; ++c) {
      auto const sum = sum_over_lanes<L, L::size>(counts.of[c]);
      if (sum != 0 && team.team_rank() % L::size == 0) Kokkos::atomic_add(&sums[c], sum);
    }
    team.team_barrier();
    if (team.team_rank() < num && sums[team.team_rank()] != 0)
      Kokkos::atomic_add(&totals[team.team_rank()], sums[team.team_rank()]);
  }
};

/// For a host.
template <int num, class Functor>
struct SumCountsOfRange {
  using value_type = Counts<num>;
  Functor functor;
  KOKKOS_FUNCTION void operator()(std::size_t i, value_type& counts) const { functor(i, counts); }
  KOKKOS_FUNCTION void init(value_type& counts) const { counts = {}; }
  KOKKOS_FUNCTION void join(value_type& counts, value_type const& others) const {
    for (int c = 0; c < num; ++c) counts.of[c] += others.of[c];
  }
};

/// Device memory of zeros for the sums of a few calls of sum_counts(). Empty on a host.
template <class Exec>
class CountTotals {
 public:
  using View = Kokkos::View<std::uint64_t*, typename Exec::memory_space>;

  /// [num], zeros.
  View take(Exec const& exec, std::size_t num) {
    if (zeros_.extent(0) < used_ + num) {
      zeros_ = allocate_zeros<View>(exec, "einkorn::spgemm::counts", std::max(num, std::size_t(32)));
      used_ = 0;
    }
    used_ += num;
    return Kokkos::subview(zeros_, Kokkos::make_pair(used_ - num, used_));
  }

 private:
  View zeros_;
  std::size_t used_ = 0;
};

/// The sums of the counters that functor(i, counts) adds to, over i = 0 .. num_items - 1. 1 launch; fences exec. A
/// reduction by Kokkos of 14 counters took 60 us on an H100, because its partial sums are in shared memory.
template <int num, class Exec, class Functor>
Counts<num> sum_counts(Exec const& exec, char const* label, [[maybe_unused]] CountTotals<Exec>& memory,
                       std::size_t num_items, Functor const& functor) {
  Counts<num> result;
  if constexpr (is_gpu<Exec>) {
    using Kernel = SumCountsByTeams<Exec, num, Functor>;
    constexpr std::size_t team_size = 256;
    auto const totals = memory.take(exec, static_cast<std::size_t>(num));
    auto const teams = std::clamp<std::size_t>(ceil_div(num_items, team_size), 1, max_resident_teams);
    typename Kernel::Policy policy(exec, static_cast<int>(teams), static_cast<int>(team_size));
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(num * sizeof(std::uint64_t) + 8)));
    Kokkos::parallel_for(label, light_weight(policy), Kernel{functor, num_items, totals.data()});
    Kokkos::View<std::uint64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(
        result.of, static_cast<std::size_t>(num));
    copy_vector(exec, host, totals);
  } else {
    range_reduce<std::size_t>(label, exec, num_items, SumCountsOfRange<num, Functor>{functor}, result);
  }
  exec.fence("einkorn::spgemm: the host reads the counters");
  return result;
}

}  // namespace einkorn::detail
