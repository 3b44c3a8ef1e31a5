// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/lanes/simd.hpp>

#include <cstddef>

namespace einkorn {

/// Parameters of the kernels for padded rows (ELL, SELL). A structural type, used as a template argument.
struct PaddedTuning {
  int team_size;         ///< threads per team, one row each
  int min_teams_per_sm;  ///< minimum resident teams per multiprocessor (limits registers)
  int unroll;            ///< slots that a thread loads before it uses the first
  int columns_at_once;   ///< columns of a multivector per pass over the matrix
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

/// Hopper: the tuning for one vector and a matrix that stays in the second-level cache, with more than 8 slots per row: few
/// warps wait for loads, so that each thread has more of them in flight. H200, 10 matrices of 13 to 39 entries per row:
/// 4 to 26 % faster than padded_tuning(); 8 % slower with 7 slots per row, equal from 150 000 rows on.
constexpr PaddedTuning cached_padded_tuning(std::size_t sum_bytes) {
  return {128, 4, sum_bytes > 8 ? 8 : 16, 4};
}

/// Whether spmv uses cached_padded_tuning().
constexpr bool takes_cached_padded_tuning(std::size_t slots, std::size_t rows) {
  return slots > 8 * rows && slots <= static_cast<std::size_t>(max_cached_entries);
}

/// Adjacent rows of padded storage that Exec computes in lockstep (threads of a warp, SIMD lanes): C of
/// SELL-C-sigma.
template <class Exec, class Scalar>
inline constexpr int padded_lanes = is_gpu<Exec> ? lockstep_lanes(arch_of<Exec>) : simd_lanes<Scalar>;

}  // namespace einkorn
