// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Teams of the kernels that go over all rows of a matrix on a GPU: 8 for each of 132 multiprocessors.
inline constexpr std::int64_t max_teams = 1056;

/// Longer rows are looked at by teams (GPU).
inline constexpr std::int64_t longest_by_lanes = 512;

/// Where the kernels of structure() leave what they find: counts in device memory, read by the host once, and a
/// flag for every diagonal. Diagonal d = j - i has flag d + num_rows - 1.
template <class Device>
struct StructureCounters {
  using Counts = Kokkos::View<std::int64_t*, Device>;
  using Flags = Kokkos::View<int*, Device>;
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
    diagonals,
    bands,
    num_long_rows,
    blocks = 16,         // + b: blocks in the sample
    block_entries = 32,  // + b: entries in the sample
    histogram = 48,      // + i, 64 of them
    size = 112
  };

  Counts counts;   // [size]
  Flags diagonal;  // [rows + columns - 1], 1 where an entry lies
  Counts
      long_rows;  // [num_long_rows], room for more: those of more than longest_by_lanes entries, in any order
  Flags long_marks;  // what is known of each of them: 1 unsorted, 2 unlike the row above

  template <class Exec>
  StructureCounters(Exec const& exec, std::size_t num_diagonals, std::int64_t nnz)
      : counts(allocate<Counts>(exec, "einkorn::structure::counts", size)),
        diagonal(allocate<Flags>(exec, "einkorn::structure::diagonals", num_diagonals)) {
    Kokkos::deep_copy(exec, counts, 0);
    Kokkos::deep_copy(exec, diagonal, 0);
    if constexpr (!is_gpu<Exec>) return;
    auto const most = static_cast<std::size_t>(nnz / longest_by_lanes + 1);
    long_rows = allocate<Counts>(exec, "einkorn::structure::long_rows", most);
    long_marks = allocate<Flags>(exec, "einkorn::structure::long_marks", most);
    Kokkos::deep_copy(exec, long_marks, 0);
  }

  template <class Exec>
  std::array<std::int64_t, size> read(Exec const& exec) const {
    std::array<std::int64_t, size> result{};
    Kokkos::View<std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(result.data(), size);
    Kokkos::deep_copy(exec, host, counts);
    exec.fence("einkorn::structure: what was found is read");
    return result;
  }

  KOKKOS_FORCEINLINE_FUNCTION static void gather(int slot, std::int64_t* to, std::int64_t value) {
    if (value == 0) return;
    if (slot == longest_row || slot == lower_bandwidth || slot == upper_bandwidth)
      Kokkos::atomic_max(to, value);
    else
      Kokkos::atomic_add(to, value);
  }

  KOKKOS_FORCEINLINE_FUNCTION void list_long_row(std::int64_t row) const {
    auto const at = Kokkos::atomic_fetch_add(&counts(num_long_rows), std::int64_t(1));
    long_rows(static_cast<std::size_t>(at)) = row;
  }

  /// An entry lies on this diagonal; own[] has a thread's bandwidths. The flag is read through the first-level
  /// cache on a GPU, which may show what was there before: it is then stored again. Read atomically, flags of
  /// few diagonals would be asked of one line of the second-level cache.
  template <class Exec>
  KOKKOS_FORCEINLINE_FUNCTION void mark(std::int64_t distance, std::int64_t num_rows, std::int64_t* own) const {
    if (-distance > own[lower_bandwidth]) own[lower_bandwidth] = -distance;
    if (distance > own[upper_bandwidth]) own[upper_bandwidth] = distance;
    int* const flag = &diagonal(static_cast<std::size_t>(distance + num_rows - 1));
    bool is_clear = false;
    if constexpr (is_gpu<Exec>)
      is_clear = *flag == 0;
    else
      is_clear = Kokkos::atomic_load(flag) == 0;
    if (is_clear) Kokkos::atomic_store(flag, 1);
  }
};

}  // namespace einkorn::detail
