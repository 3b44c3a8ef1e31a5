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
  int team_size;      ///< threads a team
  int rows_a_thread;  ///< team_size rows apart
  int teams_at_once;  ///< teams that a multiprocessor must have registers for
  int unroll;  ///< diagonals whose values a thread asks for in one batch; the next batch is under way then
  int columns_at_once;  ///< columns of a multivector that share one pass over the matrix
  int window_bytes;     ///< scratch of a team for windows of x, at most (but for one diagonal at least)
};

/// Analytical, not measured: 1024 threads, each with 64 bytes of values in flight and 64 more asked for before
/// they are used up, are 64 to 128 KB a multiprocessor; 4.3 TB/s over 132 multiprocessors at 800 ns take 26 KB.
/// Two rows a thread halve what neighbouring windows share and the steps over the table of bands. The windows
/// of 9 bands of 3 diagonals (27 points) take 37 KB in double; 4 teams of 40 KB leave 68 of 228 KB to the first
/// cache. Several columns have a window each, so one row a thread.
constexpr BdiaTuning bdia_tuning(Arch arch, std::size_t scalar_bytes, bool several_columns) {
  int const rows_a_thread = several_columns ? 1 : 2;
  int const unroll = (scalar_bytes > 8 ? 2 : scalar_bytes > 4 ? 4 : 8) * (several_columns ? 2 : 1);
  int const columns = several_columns ? 4 : 1;
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      return {256, rows_a_thread, 4, unroll, columns, 40 * 1024};
    case Arch::hip:
    case Arch::mi300:
      return {256, rows_a_thread, 2, unroll, columns, 24 * 1024};  // 64 KB of LDS a compute unit
    default:
      return {1, 1, 1, 1, 1, 1024};
  }
}

}  // namespace einkorn
