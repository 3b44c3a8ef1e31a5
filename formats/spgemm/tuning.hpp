// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <Kokkos_Macros.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn {

/// The sizes of SpGEMM's tables in team scratch: what lets 12 warps and more share a multiprocessor of 228 KB
/// and fits the 48 KB that Kokkos gives a team on CUDA, 64-bit indices included. Analytical but for the sums of
/// 256 columns, the bytes of rows summed together and the lanes of pieces, which H200 trials suggested
/// (docs/design/0004-spgemm.md).
struct SpgemmTuning {
  /// Places where columns are gathered: tables of groups and of teams, and last a bitmap.
  static constexpr int group_bins = 5, team_bins = 2, bitmap_bin = group_bins + team_bins,
                       columns_bins = bitmap_bin + 1;
  /// Sizes of the places where sums are taken, and places: each size for neighbouring and for scattered
  /// columns.
  static constexpr int sum_sizes = 4, sums_bins = 2 * sum_sizes;

  /// Words of a hash table for one group of lanes; powers of two.
  int group_slots[group_bins] = {32, 64, 128, 256, 512};
  int narrow_bins = 2;  ///< of these, those whose rows share a warp where B's rows are short
  int team_slots[team_bins] = {1024, 2048};  ///< for a whole team
  int bitmap_words = 4096;                   ///< a bitmap for a whole team: 131072 columns at a time
  /// Entries of C a group of lanes; longer rows come in pieces of the last.
  int sums[sum_sizes] = {32, 128, 256, 512};
  /// Rows of C of few kinds: the longest whose sums are kept in scratch as a whole, and the bytes of their
  /// places, which should stay in the second cache.
  int placed_sums = 1024;
  int sums_of_rows = 6 * 1024;  ///< bytes of the sums of rows that a group takes together
  std::size_t places_bytes = std::size_t(16) << 20;
  int threads = 256;  ///< a team
  /// Rows that are counted first, in tables for all words that they may have: where nearly all of them have far
  /// fewer, so have the others, most likely, and small tables do; a row that fills its table is counted again.
  int sample = 256;
  std::size_t scratch = 46 * 1024;  ///< bytes that a team of several groups may take
};

constexpr SpgemmTuning spgemm_tuning(Arch) {
  return {};
}

namespace detail {

/// Slots are filled to at most four fifths.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t max_words(int slots) {
  return static_cast<std::uint64_t>(slots) * 4 / 5;
}

/// Where the columns of a row that comes in `words` words are gathered: the place in
/// SpgemmReport::rows_by_columns. A bitmap has to be looked through, so it is for rows that fill a sixteenth.
KOKKOS_INLINE_FUNCTION constexpr int columns_bin(SpgemmTuning const& tuning, std::uint64_t words,
                                                 std::uint64_t words_of_all_columns) {
  for (int bin = 0; bin < SpgemmTuning::group_bins; ++bin)
    if (words <= max_words(tuning.group_slots[bin])) return bin;
  if (words_of_all_columns > 16 * words)
    for (int bin = 0; bin < SpgemmTuning::team_bins; ++bin)
      if (words <= max_words(tuning.team_slots[bin])) return SpgemmTuning::group_bins + bin;
  return SpgemmTuning::bitmap_bin;
}

/// Slots for the words among `sums` columns: few where columns stand next to each other.
KOKKOS_FORCEINLINE_FUNCTION constexpr int slots_for_sums(int sums, bool scattered) {
  return scattered ? 2 * sums : sums;
}

/// Where the sums of a row of `length` columns in `words` words are taken: the place in
/// SpgemmReport::rows_by_sums.
KOKKOS_INLINE_FUNCTION constexpr int sums_bin(SpgemmTuning const& tuning, std::uint64_t length,
                                              std::uint64_t words) {
  int size = 0;
  while (size < SpgemmTuning::sum_sizes - 1 && length > static_cast<std::uint64_t>(tuning.sums[size])) ++size;
  bool const in_pieces = length > static_cast<std::uint64_t>(tuning.sums[size]);
  bool const scattered = in_pieces || words > max_words(slots_for_sums(tuning.sums[size], false));
  return 2 * size + (scattered ? 1 : 0);
}

}  // namespace detail
}  // namespace einkorn
