// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <cstddef>

namespace einkorn {

/// Parameters of the COO kernel on a GPU: one part of the entries per warp. A structural type, used as a
/// template argument.
struct CooTuning {
  int team_size;         ///< threads per team
  int min_teams_per_sm;  ///< minimum resident teams per multiprocessor (limits registers)
  int unroll;            ///< steps of one entry per lane that are loaded before the first is used
};

/// Columns of a multivector per pass over the matrix on a GPU; the plan has a carry for each.
inline constexpr int coo_columns_at_once = 4;

/// Analytical, not measured. A warp loads nothing while it combines steps by shuffles; other warps hide this
/// latency. Hence 4 steps (64 bytes per lane for double and int) with 48 registers rather than 8 steps. With
/// several columns a step has one product per column, so that 2 steps need as many registers.
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

/// Steps per part on a GPU. Analytical, not measured: a part costs 3 reads of rows and one carry, 1 % of the
/// bytes of its entries for 32 steps of double and int. An H200 runs 5000 warps of this kernel at once; a
/// matrix with fewer than 3 parts for each of them has shorter parts. A multiple of every unroll above.
constexpr int coo_steps_per_part(std::size_t nnz, int lanes) {
  int steps = 32;
  while (steps > 8 && nnz / static_cast<std::size_t>(lanes * steps) < 16384) steps /= 2;
  return steps;
}

/// Maximum run of empty rows that a lane of the product kernel scales by beta itself, which saves a pass over
/// y. If there is a longer run, or more rows than entries, a separate kernel scales y first. Analytical, not
/// measured: as many writes as lanes of a warp.
inline constexpr int coo_max_gap = 32;

}  // namespace einkorn
