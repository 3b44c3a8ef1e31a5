// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/core/cyclic_rows.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/analysis/detail/rows.hpp>
#include <einkorn/formats/analysis/detail/rows_on_host.hpp>
#include <einkorn/formats/diagonals/detail/count_marks.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace einkorn::detail {

/// Host: counts the flagged diagonals and the runs of adjacent ones (bands).
template <class Flags>
struct CountFlags {
  Flags flags;

  KOKKOS_FUNCTION void operator()(std::int64_t d, std::int64_t& diagonals, std::int64_t& bands) const {
    bool const is_set = flags(d) != 0;
    diagonals += is_set;
    bands += is_set && !(d > 0 && flags(d - 1) != 0);
  }
};

/// Counts the diagonals with entries, and their bands; lists them on a GPU. 1 launch.
template <class Exec, class Device>
void analyze_diagonals(Exec const& exec, StructureCounters<Device> const& counters, std::int64_t num_rows) {
  using Counters = StructureCounters<Device>;
  constexpr char const* label = "einkorn::structure[diagonals]";
  auto const flags = counters.diagonals;
  if constexpr (is_gpu<Exec>) {
    count_marks(exec, label, reinterpret_cast<std::uint64_t const*>(flags.data()),
                static_cast<std::int64_t>(flags.extent(0) / 8), num_rows, counters.counts,
                {Counters::num_diagonals, Counters::num_bands, Counters::num_listed, Counters::list});
  } else {
    range_reduce<std::int64_t>(label, exec, static_cast<std::int64_t>(flags.extent(0)),
                               CountFlags<decltype(counters.diagonals)>{flags},
                               Kokkos::subview(counters.counts, static_cast<int>(Counters::num_diagonals)),
                               Kokkos::subview(counters.counts, static_cast<int>(Counters::num_bands)));
  }
}

/// GPU: counts the entries of each diagonal in every `sample`-th block of rows, by a histogram in team scratch.
///
/// The u-th entries of the rows of a thread are on one diagonal for many rows in most matrices: the thread
/// counts them in a register until the diagonal changes.
template <class Exec, class Matrix, class Device>
struct CountDiagonals {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  static constexpr int team_size = 256, min_teams_per_sm = 4, lanes = 8, batch = 4;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<team_size, min_teams_per_sm>>;
  using Member = typename Policy::member_type;
  using Rows = CyclicRows<lanes, team_size, 4>;

  Matrix A;
  Kokkos::View<std::int64_t*, Device> offsets;  // of the diagonals, ascending
  Kokkos::View<std::int64_t*, Device> entries;
  std::int64_t sample;

  static std::size_t scratch_bytes(std::size_t count) { return count * (sizeof(int) + sizeof(Ordinal)) + 32; }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const count = static_cast<int>(entries.extent(0));
    Histogram histogram{};
    histogram.size = count;
    histogram.counts = static_cast<int*>(
        team.team_scratch(0).get_shmem_aligned(static_cast<std::size_t>(count) * sizeof(int), alignof(int)));
    histogram.offsets = static_cast<Ordinal*>(team.team_scratch(0).get_shmem_aligned(
        static_cast<std::size_t>(count) * sizeof(Ordinal), alignof(Ordinal)));
    for (int i = team.team_rank(); i < count; i += team.team_size()) {
      histogram.counts[i] = 0;
      histogram.offsets[i] = static_cast<Ordinal>(offsets(i));
    }
    team.team_barrier();
    Ordinal distance[batch] = {};
    int run_length[batch] = {};
    int const lane = team.team_rank() % lanes;
    Rows::for_each(
        team, static_cast<std::int64_t>(A.num_rows), sample,
        [this](std::int64_t number) { return row_at(number); },
        [&](Row const& row) { add_row(row, lane, distance, run_length, histogram); });
    for (int u = 0; u < batch; ++u) histogram.add(distance[u], run_length[u]);
    team.team_barrier();
    for (int i = team.team_rank(); i < count; i += team.team_size())
      if (histogram.counts[i] > 0)
        Kokkos::atomic_add(&entries(i), static_cast<std::int64_t>(histogram.counts[i]));
  }

 private:
  struct Row {
    Ordinal number;
    Offset begin, end;
  };

  struct Histogram {
    int* counts;
    Ordinal* offsets;
    int size;

    KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal diagonal, int number) const {
      if (number == 0) return;
      Ordinal const* const list = offsets;
      int const at = lower_bound_index([list](int i) { return list[i]; }, 0, size, diagonal);
      add_in_team<Exec>(&counts[at], number);
    }
  };

  KOKKOS_FORCEINLINE_FUNCTION Row row_at(std::int64_t number) const {
    if (number >= static_cast<std::int64_t>(A.num_rows)) return {Ordinal(0), Offset(0), Offset(0)};
    auto const row = static_cast<Ordinal>(number);
    return {row, A.row_begin(row), A.row_end(row)};
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_row(Row const& row, int lane, Ordinal (&distance)[batch],
                                           int (&run_length)[batch], Histogram const& histogram) const {
    for (Offset first = row.begin + static_cast<Offset>(lane); first < row.end; first += batch * lanes) {
      Ordinal column[batch];
      for (int u = 0; u < batch; ++u) {  // beyond the end: the last entry
        Offset const next = first + static_cast<Offset>(u * lanes);
        column[u] = A.columns(next < row.end ? next : row.end - 1);
      }
      for (int u = 0; u < batch; ++u) {
        if (first + static_cast<Offset>(u * lanes) >= row.end) break;
        count(column[u] - row.number, distance[u], run_length[u], histogram);
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void count(Ordinal diagonal, Ordinal& distance, int& run_length,
                                         Histogram const& histogram) const {
    if (diagonal != distance) {
      histogram.add(distance, run_length);
      distance = diagonal;
      run_length = 0;
    }
    ++run_length;
  }
};

/// Host: lists the offsets of the flagged diagonals and stores their numbers in that list.
template <class Flags, class Numbers>
struct NumberDiagonals {
  Flags flags;
  Kokkos::View<int*, typename Flags::device_type> numbers;
  Numbers offsets;
  std::int64_t rows;

  KOKKOS_FUNCTION void operator()(std::int64_t d, int& number, bool is_final) const {
    int const is_set = flags(d) != 0;
    if (is_final && is_set != 0) {
      offsets(number) = d - rows + 1;
      numbers(d) = number;
    }
    number += is_set;
  }
};

/// A GPU counts the entries per diagonal of a matrix with more rows in every diagonal_sample-th block of rows.
inline constexpr std::int64_t max_rows_counted = std::int64_t(1) << 20, diagonal_sample = 16;

/// The flagged diagonals as pairs (offset, entries), in ascending order. 1 launch, on a host 2; fences exec.
/// @param counts  the counters on the host
/// @param exact  GPU: count the entries of all rows
/// @pre num_diagonals is at most max_listed_diagonals
template <class Exec, class Matrix, class Device, class Counts>
std::vector<std::pair<std::int64_t, std::int64_t>> list_diagonals(Exec const& exec, Matrix const& A,
                                                                  StructureCounters<Device> const& counters,
                                                                  Counts const& counts,
                                                                  [[maybe_unused]] bool exact) {
  using Counters = StructureCounters<Device>;
  using Numbers = Kokkos::View<std::int64_t*, Device>;
  using Host = Kokkos::View<std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  auto const size = static_cast<std::size_t>(counts[Counters::num_diagonals]);
  auto const rows = static_cast<std::int64_t>(A.num_rows);
  double scale = 1.0;
  auto offset = allocate_vector<std::int64_t>("einkorn::structure: offsets", size);
  auto number = allocate_vector<std::int64_t>("einkorn::structure: entries", size);
  Numbers const both = allocate<Numbers>(exec, "einkorn::structure::diagonals", 2 * size);
  Numbers const offsets = Kokkos::subview(both, std::pair(std::size_t(0), size));
  Numbers const entries = Kokkos::subview(both, std::pair(size, 2 * size));
  fill_vector(exec, entries, 0);
  if constexpr (is_gpu<Exec>) {
    using Functor = CountDiagonals<Exec, Matrix, Device>;
    std::copy_n(counts.begin() + Counters::list, size, offset.begin());
    std::sort(offset.begin(), offset.end());
    copy_vector(exec, offsets, Host(offset.data(), size));
    std::int64_t const sample = exact ? 1
                                : rows > max_rows_counted
                                    ? diagonal_sample
                                    : structure_sample(static_cast<std::int64_t>(A.nnz()));
    std::int64_t const blocks = ceil_div(Functor::Rows::num_blocks(rows), sample);
    std::int64_t const last = (blocks - 1) * sample * Functor::Rows::block_rows;  // first row of the last block
    std::int64_t const sampled =
        (blocks - 1) * Functor::Rows::block_rows + std::min(rows - last, Functor::Rows::block_rows);
    scale = static_cast<double>(rows) / static_cast<double>(sampled);
    auto const teams = std::min(blocks, max_resident_teams);
    typename Functor::Policy policy(exec, static_cast<int>(teams), Functor::team_size);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes(size))));
    Kokkos::parallel_for("einkorn::structure[count diagonals]", policy, Functor{A, offsets, entries, sample});
  } else {
    auto const flags = counters.diagonals;
    auto const numbers =
        allocate<Kokkos::View<int*, Device>>(exec, "einkorn::structure::numbers", flags.extent(0));
    range_scan<std::int64_t>(
        "einkorn::structure[number diagonals]", exec, static_cast<std::int64_t>(flags.extent(0)),
        NumberDiagonals<decltype(counters.diagonals), Numbers>{flags, numbers, offsets, rows});
    count_diagonals_on_host(exec, A, numbers, entries);
    copy_vector(exec, Host(offset.data(), size), offsets);
  }
  copy_vector(exec, Host(number.data(), size), entries);
  fence(exec, "einkorn::structure: the diagonals are read");
  auto result = allocate_vector<std::pair<std::int64_t, std::int64_t>>("einkorn::structure: diagonals", size);
  for (std::size_t i = 0; i < size; ++i) {
    auto const scaled = static_cast<std::int64_t>(scale * static_cast<double>(number[i]) + 0.5);
    result[i] = {offset[i], scale == 1.0 ? number[i] : std::max<std::int64_t>(scaled, 1)};
  }
  return result;
}

}  // namespace einkorn::detail
