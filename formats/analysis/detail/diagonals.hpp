// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/formats/analysis/detail/rows.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace einkorn::detail {

inline constexpr std::int64_t max_listed_diagonals = 512;

/// Flagged diagonals, and the runs that they form.
template <class Flags>
struct CountFlags {
  Flags flags;

  KOKKOS_FUNCTION void operator()(std::int64_t d, std::int64_t& full, std::int64_t& bands) const {
    bool const here = flags(d) != 0;
    full += here;
    bands += here && !(d > 0 && flags(d - 1) != 0);
  }
};

/// Counts the flagged diagonals and the runs, or bands, that they form.
template <class Exec, class Device>
void analyze_diagonals(Exec const& exec, StructureCounters<Device> const& findings) {
  auto const flags = findings.diagonal;
  auto const counts = findings.counts;
  auto const size = static_cast<std::int64_t>(flags.extent(0));
  using Found = StructureCounters<Device>;
  Kokkos::parallel_reduce("einkorn::structure[diagonals]",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, size),
                          CountFlags<decltype(findings.diagonal)>{flags},
                          Kokkos::subview(counts, static_cast<int>(Found::diagonals)),
                          Kokkos::subview(counts, static_cast<int>(Found::bands)));
}

/// Entries of each of `count` diagonals, by a histogram in team scratch. diagonal(d) holds d's number. The u-th
/// entries that a thread has of its rows lie on one diagonal for many rows, mostly: it counts them for itself
/// until the diagonal changes. The bounds of the next row are asked for before the entries of this one.
template <class Exec, class Matrix, class Device>
struct CountDiagonals {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  static constexpr int team_size = is_gpu<Exec> ? 256 : 1, min_teams_per_sm = 4, lanes = is_gpu<Exec> ? 8 : 1;
  static constexpr int held = is_gpu<Exec> ? 4 : 64;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<team_size, min_teams_per_sm>>;
  using Member = typename Policy::member_type;
  using Rows = StridedRowRange<lanes, team_size, is_gpu<Exec> ? 4 : 1024>;

  Matrix A;
  Kokkos::View<int*, Device> diagonal;
  Kokkos::View<std::int64_t*, Device> entries;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const count = static_cast<int>(entries.extent(0));
    auto* const local = static_cast<int*>(
        team.team_scratch(0).get_shmem_aligned(static_cast<std::size_t>(count) * sizeof(int), alignof(int)));
    for (int i = team.team_rank(); i < count; i += team.team_size()) local[i] = 0;
    team.team_barrier();
    Ordinal distance[held] = {};
    int times[held] = {};
    auto const rows = static_cast<std::int64_t>(A.num_rows);
    Row next = row_at(Rows::row(team, 0));
    for (std::int64_t step = 0; Rows::block(team, step) < rows; ++step) {
      Row const row = next;
      next = row_at(Rows::row(team, step + 1));
      add_row(row, team.team_rank() % lanes, distance, times, local);
    }
    for (int u = 0; u < held; ++u) store_partials(distance[u], times[u], local);
    team.team_barrier();
    for (int i = team.team_rank(); i < count; i += team.team_size())
      if (local[i] > 0) Kokkos::atomic_add(&entries(i), static_cast<std::int64_t>(local[i]));
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
  KOKKOS_FORCEINLINE_FUNCTION void add_row(Row const& row, int lane, Ordinal (&distance)[held],
                                           int (&times)[held], int* local) const {
    if constexpr (!is_gpu<Exec>) {
      for (Offset k = row.begin; k < row.end; ++k) {
        auto const u = static_cast<std::size_t>(k - row.begin) % held;
        count(A.columns(k) - row.number, distance[u], times[u], local);
      }
    } else {
      for (Offset first = row.begin + static_cast<Offset>(lane); first < row.end; first += held * lanes) {
        Ordinal column[held];
        for (int u = 0; u < held; ++u) {  // past the end: the last entry again
          Offset const wanted = first + static_cast<Offset>(u * lanes);
          column[u] = A.columns(wanted < row.end ? wanted : row.end - 1);
        }
        for (int u = 0; u < held; ++u) {
          if (first + static_cast<Offset>(u * lanes) >= row.end) break;
          count(column[u] - row.number, distance[u], times[u], local);
        }
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void count(Ordinal here, Ordinal& distance, int& times, int* local) const {
    if (here != distance) {
      store_partials(distance, times, local);
      distance = here;
      times = 0;
    }
    ++times;
  }
  KOKKOS_FORCEINLINE_FUNCTION void store_partials(Ordinal distance, int times, int* local) const {
    if (times == 0) return;
    auto const d = static_cast<std::int64_t>(distance) + static_cast<std::int64_t>(A.num_rows) - 1;
    Kokkos::atomic_add(&local[diagonal(static_cast<std::size_t>(d))], times);
  }
};

/// The offsets of the flagged diagonals; their flags become their numbers.
template <class Flags, class Numbers>
struct NumberDiagonals {
  Flags flags;
  Numbers offsets;
  std::int64_t rows;

  KOKKOS_FUNCTION void operator()(std::int64_t d, int& number, bool is_final) const {
    int const here = flags(d) != 0;
    if (is_final && here != 0) {
      offsets(number) = d - rows + 1;
      flags(d) = number;
    }
    number += here;
  }
};

/// The diagonals by offset, with their entries; `count` of them are flagged. Overwrites the flags with numbers.
template <class Exec, class Matrix, class Device>
std::vector<std::pair<std::int64_t, std::int64_t>> list_diagonals(Exec const& exec, Matrix const& A,
                                                                  StructureCounters<Device> const& findings,
                                                                  std::int64_t count) {
  using Numbers = Kokkos::View<std::int64_t*, Device>;
  auto const size = static_cast<std::size_t>(count);
  Numbers const offsets = allocate<Numbers>(exec, "einkorn::structure::offsets", size);
  Numbers const entries = allocate<Numbers>(exec, "einkorn::structure::entries", size);
  Kokkos::deep_copy(exec, entries, 0);
  auto const flags = findings.diagonal;
  auto const rows = static_cast<std::int64_t>(A.num_rows);
  Kokkos::parallel_scan("einkorn::structure[number diagonals]",
                        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                            exec, 0, static_cast<std::int64_t>(flags.extent(0))),
                        NumberDiagonals<decltype(findings.diagonal), Numbers>{flags, offsets, rows});
  using Functor = CountDiagonals<Exec, Matrix, Device>;
  auto const blocks = Functor::Rows::num_blocks(rows);
  std::int64_t const most = is_gpu<Exec> ? max_teams : exec.concurrency();
  typename Functor::Policy policy(exec, static_cast<int>(std::min(blocks, most)), Functor::team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>((size + 1) * sizeof(int))));
  Kokkos::parallel_for("einkorn::structure[count diagonals]", policy, Functor{A, flags, entries});

  auto offset = allocate_vector<std::int64_t>("einkorn::structure: offsets", size);
  auto number = allocate_vector<std::int64_t>("einkorn::structure: entries", size);
  using Host = Kokkos::View<std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(exec, Host(offset.data(), size), offsets);
  Kokkos::deep_copy(exec, Host(number.data(), size), entries);
  exec.fence("einkorn::structure: the diagonals are read");
  auto result = allocate_vector<std::pair<std::int64_t, std::int64_t>>("einkorn::structure: diagonals", size);
  for (std::size_t i = 0; i < size; ++i) result[i] = {offset[i], number[i]};
  return result;
}

}  // namespace einkorn::detail
