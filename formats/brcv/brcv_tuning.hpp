// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <cstddef>

namespace einkorn {

/// The numbers of the BRCV kernels. A structural type: kernels take it as a template argument.
struct BrcvTuning {
  int team_size;         ///< threads a team
  int min_teams_per_sm;  ///< teams that a multiprocessor must have registers for
  int unroll;            ///< spmv: entries a lane asks for before it uses the first; SpMM: rows of B
  int columns_at_once;   ///< spmv: columns of a multivector that share one pass over the matrix
};

/// One row a group of `lanes` lanes, for one vector and for multivectors that are not row-major. The numbers of
/// CSR's row_team (spmv_tuning.hpp), whose loads these are but for the columns, which come from the cache.
/// Analytical, not measured.
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

/// SpMM. Analytical, not measured: the sums of a lane are 64 bytes times its columns (2 at most), 32 registers;
/// with 4 rows of B in flight that leaves 80 registers a thread at 3 teams of 256. A team's scratch is 45 KB at
/// most, 135 of the 228 KB of an H100, the rest caches B.
constexpr BrcvTuning brcv_spmm_tuning(Arch arch) {
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      return {256, 3, 4, 0};
    case Arch::hip:
    case Arch::mi300:
      return {256, 1, 4, 0};  // 64 KB of LDS a compute unit: one team
    default:
      return {1, 1, 4, 0};
  }
}

/// Rows of a stripe that share each row of B which is read: 64 bytes of sums a lane and column of B, so 8 rows
/// for double, 16 for float. Analytical, not measured: twice as many would halve the reads of B where stripes
/// are that high, but the sums would take 64 registers.
constexpr int brcv_chunk_rows(std::size_t sum_bytes) {
  return sum_bytes >= 16 ? 4 : sum_bytes >= 8 ? 8 : 16;
}

/// Entries of a stripe's list that a group of `lanes` lanes stages at a time: two a lane, so that a team's
/// scratch is the same whatever the group.
constexpr int brcv_piece(int lanes) {
  return 2 * lanes;
}

/// Multivectors of fewer columns go through the row kernel, four columns a pass.
inline constexpr std::size_t brcv_min_spmm_columns = 4;

/// Rows whose first stripe a plan keeps: one number for so many rows. 32, so that the row kernel's warps
/// (which have 32 rows at most) find their stripes by 5 halvings at most from there.
inline constexpr int brcv_rows_per_mark = 32;

/// from_csr: threads a team that marks the rows which start a stripe. Needs few registers; any size would do.
inline constexpr int mark_stripes_team_size = 256;

}  // namespace einkorn
