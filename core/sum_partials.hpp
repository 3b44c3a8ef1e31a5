// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/partial_sums.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

namespace einkorn {

namespace detail {

/// Adds the partial sums of all blocks and calls step(totals) in one thread. Each team adds a contiguous range
/// of blocks; the last team to finish adds the sums of the teams, in their order: one launch and the same bits
/// in every run.
template <class Exec, int count, class Device, class Step>
struct SumPartials {
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<512, 1>>;
  using L = Lanes<Exec>;
  static constexpr int team_size = 512, warps = team_size / L::size, max_teams = 128;
  static constexpr std::size_t blocks_per_team = 8 * team_size;
  static constexpr std::size_t scratch_bytes = (static_cast<std::size_t>(warps) * count + 1) * sizeof(double);

  Kokkos::View<double*, Device> partials;
  std::size_t num_blocks;
  Kokkos::View<double*, Device> team_sums;  // [max_teams * count]
  Kokkos::View<unsigned, Device> arrived;   // 0 between launches
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
      auto* const flag = reinterpret_cast<int*>(scratch + warps * count);
      auto const store = [&] {
        for (int j = 0; j < count; ++j) team_sums(rank * count + static_cast<std::size_t>(j)) = sums[j];
      };
      if (!is_last_team<L>(team, arrived.data(), teams, flag, store)) return;
      for (int j = 0; j < count; ++j) {
        sums[j] = 0;
        if (team.team_rank() < teams)
          sums[j] = team_sums(static_cast<std::size_t>(team.team_rank()) * count + static_cast<std::size_t>(j));
      }
      sum_over_team<L, team_size>(team, sums, scratch);
      if (team.team_rank() == 0) arrived() = 0;
    }
    if (team.team_rank() == 0) step(sums);
  }
};

/// The same on the host, where blocks are few: one thread adds all.
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

/// The workspace of sum_partials(). Usable by one execution space instance at a time.
template <class Device>
class SumSpace {
 public:
  static constexpr int max_sums = 8;

  SumSpace() = default;
  /// @param size the maximal num_blocks * count of a fused pass
  /// @throws OutOfMemory
  template <class Exec>
  SumSpace(Exec const& exec, std::size_t size)
      : partials_(allocate<Kokkos::View<double*, Device>>(exec, "einkorn::SumSpace::partials", size)),
        team_sums_(allocate<Kokkos::View<double*, Device>>(exec, "einkorn::SumSpace::team_sums",
                                                           std::size_t(128) * max_sums)),
        arrived_(allocate_zeros<Kokkos::View<unsigned, Device>>("einkorn::SumSpace::arrived")) {}

  [[nodiscard]] Kokkos::View<double*, Device> const& partials() const { return partials_; }
  [[nodiscard]] Kokkos::View<double*, Device> const& team_sums() const { return team_sums_; }
  [[nodiscard]] Kokkos::View<unsigned, Device> const& arrived() const { return arrived_; }
  [[nodiscard]] std::size_t bytes() const {
    return (partials_.extent(0) + team_sums_.extent(0)) * sizeof(double) + sizeof(unsigned);
  }

 private:
  Kokkos::View<double*, Device> partials_, team_sums_;
  Kokkos::View<unsigned, Device> arrived_;
};

/// Calls step(totals) in one thread: totals[j] is the sum over all blocks of partials(block count + j).
/// @param step functor for kernels, step(double const* totals)
///
/// 1 launch, asynchronous on exec. The same bits in every run with the same num_blocks.
template <int count, class Exec, class Device, class Step>
void sum_partials(Exec const& exec, std::string const& label, SumSpace<Device> const& space,
                  Kokkos::View<double*, Device> const& partials, std::size_t num_blocks, Step const& step) {
  static_assert(count <= SumSpace<Device>::max_sums);
  if constexpr (is_gpu<Exec>) {
    using Kernel = detail::SumPartials<Exec, count, Device, Step>;
    auto const teams =
        std::clamp<std::size_t>(ceil_div(num_blocks, Kernel::blocks_per_team), 1, Kernel::max_teams);
    auto policy = typename Kernel::Policy(exec, static_cast<int>(teams), Kernel::team_size);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Kernel::scratch_bytes + alignof(double))));
    Kokkos::parallel_for(
        label, light_weight(policy),
        Kernel{partials, num_blocks, space.team_sums(), space.arrived(), step, static_cast<int>(teams)});
  } else {
    for_each_part(exec, label, 1, detail::SumPartialsHost<count, Device, Step>{partials, num_blocks, step});
  }
}

/// The same for the partial sums of the workspace.
template <int count, class Exec, class Device, class Step>
void sum_partials(Exec const& exec, std::string const& label, SumSpace<Device> const& space,
                  std::size_t num_blocks, Step const& step) {
  sum_partials<count>(exec, label, space, space.partials(), num_blocks, step);
}

}  // namespace einkorn
