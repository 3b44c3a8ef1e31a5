// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

namespace einkorn::detail {

/// The maximal number of sums per barrier of a cooperative launch.
inline constexpr int max_cooperative_sums = 8;
/// The size of CooperativeMember::state() in bytes.
inline constexpr int max_cooperative_state = 512;

/// The ranks of a thread in a league of teams without barriers and scratch.
class VirtualTeam {
 public:
  KOKKOS_FUNCTION VirtualTeam(int league_rank, int league_size, int team_rank, int team_size)
      : league_rank_(league_rank), league_size_(league_size), team_rank_(team_rank), team_size_(team_size) {}
  KOKKOS_FUNCTION int league_rank() const { return league_rank_; }
  KOKKOS_FUNCTION int league_size() const { return league_size_; }
  KOKKOS_FUNCTION int team_rank() const { return team_rank_; }
  KOKKOS_FUNCTION int team_size() const { return team_size_; }

 private:
  int league_rank_, league_size_, team_rank_, team_size_;
};

}  // namespace einkorn::detail
