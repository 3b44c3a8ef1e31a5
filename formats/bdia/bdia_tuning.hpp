// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn {

/// Empty diagonals between two runs that from_csr stores to make one band of them. An empty diagonal costs
/// num_rows values from memory in every SpMV; one band more costs num_rows of x, which come from the second
/// cache. So none are. Analytical, not measured.
inline constexpr std::int64_t default_max_gap = 0;

/// The numbers of the bDIA kernel. A structural type: kernels take it as a template argument.
struct BdiaTuning {
  int team_size;         ///< threads a team
  int rows_per_thread;   ///< team_size rows apart
  int min_teams_per_sm;  ///< teams that a multiprocessor must have registers for
  int unroll;  ///< diagonals whose values a thread asks for in one batch; the next batch is under way then
  int columns_at_once;  ///< columns of a multivector that share one pass over the matrix
  int window_bytes;     ///< scratch of a team for windows of x, at most (but for one diagonal at least)
};

/// Measured on an H200 (2026-11, cold) against 7 to 11 other shapes for one vector in float and double. One
/// band: teams of 128 threads with two rows each are 1 to 2 % faster than those of 256, one row a thread 10 to
/// 20 % slower. Several bands: the windows of neighbouring teams overlap in each, and four rows a thread, so
/// that fewer teams stage them, are 3 % (27 points, double) to 12 % (7 points, float) faster than two. Each
/// thread has 32 to 64 bytes of values in flight and as many asked for before they are used up; twice as many
/// need too many registers (20 % slower). Not measured: several columns, which have a window each, so one row a
/// thread.
constexpr BdiaTuning bdia_tuning(Arch arch, std::size_t scalar_bytes, bool several_columns,
                                 bool several_bands) {
  int const unroll = (scalar_bytes > 8 ? 2 : scalar_bytes > 4 ? 4 : 8) * (several_columns ? 2 : 1);
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      if (several_columns) return {256, 1, 4, unroll, 4, 40 * 1024};
      if (several_bands) return {256, 4, 3, unroll, 1, 40 * 1024};
      return {128, 2, 8, unroll, 1, 20 * 1024};
    case Arch::hip:
    case Arch::mi300:  // analytical, not measured; 64 KB of LDS a compute unit
      return {256, several_columns ? 1 : 2, 2, unroll, several_columns ? 4 : 1, 24 * 1024};
    default:
      return {1, 1, 1, 1, 1, 1024};
  }
}

}  // namespace einkorn
