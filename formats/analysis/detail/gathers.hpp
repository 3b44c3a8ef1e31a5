// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/formats/analysis/detail/counters.hpp>
#include <einkorn/formats/analysis/detail/team_key_set.hpp>
#include <einkorn/formats/column_blocks/column_blocks_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

inline constexpr std::int64_t max_sampled_gathers = 256;  // windows
/// Matrices with fewer entries, and their x, stay in the second-level cache.
inline constexpr std::int64_t min_gather_entries = std::int64_t(1) << 20;

/// Counts for one window of consecutive entries: the distinct sectors of x that they read, by a hash table in team scratch,
/// and the entries whose column is in another block of columns than that of the entry before. A team
/// of the host has one thread.
template <class Exec, class Matrix, class Device>
struct SampleGathers {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Counters = StructureCounters<Device>;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr int window = 2048, slots = 2 * window, team_size = is_gpu<Exec> ? 256 : 1;
  static constexpr std::size_t scratch_bytes = (slots + 2) * sizeof(int);

  Matrix A;
  Counters counters;
  std::int64_t stride;  // entries between windows
  Ordinal sector_columns, block_columns;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::size_t const bytes = scratch_bytes;
    int const num_slots = slots;
    auto* const memory = static_cast<int*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(int)));
    int *const distinct = memory + num_slots, *const changes = distinct + 1;
    TeamKeySet const read(team, memory, num_slots);
    if (team.team_rank() == 0) *distinct = *changes = 0;
    team.team_barrier();
    auto const first = static_cast<std::int64_t>(team.league_rank()) * stride;
    auto const last = Kokkos::min(first + window, static_cast<std::int64_t>(A.nnz()));
    int new_sectors = 0, new_blocks = 0;
    for (auto k = first + team.team_rank(); k < last; k += team.team_size()) {
      auto const column = A.columns(static_cast<Offset>(k));
      if (read.insert(column / sector_columns)) ++new_sectors;
      if (k > first && A.columns(static_cast<Offset>(k - 1)) / block_columns != column / block_columns)
        ++new_blocks;
    }
    add_in_team<Exec>(distinct, new_sectors);
    add_in_team<Exec>(changes, new_blocks);
    team.team_barrier();
    if (team.team_rank() != 0) return;
    Kokkos::atomic_add(&counters.counts(Counters::gather_entries), last - first);
    Kokkos::atomic_add(&counters.counts(Counters::gather_sectors), static_cast<std::int64_t>(*distinct));
    Kokkos::atomic_add(&counters.counts(Counters::block_changes), static_cast<std::int64_t>(*changes));
  }
};

/// Samples at most 256 windows of 2048 entries. 1 launch.
template <class Exec, class Matrix, class Device>
void analyze_gathers(Exec const& exec, Matrix const& A, int block_columns,
                     StructureCounters<Device> const& counters) {
  using Functor = SampleGathers<Exec, Matrix, Device>;
  using Ordinal = typename Matrix::ordinal_type;
  auto const nnz = static_cast<std::int64_t>(A.nnz());
  auto const windows = std::clamp<std::int64_t>(nnz / Functor::window, 1, max_sampled_gathers);
  int const sector_columns = std::max(1, 32 / static_cast<int>(sizeof(typename Matrix::scalar_type)));
  Kokkos::TeamPolicy<Exec> policy(exec, static_cast<int>(windows), Functor::team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes + sizeof(int))));
  Kokkos::parallel_for("einkorn::structure[gathers]", policy,
                       Functor{A, counters, nnz / windows, static_cast<Ordinal>(sector_columns),
                               static_cast<Ordinal>(block_columns)});
}

}  // namespace einkorn::detail
