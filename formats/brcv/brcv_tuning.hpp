// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <cstddef>

namespace einkorn {

/// Parameters of the BRCV kernels. A structural type: a template argument of the kernels.
struct BrcvTuning {
  int team_size;         ///< threads per team
  int min_teams_per_sm;  ///< second argument of Kokkos::LaunchBounds
  int unroll;            ///< loads in flight: SpMV, entries per lane; SpMM, rows of X
  int columns_at_once;   ///< SpMV: columns of a multivector per pass over the matrix
};

/// SpMV with `lanes` lanes per row, for one vector and for multivectors that are not row-major. The parameters
/// of row_team of CSR (spmv_tuning.hpp), which has the same loads, except that here columns are read from the
/// cache. Analytical, not measured.
constexpr BrcvTuning brcv_row_tuning(Arch arch, int lanes) {
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      return lanes <= 8 ? BrcvTuning{256, 6, 4, 4} : BrcvTuning{256, 4, 8, 4};
    case Arch::hip:
    case Arch::mi300:
      return lanes <= 8 ? BrcvTuning{256, 4, 4, 4} : BrcvTuning{256, 2, 8, 4};
    default:
      return {1, 1, 4, 4};
  }
}

/// SpMM. Analytical, not measured: the sums of a lane take 64 bytes per column of X, at most 2 columns, hence
/// 32 registers. With 4 rows of X in flight, 3 teams of 256 threads have 80 registers per thread. The scratch
/// of a team is at most 45 KB: 135 of the 228 KB of an H100 for 3 teams, the rest caches X.
constexpr BrcvTuning brcv_spmm_tuning(Arch arch) {
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      return {256, 3, 4, 0};
    case Arch::hip:
    case Arch::mi300:
      return {256, 1, 4, 0};  // 64 KB of LDS per compute unit: one team
    default:
      return {1, 1, 4, 0};
  }
}

/// Rows of a stripe that share each read of a row of X (SpMM): 64 bytes of sums per lane and column, hence 8
/// rows for double and 16 for float. Analytical, not measured: twice as many rows would halve the reads of X
/// for high stripes, but the sums would take 64 registers.
constexpr int brcv_chunk_rows(std::size_t sum_bytes) {
  return sum_bytes >= 16 ? 4 : sum_bytes >= 8 ? 8 : 16;
}

/// Columns of a stripe that a group of `lanes` lanes stages in scratch at a time: two per lane, so that the
/// scratch of a team does not depend on the size of the groups.
constexpr int brcv_staged_columns(int lanes) {
  return 2 * lanes;
}

/// Multivectors with fewer columns use the row kernel, four columns per pass.
inline constexpr std::size_t brcv_min_spmm_columns = 4;

/// A plan stores the stripe of every brcv_rows_per_mark-th row. With 32, a warp of the row kernel (at most 32
/// rows) finds its stripes from there in at most 5 steps of a binary search.
inline constexpr int brcv_rows_per_mark = 32;

/// from_csr: threads per team of the kernel that marks the first rows of stripes. Not critical: few registers.
inline constexpr int mark_stripes_team_size = 256;

}  // namespace einkorn
