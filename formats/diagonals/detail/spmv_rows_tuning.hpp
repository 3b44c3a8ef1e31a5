// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <cstddef>

namespace einkorn {

/// Parameters of SpmvDiagonalRows (DIA; bDIA if bands are narrow). A structural type, used as a template argument.
struct DiagonalRowsTuning {
  int team_size;         ///< threads per team
  int rows_per_thread;   ///< at a distance of team_size rows
  int min_teams_per_sm;  ///< minimum resident teams per multiprocessor (limits registers)
  int unroll;            ///< diagonals whose values a thread loads before it uses the first
  int columns;           ///< columns of y per thread
};

/// For vectors: `large` for matrices of at least min_large_rows rows and at most max_large_diagonals diagonals, `other`
/// for all others.
///
/// H200, 2026-11, 7 diagonals of 16^3 to 464^3 rows and 27 of 16^3 to 250 250 200, 10 to 30 shapes, with dot products too.
/// Large: with `other` a multiprocessor has more values in flight, but requests them from more places of the memory.
/// 464^3 in double: 1.93 ms with `other`, 1.64 with `large` (1.06 of copy); with two dot products 1.97 and 1.65; 256^3:
/// 326 and 285 us. One row per thread: 256^3 0.90 of copy, float 0.69. Float, 464^3: 1.07 and 0.86 ms (1.02 of copy);
/// 256^3: 178 and 153 us (1.16 of copy). Equal for 27 diagonals of 160^3. Not large: fewer than 4 10^5 rows wait for more
/// loads one after another with `large` (up to 1.5 times as long); 99 diagonals in float take 1.17 times as long, 81 in
/// double reach 3.3 TB/s, where 99 with `other` reach 4.3. H100: not measured. Scalars of 16 bytes, AMD: analytical, not
/// measured.
struct DiagonalRowsTunings {
  DiagonalRowsTuning other, large;
  std::size_t min_large_rows, max_large_diagonals;
};
constexpr DiagonalRowsTunings diagonal_rows_tunings(Arch arch, std::size_t scalar_bytes) {
  auto const always = [](DiagonalRowsTuning const& tuning) {
    return DiagonalRowsTunings{tuning, tuning, ~std::size_t(0), 0};
  };
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      if (scalar_bytes > 8) return always({128, 1, 8, 4, 1});
      if (scalar_bytes > 4) return {{128, 2, 8, 8, 1}, {128, 4, 8, 3, 1}, 400'000, 32};
      return {{256, 2, 6, 4, 1}, {128, 4, 10, 4, 1}, 400'000, 32};
    case Arch::hip:
    case Arch::mi300:
      return always({256, scalar_bytes > 8 ? 1 : 2, 2, 4, 1});
    default:
      return always({1, 1, 1, 1, 1});
  }
}

/// For multivectors: one pass over the values per 4 columns. H200: as measured for vectors in 2026-10; AMD: analytical,
/// not measured.
constexpr DiagonalRowsTuning diagonal_columns_tuning(Arch arch, std::size_t scalar_bytes) {
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      if (scalar_bytes > 8) return {128, 1, 8, 4, 4};
      return scalar_bytes > 4 ? DiagonalRowsTuning{128, 1, 8, 8, 4} : DiagonalRowsTuning{256, 1, 6, 4, 4};
    case Arch::hip:
    case Arch::mi300:
      return {256, 1, 2, 4, 4};
    default:
      return {1, 1, 1, 1, 1};
  }
}

/// Maximum mean width of the bands of a bDIA with several bands for which the kernel of DIA is used; for wider
/// bands x is staged in team scratch (bdia_tuning.hpp). H200, 2026-11, kernel of DIA and windows: bands of 3
/// (stencil27:160) 224 and 240 us; of 11 (elasticity:80) 291 and 286 us in double, 148 and 185 us in float; one
/// band of 27 or 101 is 4 to 6 % faster with windows.
inline constexpr int max_narrow_band_width = 16;

}  // namespace einkorn
