// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/detail/device_error.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn {

/// Launches of teams without the dispatch of Kokkos on a GPU, whose kernel prepares scratch of level 1 and loops over the
/// league. H200, 2026-11, in a graph: 2.7 instead of 3.0 us for row_team on gen:stencil7:40, 16.5 instead of 17.5 for
/// nonzero_split on cnr-2000.

/// The member of a team, with the part of the interface of Kokkos' team members that these kernels use. Scratch of level 0
/// only.
template <class Exec>
class TeamMember {
 public:
  class Scratch {
   public:
    KOKKOS_FUNCTION explicit Scratch(unsigned char* begin) : begin_(begin), next_(begin) {}
    /// The next `bytes` bytes. The beginning of scratch is aligned to 16 bytes.
    KOKKOS_FORCEINLINE_FUNCTION void* get_shmem_aligned(std::size_t bytes, std::size_t alignment) const {
      auto const at = (static_cast<std::size_t>(next_ - begin_) + alignment - 1) / alignment * alignment;
      next_ = begin_ + (at + bytes);
      return begin_ + at;
    }
    KOKKOS_FORCEINLINE_FUNCTION void* get_shmem(std::size_t bytes) const { return get_shmem_aligned(bytes, 8); }

   private:
    unsigned char* begin_;
    mutable unsigned char* next_;
  };

  KOKKOS_FUNCTION TeamMember(int league_rank, int team_rank, int team_size, unsigned char* scratch)
      : league_rank_(league_rank), team_rank_(team_rank), team_size_(team_size), scratch_(scratch) {}

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int league_rank() const { return league_rank_; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int team_rank() const { return team_rank_; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int team_size() const { return team_size_; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Scratch const& team_scratch(int) const { return scratch_; }
  /// Collective over the team.
  KOKKOS_FORCEINLINE_FUNCTION void team_barrier() const {
    if constexpr (is_gpu<Exec>) Lanes<Exec>::sync_block();
  }

 private:
  int league_rank_, team_rank_, team_size_;
  Scratch scratch_;
};

namespace detail {

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template <class Exec, int max_team_size, int min_teams_per_sm, class Kernel>
__global__ __launch_bounds__(max_team_size, min_teams_per_sm) void run_team(Kernel const kernel) {
  extern __shared__ __align__(16) unsigned char scratch_of_team[];
  kernel(TeamMember<Exec>(static_cast<int>(blockIdx.x), static_cast<int>(threadIdx.x),
                          static_cast<int>(blockDim.x), scratch_of_team));
}

/// One launch of run_team(), which Kokkos Tools see as a parallel_for.
template <int max_team_size, int min_teams_per_sm, class Exec, class Kernel>
void launch_on_gpu(Exec const& exec, char const* label, int num_teams, int team_size, std::size_t scratch_bytes,
                   Kernel const& kernel) {
  static_assert(sizeof(Kernel) <= 4096, "einkorn: a kernel is an argument of its launch, of at most 4 KB");
  namespace Tools = Kokkos::Tools;
  std::uint64_t id = 0;
  bool const is_watched = Tools::profileLibraryLoaded();
  if (is_watched) Tools::beginParallelFor(label, Tools::Experimental::device_id(exec), &id);
  auto const* const address =
      reinterpret_cast<void const*>(&run_team<Exec, max_team_size, min_teams_per_sm, Kernel>);
  dim3 const teams(static_cast<unsigned>(num_teams)), threads(static_cast<unsigned>(team_size));
  bool const needs_attribute = scratch_bytes > (std::size_t(48) << 10);
  auto const bytes = static_cast<int>(scratch_bytes);
  void* arguments[] = {const_cast<Kernel*>(&kernel)};
#ifdef KOKKOS_ENABLE_CUDA
  require_success(cudaSetDevice(exec.cuda_device()), label);
  if (needs_attribute)
    require_success(cudaFuncSetAttribute(address, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), label);
  require_success(cudaLaunchKernel(address, teams, threads, arguments, scratch_bytes, exec.cuda_stream()),
                  label);
#else
  require_success(hipSetDevice(exec.hip_device()), label);
  if (needs_attribute)
    require_success(hipFuncSetAttribute(address, hipFuncAttributeMaxDynamicSharedMemorySize, bytes), label);
  require_success(hipLaunchKernel(address, teams, threads, arguments, scratch_bytes, exec.hip_stream()), label);
#endif
  if (is_watched) Tools::endParallelFor(id);
}
#endif

}  // namespace detail

/// Kokkos::parallel_for(label, policy, kernel) for a team policy with launch bounds, on a GPU without the dispatch of Kokkos.
/// @param kernel `template <class Team> operator()(Team const&) const`, for TeamMember and Kokkos' member
/// @throws Error if the device cannot launch the kernel
template <class Policy, class Kernel>
void launch_teams(char const* label, Policy const& policy, Kernel const& kernel) {
  using Exec = typename Policy::execution_space;
  if constexpr (is_gpu<Exec>) {
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
    using Bounds = typename Policy::launch_bounds;
    static_assert(Bounds::maxTperB > 0, "einkorn: a team policy without launch bounds");
    int const team_size = policy.team_size();
    if (policy.league_size() == 0) return;
    detail::launch_on_gpu<static_cast<int>(Bounds::maxTperB), static_cast<int>(Bounds::minBperSM)>(
        policy.space(), label, policy.league_size(), team_size,
        static_cast<std::size_t>(policy.scratch_size(0, team_size)), kernel);
#endif
  } else {
    Kokkos::parallel_for(label, policy, kernel);
  }
}

/// The functor that Kokkos launches for a kernel over the rows of a matrix or the entries of a vector. The
/// kernel may accumulate sums, such as dot products, in the same pass (a fused pass). It has
///   epilogue                   what to do with the result of a row: Epilogue, EpilogueWithDots, PartialSums
///   Policy                     GPU: its team policy
///   L                          GPU: the lockstep lanes (lanes/lanes.hpp)
///   run(team, accumulators)    GPU: the work of one team; threads may return early. For a policy with launch bounds and a
///                              `run` that accepts it, the team is a TeamMember, otherwise the member of Kokkos
///   run(part, accumulators)    host: the work of one part
/// One kernel serves launches by Kokkos, captured graphs and, on the host, cooperative launches
/// (PartialsLayout::capture).
///
/// A block is what stores one set of partial sums: a team on a GPU, a part on the host (partial_sums.hpp).
template <class Kernel>
struct TeamKernel {
  using Policy = typename Kernel::Policy;
  using L = typename Kernel::L;

  Kernel kernel;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    typename decltype(Kernel::epilogue)::Accumulators accumulators{};
    kernel.run(team, accumulators);
    if constexpr (decltype(Kernel::epilogue)::accumulates)
      kernel.epilogue.template store_partials<L>(team, accumulators);
  }
};

/// Launches TeamKernel<Kernel>{kernel}.
template <class Policy, class Kernel>
void launch_team_kernel(char const* label, Policy const& policy, Kernel const& kernel) {
  using Member = TeamMember<typename Policy::execution_space>;
  using Accumulators = typename decltype(Kernel::epilogue)::Accumulators;
  constexpr bool takes_member =
      requires(Member const& team, Accumulators& accumulators) { kernel.run(team, accumulators); };
  if constexpr (Policy::launch_bounds::maxTperB > 0 && takes_member)
    launch_teams(label, light_weight(policy), TeamKernel<Kernel>{kernel});
  else
    Kokkos::parallel_for(label, light_weight(policy), TeamKernel<Kernel>{kernel});
}

}  // namespace einkorn
