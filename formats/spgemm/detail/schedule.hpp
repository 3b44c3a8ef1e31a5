// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/bins.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/spgemm/detail/sum_counts.hpp>
#include <einkorn/formats/spgemm/options.hpp>
#include <einkorn/formats/spgemm/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Rows of C by numeric bin. Kept by a plan: one Ordinal per row if there is more than one bin.
template <class Ordinal, class Device>
struct NumericSchedule {
  Bins<SpgemmTuning::num_numeric_bins, Ordinal, Device> bins;
  Kokkos::View<std::uint32_t*, Device> chunk_offsets;  // of chunk_bin
  std::int64_t num_chunks = 0;
  int chunk_size = 0;           // entries of C
  bool chunks_by_team = false;  // NumericTeamChunk
  bool concatenates = false;    // concatenates_segments()

  [[nodiscard]] std::size_t bytes() const {
    return bins.items.extent(0) * sizeof(Ordinal) + chunk_offsets.extent(0) * sizeof(std::uint32_t);
  }
};

/// A rank in a row of C, and which of the 32 entries of the step is added there.
struct RankOfSlot {
  static constexpr int rank_bits = 10, max_ranks = 1 << rank_bits, max_lanes = 32;
  static constexpr std::uint16_t none = 0xffff;
  static_assert(max_lanes << rank_bits < none);

  KOKKOS_FORCEINLINE_FUNCTION static std::uint16_t of(int rank, int entry) {
    return static_cast<std::uint16_t>(rank | entry << rank_bits);
  }
  KOKKOS_FORCEINLINE_FUNCTION static int rank(std::uint16_t slot) { return slot & (max_ranks - 1); }
  KOKKOS_FORCEINLINE_FUNCTION static int entry(std::uint16_t slot) { return slot >> rank_bits; }
};

/// The rank in the row of C of every product, once per row class (detail/product_row_classes.hpp). A class has
/// one segment of products per entry of A's row, and one slot per product.
template <class Ordinal, class Device>
struct ScatterMap {
  Kokkos::View<Ordinal*, Device> class_of_row;         // [rows of C]; empty: no map
  Kokkos::View<std::uint64_t*, Device> first_segment;  // [classes + 1]
  Kokkos::View<std::uint64_t*, Device> first_slot;     // [segments + 1]
  Kokkos::View<std::uint16_t*, Device> ranks;          // [slots]; if is_swizzled: RankOfSlot
  int max_row_length = 0;                              // of C
  /// Segments are padded to steps of 32 slots, ordered without bank conflicts (SwizzleBanks).
  bool is_swizzled = false;
  static constexpr int swizzle_lanes = 32;

  [[nodiscard]] bool is_available() const { return class_of_row.extent(0) > 0; }
  /// Without class_of_row.
  [[nodiscard]] std::size_t bytes() const {
    return (first_segment.extent(0) + first_slot.extent(0)) * sizeof(std::uint64_t) +
           ranks.extent(0) * sizeof(std::uint16_t);
  }
};

/// The numeric bin of a row.
template <class Offsets, class CompressedCounts, class LengthsOfA>
struct NumericBin {
  Offsets offsets;
  CompressedCounts compressed_counts;
  LengthsOfA lengths_of_A;
  SpgemmTuning tuning;
  KOKKOS_FUNCTION int operator()(std::size_t i) const {
    return numeric_bin(tuning, static_cast<std::uint64_t>(offsets(i + 1) - offsets(i)),
                       static_cast<std::uint64_t>(compressed_counts(i)), lengths_of_A(i));
  }
};

/// chunks(i) <- chunks of item i of a bin.
template <class Rows, class Offsets, class Chunks>
struct CountChunks {
  Rows rows;
  Offsets offsets;
  Chunks chunks;
  std::uint64_t chunk_size;
  KOKKOS_FUNCTION void operator()(std::size_t item) const {
    auto const row = rows.extent(0) > 0 ? static_cast<std::size_t>(rows(item)) : item;
    auto const length = static_cast<std::uint64_t>(offsets(row + 1) - offsets(row));
    chunks(item) = static_cast<std::uint32_t>(ceil_div(length, chunk_size));
  }
};

/// How long rows are divided.
struct ChunkPlan {
  int size;      // entries of C
  bool by_team;  // NumericTeamChunk
};
/// @param scalar_bytes of C
inline ChunkPlan plan_chunks(SpgemmTuning const& tuning, SpgemmOptions const& options,
                             std::size_t scalar_bytes) {
  if (options.sums == SpgemmSums::ordered && options.rows == SpgemmRows::sorted)
    return {tuning.chunk_bytes / static_cast<int>(scalar_bytes + sizeof(std::uint64_t)), true};
  return {tuning.accumulator_sizes[SpgemmTuning::num_accumulator_sizes - 1], false};
}

/// What is read back when the rows of C have been counted.
struct PatternCounts {
  static constexpr int num_bins = SpgemmTuning::num_numeric_bins;
  std::uint64_t of_bins[num_bins] = {};   ///< rows per numeric bin
  std::uint64_t entries = 0, chunks = 0;  ///< of C; of chunk_bin
};

/// Counts PatternCounts, in the order of its members. entries(i): of row i.
template <class Entries, class CompressedCounts, class LengthsOfA>
struct CountPattern {
  static constexpr int entries_of_C = PatternCounts::num_bins, chunks = entries_of_C + 1,
                       num_counters = chunks + 1;

  Entries entries;
  CompressedCounts compressed_counts;
  LengthsOfA lengths_of_A;
  SpgemmTuning tuning;
  std::uint64_t chunk_size;

  KOKKOS_FUNCTION void operator()(std::size_t i, Counts<num_counters>& counts) const {
    auto const length = static_cast<std::uint64_t>(entries(i));
    int const bin =
        numeric_bin(tuning, length, static_cast<std::uint64_t>(compressed_counts(i)), lengths_of_A(i));
    counts.template add_one_of<0, PatternCounts::num_bins>(bin);
    counts.add(entries_of_C, length);
    if (bin == SpgemmTuning::chunk_bin) counts.add(chunks, ceil_div(length, chunk_size));
  }
};

/// The entries of a row of C by its offsets.
template <class Offsets>
struct RowLengths {
  Offsets offsets;
  KOKKOS_FUNCTION std::uint64_t operator()(std::size_t i) const {
    return static_cast<std::uint64_t>(offsets(i + 1)) - static_cast<std::uint64_t>(offsets(i));
  }
};

/// entries(i), lengths_of_A(i): entries of row i of C, of A. 1 launch; fences exec.
template <class Exec, class Entries, class CompressedCounts, class LengthsOfA>
PatternCounts count_pattern(Exec const& exec, std::size_t num_rows, Entries const& entries,
                            CompressedCounts const& compressed_counts, LengthsOfA const& lengths_of_A,
                            ChunkPlan const& chunks, CountTotals<Exec>& totals) {
  using Functor = CountPattern<Entries, CompressedCounts, LengthsOfA>;
  auto const sums = sum_counts<Functor::num_counters>(
      exec, "einkorn::spgemm[entries]", totals, num_rows,
      Functor{entries, compressed_counts, lengths_of_A, spgemm_tuning(arch_of<Exec>),
              static_cast<std::uint64_t>(chunks.size)});
  PatternCounts counts;
  std::copy_n(sums.of, PatternCounts::num_bins, counts.of_bins);
  counts.entries = sums.of[Functor::entries_of_C];
  counts.chunks = sums.of[Functor::chunks];
  return counts;
}

/// Rows of C by numeric bin. compressed_counts: of the rows of C; counts: count_pattern(); memory: one Ordinal per
/// row, or empty. At most 2 scans and a launch, asynchronous.
template <class Exec, class Ordinal, class COffset, class Device, class LengthsOfA>
NumericSchedule<Ordinal, Device> make_numeric_schedule(Exec const& exec, std::size_t num_rows,
                                                       Kokkos::View<COffset*, Device> const& offsets,
                                                       Kokkos::View<Ordinal*, Device> const& compressed_counts,
                                                       LengthsOfA const& lengths_of_A,
                                                       PatternCounts const& counts, ChunkPlan const& chunks,
                                                       Kokkos::View<Ordinal*, Device> const& memory = {}) {
  constexpr SpgemmTuning tuning = spgemm_tuning(arch_of<Exec>);
  NumericSchedule<Ordinal, Device> schedule;
  schedule.chunk_size = chunks.size;
  schedule.chunks_by_team = chunks.by_team;
  if (num_rows == 0) return schedule;
  schedule.bins = list_bins<SpgemmTuning::num_numeric_bins, Ordinal, Device>(
      exec, num_rows, counts.of_bins,
      NumericBin<Kokkos::View<COffset*, Device>, Kokkos::View<Ordinal*, Device>, LengthsOfA>{
          offsets, compressed_counts, lengths_of_A, tuning},
      memory);
  std::size_t const long_rows = schedule.bins.size(SpgemmTuning::chunk_bin);
  if (long_rows == 0) return schedule;
  using Chunks = Kokkos::View<std::uint32_t*, Device>;
  schedule.chunk_offsets = allocate<Chunks>(exec, "einkorn::spgemm::chunk_offsets", long_rows + 1);
  auto const rows = schedule.bins.of(SpgemmTuning::chunk_bin);
  range_for<std::size_t>(
      "einkorn::spgemm[chunks]", exec, long_rows,
      CountChunks<Kokkos::View<Ordinal const*, Device>, Kokkos::View<COffset*, Device>, Chunks>{
          rows, offsets, schedule.chunk_offsets, static_cast<std::uint64_t>(chunks.size)});
  launch_counts_to_offsets(exec, schedule.chunk_offsets);
  schedule.num_chunks = static_cast<std::int64_t>(counts.chunks);
  return schedule;
}

}  // namespace einkorn::detail
