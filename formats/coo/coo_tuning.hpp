// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <cstddef>

namespace einkorn {

/// The numbers of the COO kernel on a GPU: one part of the entries a warp. A structural type: kernels take it
/// as a template argument.
struct CooTuning {
  int team_size;         ///< threads a team
  int min_teams_per_sm;  ///< teams that a multiprocessor must have registers for
  int unroll;            ///< steps of one entry a lane that are asked for before the first is used
};

/// Columns of a multivector that share one pass over the matrix on a GPU; the plan has a carry for each.
inline constexpr int coo_columns_at_once = 4;

/// Analytical, not measured. Steps are joined by shuffles, during which a warp asks for nothing: what hides
/// that is other warps, so 4 steps (64 bytes a lane for double and int) and 48 registers before 8 steps. With
/// several columns a step holds as many products as there are columns: 2 steps are as much.
constexpr CooTuning coo_tuning(Arch arch, std::size_t sum_bytes, bool several_columns) {
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      if (several_columns) return {256, sum_bytes > 8 ? 2 : 4, 2};
      return {256, sum_bytes > 8 ? 3 : 5, 4};
    default:
      return {256, 2, several_columns ? 2 : 4};
  }
}

/// Steps a part on a GPU. Analytical, not measured: each part costs 3 reads of rows and one sum to be carried,
/// 1 % of its entries' bytes for 32 steps of double and int; but an H200 holds 5000 warps of this kernel, so
/// that a matrix of less than 3 parts for each is cut into shorter ones. Multiples of every unroll above.
constexpr int coo_steps_per_part(std::size_t nnz, int lanes) {
  int steps = 32;
  while (steps > 8 && nnz / static_cast<std::size_t>(lanes * steps) < 16384) steps /= 2;
  return steps;
}

/// Up to so many neighbouring rows without entry are put to beta y by the lane that meets the gap, which saves
/// one pass over y; a longer gap anywhere, or more rows than entries, and a kernel of its own scales y first.
/// Analytical, not measured: as many writes as lanes of a warp.
inline constexpr int coo_max_gap = 32;

}  // namespace einkorn
