// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/analysis/detail/rows.hpp>
#include <einkorn/formats/analysis/detail/rows_on_host.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace einkorn::detail {

/// Counts the flagged diagonals and the runs of adjacent ones (bands).
template <class Flags>
struct CountFlags {
  Flags flags;

  KOKKOS_FUNCTION void operator()(std::int64_t d, std::int64_t& diagonals, std::int64_t& bands) const {
    bool const is_set = flags(d) != 0;
    diagonals += is_set;
    bands += is_set && !(d > 0 && flags(d - 1) != 0);
  }
};

/// Counts the diagonals with entries, and their bands. 1 launch.
template <class Exec, class Device>
void analyze_diagonals(Exec const& exec, StructureCounters<Device> const& counters) {
  auto const flags = counters.diagonals;
  auto const counts = counters.counts;
  auto const size = static_cast<std::int64_t>(flags.extent(0));
  using Counters = StructureCounters<Device>;
  range_reduce<std::int64_t>("einkorn::structure[diagonals]", exec, size,
                             CountFlags<decltype(counters.diagonals)>{flags},
                             Kokkos::subview(counts, static_cast<int>(Counters::num_diagonals)),
                             Kokkos::subview(counts, static_cast<int>(Counters::num_bands)));
}

/// GPU: counts the entries of each diagonal, by a histogram in team scratch. numbers(d + num_rows - 1) is the number
/// of diagonal d.
///
/// The u-th entries of the rows of a thread are on one diagonal for many rows in most matrices: the thread
/// counts them in a register until the diagonal changes. The bounds of the next row are loaded before the
/// entries of this one.
template <class Exec, class Matrix, class Device>
struct CountDiagonals {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  static constexpr int team_size = 256, min_teams_per_sm = 4, lanes = 8, batch = 4;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<team_size, min_teams_per_sm>>;
  using Member = typename Policy::member_type;
  using Rows = StridedRowRange<lanes, team_size, 4>;

  Matrix A;
  Kokkos::View<int*, Device> numbers;
  Kokkos::View<std::int64_t*, Device> entries;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const count = static_cast<int>(entries.extent(0));
    auto* const histogram = static_cast<int*>(
        team.team_scratch(0).get_shmem_aligned(static_cast<std::size_t>(count) * sizeof(int), alignof(int)));
    for (int i = team.team_rank(); i < count; i += team.team_size()) histogram[i] = 0;
    team.team_barrier();
    Ordinal distance[batch] = {};
    int run_length[batch] = {};
    auto const rows = static_cast<std::int64_t>(A.num_rows);
    Row next = row_at(Rows::row(team, 0));
    for (std::int64_t step = 0; Rows::block(team, step) < rows; ++step) {
      Row const row = next;
      next = row_at(Rows::row(team, step + 1));
      add_row(row, team.team_rank() % lanes, distance, run_length, histogram);
    }
    for (int u = 0; u < batch; ++u) flush(distance[u], run_length[u], histogram);
    team.team_barrier();
    for (int i = team.team_rank(); i < count; i += team.team_size())
      if (histogram[i] > 0) Kokkos::atomic_add(&entries(i), static_cast<std::int64_t>(histogram[i]));
  }

 private:
  struct Row {
    Ordinal number;
    Offset begin, end;
  };

  KOKKOS_FORCEINLINE_FUNCTION Row row_at(std::int64_t number) const {
    if (number >= static_cast<std::int64_t>(A.num_rows)) return {Ordinal(0), Offset(0), Offset(0)};
    auto const row = static_cast<Ordinal>(number);
    return {row, A.row_begin(row), A.row_end(row)};
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_row(Row const& row, int lane, Ordinal (&distance)[batch],
                                           int (&run_length)[batch], int* histogram) const {
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
                                         int* histogram) const {
    if (diagonal != distance) {
      flush(distance, run_length, histogram);
      distance = diagonal;
      run_length = 0;
    }
    ++run_length;
  }
  KOKKOS_FORCEINLINE_FUNCTION void flush(Ordinal distance, int run_length, int* histogram) const {
    if (run_length == 0) return;
    auto const d = static_cast<std::int64_t>(distance) + static_cast<std::int64_t>(A.num_rows) - 1;
    add_in_team<Exec>(&histogram[numbers(static_cast<std::size_t>(d))], run_length);
  }
};

/// Lists the offsets of the flagged diagonals; replaces the flags by numbers in that list.
template <class Flags, class Numbers>
struct NumberDiagonals {
  Flags flags;
  Numbers offsets;
  std::int64_t rows;

  KOKKOS_FUNCTION void operator()(std::int64_t d, int& number, bool is_final) const {
    int const is_set = flags(d) != 0;
    if (is_final && is_set != 0) {
      offsets(number) = d - rows + 1;
      flags(d) = number;
    }
    number += is_set;
  }
};

/// The `count` flagged diagonals as pairs (offset, entries), in ascending order. Overwrites the flags with
/// numbers. 2 launches; fences exec.
template <class Exec, class Matrix, class Device>
std::vector<std::pair<std::int64_t, std::int64_t>> list_diagonals(Exec const& exec, Matrix const& A,
                                                                  StructureCounters<Device> const& counters,
                                                                  std::int64_t count) {
  using Numbers = Kokkos::View<std::int64_t*, Device>;
  auto const size = static_cast<std::size_t>(count);
  Numbers const offsets = allocate<Numbers>(exec, "einkorn::structure::offsets", size);
  Numbers const entries = allocate<Numbers>(exec, "einkorn::structure::entries", size);
  fill_vector(exec, entries, 0);
  auto const flags = counters.diagonals;
  auto const rows = static_cast<std::int64_t>(A.num_rows);
  range_scan<std::int64_t>("einkorn::structure[number diagonals]", exec,
                           static_cast<std::int64_t>(flags.extent(0)),
                           NumberDiagonals<decltype(counters.diagonals), Numbers>{flags, offsets, rows});
  if constexpr (is_gpu<Exec>) {
    using Functor = CountDiagonals<Exec, Matrix, Device>;
    auto const teams = std::min(Functor::Rows::num_blocks(rows), max_structure_teams);
    typename Functor::Policy policy(exec, static_cast<int>(teams), Functor::team_size);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>((size + 1) * sizeof(int))));
    Kokkos::parallel_for("einkorn::structure[count diagonals]", policy, Functor{A, flags, entries});
  } else {
    count_diagonals_on_host(exec, A, flags, entries);
  }

  auto offset = allocate_vector<std::int64_t>("einkorn::structure: offsets", size);
  auto number = allocate_vector<std::int64_t>("einkorn::structure: entries", size);
  using Host = Kokkos::View<std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  copy_vector(exec, Host(offset.data(), size), offsets);
  copy_vector(exec, Host(number.data(), size), entries);
  exec.fence("einkorn::structure: the diagonals are read");
  auto result = allocate_vector<std::pair<std::int64_t, std::int64_t>>("einkorn::structure: diagonals", size);
  for (std::size_t i = 0; i < size; ++i) result[i] = {offset[i], number[i]};
  return result;
}

}  // namespace einkorn::detail
