// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/function_ref.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/team_launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn {

/// The parts of a host kernel, with its type erased. add_part(part, sums) runs a part and adds its accumulators
/// to sums.
struct HostParts {
  std::int64_t num_parts;
  FunctionRef<void(std::int64_t, double*)> add_part;
};

/// The partial sums of one fused pass, counted by its launches on the host. A block is what stores one set of
/// partial sums: a team on a GPU, a part on the host.
struct PartialsLayout {
  std::size_t num_blocks = 0;  // of all launches so far
  int launches = 0;
  /// Count launches and blocks, launch nothing: tells the caller how many partial sums to allocate.
  bool dry_run = false;
  /// Host: called with the parts of each kernel, which is then not launched. The parts are valid until it
  /// returns.
  FunctionRef<void(HostParts const&)> const* capture = nullptr;
};

/// `num_sums` sums in double precision that the kernels of a fused pass accumulate. Block b stores its sums in
/// partials(b num_sums), ..., partials(b num_sums + num_sums - 1); a pass of several launches numbers its
/// blocks consecutively. Adding the blocks in order, as sum_partials() does, gives the same bits in every run.
template <int num_sums, class Device>
struct PartialSums {
  static constexpr bool accumulates = true;
  static constexpr int count = num_sums;
  struct Accumulators {
    double sums[num_sums] = {};
  };

  Kokkos::View<double*, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>> partials;  // [num_blocks * num_sums]
  PartialsLayout* layout = nullptr;                                                 // host
  std::size_t first_block = 0;

  /// Adds the accumulators of a team, lanes first, then warps in order, and stores the block. Collective over
  /// the team; one barrier.
  template <class L, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void store_partials(Team const& team, Accumulators const& accumulators) const {
    int const warps = team.team_size() / L::size, warp = team.team_rank() / L::size;
    std::size_t const bytes = scratch_bytes(warps);
    auto* const warp_sums =
        static_cast<double*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(double)));
    for (int j = 0; j < num_sums; ++j) {
      double const sum = sum_over_lanes<L, L::size>(accumulators.sums[j]);
      if (team.team_rank() % L::size == 0) warp_sums[j * warps + warp] = sum;
    }
    team.team_barrier();
    int const sum_index = team.team_rank();
    if (sum_index >= num_sums) return;
    double sum = 0;
    for (int w = 0; w < warps; ++w) sum += warp_sums[sum_index * warps + w];
    partials((first_block + static_cast<std::size_t>(team.league_rank())) * num_sums +
             static_cast<std::size_t>(sum_index)) = sum;
  }

  template <class Policy, class Kernel>
  void launch(char const* label, Policy policy, Kernel kernel) const {
    kernel.epilogue.first_block = layout->num_blocks;
    ++layout->launches;
    layout->num_blocks += static_cast<std::size_t>(policy.league_size());
    if (layout->dry_run) return;
    auto const bytes = scratch_bytes(policy.team_size() / Kernel::L::size) + alignof(double) +
                       static_cast<std::size_t>(policy.scratch_size(0, policy.team_size()));
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes)));
    launch_team_kernel(label, policy, kernel);
  }
  template <class Exec, class Index, class Kernel>
  void launch_parts(Exec const& exec, char const* label, Index num_parts, Kernel const& kernel) const {
    auto const parts = static_cast<std::int64_t>(num_parts);
    auto const first = layout->num_blocks;
    ++layout->launches;
    layout->num_blocks += static_cast<std::size_t>(parts);
    if (layout->dry_run) return;
    auto const add = [&kernel](std::int64_t part, double* sums) {
      Accumulators accumulators{};
      kernel.run(static_cast<Index>(part), accumulators);
      for (int j = 0; j < num_sums; ++j) sums[j] += accumulators.sums[j];
    };
    HostParts const host_kernel{parts, add};
    if (layout->capture != nullptr)
      (*layout->capture)(host_kernel);
    else
      store_sums_of_parts(exec, label, host_kernel, partials.data() + first * num_sums);
  }

 private:
  /// Runs the parts of a kernel: compiled once for all kernels.
  template <class Exec>
  static void store_sums_of_parts(Exec const& exec, char const* label, HostParts const& kernel,
                                  double* sums_of_parts) {
    for_each_part(exec, label, kernel.num_parts, [&](std::int64_t part) {
      double* const sums = sums_of_parts + part * num_sums;
      for (int j = 0; j < num_sums; ++j) sums[j] = 0;
      kernel.add_part(part, sums);
    });
  }
  static KOKKOS_FUNCTION std::size_t scratch_bytes(int warps) {
    return static_cast<std::size_t>(warps) * num_sums * sizeof(double);
  }
};

}  // namespace einkorn
