// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <cstddef>

namespace einkorn {

/// The numbers of the kernel that gives whole rows of diagonals to threads (DIA; bDIA where bands are narrow).
/// A structural type: kernels take it as a template argument.
struct DiagonalRowsTuning {
  int team_size;            ///< threads a team
  int rows_per_thread;      ///< team_size rows apart
  int min_teams_per_sm;     ///< teams that a multiprocessor must have registers for
  int unroll;               ///< diagonals whose values a thread asks for before it uses the first
  int columns_at_once;      ///< columns of a multivector (then one row a thread) that share one pass over the
                            ///< matrix
  int chunks_per_team = 1;  ///< pieces of team_size * rows_a_thread rows that a team takes one after another
};

/// H200, 2026-11, against 12 to 22 other shapes on 7 diagonals of 256^3 and 27 of 160^3, cold: double 1.02 and
/// 1.03 of copy, where one row a thread has 0.90 and 0.96; float 1.01 and 1.01, where batches of 8 have 0.86
/// and 0.88 and one row a thread 0.69 (too few bytes under way). Larger teams, or teams that march through
/// planes so that x stays in the first cache, gain nothing: at 95 % of the second cache's throughput both are
/// bound by memory. 16 bytes a scalar, AMD: analytical, not measured.
constexpr DiagonalRowsTuning diagonal_rows_tuning(Arch arch, std::size_t scalar_bytes) {
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      if (scalar_bytes > 8) return {128, 1, 8, 4, 4};
      return scalar_bytes > 4 ? DiagonalRowsTuning{128, 2, 8, 8, 4} : DiagonalRowsTuning{256, 2, 6, 4, 4};
    case Arch::hip:
    case Arch::mi300:
      return {256, scalar_bytes > 8 ? 1 : 2, 2, 4, 4};
    default:
      return {1, 1, 1, 1, 1};
  }
}

/// Of a product that gathers sums, and from how many rows on: a team that takes several pieces hands its sums
/// over less often, and meets x of the pieces before. With fewer rows there are too few teams. H200, 2026-11,
/// 7 diagonals of 464^3 with two dot products: 1.68 ms, 1.03 of copy, where one piece of two rows a thread has
/// 1.87, four such pieces 1.74 and sixteen 2.0. Other scalars: not measured.
struct FusedDiagonalRowsTuning {
  DiagonalRowsTuning rows;
  std::size_t min_rows;
};
constexpr FusedDiagonalRowsTuning fused_diagonal_rows_tuning(Arch arch, std::size_t scalar_bytes) {
  bool const is_measured = (arch == Arch::hopper || arch == Arch::cuda) && scalar_bytes == 8;
  if (is_measured) return {{256, 4, 3, 4, 4, 4}, std::size_t(1) << 25};
  return {diagonal_rows_tuning(arch, scalar_bytes), ~std::size_t(0)};
}

/// Mean width of several bands of a bDIA up to which its rows go to threads as those of a DIA do; wider ones
/// have their x staged in team scratch (bdia_tuning.hpp). H200, 2026-11, by rows and by windows: bands of 3
/// (stencil27:160) 224 and 240 us, of 11 (elasticity:80) 291 and 286 us in double, 148 and 185 us in float; one
/// band of 27 or 101 is 4 to 6 % faster by windows.
inline constexpr int max_narrow_band_width = 16;

}  // namespace einkorn
