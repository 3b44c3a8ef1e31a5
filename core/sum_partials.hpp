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
#include <einkorn/core/team_launch.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>

namespace einkorn {

namespace detail {

inline constexpr int max_sums_of_pass = 8, max_deferred_sums = 3;

/// The partial sums of one fused pass: those of block b are partials[b count], ..., partials[b count + count - 1].
template <int sums_per_block>
struct BlockSums {
  static constexpr int count = sums_per_block;
  double const* partials;
  std::size_t num_blocks;

  /// The sums of the first block of a thread, loaded before they are added to hide their latency.
  struct Prefetched {
    double sums[count > 0 ? count : 1];
  };
  KOKKOS_FORCEINLINE_FUNCTION Prefetched prefetch(std::size_t part, std::size_t num_parts,
                                                  std::size_t first) const {
    auto const block = num_blocks * part / num_parts + first, end = num_blocks * (part + 1) / num_parts;
    Prefetched result{};
    if (block < end)
      for (int j = 0; j < count; ++j) result.sums[j] = partials[block * count + static_cast<std::size_t>(j)];
    return result;
  }
  /// Adds the blocks first, first + stride, ... below the end of the part.
  KOKKOS_FORCEINLINE_FUNCTION void add(std::size_t part, std::size_t num_parts, std::size_t first,
                                       std::size_t stride, Prefetched const& prefetched, double* sums) const {
    for (int j = 0; j < count; ++j) sums[j] += prefetched.sums[j];
    auto const begin = num_blocks * part / num_parts, end = num_blocks * (part + 1) / num_parts;
    for (auto block = begin + first + stride; block < end; block += stride)
      for (int j = 0; j < count; ++j) sums[j] += partials[block * count + static_cast<std::size_t>(j)];
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(std::size_t part, std::size_t num_parts, std::size_t first,
                                       std::size_t stride, double* sums) const {
    add(part, num_parts, first, stride, prefetch(part, num_parts, first), sums);
  }
};

/// The sums of two passes: those of the first, then those of the second.
template <class First, class Second>
struct SumsOfTwoPasses {
  static constexpr int count = First::count + Second::count;
  First first;
  Second second;
  std::size_t num_blocks = first.num_blocks + second.num_blocks;

  KOKKOS_FORCEINLINE_FUNCTION void add(std::size_t part, std::size_t num_parts, std::size_t begin,
                                       std::size_t stride, double* sums) const {
    auto const of_first = first.prefetch(part, num_parts, begin);
    second.add(part, num_parts, begin, stride, sums + First::count);
    first.add(part, num_parts, begin, stride, of_first, sums);
  }
};

/// Step of sum_partials(): stores the totals.
template <int count>
struct StoreSums {
  double* to;
  KOKKOS_FUNCTION void operator()(double const* sums) const {
    for (int j = 0; j < count; ++j) to[j] = sums[j];
  }
};

/// Calls step(totals) in one thread of the last team.
template <class Step>
struct InOneThread {
  Step step;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Team const& team, double const* sums, double*) const {
    if (team.team_rank() == 0) step(sums);
  }
};

/// Adds the partial sums of all blocks; the last team then calls finish(team, totals, scratch), with the totals in
/// thread 0. Each team adds a contiguous range of blocks; the last team to finish adds the sums of the teams, in
/// their order: one launch and the same bits in every run.
template <class Exec, class Source, class Finish>
struct SumPartials {
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<512, 1>>;
  using L = Lanes<Exec>;
  static constexpr int count = Source::count, team_size = 512, warps = team_size / L::size, max_teams = 128;
  static constexpr std::size_t blocks_per_team = team_size;
  /// Up to here one team adds all blocks: no team waits for others. H100, 2026-11, in a graph, 3 sums per block and 2 of
  /// half as many: 3.3 us for 1024 blocks, 3.9 for 4096; by several teams 4.9 for either.
  static constexpr std::size_t max_blocks_of_one_team = 4096;

  Source source;
  double* team_sums;  // [max_teams * count]
  unsigned* arrived;  // 0 between launches
  Finish finish;
  int teams;

  [[nodiscard]] static std::size_t scratch_bytes(std::size_t finish_doubles) {
    return (static_cast<std::size_t>(warps) * count + 1 + finish_doubles) * sizeof(double);
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto* const scratch = static_cast<double*>(team.team_scratch(0).get_shmem_aligned(
        static_cast<int>((warps * count + 1) * sizeof(double)), alignof(double)));
    double sums[count] = {};
    auto const rank = static_cast<std::size_t>(team.league_rank());
    source.add(rank, static_cast<std::size_t>(teams), static_cast<std::size_t>(team.team_rank()), team_size,
               sums);
    sum_over_team<L, team_size>(team, sums, scratch);
    if (teams > 1) {
      auto* const flag = reinterpret_cast<int*>(scratch + warps * count);
      auto const store = [&] {
        for (int j = 0; j < count; ++j) team_sums[rank * count + static_cast<std::size_t>(j)] = sums[j];
      };
      if (!is_last_team<L>(team, arrived, teams, flag, store)) return;
      for (int j = 0; j < count; ++j) {
        sums[j] = 0;
        if (team.team_rank() < teams)
          sums[j] = team_sums[static_cast<std::size_t>(team.team_rank()) * count + static_cast<std::size_t>(j)];
      }
      sum_over_team<L, team_size>(team, sums, scratch);
      if (team.team_rank() == 0) *arrived = 0;
    }
    finish(team, sums, scratch + warps * count + 1);
  }
};

/// The same on the host, where blocks are few: one thread adds all.
template <class Source, class Step>
struct SumPartialsHost {
  Source source;
  Step step;

  void operator()(int) const {
    double sums[Source::count] = {};
    source.add(0, 1, 0, 1, sums);
    step(sums);
  }
};

}  // namespace detail

/// The workspace of sum_partials(). Usable by one execution space instance at a time.
template <class Device>
class SumSpace {
 public:
  static constexpr int max_sums = detail::max_sums_of_pass + detail::max_deferred_sums;

  SumSpace() = default;
  /// @param size the maximal num_blocks * count of a fused pass
  /// @throws OutOfMemory
  template <class Exec>
  SumSpace(Exec const& exec, std::size_t size)
      : partials_(allocate<Kokkos::View<double*, Device>>(exec, "einkorn::SumSpace::partials", size)),
        team_sums_(allocate<Kokkos::View<double*, Device>>(exec, "einkorn::SumSpace::team_sums",
                                                           std::size_t(128) * max_sums)),
        arrived_(allocate_zeros<Kokkos::View<unsigned*, Device>>("einkorn::SumSpace::arrived", 1)) {}

  [[nodiscard]] Kokkos::View<double*, Device> const& partials() const { return partials_; }
  [[nodiscard]] Kokkos::View<double*, Device> const& team_sums() const { return team_sums_; }
  [[nodiscard]] Kokkos::View<unsigned*, Device> const& arrived() const { return arrived_; }
  [[nodiscard]] std::size_t bytes() const {
    return (partials_.extent(0) + team_sums_.extent(0)) * sizeof(double) + sizeof(unsigned);
  }

 private:
  Kokkos::View<double*, Device> partials_, team_sums_;
  Kokkos::View<unsigned*, Device> arrived_;
};

namespace detail {

/// One launch of SumPartials. finish_doubles: scratch of finish(). GPU.
template <class Exec, class Device, class Source, class Finish>
void launch_sum(Exec const& exec, char const* label, SumSpace<Device> const& space, Source const& source,
                Finish const& finish, std::size_t finish_doubles) {
  using Kernel = SumPartials<Exec, Source, Finish>;
  static_assert(Kernel::count <= SumSpace<Device>::max_sums);
  auto const teams =
      source.num_blocks <= Kernel::max_blocks_of_one_team
          ? std::size_t(1)
          : std::min<std::size_t>(ceil_div(source.num_blocks, Kernel::blocks_per_team), Kernel::max_teams);
  auto policy = typename Kernel::Policy(exec, static_cast<int>(teams), Kernel::team_size);
  auto const bytes = Kernel::scratch_bytes(finish_doubles) + alignof(double);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes)));
  launch_teams(
      label, light_weight(policy),
      Kernel{source, space.team_sums().data(), space.arrived().data(), finish, static_cast<int>(teams)});
}

/// sum_partials() of any source.
template <class Exec, class Device, class Source, class Step>
void sum_source(Exec const& exec, char const* label, SumSpace<Device> const& space, Source const& source,
                Step const& step) {
  if constexpr (is_gpu<Exec>)
    launch_sum(exec, label, space, source, InOneThread<Step>{step}, 0);
  else
    for_each_part(exec, label, 1, SumPartialsHost<Source, Step>{source, step});
}

}  // namespace detail

/// Calls step(totals) in one thread: totals[j] is the sum over all blocks of partials(block count + j).
/// @param step functor for kernels, step(double const* totals)
///
/// 1 launch, asynchronous on exec. The same bits in every run with the same num_blocks.
template <int count, class Exec, class Device, class Step>
void sum_partials(Exec const& exec, char const* label, SumSpace<Device> const& space,
                  Kokkos::View<double*, Device> const& partials, std::size_t num_blocks, Step const& step) {
  detail::sum_source(exec, label, space, detail::BlockSums<count>{partials.data(), num_blocks}, step);
}

/// The same for the partial sums of the workspace.
template <int count, class Exec, class Device, class Step>
void sum_partials(Exec const& exec, char const* label, SumSpace<Device> const& space, std::size_t num_blocks,
                  Step const& step) {
  sum_partials<count>(exec, label, space, space.partials(), num_blocks, step);
}

}  // namespace einkorn
