// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <cstddef>

namespace einkorn {

/// Parameters of the kernel with one thread per row (DIA; bDIA if bands are narrow). A structural type, used as
/// a template argument.
struct DiagonalRowsTuning {
  int team_size;            ///< threads per team
  int rows_per_thread;      ///< at a distance of team_size rows
  int min_teams_per_sm;     ///< minimum resident teams per multiprocessor (limits registers)
  int unroll;               ///< diagonals whose values a thread loads before it uses the first
  int columns_at_once;      ///< columns of a multivector per pass over the matrix (then one row per thread)
  int chunks_per_team = 1;  ///< chunks of team_size * rows_per_thread rows per team
};

/// H200, 2026-11, against 12 to 22 other shapes on 7 diagonals of 256^3 and 27 of 160^3, cold: double 1.02 and
/// 1.03 of copy (one row per thread: 0.90 and 0.96); float 1.01 and 1.01 (batches of 8: 0.86 and 0.88; one row
/// per thread: 0.69, too few bytes in flight). Larger teams, or teams that advance through planes to keep x in
/// the L1 cache, gain nothing: at 95 % of the throughput of the L2 cache both are bound by memory. Scalars of
/// 16 bytes, AMD: analytical, not measured.
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

/// Parameters for a product with fused dot products: `medium` from min_medium_rows rows on, `large` from
/// min_large_rows rows on (with fewer rows there are too few teams). A team with several chunks stores fewer partial
/// sums and reuses x of the chunks before.
///
/// 7 diagonals with two dot products, 2026-11. H200, 464^3: large 1.68 ms, 1.03 of copy (one chunk of two rows per
/// thread: 1.87 ms; four such chunks: 1.74; sixteen: 2.0); 256^3: large 0.303 ms instead of 0.376. H100 (not tried on
/// the H200), medium and one chunk of 128 threads with 2 rows each, with the kernel that adds the partial sums, in a
/// graph: 11.9 and 14.8 us for 5 10^5 rows, 28.8 and 30.7 for 10^6, 111 and 118 for 2^22, 213 and 226 for 2^23.
/// Other scalars: not measured.
struct FusedDiagonalRowsTuning {
  DiagonalRowsTuning medium, large;
  std::size_t min_medium_rows, min_large_rows;
};
constexpr FusedDiagonalRowsTuning fused_diagonal_rows_tuning(Arch arch, std::size_t scalar_bytes) {
  bool const is_measured = (arch == Arch::hopper || arch == Arch::cuda) && scalar_bytes == 8;
  if (is_measured) return {{256, 2, 4, 8, 4, 2}, {256, 4, 3, 4, 4, 4}, 300'000, std::size_t(1) << 24};
  auto const rows = diagonal_rows_tuning(arch, scalar_bytes);
  return {rows, rows, ~std::size_t(0), ~std::size_t(0)};
}

/// Maximum mean width of the bands of a bDIA with several bands for which the kernel of DIA is used; for wider
/// bands x is staged in team scratch (bdia_tuning.hpp). H200, 2026-11, kernel of DIA and windows: bands of 3
/// (stencil27:160) 224 and 240 us; of 11 (elasticity:80) 291 and 286 us in double, 148 and 185 us in float; one
/// band of 27 or 101 is 4 to 6 % faster with windows.
inline constexpr int max_narrow_band_width = 16;

}  // namespace einkorn
