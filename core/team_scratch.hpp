// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/detail/device_error.hpp>
#include <einkorn/core/lanes/lanes.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace einkorn {

/// Launches of teams with more scratch than Kokkos' team policies accept on CUDA (48 KB): up to max_team_scratch().

/// The member of a team, with the part of the interface of Kokkos' team members that these kernels use.
template <class Exec>
class TeamWithScratch {
 public:
  class Scratch {
   public:
    KOKKOS_FUNCTION explicit Scratch(unsigned char* memory) : memory_(memory) {}
    /// The scratch of the team from its beginning, aligned to 16 bytes.
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION void* get_shmem_aligned(std::size_t, std::size_t) const {
      return memory_;
    }

   private:
    unsigned char* memory_;
  };

  KOKKOS_FUNCTION TeamWithScratch(int league_rank, int team_rank, unsigned char* scratch)
      : league_rank_(league_rank), team_rank_(team_rank), scratch_(scratch) {}

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int league_rank() const { return league_rank_; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int team_rank() const { return team_rank_; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Scratch team_scratch(int) const { return Scratch(scratch_); }
  /// Collective over the team.
  KOKKOS_FORCEINLINE_FUNCTION void team_barrier() const {
    if constexpr (is_gpu<Exec>) Lanes<Exec>::sync_block();
  }

 private:
  int league_rank_, team_rank_;
  unsigned char* scratch_;
};

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

namespace detail {

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template <class Exec, int team_size, int min_teams_per_sm, class Kernel>
__global__ __launch_bounds__(team_size, min_teams_per_sm) void run_team_with_scratch(Kernel const kernel) {
  extern __shared__ __align__(16) unsigned char scratch_of_team[];
  kernel(TeamWithScratch<Exec>(static_cast<int>(blockIdx.x), static_cast<int>(threadIdx.x), scratch_of_team));
}
#endif

}  // namespace detail

/// kernel(team) for each of num_teams teams of Kernel::team_size threads (host: 1 thread), with Kernel::min_teams_per_sm
/// as in Kokkos::LaunchBounds.
/// @param kernel `template <class Team> operator()(Team const&) const`, a KOKKOS_FUNCTION, of at most 4 KB on a GPU
/// @pre num_teams > 0, scratch_bytes <= max_team_scratch(exec)
/// @throws Error if the device cannot launch the kernel
///
/// 1 launch, asynchronous if the execution space is. Kokkos Tools see a region with the label on a GPU, a
/// parallel_for on the host.
template <class Exec, class Kernel>
void launch_teams_with_scratch(Exec const& exec, char const* label, int num_teams,
                               [[maybe_unused]] std::size_t scratch_bytes, Kernel const& kernel) {
  if constexpr (is_gpu<Exec>) {
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
    static_assert(sizeof(Kernel) <= 4096);
    Kokkos::Profiling::ScopedRegion region(label);
    auto* const function =
        &detail::run_team_with_scratch<Exec, Kernel::team_size, Kernel::min_teams_per_sm, Kernel>;
    auto const* const address = reinterpret_cast<void const*>(function);
    auto const bytes = static_cast<int>(scratch_bytes);
    auto const teams = static_cast<unsigned>(num_teams), threads = static_cast<unsigned>(Kernel::team_size);
    void* arguments[] = {const_cast<Kernel*>(&kernel)};
#ifdef KOKKOS_ENABLE_CUDA
    detail::require_success(cudaSetDevice(exec.cuda_device()), label);
    detail::require_success(cudaFuncSetAttribute(address, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
                            label);
    detail::require_success(
        cudaLaunchKernel(address, dim3(teams), dim3(threads), arguments, scratch_bytes, exec.cuda_stream()),
        label);
#else
    detail::require_success(hipSetDevice(exec.hip_device()), label);
    detail::require_success(hipFuncSetAttribute(address, hipFuncAttributeMaxDynamicSharedMemorySize, bytes),
                            label);
    detail::require_success(
        hipLaunchKernel(address, dim3(teams), dim3(threads), arguments, scratch_bytes, exec.hip_stream()),
        label);
#endif
#endif
  } else {
    static_assert(Kernel::team_size == 1);
    for_each_part(exec, label, num_teams, [&kernel](std::int64_t team) {
      alignas(64) unsigned char scratch[max_host_scratch];
      kernel(TeamWithScratch<Exec>(static_cast<int>(team), 0, scratch));
    });
  }
}

}  // namespace einkorn
