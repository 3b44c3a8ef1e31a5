// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/formats/analysis/detail/counters.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn::detail {

/// The entries of the rows that LookAtRows has listed (GPU): a team a row, or several teams a row, each with a
/// share of its entries, where there are fewer rows than teams. Whoever finds a row unsorted, or unlike the row
/// above, for the first time counts it.
template <class Exec, class Matrix, class Device>
struct LookAtLongRows {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Found = StructureCounters<Device>;
  static constexpr int team_size = 256, min_teams_per_sm = 4, unroll = 4;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<team_size, min_teams_per_sm>>;

  Matrix A;
  Found found;

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    std::int64_t const count = found.counts(Found::num_long_rows), teams = team.league_size();
    if (count == 0) return;
    std::int64_t const shares = count < teams ? teams / count : 1;
    for (std::int64_t i = team.league_rank(); i < count * shares; i += teams)
      analyze(i % count, i / count, shares, team.team_rank());
  }

 private:
  KOKKOS_FUNCTION void analyze(std::int64_t which, std::int64_t share, std::int64_t shares, int thread) const {
    auto const at = static_cast<std::size_t>(which);
    std::int64_t const row = found.long_rows(at), rows = static_cast<std::int64_t>(A.num_rows);
    auto const begin = static_cast<std::int64_t>(A.row_begin(static_cast<Ordinal>(row)));
    auto const length = static_cast<std::int64_t>(A.row_end(static_cast<Ordinal>(row))) - begin;
    bool const alike =
        row > 0 && begin - static_cast<std::int64_t>(A.row_begin(static_cast<Ordinal>(row - 1))) == length;
    std::int64_t const first = begin + length * share / shares, last = begin + length * (share + 1) / shares;
    std::int64_t own[Found::upper_bandwidth + 1] = {};
    bool differs = false, unsorted = false;
    for (std::int64_t from = first + thread; from < last; from += team_size * unroll) {
      Ordinal column[unroll], left[unroll], above[unroll];
      for (int u = 0; u < unroll; ++u) {  // past the end: the last entry again
        std::int64_t const wanted = from + u * team_size, k = wanted < last ? wanted : last - 1;
        column[u] = A.columns(static_cast<Offset>(k));
        left[u] = A.columns(static_cast<Offset>(k > begin ? k - 1 : k));
        above[u] = alike ? A.columns(static_cast<Offset>(k - length)) : column[u];
      }
      for (int u = 0; u < unroll; ++u) {
        std::int64_t const k = from + u * team_size;
        if (k >= last) break;
        if (k > begin && left[u] >= column[u]) unsorted = true;
        if (above[u] != column[u]) differs = true;
        found.template mark<Exec>(static_cast<std::int64_t>(column[u]) - row, rows, own);
      }
    }
    for (int slot : {Found::lower_bandwidth, Found::upper_bandwidth})
      Found::gather(slot, &found.counts(slot), own[slot]);
    if (unsorted && (Kokkos::atomic_fetch_or(&found.long_marks(at), 1) & 1) == 0)
      Kokkos::atomic_inc(&found.counts(Found::unsorted_rows));
    if (differs && (Kokkos::atomic_fetch_or(&found.long_marks(at), 2) & 2) == 0) {
      Kokkos::atomic_inc(&found.counts(Found::stripes));
      Kokkos::atomic_add(&found.counts(Found::stripe_columns), length);
    }
  }
};

template <class Exec, class Matrix, class Device>
void analyze_long_rows(Exec const& exec, Matrix const& A, StructureCounters<Device> const& findings) {
  using Functor = LookAtLongRows<Exec, Matrix, Device>;
  if constexpr (is_gpu<Exec>)
    Kokkos::parallel_for("einkorn::structure[long rows]",
                         typename Functor::Policy(exec, static_cast<int>(max_teams), Functor::team_size),
                         Functor{A, findings});
}

}  // namespace einkorn::detail
