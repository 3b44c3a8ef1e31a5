// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/spgemm/detail/row_group.hpp>
#include <einkorn/formats/spgemm/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Sets batch.groups and, if the scratch of a team of whole warps of groups exceeds SpgemmTuning::max_team_scratch,
/// increases batch.lanes. bytes: scratch per group.
template <class Exec>
void fit_batch_into_team([[maybe_unused]] SpgemmTuning const& tuning, [[maybe_unused]] std::size_t bytes,
                         RowBatch& batch) {
  batch.groups = 1;
  if (batch.lanes == 0) return;
  if constexpr (is_gpu<Exec>) {
    constexpr int warp_lanes = lockstep_lanes(arch_of<Exec>);
    while (batch.lanes < warp_lanes &&
           bytes * static_cast<std::size_t>(warp_lanes / batch.lanes) > tuning.max_team_scratch)
      batch.lanes *= 2;
    int const groups_per_warp = warp_lanes / batch.lanes,
              max_groups = static_cast<int>(tuning.max_team_scratch / bytes);
    batch.groups =
        std::clamp(max_groups - max_groups % groups_per_warp, groups_per_warp, tuning.team_size / batch.lanes);
  }
}

template <class Exec, class Functor>
void launch_row_teams(Exec const& exec, char const* label, Functor const& functor, int teams, int threads,
                      std::size_t scratch) {
  typename Functor::Policy policy(exec, teams, threads);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch)));
  Kokkos::parallel_for(label, light_weight(policy), functor);
}

/// Launches a functor over functor.batches. functor.bytes_of(batch): scratch per group. A batch whose teams fill a GPU
/// several times has its own launch, with the threads and the scratch that it needs; the others run concurrently in
/// one launch, before. Asynchronous.
template <class Exec, class Functor>
void launch_batches(Exec const& exec, char const* label, Functor functor) {
  constexpr std::int64_t many_teams = 4096;
  SpgemmTuning const tuning = spgemm_tuning(arch_of<Exec>);
  int const full_team = is_gpu<Exec> ? tuning.team_size : std::min(2, static_cast<int>(exec.concurrency()));
  auto const all = functor.batches;
  int teams = 0, threads = 0;
  std::size_t scratch = 0;
  auto const add = [&](RowBatch batch) {
    batch.first_team = teams;
    teams += static_cast<int>(ceil_div(batch.num_items, batch.groups));
    threads = std::max(threads, batch.lanes > 0 ? batch.groups * batch.lanes : full_team);
    scratch = std::max(scratch, functor.bytes_of(batch) * static_cast<std::size_t>(batch.groups) + 16);
    functor.batches.add(batch);
  };
  auto const launch = [&] {
    if (teams > 0) launch_row_teams(exec, label, functor, teams, threads, scratch);
    functor.batches.size = teams = threads = 0;
    scratch = 0;
  };
  RowBatches<Functor::max_batches> large;
  functor.batches.size = 0;
  for (int b = 0; b < all.size; ++b) {
    RowBatch batch = all.batches[b];
    fit_batch_into_team<Exec>(tuning, functor.bytes_of(batch), batch);
    if (ceil_div(batch.num_items, batch.groups) > many_teams)
      large.add(batch);
    else
      add(batch);
  }
  launch();
  for (int b = 0; b < large.size; ++b) {
    add(large.batches[b]);
    launch();
  }
}

/// One launch of a functor that computes one item per group of at least functor.lanes lanes, which may increase.
/// bytes: scratch per group.
template <class Exec, class Functor>
void launch_groups(Exec const& exec, char const* label, Functor functor, std::int64_t num_items,
                   std::size_t bytes) {
  if (num_items == 0) return;
  SpgemmTuning const tuning = spgemm_tuning(arch_of<Exec>);
  RowBatch batch;
  batch.lanes = functor.lanes;
  fit_batch_into_team<Exec>(tuning, bytes, batch);
  functor.lanes = batch.lanes;
  launch_row_teams(exec, label, functor, static_cast<int>(ceil_div(num_items, batch.groups)),
                   batch.groups * batch.lanes, bytes * static_cast<std::size_t>(batch.groups) + 16);
}

}  // namespace einkorn::detail
