// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/fused_pass.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/solvers/cg/passes.hpp>
#include <einkorn/solvers/cg/state.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// Partial sums of `num_blocks` teams, `count` each.
struct TeamPartials {
  double const* partials;
  std::size_t num_blocks;
};

/// The update of CG with its sums taken at its head (GPU): every team adds up the partial sums of the product
/// and of the update before, takes both steps on a copy of the state in its scratch, and then does its share of
/// the sweep, whose loads are under way meanwhile. An iteration is so two launches, not four, which is most of
/// its time where a system is small; where it is large there are too many partial sums for every team to read.
/// All teams get the same bits; the first writes the state, to where none reads it: `after`, which is `before`
/// of the next iteration.
template <class Exec, class Vectors, class Publisher, int dots>
struct CgPrologueUpdate {
  static constexpr FusedPassTuning tuning = fused_pass_tuning(arch_of<Exec>);
  static constexpr int team_size = tuning.team_size, batch = 2, updates = CgUpdate<Vectors>::Sums::count;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tuning.team_size, tuning.min_teams_per_sm>>;
  using L = Lanes<Exec>;
  using Body = CgUpdate<Vectors>;
  static constexpr int warps = team_size / L::size, prologue_sums = dots + updates;
  static constexpr std::size_t scratch_bytes = sizeof(CgState) + warps * prologue_sums * sizeof(double);

  Vectors v;
  CgState const* before;
  CgState* after;
  TeamPartials of_product, of_update;
  double* partials;  // [league size * updates], not those of of_update
  Publisher publisher;
  std::size_t size;

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    std::size_t const bytes = scratch_bytes;
    auto* const scratch = static_cast<char*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(CgState)));
    auto& own = *reinterpret_cast<CgState*>(scratch);
    auto* const of_warps = reinterpret_cast<double*>(scratch + sizeof(CgState));
    Body const body{v, &own};
    auto const first = static_cast<std::size_t>(team.league_rank()) * (team_size * batch) +
                       static_cast<std::size_t>(team.team_rank());
    typename Body::Loaded loaded[batch];
    for (int u = 0; u < batch; ++u)
      if (first + static_cast<std::size_t>(u) * team_size < size)
        loaded[u] = body.load(first + static_cast<std::size_t>(u) * team_size, {});
    copy_state(team.team_rank(), own);
    double sums[prologue_sums] = {};
    add<dots>(team.team_rank(), of_product, sums);
    add<updates>(team.team_rank(), of_update, sums + dots);
    sum_over_team<L, team_size>(team, sums, of_warps);  // its barrier is that of copy_state() too
    if (team.team_rank() == 0) {
      bool const is_leader = team.league_rank() == 0;
      if (own.is_open) CgAfterUpdate<Publisher>{&own, is_leader ? publisher : Publisher{}}(sums + dots);
      CgAfterProduct<Publisher>{&own, is_leader ? publisher : Publisher{}, true}(sums);
      own.is_open = own.pending;
      if (is_leader) *after = own;
    }
    team.team_barrier();
    double of_thread[updates] = {};
    if (auto const scalars = body.begin(); scalars)
      for (int u = 0; u < batch; ++u)
        if (first + static_cast<std::size_t>(u) * team_size < size)
          body.store(first + static_cast<std::size_t>(u) * team_size, loaded[u], scalars, of_thread);
    sum_over_team<L, team_size>(team, of_thread, of_warps);
    if (team.team_rank() == 0)
      for (int j = 0; j < updates; ++j)
        partials[static_cast<std::size_t>(team.league_rank()) * updates + static_cast<std::size_t>(j)] =
            of_thread[j];
  }

  static std::size_t league_for(std::size_t size) {
    return (size + team_size * batch - 1) / (team_size * batch);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void copy_state(int thread, CgState& own) const {
    static_assert(sizeof(CgState) % sizeof(double) == 0 && sizeof(CgState) / sizeof(double) <= team_size);
    constexpr int words = sizeof(CgState) / sizeof(double);
    if (thread < words)
      reinterpret_cast<double*>(&own)[thread] = reinterpret_cast<double const*>(before)[thread];
  }
  template <int count>
  KOKKOS_FORCEINLINE_FUNCTION static void add(int thread, TeamPartials const& from, double* sums) {
    for (auto block = static_cast<std::size_t>(thread); block < from.num_blocks; block += team_size)
      for (int j = 0; j < count; ++j) sums[j] += from.partials[block * count + static_cast<std::size_t>(j)];
  }
};

}  // namespace einkorn::detail
