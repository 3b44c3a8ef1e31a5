// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <cstddef>

namespace einkorn {

/// Sizes by which Execution::automatic chooses.
struct SolverTuning {
  std::size_t max_graph_rows;  ///< up to here, if not persistent, iterations are captured in a graph
  std::size_t max_blocks_in_prologue, max_rows_with_prologue;  ///< up to here the CG update reduces the sums
  int rows_per_block;  ///< mean rows of a block of a cooperative launch before another block is used
};

constexpr SolverTuning solver_tuning(Arch arch) {
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      return {8'000'000, 4096, 1'000'000, 512};
    case Arch::hip:
    case Arch::mi300:
      return {8'000'000, 4096, 1'000'000, 512};  // analytical, not measured
    default:
      return {0, 0, 0, 1};
  }
}

}  // namespace einkorn
