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
  int team_size;        ///< threads a team
  int teams_at_once;    ///< teams that a multiprocessor must have registers for
  int unroll;           ///< blocks that a lane asks for before it uses the first
  int columns_at_once;  ///< columns of a multivector that share one pass over the matrix
};

/// For a lane that holds `values_a_lane` values of each of its blocks; `vectors` is 1 for one vector, more for
/// a multivector.
///
/// Analytical, not measured: a batch of `unroll` blocks costs two round trips to memory (values and columns,
/// then x), so a block row should be over after one to three batches, and the registers of a batch, 2 (double)
/// a value and for x and 1 a column, leave 5 teams or more. 27 blocks of 3 x 3, three at a time, are nine
/// steps: two batches of 5. A multiprocessor then has some 1280 threads * 5 * 8 = 50 KB in flight, where
/// latency times bandwidth of an H200 is about 25 KB. 16-byte sums and multivectors hold as many registers with
/// less.
constexpr BsrTuning bsr_tuning(Arch arch, int values_a_lane, std::size_t sum_bytes, int vectors) {
  int const unroll = values_a_lane == 1 ? 5 : 4;
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      if (vectors > 1) return {256, sum_bytes > 8 ? 2 : 3, sum_bytes > 8 ? 2 : 3, 4};
      return {256, sum_bytes > 8 ? 4 : 5, sum_bytes > 8 ? 2 : unroll, 4};
    case Arch::hip:
    case Arch::mi300:
      if (vectors > 1) return {256, 1, 2, 4};
      return {256, 2, sum_bytes > 8 ? 2 : 4, 4};
    default:
      return {1, 1, 1, 4};  // the host takes nothing from here but columns_at_once
  }
}

/// How `lanes` neighbouring threads lie over blocks of b x b. Lane l < used_lanes holds element (l / b % rows,
/// l % b) of the block in slot l / (rows * b), and the elements rows, 2 rows, ... below it. So neighbouring
/// lanes read neighbouring values, and a lane needs one entry of x a block.
template <int b, int lanes>
struct BlockLanes {
  static_assert(lanes >= b, "einkorn::BlockLanes: a row of a block needs a lane for each column");
  static constexpr int most_rows = lanes / b < b ? lanes / b : b;
  static constexpr int values_a_lane = (b + most_rows - 1) / most_rows;
  static constexpr int rows = (b + values_a_lane - 1) / values_a_lane;    // side by side
  static constexpr int slots = values_a_lane == 1 ? lanes / (b * b) : 1;  // blocks at once
  static constexpr int used_lanes = slots * rows * b;
};

/// Lanes that share a block row of `mean` blocks: few where that asks for the row in one batch, so that short
/// block rows leave no lane without work; otherwise 32. Analytical, not measured. The widths are those that the
/// kernel is instantiated for: more would be more code for little.
template <int b>
constexpr int lanes_for_block_row(Arch arch, std::size_t sum_bytes, double mean) {
  auto const batch = [&](int slots) { return slots * bsr_tuning(arch, 1, sum_bytes, 1).unroll; };
  if constexpr (b <= 2)
    if (mean <= batch(BlockLanes<b, 8>::slots)) return 8;
  if constexpr (b == 2)
    if (mean <= batch(BlockLanes<b, 16>::slots)) return 16;
  if constexpr (b == 3 || b == 4)
    if (mean <= batch(BlockLanes<b, 16>::slots)) return 16;
  return 32;
}

}  // namespace einkorn
