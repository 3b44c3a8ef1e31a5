// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <cstddef>

namespace einkorn {

inline constexpr int smallest_block = 2, largest_block = 8;  ///< what detect_block_size chooses from
inline constexpr int largest_block_size = 64;                ///< what from_csr takes

/// The numbers of the BSR kernels. A structural type: kernels take it as a template argument.
struct BsrTuning {
  int team_size;         ///< threads a team
  int min_teams_per_sm;  ///< teams that a multiprocessor must have registers for
  int unroll;            ///< blocks that a lane asks for before it uses the first
  int columns_at_once;   ///< columns of a multivector that share one pass over the matrix
};

/// For groups of `lanes` lanes a block row; `vectors` is 1 for one vector, more for a multivector.
///
/// A batch of `unroll` blocks costs two round trips to memory (values and columns, then x), so it is many warps
/// that hide the latency. H200, double, 2026-11, cold: with 32 lanes batches of 3 at 6 teams (40 registers)
/// were the fastest of six shapes, or within 2 % of it, for b = 3, 5, 6, 7, 8 on meshes and on blocks spread at
/// random (b = 3: 182 us where batches of 5 took 232; b = 6: 141 where 8 teams took 166). Multivectors and
/// 16-byte sums: analytical, not measured.
constexpr BsrTuning bsr_tuning(Arch arch, int lanes, std::size_t sum_bytes, int vectors) {
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      if (vectors > 1) return {256, sum_bytes > 8 ? 2 : 3, sum_bytes > 8 ? 2 : 3, 4};
      if (sum_bytes > 8) return {256, 4, 2, 4};
      return {256, 6, lanes < 32 ? 4 : 3, 4};
    case Arch::hip:
    case Arch::mi300:
      if (vectors > 1) return {256, 1, 2, 4};
      return {256, 2, sum_bytes > 8 ? 2 : 4, 4};
    default:
      return {1, 1, 1, 4};  // the host takes nothing from here but columns_at_once
  }
}

/// Block rows that a group of lanes takes one after another, so that a team meets more of its x in the first
/// cache, and the teams below which it takes one, so that every multiprocessor has several. H200: 4 to
/// 20 % faster up to b = 6, up to 3 % slower beyond.
constexpr int block_rows_per_group(int b) {
  return b <= 6 ? 4 : 1;
}
inline constexpr int min_block_row_teams = 4096;

/// How `lanes` neighbouring threads lie over blocks of b x b. Lane l < used_lanes holds element (l / b % rows,
/// l % b) of the block in slot l / (rows * b), and the elements rows, 2 rows, ... below it. So neighbouring
/// lanes read neighbouring values, and a lane needs one entry of x a block.
template <int b, int lanes>
struct BlockLanes {
  static_assert(lanes >= b, "einkorn::BlockLanes: a row of a block needs a lane for each column");
  static constexpr int max_rows = lanes / b < b ? lanes / b : b;
  static constexpr int values_per_lane = (b + max_rows - 1) / max_rows;
  static constexpr int rows = (b + values_per_lane - 1) / values_per_lane;  // side by side
  static constexpr int slots = values_per_lane == 1 ? lanes / (b * b) : 1;  // blocks at once
  static constexpr int used_lanes = slots * rows * b;
};

/// Lanes that share a block row of `mean` blocks: few where that asks for the row in one batch (b = 4: two), so
/// that short block rows leave no lane without work; otherwise 32. The widths are those that the kernel is
/// instantiated for: more would be more code for little.
template <int b>
constexpr int lanes_for_block_row(Arch arch, std::size_t sum_bytes, double mean) {
  auto const batch = [&](int lanes, int slots) { return slots * bsr_tuning(arch, lanes, sum_bytes, 1).unroll; };
  if constexpr (b <= 2)
    if (mean <= batch(8, BlockLanes<b, 8>::slots)) return 8;
  if constexpr (b == 2 || b == 3)
    if (mean <= batch(16, BlockLanes<b, 16>::slots)) return 16;
  if constexpr (b == 4)
    if (mean <= 2 * batch(16, BlockLanes<b, 16>::slots)) return 16;
  return 32;
}

}  // namespace einkorn
