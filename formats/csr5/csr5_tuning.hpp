// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/lanes/simd.hpp>
#include <einkorn/formats/csr5/descriptor.hpp>

#include <cstddef>

namespace einkorn {

/// omega and sigma for a matrix of nnz entries in rows of `mean` entries.
///
/// The paper tunes sigma on GPUs by the mean with (r, s, t, u) = (4, 32, 256, 4): sigma = r if mean <= r, mean
/// if r < mean <= s, s if s < mean <= t, u beyond; on CPUs it takes 16. Re-tuned on an H200, 2026-11, by
/// running sigma 8, 16 and 32 on stencil7:256, stencil27:160, band:1000000:101 and power-law rows in double and
/// float: a lane asks for 8 entries at a time, so a multiple of 8; 32 is the fastest from 27 entries a row on
/// (365 us against 373 and 430 on stencil27:160), 16 for 7 a row (479 us against 501 and 515), where a longer
/// lane closes more rows one after the other; the paper's u = 4 for very long rows loses in every case. Few
/// entries need short lanes, or there are fewer tiles than warps: sigma halves until there are 2048 tiles.
template <Arch arch, class Scalar>
constexpr Csr5Shape csr5_shape([[maybe_unused]] double mean, [[maybe_unused]] std::size_t nnz) {
  if constexpr (arch == Arch::host) {
    return {simd_lanes<Scalar>, 16};  // the paper's; descriptors then take one word a lane up to 16 lanes
  } else {
    constexpr int lanes = lockstep_lanes(arch);
    int sigma = mean < 16.0 ? 16 : 32;
    while (sigma > 8 && nnz / static_cast<std::size_t>(lanes * sigma) < 2048) sigma /= 2;
    return {lanes, sigma};
  }
}

/// The numbers of the GPU kernel: one tile a warp.
struct Csr5Tuning {
  int team_size;         ///< threads a team
  int min_teams_per_sm;  ///< teams that a multiprocessor must have registers for
  int batch;             ///< entries that a lane asks for before it uses the first
};

/// H200, 2026-11: batches of 8 before 4 and 16; 4 teams (64 registers) for double, 5 for float.
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
