// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/formats/detail/structure_rows.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace einkorn::detail {

inline constexpr std::int64_t most_listed_diagonals = 512;

/// Counts the flagged diagonals, the bands that they form, and the diagonals of those: a band ends where two
/// diagonals in a row are empty.
template <class Exec, class Device>
void look_at_diagonals(Exec const& exec, Findings<Device> const& findings) {
  auto const flags = findings.diagonal;
  auto const counts = findings.counts;
  auto const size = static_cast<std::int64_t>(flags.extent(0));
  using Found = Findings<Device>;
  Kokkos::parallel_reduce(
      "einkorn::structure[diagonals]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, size),
      KOKKOS_LAMBDA(std::int64_t d, std::int64_t & full, std::int64_t & bands, std::int64_t & joined) {
        bool const here = flags(d) != 0, before = d > 0 && flags(d - 1) != 0;
        full += here;
        bands += here && !before && !(d > 1 && flags(d - 2) != 0);
        joined += !here && before && d + 1 < size && flags(d + 1) != 0;
      },
      Kokkos::subview(counts, static_cast<int>(Found::diagonals)),
      Kokkos::subview(counts, static_cast<int>(Found::bands)),
      Kokkos::subview(counts, static_cast<int>(Found::band_diagonals)));
  Kokkos::parallel_for(
      "einkorn::structure[bands]", Kokkos::RangePolicy<Exec>(exec, 0, 1),
      KOKKOS_LAMBDA(int) { counts(Found::band_diagonals) += counts(Found::diagonals); });
}

/// Entries of each of `count` diagonals, by a histogram in team scratch. diagonal(d) holds d's number. The u-th
/// entries that a thread has of its rows lie on one diagonal for many rows, mostly: it counts them for itself
/// until the diagonal changes.
template <class Exec, class Matrix, class Device>
struct CountDiagonals {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr int team_size = is_gpu<Exec> ? 256 : 1, lanes = is_gpu<Exec> ? 8 : 1, held = 4;
  static constexpr std::int64_t rows_a_block = is_gpu<Exec> ? 4 * team_size / lanes : 1024;

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
    std::int64_t const block = rows_a_block;
    for (std::int64_t first = team.league_rank() * block; first < rows; first += team.league_size() * block) {
      auto const last = Kokkos::min(first + block, rows);
      for (auto row = first + team.team_rank() / lanes; row < last; row += team.team_size() / lanes)
        add_row(static_cast<Ordinal>(row), team.team_rank() % lanes, distance, times, local);
    }
    for (int u = 0; u < held; ++u) hand_over(distance[u], times[u], local);
    team.team_barrier();
    for (int i = team.team_rank(); i < count; i += team.team_size())
      if (local[i] > 0) Kokkos::atomic_add(&entries(i), static_cast<std::int64_t>(local[i]));
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void add_row(Ordinal row, int lane, Ordinal (&distance)[held], int (&times)[held],
                                           int* local) const {
    Offset const end = A.row_end(row);
    for (Offset first = A.row_begin(row) + static_cast<Offset>(lane); first < end; first += held * lanes)
      for (int u = 0; u < held; ++u) {
        Offset const k = first + static_cast<Offset>(u * lanes);
        if (k >= end) break;
        Ordinal const here = A.columns(k) - row;
        if (here != distance[u]) {
          hand_over(distance[u], times[u], local);
          distance[u] = here;
          times[u] = 0;
        }
        ++times[u];
      }
  }
  KOKKOS_FORCEINLINE_FUNCTION void hand_over(Ordinal distance, int times, int* local) const {
    if (times == 0) return;
    auto const d = static_cast<std::int64_t>(distance) + static_cast<std::int64_t>(A.num_rows) - 1;
    Kokkos::atomic_add(&local[diagonal(static_cast<std::size_t>(d))], times);
  }
};

/// The diagonals by offset, with their entries; `count` of them are flagged. Overwrites the flags with numbers.
template <class Exec, class Matrix, class Device>
std::vector<std::pair<std::int64_t, std::int64_t>> list_diagonals(Exec const& exec, Matrix const& A,
                                                                  Findings<Device> const& findings,
                                                                  std::int64_t count) {
  using Numbers = Kokkos::View<std::int64_t*, Device>;
  auto const size = static_cast<std::size_t>(count);
  Numbers const offsets = allocate<Numbers>(exec, "einkorn::structure::offsets", size);
  Numbers const entries = allocate<Numbers>(exec, "einkorn::structure::entries", size);
  Kokkos::deep_copy(exec, entries, 0);
  auto const flags = findings.diagonal;
  auto const rows = static_cast<std::int64_t>(A.num_rows);
  Kokkos::parallel_scan(
      "einkorn::structure[number diagonals]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0,
                                                                 static_cast<std::int64_t>(flags.extent(0))),
      KOKKOS_LAMBDA(std::int64_t d, int& number, bool is_final) {
        int const here = flags(d) != 0;
        if (is_final && here != 0) {
          offsets(number) = d - rows + 1;
          flags(d) = number;
        }
        number += here;
      });
  using Functor = CountDiagonals<Exec, Matrix, Device>;
  auto const blocks = (rows + Functor::rows_a_block - 1) / Functor::rows_a_block;
  auto const most = static_cast<std::int64_t>(is_gpu<Exec> ? 1056 : exec.concurrency());
  Kokkos::TeamPolicy<Exec> policy(exec, static_cast<int>(std::min(blocks, most)), Functor::team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>((size + 1) * sizeof(int))));
  Kokkos::parallel_for("einkorn::structure[count diagonals]", policy, Functor{A, flags, entries});

  std::vector<std::int64_t> offset(size), number(size);
  using Host = Kokkos::View<std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(exec, Host(offset.data(), size), offsets);
  Kokkos::deep_copy(exec, Host(number.data(), size), entries);
  exec.fence("einkorn::structure: the diagonals are read");
  std::vector<std::pair<std::int64_t, std::int64_t>> result(size);
  for (std::size_t i = 0; i < size; ++i) result[i] = {offset[i], number[i]};
  return result;
}

}  // namespace einkorn::detail
