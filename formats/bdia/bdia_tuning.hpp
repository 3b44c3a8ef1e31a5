// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn {

/// Maximum number of empty diagonals that from_csr stores to join two runs of diagonals into one band. An empty
/// diagonal costs num_rows values from memory per SpMV; an additional band costs num_rows entries of x from the
/// L2 cache. Hence 0. Analytical, not measured.
inline constexpr std::int64_t default_max_gap = 0;

/// Parameters of the bDIA kernel. A structural type, used as a template argument.
struct BdiaTuning {
  int team_size;         ///< threads per team
  int rows_per_thread;   ///< at a distance of team_size rows
  int min_teams_per_sm;  ///< minimum resident teams per multiprocessor (limits registers)
  int unroll;            ///< diagonals per batch of values; the next batch is loaded before this one is used
  int columns_at_once;   ///< columns of a multivector per pass over the matrix
  int window_bytes;      ///< maximum scratch for windows of x (but at least the window of one diagonal)
};

/// H200, 2026-11, cold, against 7 to 11 other shapes for one vector in float and double. One band: teams of 128
/// threads with two rows each are 1 to 2 % faster than teams of 256; one row per thread is 10 to 20 % slower.
/// Several bands: the windows of adjacent teams overlap in each band; four rows per thread, with fewer teams to
/// stage them, are 3 % (27 points, double) to 12 % (7 points, float) faster than two. A thread has two batches
/// of 32 to 64 bytes of values in flight; twice as many need too many registers (20 % slower). Several columns
/// have a window each, hence one row per thread: not measured.
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
