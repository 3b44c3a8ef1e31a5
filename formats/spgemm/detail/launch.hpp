// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/spgemm/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// One launch of a functor whose groups, of functor.lanes lanes at least, or a whole team, take an item each. A
/// team has whole warps of groups; where their scratch is more than a team may take, groups get more lanes.
template <bool whole_team, class Exec, class Functor>
void launch_groups(Exec const& exec, char const* label, Functor functor, std::int64_t num_items,
                   std::size_t bytes) {
  if (num_items == 0) return;
  SpgemmTuning const tuning = spgemm_tuning(arch_of<Exec>);
  int groups = 1, team_size = std::min(2, static_cast<int>(exec.concurrency()));
  if constexpr (is_gpu<Exec>) {
    team_size = tuning.threads;
    if constexpr (!whole_team) {
      constexpr int of_a_warp = lockstep_lanes(arch_of<Exec>);
      int& lanes = functor.lanes;
      while (lanes < of_a_warp && bytes * static_cast<std::size_t>(of_a_warp / lanes) > tuning.scratch)
        lanes *= 2;
      int const at_once = of_a_warp / lanes, fit = static_cast<int>(tuning.scratch / bytes);
      groups = std::clamp(fit - fit % at_once, at_once, tuning.threads / lanes);
      team_size = groups * lanes;
    }
  } else if constexpr (!whole_team) {
    team_size = 1;
  }
  auto const teams = (num_items + groups - 1) / groups;
  typename Functor::Policy policy(exec, static_cast<int>(teams), team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes * static_cast<std::size_t>(groups) + 16)));
  Kokkos::parallel_for(label, light_weight(policy), functor);
}

}  // namespace einkorn::detail
