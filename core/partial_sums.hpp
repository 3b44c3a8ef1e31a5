// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/function_ref.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace einkorn {

/// The parts of a host kernel, without its type: add_part(part, sums) runs one and adds what it gathers.
struct HostParts {
  std::int64_t num_parts;
  FunctionRef<void(std::int64_t, double*)> add_part;
};

/// Which partial sums the launches of one sweep have written (host side). dry_run: nothing is launched,
/// only the num_blocks are counted, which is how a caller learns how many it has to make room for. capture: on
/// the host, called with the parts of each kernel instead of a launch; they are valid until it returns.
struct PartialsLayout {
  std::size_t num_blocks = 0;
  int launches = 0;
  bool dry_run = false;
  FunctionRef<void(HostParts const&)> const* capture = nullptr;
};

/// `num_sums` sums that a sweep (launch.hpp) gathers on its way, in double. A block (a team, on the host a
/// part) writes its own to partials(block * num_sums), ..., so that whoever adds them up in order gets the same
/// bits every time; sum_partials() does. A sweep of several launches numbers its num_blocks on.
template <int num_sums, class Device>
struct PartialSums {
  static constexpr bool accumulates = true, is_captured = false;
  static constexpr int count = num_sums;
  struct Accumulators {
    double sums[num_sums] = {};
  };

  Kokkos::View<double*, Device> partials;  // [num_blocks * num_sums]
  PartialsLayout* layout = nullptr;        // host
  std::size_t first_block = 0;

  /// The sums of a team, warp by warp. Every thread of the team calls it.
  template <class L, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void store_partials(Team const& team, Accumulators const& accumulators) const {
    int const warps = team.team_size() / L::size, warp = team.team_rank() / L::size;
    std::size_t const bytes = scratch_bytes(warps);
    auto* const of_warps = static_cast<double*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(double)));
    for (int j = 0; j < num_sums; ++j) {
      double const sum = sum_over_lanes<L, L::size>(accumulators.sums[j]);
      if (team.team_rank() % L::size == 0) of_warps[j * warps + warp] = sum;
    }
    team.team_barrier();
    int const mine = team.team_rank();
    if (mine >= num_sums) return;
    double sum = 0;
    for (int w = 0; w < warps; ++w) sum += of_warps[mine * warps + w];
    partials((first_block + static_cast<std::size_t>(team.league_rank())) * num_sums +
             static_cast<std::size_t>(mine)) = sum;
  }

  template <class Policy, class Kernel>
  void launch(std::string const& label, Policy policy, Kernel kernel) const {
    kernel.epilogue.first_block = layout->num_blocks;
    ++layout->launches;
    layout->num_blocks += static_cast<std::size_t>(policy.league_size());
    if (layout->dry_run) return;
    auto const bytes = scratch_bytes(policy.team_size() / Kernel::L::size) + alignof(double) +
                       static_cast<std::size_t>(policy.scratch_size(0, policy.team_size()));
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes)));
    launch_teams(label, policy, kernel);
  }
  template <class Exec, class Index, class Kernel>
  void launch_parts(Exec const& exec, std::string const& label, Index num_parts, Kernel const& kernel) const {
    auto const add = [&kernel](std::int64_t part, double* sums) {
      Accumulators accumulators{};
      kernel.run(static_cast<Index>(part), accumulators);
      for (int j = 0; j < num_sums; ++j) sums[j] += accumulators.sums[j];
    };
    launch_parts(exec, label, {static_cast<std::int64_t>(num_parts), add});
  }

 private:
  template <class Exec>
  void launch_parts(Exec const& exec, std::string const& label, HostParts const& kernel) const {
    auto const first = layout->num_blocks;
    ++layout->launches;
    layout->num_blocks += static_cast<std::size_t>(kernel.num_parts);
    if (layout->dry_run) return;
    if (layout->capture != nullptr) return (*layout->capture)(kernel);
    for_each_part(exec, label, kernel.num_parts, [&](std::int64_t part) {
      double sums[num_sums] = {};
      kernel.add_part(part, sums);
      for (int j = 0; j < num_sums; ++j)
        partials((first + static_cast<std::size_t>(part)) * num_sums + static_cast<std::size_t>(j)) = sums[j];
    });
  }

  static KOKKOS_FUNCTION std::size_t scratch_bytes(int warps) {
    return static_cast<std::size_t>(warps) * num_sums * sizeof(double);
  }
};

}  // namespace einkorn
