// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <cstddef>

namespace einkorn {

/// Sizes by which Execution::automatic chooses.
struct SolverTuning {
  /// Graphs have long_graph iterations up to here, else short_graph: iterations launched beyond the end of a solve
  /// still compute products.
  std::size_t max_rows_of_long_graph;
  int long_graph, short_graph;  ///< multiples of 2: the update of CG leaves x every second time
  std::size_t max_blocks_in_prologue, max_rows_with_prologue;  ///< up to here the CG update reduces the sums
  std::size_t max_streamed_bytes;  ///< of the values of a persistent loop that reads them from device memory
  int rows_per_block;  ///< mean rows of a block of a cooperative launch before another block is used
};

constexpr SolverTuning solver_tuning(Arch arch) {
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      return {8'000'000, 10, 2, 4096, 500'000, 64u << 20, 512};
    case Arch::hip:
    case Arch::mi300:
      return {8'000'000, 10, 2, 4096, 500'000, 64u << 20, 512};  // analytical, not measured
    default:
      return {0, 10, 2, 0, 0, 0, 1};
  }
}

}  // namespace einkorn
