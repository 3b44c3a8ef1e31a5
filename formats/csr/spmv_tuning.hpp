// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <cstddef>

namespace einkorn {

/// The numbers of the CSR kernels. A structural type: kernels take it as a template argument.
struct SpmvTuning {
  int team_size;      ///< threads a team
  int teams_at_once;  ///< teams that a multiprocessor must have registers for
  int unroll;  ///< entries (row_team: a lane; segmented_sum: a thread) asked for before the first is used
  int columns_at_once;  ///< columns of a multivector that share one pass over A
};

/// row_team, with `lanes` lanes a row.
///
/// H200, double and float, 2026-11: up to 8 lanes a row is over after one or two batches, so what hides the
/// latency is many warps: 8 teams (32 registers a thread) gave 360 us on stencil27:160 where 6 gave 406, and
/// 418 us on stencil7:256 where 6 gave 463. From 16 lanes on rows are long and it is loads in flight: 8 of them
/// at 5 teams gave 284 us on band:1000000:101 where 4 at 8 teams gave 315.
constexpr SpmvTuning row_team_tuning(Arch arch, int lanes) {
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      return lanes <= 8 ? SpmvTuning{256, 8, 4, 4} : SpmvTuning{256, 5, 8, 4};
    case Arch::hip:
    case Arch::mi300:
      return lanes <= 8 ? SpmvTuning{256, 4, 4, 4} : SpmvTuning{256, 2, 8, 4};  // analytical, not measured
    default:
      return {1, 1, 1, 4};  // the host takes nothing from here but columns_at_once
  }
}

/// segmented_sum; a tile has team_size * unroll steps.
///
/// H200, 2026-11: 6 teams of 8 entries a thread (40 registers) before 4 or 5 teams, and before 4 entries.
/// 17 KB of scratch a team for double: 6 teams take 102 of 228 KB.
constexpr SpmvTuning segmented_sum_tuning(Arch arch, std::size_t sum_bytes) {
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      return {256, sum_bytes > 8 ? 3 : 6, 8, 1};
    case Arch::hip:
    case Arch::mi300:
      return {256, 2, sum_bytes > 8 ? 4 : 8, 1};  // analytical, not measured: 64 KB of LDS a compute unit
    default:
      return {1, 1, 1, 1};
  }
}

/// Lanes that share a row of `mean` entries: the fewest that ask for the row in one batch each.
constexpr int lanes_for_row(Arch arch, double mean) {
  int const most = lockstep_lanes(arch);
  int lanes = 1;
  while (lanes < most && lanes * row_team_tuning(arch, lanes).unroll < mean) lanes *= 2;
  return lanes;
}

}  // namespace einkorn
