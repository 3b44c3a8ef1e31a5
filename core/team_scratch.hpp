// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/team_launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace einkorn {

/// Launches of teams with more scratch than the team policies of Kokkos accept on CUDA (48 KB): up to max_team_scratch().

/// Scratch per team on the host, in bytes: it is on the stack of the thread.
inline constexpr std::size_t max_host_scratch = std::size_t(72) << 10;

/// The maximal scratch of a team in bytes.
template <class Exec>
std::size_t max_team_scratch([[maybe_unused]] Exec const& exec) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) return exec.cuda_device_prop().sharedMemPerBlockOptin;
#endif
#ifdef KOKKOS_ENABLE_HIP
  if constexpr (std::is_same_v<Exec, Kokkos::HIP>) return exec.hip_device_prop().sharedMemPerBlock;
#endif
  return max_host_scratch;
}

/// kernel(team) for each of num_teams teams of Kernel::team_size threads (host: 1 thread), with Kernel::min_teams_per_sm
/// as in Kokkos::LaunchBounds.
/// @param kernel `template <class Team> operator()(Team const&) const`, a KOKKOS_FUNCTION, of at most 4 KB on a GPU
/// @pre num_teams > 0, scratch_bytes <= max_team_scratch(exec)
/// @throws Error if the device cannot launch the kernel
///
/// 1 launch, asynchronous if the execution space is.
template <class Exec, class Kernel>
void launch_teams_with_scratch(Exec const& exec, char const* label, int num_teams,
                               [[maybe_unused]] std::size_t scratch_bytes, Kernel const& kernel) {
  if constexpr (is_gpu<Exec>) {
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
    detail::launch_on_gpu<Kernel::team_size, Kernel::min_teams_per_sm>(
        exec, label, num_teams, Kernel::team_size, scratch_bytes, kernel);
#endif
  } else {
    static_assert(Kernel::team_size == 1);
    for_each_part(exec, label, num_teams, [&kernel](std::int64_t team) {
      alignas(64) unsigned char scratch[max_host_scratch];
      kernel(TeamMember<Exec>(static_cast<int>(team), 0, 1, scratch));
    });
  }
}

}  // namespace einkorn
