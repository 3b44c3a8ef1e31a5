// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/formats/analysis/detail/counters.hpp>
#include <einkorn/formats/analysis/detail/rows_on_host.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Assigns blocks of rows to teams cyclically; a group of `lanes` threads has rows_per_group rows of a block.
template <int lanes, int team_size, int rows_per_group>
struct StridedRowRange {
  static constexpr std::int64_t groups = team_size / lanes, a_block = groups * rows_per_group;

  /// The first row of the team's block in a step. At or beyond num_rows: the team is done.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t block(Member const& team, std::int64_t step) {
    return (team.league_rank() + step / rows_per_group * team.league_size()) * a_block;
  }
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t row(Member const& team, std::int64_t step) {
    return block(team, step) + step % rows_per_group * groups + team.team_rank() / lanes;
  }
  static std::int64_t num_blocks(std::int64_t rows) { return (rows + a_block - 1) / a_block; }
};

/// GPU: row lengths, bandwidths, diagonals, order and stripes in one pass over the rows.
///
/// A group of `lanes` threads processes a row. It loads the bounds of its next row before the entries of this one, and `batch` entries per thread at once; rows of more than max_row_by_lanes entries are listed
/// for AnalyzeLongRows. Counts are integers, combined per thread, per team in scratch, then in global memory:
/// the result does not depend on the order.
template <int lanes, class Exec, class Matrix, class Device>
struct AnalyzeRows {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Counters = StructureCounters<Device>;
  using L = Lanes<Exec>;

  static constexpr int team_size = 256, min_teams_per_sm = 4, batch = 4;
  static constexpr std::size_t scratch_bytes = Counters::size * sizeof(std::int64_t);
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<team_size, min_teams_per_sm>>;
  using Member = typename Policy::member_type;
  using Rows = StridedRowRange<lanes, team_size, 4>;

  Matrix A;
  Counters counters;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::size_t const bytes = scratch_bytes;
    auto* const team_counts =
        static_cast<std::int64_t*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(std::int64_t)));
    for (int i = team.team_rank(); i < Counters::size; i += team.team_size()) team_counts[i] = 0;
    team.team_barrier();
    std::int64_t thread_counts[Counters::stripe_columns + 1] = {};
    std::int64_t distance[batch];
    for (auto& d : distance) d = static_cast<std::int64_t>(A.num_cols);  // no diagonal
    auto const rows = static_cast<std::int64_t>(A.num_rows);
    Row next = row_at(Rows::row(team, 0));
    for (std::int64_t step = 0; Rows::block(team, step) < rows; ++step) {
      Row const row = next;
      next = row_at(Rows::row(team, step + 1));
      analyze(row, team.team_rank() % lanes, distance, thread_counts, team_counts);
    }
    for (int i = 0; i <= Counters::stripe_columns; ++i)
      Counters::template combine<Exec>(i, &team_counts[i], thread_counts[i]);
    team.team_barrier();
    for (int i = team.team_rank(); i < Counters::size; i += team.team_size())
      Counters::template combine<Exec>(i, &counters.counts(i), team_counts[i]);
  }

 private:
  struct Row {
    std::int64_t number;
    Offset begin, end;
    bool exists, may_continue_stripe;  // has the length of the row above
  };

  KOKKOS_FORCEINLINE_FUNCTION Row row_at(std::int64_t number) const {
    Row row{number, Offset(0), Offset(0), number < static_cast<std::int64_t>(A.num_rows), false};
    if (!row.exists) return row;
    row.begin = A.row_begin(static_cast<Ordinal>(number));
    row.end = A.row_end(static_cast<Ordinal>(number));
    row.may_continue_stripe =
        number > 0 && row.begin - A.row_begin(static_cast<Ordinal>(number - 1)) == row.end - row.begin;
    return row;
  }

  KOKKOS_FUNCTION void analyze(Row const& row, int lane, std::int64_t (&distance)[batch],
                               std::int64_t* thread_counts, std::int64_t* team_counts) const {
    auto const count = static_cast<std::int64_t>(row.end - row.begin);
    bool const is_long = count > max_row_by_lanes;
    int differs = 0, unsorted = 0;
    if (!is_long) analyze_entries(row, lane, distance, thread_counts, differs, unsorted);
    differs = sum_over_lanes<L, lanes>(differs);
    unsorted = sum_over_lanes<L, lanes>(unsorted);
    if (!row.exists || lane != 0) return;
    if (is_long) counters.list_long_row(row.number, count);
    if (count > thread_counts[Counters::longest_row]) thread_counts[Counters::longest_row] = count;
    thread_counts[Counters::sum_of_squares] += count * count;
    thread_counts[Counters::unsorted_rows] += unsorted > 0;
    if (!row.may_continue_stripe || differs > 0) {
      ++thread_counts[Counters::stripes];
      thread_counts[Counters::stripe_columns] += count;
    }
    int bin = 0;
    for (auto rest = count; rest > 0; rest >>= 1) ++bin;
    add_in_team<Exec>(&team_counts[Counters::histogram + bin], std::int64_t(1));
  }

  KOKKOS_FORCEINLINE_FUNCTION void analyze_entries(Row const& row, int lane, std::int64_t (&distance)[batch],
                                                   std::int64_t* thread_counts, int& differs,
                                                   int& unsorted) const {
    Offset const length = row.end - row.begin;
    for (Offset first = row.begin + static_cast<Offset>(lane); first < row.end; first += batch * lanes) {
      Ordinal column[batch], left[batch], above[batch];
      for (int u = 0; u < batch; ++u) {  // beyond the end: the last entry
        Offset const next = first + static_cast<Offset>(u * lanes), k = next < row.end ? next : row.end - 1;
        column[u] = A.columns(k);
        left[u] = A.columns(k > row.begin ? k - 1 : k);
        above[u] = row.may_continue_stripe ? A.columns(k - length) : column[u];
      }
      bool is_new[batch];
      for (int u = 0; u < batch; ++u) {
        Offset const k = first + static_cast<Offset>(u * lanes);
        is_new[u] = false;
        if (k >= row.end) continue;
        if (k > row.begin && left[u] >= column[u]) unsorted = 1;
        if (above[u] != column[u]) differs = 1;
        is_new[u] = is_new_diagonal(column[u], row.number, distance[u], thread_counts);
      }
      for (int u = 0; u < batch; ++u)
        if (is_new[u])
          counters.template mark_diagonal<Exec>(distance[u], static_cast<std::int64_t>(A.num_rows));
    }
  }

  /// distance: diagonal of the entry at the same position of the thread's previous row, in most matrices the
  /// same.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_new_diagonal(Ordinal column, std::int64_t row,
                                                                 std::int64_t& distance,
                                                                 std::int64_t* thread_counts) const {
    std::int64_t const diagonal = static_cast<std::int64_t>(column) - row;
    if (diagonal == distance) return false;
    distance = diagonal;
    return counters.is_unmarked(diagonal, static_cast<std::int64_t>(A.num_rows), thread_counts);
  }
};

template <int lanes, class Exec, class Matrix, class Device>
void analyze_rows(Exec const& exec, Matrix const& A, StructureCounters<Device> const& counters) {
  using Functor = AnalyzeRows<lanes, Exec, Matrix, Device>;
  auto const blocks = Functor::Rows::num_blocks(static_cast<std::int64_t>(A.num_rows));
  typename Functor::Policy policy(exec, static_cast<int>(std::min(blocks, max_structure_teams)),
                                  Functor::team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes + sizeof(std::int64_t))));
  Kokkos::parallel_for("einkorn::structure[rows]", policy, Functor{A, counters});
}

template <class Exec, class Matrix, class Device>
void analyze_rows(Exec const& exec, Matrix const& A, StructureCounters<Device> const& counters) {
  if constexpr (is_gpu<Exec>) {
    double const mean = static_cast<double>(A.nnz()) / static_cast<double>(A.num_rows);
    if (mean <= 8.0) return analyze_rows<2>(exec, A, counters);
    if (mean <= 16.0) return analyze_rows<4>(exec, A, counters);
    if (mean <= 32.0) return analyze_rows<8>(exec, A, counters);
    return analyze_rows<16>(exec, A, counters);
  } else {
    analyze_rows_on_host(exec, A, counters);
  }
}

}  // namespace einkorn::detail
