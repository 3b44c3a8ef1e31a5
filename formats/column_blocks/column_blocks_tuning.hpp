// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <cstddef>

namespace einkorn {

/// Layout of the chunks of a ColumnBlocks.
struct ColumnBlocksShape {
  int lanes = 1;    ///< lanes of the warp that computes a chunk
  int entries = 1;  ///< entries per chunk, a multiple of lanes
  int columns = 1;  ///< columns per block
  int slots = 1;    ///< partial sums per bin of rows
  /// Limit of the partial sums of one row; the rest of its bin is for other rows.
  [[nodiscard]] constexpr int max_row_sums() const { return slots / 4 * 3; }
  friend bool operator==(ColumnBlocksShape const&, ColumnBlocksShape const&) = default;
};

/// A code of a ColumnBlocks: an index of 15 bits, and the flag of the last entry of a partial sum or row.
struct ChunkCode {
  static constexpr unsigned end_flag = 0x8000u, index_mask = 0x7fffu;
};

/// Parameters of conversion and kernels.
struct ColumnBlocksTuning {
  int x_bytes;           ///< bytes of x per block, for scalars of at least 8 bytes
  int sum_bytes;         ///< bytes of partial sums per bin, likewise
  int max_blocks;        ///< limit of the number of column blocks: their table in scratch
  int entries_per_lane;  ///< entries of a chunk per lane
  int x_team_size;       ///< threads per team of the first pass
  int x_teams_per_sm;    ///< second argument of the launch bounds
  int sum_team_size;     ///< the same for the second pass
  int sum_teams_per_sm;
  int max_few_sums;  ///< chunks with at most this many partial sums have contiguous entries per lane
};

/// Hopper: H100, 2026-11, us for R-MAT of 2^21 rows, power-law rows (4e6 x 12 and 8e6 x 3 entries), few long rows (24e6
/// entries): 267, 594, 385, 137. With 108 KB of x for 2 teams of 512 threads, sums of 50 KB for 4 teams (32 registers):
/// 285, 652, 441, 139. With sums of 104 KB for 2 teams of 1024 threads: 277, 620, 406, 137. Not measured: other GPUs, by
/// their scratch per team (96 KB, AMD 64 KB), and hosts.
constexpr ColumnBlocksTuning column_blocks_tuning(Arch arch) {
  switch (arch) {
    case Arch::hopper:
      return {216000, 66000, 4096, 8, 1024, 1, 512, 3, 32};
    case Arch::cuda:
      return {96000, 40000, 2048, 8, 1024, 1, 512, 2, 32};
    case Arch::hip:
    case Arch::mi300:
      return {32768, 24000, 1024, 8, 512, 1, 256, 1, 64};
    default:
      return {32768, 16384, 2048, 1024, 1, 1, 1, 1, 1024};
  }
}

/// The chunks and blocks for a matrix and vectors of scalars of at most `scalar_bytes`.
constexpr ColumnBlocksShape column_blocks_shape(Arch arch, std::size_t scalar_bytes) {
  auto const tuning = column_blocks_tuning(arch);
  int const lanes = lockstep_lanes(arch);
  int const bytes = scalar_bytes > 8 ? static_cast<int>(scalar_bytes) : 8;
  return {lanes, lanes * tuning.entries_per_lane, tuning.x_bytes / bytes, tuning.sum_bytes / bytes};
}

}  // namespace einkorn
