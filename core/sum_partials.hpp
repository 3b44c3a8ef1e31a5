// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/partial_sums.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

namespace einkorn {

namespace detail {

/// Adds up the partial sums of all num_blocks and hands the totals to step(totals), run by one thread. Teams
/// take num_blocks in equal shares; the last of them to be done adds up what the teams have found, in order. So
/// one launch, and the same bits every time.
template <class Exec, int count, class Device, class Step>
struct SumPartials {
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<512, 1>>;
  using L = Lanes<Exec>;
  static constexpr int team_size = 512, warps = team_size / L::size, max_teams = 128;
  static constexpr std::size_t blocks_per_team = 8 * team_size;
  static constexpr std::size_t scratch_bytes = (static_cast<std::size_t>(warps) * count + 1) * sizeof(double);

  Kokkos::View<double*, Device> partials;
  std::size_t num_blocks;
  Kokkos::View<double*, Device> of_teams;  // [max_teams * count]
  Kokkos::View<unsigned, Device> arrived;  // 0 between launches
  Step step;
  int teams;

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    std::size_t const bytes = scratch_bytes;
    auto* const scratch = static_cast<double*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(double)));
    double sums[count] = {};
    auto const rank = static_cast<std::size_t>(team.league_rank());
    auto const begin = num_blocks * rank / static_cast<std::size_t>(teams),
               end = num_blocks * (rank + 1) / static_cast<std::size_t>(teams);
    for (auto block = begin + static_cast<std::size_t>(team.team_rank()); block < end; block += team_size)
      for (int j = 0; j < count; ++j) sums[j] += partials(block * count + static_cast<std::size_t>(j));
    sum_over_team<L, team_size>(team, sums, scratch);
    if (teams > 1) {
      auto* const is_last = reinterpret_cast<int*>(scratch + warps * count);
      if (team.team_rank() == 0) {
        for (int j = 0; j < count; ++j) of_teams(rank * count + static_cast<std::size_t>(j)) = sums[j];
        *is_last = L::arrive(arrived.data()) == static_cast<unsigned>(teams - 1);
      }
      team.team_barrier();
      if (*is_last == 0) return;
      L::acquire_fence();
      for (int j = 0; j < count; ++j) {
        sums[j] = 0;
        if (team.team_rank() < teams)
          sums[j] = of_teams(static_cast<std::size_t>(team.team_rank()) * count + static_cast<std::size_t>(j));
      }
      sum_over_team<L, team_size>(team, sums, scratch);
      if (team.team_rank() == 0) arrived() = 0;
    }
    if (team.team_rank() == 0) step(sums);
  }
};

/// The same on the host, where num_blocks are few.
template <int count, class Device, class Step>
struct SumPartialsHost {
  Kokkos::View<double*, Device> partials;
  std::size_t num_blocks;
  Step step;

  void operator()(int) const {
    double sums[count] = {};
    for (std::size_t block = 0; block < num_blocks; ++block)
      for (int j = 0; j < count; ++j) sums[j] += partials(block * count + static_cast<std::size_t>(j));
    step(sums);
  }
};

}  // namespace detail

/// Room for sum_partials(): made once, serves one execution-space instance at a time.
template <class Device>
class SumSpace {
 public:
  static constexpr int max_sums = 8;

  SumSpace() = default;
  /// size: num_blocks * count, the most that a sweep writes. Throws OutOfMemory.
  template <class Exec>
  SumSpace(Exec const& exec, std::size_t size)
      : partials_(allocate<Kokkos::View<double*, Device>>(exec, "einkorn::SumSpace::partials", size)),
        of_teams_(allocate<Kokkos::View<double*, Device>>(exec, "einkorn::SumSpace::of_teams",
                                                          std::size_t(128) * max_sums)),
        arrived_(allocate_zeros<Kokkos::View<unsigned, Device>>("einkorn::SumSpace::arrived")) {}

  [[nodiscard]] Kokkos::View<double*, Device> const& partials() const { return partials_; }
  [[nodiscard]] Kokkos::View<double*, Device> const& of_teams() const { return of_teams_; }
  [[nodiscard]] Kokkos::View<unsigned, Device> const& arrived() const { return arrived_; }
  [[nodiscard]] std::size_t bytes() const {
    return (partials_.extent(0) + of_teams_.extent(0)) * sizeof(double) + sizeof(unsigned);
  }

 private:
  Kokkos::View<double*, Device> partials_, of_teams_;
  Kokkos::View<unsigned, Device> arrived_;
};

/// step(totals) with the sums over `num_blocks` num_blocks of `count` sums each: see detail::SumPartials. 1
/// launch, asynchronous on exec.
template <int count, class Exec, class Device, class Step>
void sum_partials(Exec const& exec, std::string const& label, SumSpace<Device> const& space,
                  Kokkos::View<double*, Device> const& partials, std::size_t num_blocks, Step const& step) {
  static_assert(count <= SumSpace<Device>::max_sums);
  if constexpr (is_gpu<Exec>) {
    using Kernel = detail::SumPartials<Exec, count, Device, Step>;
    auto const teams = std::clamp<std::size_t>(
        (num_blocks + Kernel::blocks_per_team - 1) / Kernel::blocks_per_team, 1, Kernel::max_teams);
    auto policy = typename Kernel::Policy(exec, static_cast<int>(teams), Kernel::team_size);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Kernel::scratch_bytes + alignof(double))));
    Kokkos::parallel_for(
        label, light_weight(policy),
        Kernel{partials, num_blocks, space.of_teams(), space.arrived(), step, static_cast<int>(teams)});
  } else {
    for_each_part(exec, label, 1, detail::SumPartialsHost<count, Device, Step>{partials, num_blocks, step});
  }
}

/// The same of the space's own partial sums.
template <int count, class Exec, class Device, class Step>
void sum_partials(Exec const& exec, std::string const& label, SumSpace<Device> const& space,
                  std::size_t num_blocks, Step const& step) {
  sum_partials<count>(exec, label, space, space.partials(), num_blocks, step);
}

}  // namespace einkorn
