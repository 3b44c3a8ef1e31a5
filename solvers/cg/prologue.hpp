// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/fused_pass.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/solvers/cg/passes.hpp>
#include <einkorn/solvers/cg/state.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// Partial sums of num_blocks teams.
struct TeamPartials {
  double const* partials;
  std::size_t num_blocks;
};

/// The update of CG with a reduction prologue (GPU). Every team adds up the partial sums of the product and of
/// the previous update, runs both steps on a copy of the state in scratch, and then its part of the pass, whose
/// loads it has issued before. An iteration has two launches instead of four. Since it loads before it knows
/// whether x is deferred, x is read in every iteration: 6 and 7 n-vectors by turns. For large systems every
/// team would read too many partial sums. All teams compute the same bits; the first writes the state to
/// `after`, which no team reads: it is `before` of the next iteration.
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
  TeamPartials product_partials, update_partials;
  double* partials;  // [league size * updates], not those of update_partials
  Publisher publisher;
  std::size_t size;

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    std::size_t const bytes = scratch_bytes;
    auto* const scratch = static_cast<char*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(CgState)));
    auto& local_state = *reinterpret_cast<CgState*>(scratch);
    auto* const warp_sums = reinterpret_cast<double*>(scratch + sizeof(CgState));
    Body const body{v, &local_state};
    auto const first = static_cast<std::size_t>(team.league_rank()) * (team_size * batch) +
                       static_cast<std::size_t>(team.team_rank());
    typename Body::Loaded loaded[batch];
    for (int u = 0; u < batch; ++u)
      if (first + static_cast<std::size_t>(u) * team_size < size)
        loaded[u] = body.load(first + static_cast<std::size_t>(u) * team_size, {});
    copy_state(team.team_rank(), local_state);
    double sums[prologue_sums] = {};
    add<dots>(team.team_rank(), product_partials, sums);
    add<updates>(team.team_rank(), update_partials, sums + dots);
    sum_over_team<L, team_size>(team, sums, warp_sums);  // its barrier also orders copy_state()
    if (team.team_rank() == 0) {
      bool const is_leader = team.league_rank() == 0;
      if (local_state.sums_pending)
        CgAfterUpdate<Publisher>{&local_state, is_leader ? publisher : Publisher{}}(sums + dots);
      CgAfterProduct<Publisher>{&local_state, is_leader ? publisher : Publisher{}, true}(sums);
      local_state.sums_pending = local_state.in_iteration;
      if (is_leader) *after = local_state;
    }
    team.team_barrier();
    double thread_sums[updates] = {};
    if (auto const scalars = body.begin(); scalars)
      for (int u = 0; u < batch; ++u)
        if (first + static_cast<std::size_t>(u) * team_size < size)
          body.store(first + static_cast<std::size_t>(u) * team_size, loaded[u], scalars, thread_sums);
    sum_over_team<L, team_size>(team, thread_sums, warp_sums);
    if (team.team_rank() == 0)
      for (int j = 0; j < updates; ++j)
        partials[static_cast<std::size_t>(team.league_rank()) * updates + static_cast<std::size_t>(j)] =
            thread_sums[j];
  }

  static std::size_t league_for(std::size_t size) { return ceil_div<std::size_t>(size, team_size * batch); }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void copy_state(int thread, CgState& local_state) const {
    static_assert(sizeof(CgState) % sizeof(double) == 0 && sizeof(CgState) / sizeof(double) <= team_size);
    constexpr int words = sizeof(CgState) / sizeof(double);
    if (thread < words)
      reinterpret_cast<double*>(&local_state)[thread] = reinterpret_cast<double const*>(before)[thread];
  }
  template <int count>
  KOKKOS_FORCEINLINE_FUNCTION static void add(int thread, TeamPartials const& from, double* sums) {
    for (auto block = static_cast<std::size_t>(thread); block < from.num_blocks; block += team_size)
      for (int j = 0; j < count; ++j) sums[j] += from.partials[block * count + static_cast<std::size_t>(j)];
  }
};

}  // namespace einkorn::detail
