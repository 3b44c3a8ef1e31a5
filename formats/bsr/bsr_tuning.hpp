// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn {

inline constexpr int min_detected_block_size = 2, max_detected_block_size = 8;  ///< of detect_block_size()
inline constexpr int max_block_size = 64;                                       ///< of from_csr()

/// Parameters of the BSR kernels. A structural type: a template argument of the kernels.
struct BsrTuning {
  int team_size;         ///< threads per team
  int min_teams_per_sm;  ///< second argument of Kokkos::LaunchBounds
  int unroll;            ///< blocks that a lane loads before it uses the first
  int columns_at_once;   ///< columns of a multivector per pass over the matrix
};

/// Tuning for `lanes` lanes per block row. A batch of `unroll` blocks has two dependent loads (values and
/// columns, then x), so that many warps are needed to hide the latency. H200, double, 2026-11, cold: with 32
/// lanes, batches of 3 at 6 teams (40 registers) were the fastest of six configurations, or within 2 % of it,
/// for b = 3, 5, 6, 7, 8 on meshes and on random blocks (b = 3: 182 us, batches of 5: 232 us; b = 6: 141 us, 8
/// teams: 166 us). Multivectors and 16-byte sums: analytical, not measured.
/// @param vectors 1 for one vector, more for a multivector
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
      return {1, 1, 1, 4};  // the host uses columns_at_once only
  }
}

/// Block rows that a group of lanes computes in sequence, so that a team reuses more of x in the first-level
/// cache. With fewer than min_block_row_teams teams a group computes one, so that every multiprocessor has
/// several teams. H200: 4 to 20 % faster up to b = 6, up to 3 % slower beyond.
constexpr int block_rows_per_group(int b) {
  return b <= 6 ? 4 : 1;
}
inline constexpr int min_block_row_teams = 4096;

/// The assignment of `lanes` neighbouring threads to blocks of b x b. Lane l < used_lanes has the element (l /
/// b % rows, l % b) of the block in slot l / (rows * b), and the elements rows, 2 rows, ... below it.
/// Neighbouring lanes read neighbouring values, and a lane needs one entry of x per block.
template <int b, int lanes>
struct BlockLanes {
  static_assert(lanes >= b, "einkorn::BlockLanes: a row of a block needs a lane for each column");
  static constexpr int max_rows = lanes / b < b ? lanes / b : b;
  static constexpr int values_per_lane = ceil_div(b, max_rows);
  static constexpr int rows = ceil_div(b, values_per_lane);                 // side by side
  static constexpr int slots = values_per_lane == 1 ? lanes / (b * b) : 1;  // blocks at once
  static constexpr int used_lanes = slots * rows * b;
};

/// Lanes per block row for a mean of `mean` blocks: fewer than 32 if these load the block row in one batch (b =
/// 4: two batches), so that short block rows leave no lanes idle. Only the values returned here are
/// instantiated.
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

namespace einkorn::detail {

/// Whether kernels are compiled for the block size: with_block_size() passes it on.
constexpr bool is_known_block_size(int block_size) {
  return block_size >= 1 && block_size <= 8;
}

/// Calls body(integral_constant<int, b>) for the block sizes known at compile time, with 0 for others.
template <class Body>
void with_block_size(int block_size, Body const& body) {
  switch (block_size) {
    case 1:
      return body(std::integral_constant<int, 1>());
    case 2:
      return body(std::integral_constant<int, 2>());
    case 3:
      return body(std::integral_constant<int, 3>());
    case 4:
      return body(std::integral_constant<int, 4>());
    case 5:
      return body(std::integral_constant<int, 5>());
    case 6:
      return body(std::integral_constant<int, 6>());
    case 7:
      return body(std::integral_constant<int, 7>());
    case 8:
      return body(std::integral_constant<int, 8>());
    default:
      return body(std::integral_constant<int, 0>());
  }
}

}  // namespace einkorn::detail
