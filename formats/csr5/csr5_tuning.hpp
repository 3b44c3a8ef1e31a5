// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/lanes/simd.hpp>
#include <einkorn/formats/csr5/descriptor.hpp>

#include <cstddef>

namespace einkorn {

/// omega and sigma for a matrix with nnz entries and `mean` entries per row.
///
/// Liu and Vinter select sigma on GPUs by the mean with (r, s, t, u) = (4, 32, 256, 4): r if mean <= r, mean if
/// r < mean <= s, s if s < mean <= t, otherwise u; on CPUs 16. Tuned on an H200, 2026-11, with sigma 8, 16 and
/// 32 on stencil7:256, stencil27:160, band:1000000:101 and power-law rows in double and float. A lane loads 8
/// entries at a time, hence multiples of 8. 32 is the fastest from 27 entries per row on (stencil27:160: 365
/// us; 373 and 430 with the others), 16 for 7 entries per row (479 us; 501 and 515), where a longer lane closes
/// more rows in sequence; u = 4 for very long rows is slower in every case. For matrices with few entries sigma
/// is halved until there are 2048 tiles, so that there are enough warps.
template <Arch arch, class Scalar>
constexpr Csr5Shape csr5_shape([[maybe_unused]] double mean, [[maybe_unused]] std::size_t nnz) {
  if constexpr (arch == Arch::host) {
    return {simd_lanes<Scalar>, 16};  // as in the paper; descriptors have one word per lane up to 16 lanes
  } else {
    constexpr int lanes = lockstep_lanes(arch);
    int sigma = mean < 16.0 ? 16 : 32;
    while (sigma > 8 && nnz / static_cast<std::size_t>(lanes * sigma) < 2048) sigma /= 2;
    return {lanes, sigma};
  }
}

/// Parameters of the GPU kernel, which has one tile per warp.
struct Csr5Tuning {
  int team_size;         ///< threads per team
  int min_teams_per_sm;  ///< second argument of Kokkos::LaunchBounds
  int batch;             ///< entries that a lane loads before it uses the first
};

/// H200, 2026-11: batches of 8 are faster than 4 and 16; 4 teams (64 registers) for double, 5 for float.
constexpr Csr5Tuning csr5_tuning(Arch arch, std::size_t sum_bytes) {
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      return {256, sum_bytes > 8 ? 2 : sum_bytes > 4 ? 4 : 5, 8};
    default:
      return {256, 2, 8};  // analytical, not measured
  }
}

}  // namespace einkorn
