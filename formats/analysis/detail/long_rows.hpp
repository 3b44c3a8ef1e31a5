// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/analysis/detail/counters.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn::detail {

/// Analyzes the rows that AnalyzeRows has listed (GPU): one team per row, or, with fewer rows than teams,
/// several teams per row with equal shares of its entries. Rows of more than max_row_by_team entries are divided into
/// shares of about 4096 entries, in turn for the teams. The first thread that sets a flag of a row counts the row.
template <class Exec, class Matrix, class Device>
struct AnalyzeLongRows {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Counters = StructureCounters<Device>;
  static constexpr int team_size = 256, min_teams_per_sm = 4, unroll = 4, share_size = 4096;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<team_size, min_teams_per_sm>>;

  Matrix A;
  Counters counters;

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    std::int64_t const count = counters.counts(Counters::num_long_rows), teams = team.league_size();
    std::int64_t thread_counts[Counters::upper_bandwidth + 1] = {};
    std::int64_t const shares = count > 0 && count < teams ? teams / count : 1;
    for (std::int64_t i = team.league_rank(); i < count * shares; i += teams)
      analyze(i % count, i / count, shares, team.team_rank(), thread_counts);
    auto const last = static_cast<std::int64_t>(counters.long_rows.extent(0)) - 1;
    std::int64_t turn = team.league_rank();  // shares until that of this team
    for (std::int64_t i = 0; i < counters.counts(Counters::num_very_long_rows); ++i) {
      auto const row = static_cast<Ordinal>(counters.long_rows(static_cast<std::size_t>(last - i)));
      auto const parts =
          Kokkos::min(static_cast<std::int64_t>(A.row_end(row) - A.row_begin(row)) / share_size, teams);
      if (turn < parts) analyze(last - i, turn, parts, team.team_rank(), thread_counts);
      turn = turn >= parts ? turn - parts : turn - parts + teams;
    }
    for (int slot : {Counters::lower_bandwidth, Counters::upper_bandwidth})
      Counters::template combine<Exec>(slot, &counters.counts(slot), thread_counts[slot]);
  }

 private:
  KOKKOS_FUNCTION void analyze(std::int64_t position, std::int64_t share, std::int64_t shares, int thread,
                               std::int64_t* thread_counts) const {
    auto const at = static_cast<std::size_t>(position);
    std::int64_t const row = counters.long_rows(at), rows = static_cast<std::int64_t>(A.num_rows);
    auto const begin = static_cast<std::int64_t>(A.row_begin(static_cast<Ordinal>(row)));
    auto const length = static_cast<std::int64_t>(A.row_end(static_cast<Ordinal>(row))) - begin;
    bool const may_continue_stripe =  // as in AnalyzeRows, which counts the rows that may not
        row > 0 && begin - static_cast<std::int64_t>(A.row_begin(static_cast<Ordinal>(row - 1))) == length &&
        A.columns(static_cast<Offset>(begin - length)) == A.columns(static_cast<Offset>(begin));
    std::int64_t const first = begin + length * share / shares, last = begin + length * (share + 1) / shares;
    bool differs = false, unsorted = false;
    for (std::int64_t from = first + thread; from < last; from += team_size * unroll) {
      Ordinal column[unroll], left[unroll], above[unroll];
      for (int u = 0; u < unroll; ++u) {  // beyond the end: the last entry
        std::int64_t const next = from + u * team_size, k = next < last ? next : last - 1;
        column[u] = A.columns(static_cast<Offset>(k));
        left[u] = A.columns(static_cast<Offset>(k > begin ? k - 1 : k));
        above[u] = may_continue_stripe ? A.columns(static_cast<Offset>(k - length)) : column[u];
      }
      bool is_new[unroll];
      for (int u = 0; u < unroll; ++u) {
        std::int64_t const k = from + u * team_size;
        is_new[u] = false;
        if (k >= last) continue;
        if (k > begin && left[u] >= column[u]) unsorted = true;
        if (above[u] != column[u]) differs = true;
        is_new[u] = counters.is_unmarked(static_cast<std::int64_t>(column[u]) - row, rows, thread_counts);
      }
      for (int u = 0; u < unroll; ++u)
        if (is_new[u]) counters.template mark_diagonal<Exec>(static_cast<std::int64_t>(column[u]) - row, rows);
    }
    if (unsorted && (Kokkos::atomic_fetch_or(&counters.long_row_flags(at), std::int64_t(1)) & 1) == 0)
      Kokkos::atomic_inc(&counters.counts(Counters::unsorted_rows));
    if (differs && (Kokkos::atomic_fetch_or(&counters.long_row_flags(at), std::int64_t(2)) & 2) == 0) {
      Kokkos::atomic_inc(&counters.counts(Counters::stripes));
      Kokkos::atomic_add(&counters.counts(Counters::stripe_columns), length);
    }
  }
};

template <class Exec, class Matrix, class Device>
void analyze_long_rows(Exec const& exec, Matrix const& A, StructureCounters<Device> const& counters) {
  using Functor = AnalyzeLongRows<Exec, Matrix, Device>;
  if constexpr (is_gpu<Exec>)
    Kokkos::parallel_for(
        "einkorn::structure[long rows]",
        typename Functor::Policy(exec, static_cast<int>(max_resident_teams), Functor::team_size),
        Functor{A, counters});
}

}  // namespace einkorn::detail
