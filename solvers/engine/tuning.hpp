// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <cstddef>

namespace einkorn {

/// What Execution::automatic goes by.
struct SolverTuning {
  std::size_t max_persistent_rows;  ///< up to here, and where a GPU's blocks can keep the rows (resident.hpp),
                                    ///< one cooperative launch does the iterations
  std::size_t max_recorded_rows;    ///< up to here, if not persistent, they are graph
  std::size_t max_blocks_in_prologue,
      max_rows_with_prologue;  ///< up to here sums are taken at the head of the update
  int rows_per_block;          ///< of a cooperative launch, on the mean, before it takes another block
};

constexpr SolverTuning solver_tuning(Arch arch) {
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      return {4'000, 8'000'000, 4096, 1'000'000, 512};
    case Arch::hip:
    case Arch::mi300:
      return {4'000, 8'000'000, 4096, 1'000'000, 512};  // analytical, not measured
    default:
      return {std::size_t(1) << 60, 0, 0, 0, 1};
  }
}

}  // namespace einkorn
