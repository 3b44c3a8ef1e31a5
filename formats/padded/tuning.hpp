// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/lanes/simd.hpp>

#include <cstddef>

namespace einkorn {

/// The numbers of the kernels of padded rows (ELL, SELL). A structural type: kernels take it as a template
/// argument.
struct PaddedTuning {
  int team_size;         ///< threads a team, each with a row
  int min_teams_per_sm;  ///< teams that a multiprocessor must have registers for
  int unroll;            ///< slots a thread asks for before it uses the first
  int columns_at_once;   ///< columns of a multivector that share one pass over the matrix
};

constexpr PaddedTuning padded_tuning(Arch arch, std::size_t sum_bytes) {
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      return {128, 8, sum_bytes > 8 ? 4 : 8, 4};
    case Arch::hip:
    case Arch::mi300:
      return {256, 2, sum_bytes > 8 ? 4 : 8, 4};  // analytical, not measured
    default:
      return {1, 1, 1, 1};
  }
}

/// Rows side by side in padded storage that threads or SIMD lanes of Exec work on in step: C of SELL-C-sigma.
template <class Exec, class Scalar>
inline constexpr int padded_lanes = is_gpu<Exec> ? lockstep_lanes(arch_of<Exec>) : simd_lanes<Scalar>;

}  // namespace einkorn
