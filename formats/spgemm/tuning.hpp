// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <Kokkos_Macros.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn {

/// Sizes of SpGEMM's accumulators in team scratch. With them at least 12 warps share a multiprocessor of 228
/// KB, and a team needs at most the 48 KB that Kokkos allows on CUDA, 64-bit indices included. Analytical
/// except the accumulators of 256 entries, max_batch_bytes and the lanes of chunks, which were measured on an
/// H200 (docs/design/0004-spgemm.md).
struct SpgemmTuning {
  /// Symbolic bins: hash tables of groups and of teams, then a bitmap.
  static constexpr int group_bins = 5, team_bins = 2, bitmap_bin = group_bins + team_bins,
                       num_symbolic_bins = bitmap_bin + 1;
  /// Numeric bins: each accumulator size for adjacent and for scattered columns, then long rows, in chunks.
  static constexpr int num_accumulator_sizes = 4, chunk_bin = 2 * num_accumulator_sizes,
                       num_numeric_bins = chunk_bin + 1;

  /// Slots of the hash table of one group of lanes; powers of two.
  int group_slots[group_bins] = {32, 64, 128, 256, 512};
  int short_row_bins = 2;  ///< bins whose groups have fewer lanes than a warp if B's rows are short
  /// Rows with more insertions are not in these bins.
  std::uint64_t max_short_row_inserts = 256;
  int team_slots[team_bins] = {1024, 2048};  ///< slots of the hash table of a team
  /// Rows with more insertions are computed by a team, because those of a group of lanes are one after another.
  std::uint64_t max_group_inserts = 2048;
  int bitmap_words = 4096;  ///< 32-bit words of a team's bitmap: 131072 columns per pass
  /// Entries of C per group of lanes. Longer rows are computed in chunks, of the last size unless by teams.
  int accumulator_sizes[num_accumulator_sizes] = {32, 128, 256, 512};
  /// Longer rows with ordered sums and sorted columns: bytes of the sums of a chunk, which a team computes, and 8 bytes for
  /// each; words of the ranks of its columns (1472 words: 47104 columns).
  int chunk_bytes = 16 * 1024, chunk_words = 1472;
  /// Rows of C from more entries of A are computed as long rows, because a group of lanes reads these in sequence.
  /// Analytical, not measured.
  std::uint64_t max_group_length_A = 512;
  int max_scatter_row_length = 1024;  ///< longest row of C for which a scatter map is made
  int max_batch_bytes = 6 * 1024;     ///< bytes of the sums of the rows that a group computes together
  std::size_t max_scatter_map_bytes = std::size_t(16) << 20;  ///< so that the map stays in the L2 cache
  /// With a scatter map one thread computes a row if the rows of B take at most so many lanes and those of C are not
  /// longer: C of A P for a 7-point A and the P of aggregates.
  int max_lanes_of_row_threads = 4, max_row_length_of_row_threads = 24;
  int team_size = 256;  ///< threads
  /// Rows counted first, with tables for their upper bound. If nearly all of them are far below it, the other
  /// rows get smaller tables; a row that fills its table is counted again.
  int sample_size = 256;
  /// Bytes of scratch of a team of several groups: with 46 KB and 256 threads, Kokkos' own 8 bytes per thread
  /// exceed 48 KB.
  std::size_t max_team_scratch = 45 * 1024;
};

constexpr SpgemmTuning spgemm_tuning(Arch) {
  return {};
}

namespace detail {

/// Keys in a hash table of `slots`: four fifths of them.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t max_filled_slots(int slots) {
  return static_cast<std::uint64_t>(slots) * 4 / 5;
}

/// The symbolic accumulator of a row of at most `num_compressed` compressed columns, into which `num_inserts` are
/// inserted: index into SpgemmReport::symbolic_bins. A pass over a bitmap reads all of it, so a bitmap replaces a
/// team's hash table only for rows that have a sixteenth of all keys.
KOKKOS_INLINE_FUNCTION constexpr int symbolic_bin(SpgemmTuning const& tuning, std::uint64_t num_compressed,
                                                  std::uint64_t num_keys, std::uint64_t num_inserts) {
  for (int bin = 0; bin < SpgemmTuning::group_bins && num_inserts <= tuning.max_group_inserts; ++bin)
    if (num_compressed <= max_filled_slots(tuning.group_slots[bin]) &&
        (bin >= tuning.short_row_bins || num_inserts <= tuning.max_short_row_inserts))
      return bin;
  if (num_keys > 16 * num_compressed)
    for (int bin = 0; bin < SpgemmTuning::team_bins; ++bin)
      if (num_compressed <= max_filled_slots(tuning.team_slots[bin])) return SpgemmTuning::group_bins + bin;
  return SpgemmTuning::bitmap_bin;
}

/// Slots of the rank table for `num_accumulators` columns; half as many if the columns are adjacent.
KOKKOS_FORCEINLINE_FUNCTION constexpr int slots_for_accumulators(int num_accumulators, bool scattered) {
  return scattered ? 2 * num_accumulators : num_accumulators;
}

/// The numeric accumulator of a row of `length` columns, compressed to `num_compressed`, from a row of A of `length_A`
/// entries: index into SpgemmReport::numeric_bins.
KOKKOS_INLINE_FUNCTION constexpr int numeric_bin(SpgemmTuning const& tuning, std::uint64_t length,
                                                 std::uint64_t num_compressed, std::uint64_t length_A) {
  if (length > 0 && length_A > tuning.max_group_length_A) return SpgemmTuning::chunk_bin;
  int size = 0;
  while (size < SpgemmTuning::num_accumulator_sizes - 1 &&
         length > static_cast<std::uint64_t>(tuning.accumulator_sizes[size]))
    ++size;
  if (length > static_cast<std::uint64_t>(tuning.accumulator_sizes[size])) return SpgemmTuning::chunk_bin;
  bool const scattered =
      num_compressed > max_filled_slots(slots_for_accumulators(tuning.accumulator_sizes[size], false));
  return 2 * size + (scattered ? 1 : 0);
}

}  // namespace detail
}  // namespace einkorn
