// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/diagonals/detail/count_marks.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace einkorn::detail {

/// Entries of a row above which a team analyzes it, not a group of lanes (GPU), and above which several teams do.
inline constexpr std::int64_t max_row_by_lanes = 512, max_row_by_team = 16384;

/// *to += value in the scratch of a team. A team of the host has one thread.
template <class Exec, class T>
KOKKOS_FORCEINLINE_FUNCTION void add_in_team(T* to, T value) {
  if constexpr (is_gpu<Exec>)
    Kokkos::atomic_add(to, value);
  else
    *to += value;
}

/// The results of the kernels of structure() in device memory: counts, which the host reads once, and a flag
/// per diagonal. Diagonal d = j - i has flag d + num_rows - 1.
template <class Device>
struct StructureCounters {
  using Counts = Kokkos::View<std::int64_t*, Device>;
  using Flags = Kokkos::View<unsigned char*, Device>;
  enum Slot : int {
    longest_row,
    sum_of_squares,
    lower_bandwidth,
    upper_bandwidth,
    unsorted_rows,
    stripes,
    stripe_columns,
    slice_slots,
    window_slots,
    window_entries,
    num_diagonals,
    num_bands,
    num_long_rows,
    num_very_long_rows,
    gather_entries,
    gather_sectors,
    block_changes,
    blocks,                         // + b: b x b blocks in the sample, b = 2 .. 8
    block_entries = blocks + 9,     // + b: entries in the sample
    histogram = block_entries + 9,  // + i: rows of 2^(i-1) .. 2^i - 1 entries; 64 bins
    num_combined = histogram + 64,  // slots before this one are combined by combine()
    num_listed = num_combined,      // see CountMarks
    list = num_listed + 1,          // the first marked diagonals found
    size = list + max_listed_diagonals
  };

  Counts counts;  // [size]
  Flags
      diagonals;  // [num_rows + num_cols - 1, rounded up to a multiple of 8]; 1: the diagonal has an entry; memory of counts
  /// Rows of more than max_row_by_lanes entries, unordered: num_long_rows from the beginning; rows of more than
  /// max_row_by_team entries: num_very_long_rows from the end.
  Counts long_rows;
  Counts long_row_flags;  // for each: bit 0, unsorted; bit 1, its columns differ from those of the row above

  /// Counts and flags are 0. One allocation, because each takes 70 us and more on a GPU, and as much to free it.
  template <class Exec>
  StructureCounters(Exec const& exec, std::size_t flags, std::int64_t nnz) {
    auto const max_long_rows =
        is_gpu<Exec> ? static_cast<std::size_t>(nnz / max_row_by_lanes + 1) : std::size_t(0);
    std::size_t const flag_words = ceil_div(flags, 8), zeros = size + max_long_rows + flag_words;
    auto const all = allocate<Counts>(exec, "einkorn::structure::counts", zeros + max_long_rows);
    auto const part = [&](std::size_t begin, std::size_t extent) {
      return Counts(Kokkos::subview(all, std::pair(begin, begin + extent)));
    };
    counts = part(0, size);
    long_row_flags = part(size, max_long_rows);
    diagonals = Flags(reinterpret_cast<unsigned char*>(all.data() + (size + max_long_rows)), 8 * flag_words);
    long_rows = part(zeros, max_long_rows);
    fill_vector(exec, part(0, zeros), 0);
  }

  template <class Exec>
  std::array<std::int64_t, size> read(Exec const& exec) const {
    std::array<std::int64_t, size> result{};
    Kokkos::View<std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(result.data(), size);
    copy_vector(exec, host, counts);
    fence(exec, "einkorn::structure: counts are read");
    return result;
  }

  /// Combines a value with *to: the maximum of lengths and bandwidths, the sum of all others.
  template <class Exec>
  KOKKOS_FORCEINLINE_FUNCTION static void combine(int slot, std::int64_t* to, std::int64_t value) {
    if (value == 0) return;
    if (slot != longest_row && slot != lower_bandwidth && slot != upper_bandwidth)
      Kokkos::atomic_add(to, value);
    else if (value > Lanes<Exec>::load_volatile(to))  // most threads have no new maximum
      Kokkos::atomic_max(to, value);
  }

  KOKKOS_FORCEINLINE_FUNCTION void list_long_row(std::int64_t row, std::int64_t entries) const {
    bool const is_very_long = entries > max_row_by_team;
    auto const slot = is_very_long ? num_very_long_rows : num_long_rows;
    auto const position = static_cast<std::size_t>(Kokkos::atomic_fetch_add(&counts(slot), std::int64_t(1)));
    long_rows(is_very_long ? long_rows.extent(0) - 1 - position : position) = row;
  }

  /// GPU: updates the bandwidths of a thread for an entry of diagonal `distance`. Returns whether mark_diagonal() is needed.
  ///
  /// The flag is read through the L1 cache, which may be stale; the flag is then stored once more.
  /// Atomic reads of the flags of few diagonals would all go to one line of the L2 cache. Threads read several flags
  /// before they set one, to wait for memory once.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_unmarked(std::int64_t distance, std::int64_t num_rows,
                                                             std::int64_t* thread_counts) const {
    if (-distance > thread_counts[lower_bandwidth]) thread_counts[lower_bandwidth] = -distance;
    if (distance > thread_counts[upper_bandwidth]) thread_counts[upper_bandwidth] = distance;
    unsigned char* const flag = &diagonals(static_cast<std::size_t>(distance + num_rows - 1));
    return *flag == 0;
  }
  template <class Exec>
  KOKKOS_FORCEINLINE_FUNCTION void mark_diagonal(std::int64_t distance, std::int64_t num_rows) const {
    // Threads store the same. Kokkos::atomic_store() is an exchange on a GPU, and atomic_load() also an update.
    Lanes<Exec>::store_volatile(&diagonals(static_cast<std::size_t>(distance + num_rows - 1)),
                                static_cast<unsigned char>(1));
  }
};

/// GPU: calls count(team_counts) with num_combined zeros in the scratch of the team, then combines them with the counters.
/// Collective over the team.
template <class Exec, class Counters, class Team, class Count>
KOKKOS_FORCEINLINE_FUNCTION void count_in_team(Team const& team, Counters const& counters, Count const& count) {
  std::size_t const bytes = Counters::num_combined * sizeof(std::int64_t);
  auto* const team_counts =
      static_cast<std::int64_t*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(std::int64_t)));
  for (int i = team.team_rank(); i < Counters::num_combined; i += team.team_size()) team_counts[i] = 0;
  team.team_barrier();
  count(team_counts);
  team.team_barrier();
  for (int i = team.team_rank(); i < Counters::num_combined; i += team.team_size())
    Counters::template combine<Exec>(i, &counters.counts(i), team_counts[i]);
}

}  // namespace einkorn::detail
