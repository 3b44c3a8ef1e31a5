// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/formats/analysis/detail/counters.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Blocks of `rows_per_group` rows for each group of `lanes` threads, dealt to the teams in turns.
template <int lanes, int team_size, int rows_per_group>
struct StridedRowRange {
  static constexpr std::int64_t groups = team_size / lanes, a_block = groups * rows_per_group;

  /// The first row of the team's block in a step; past the last row: no step is left.
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

/// Lengths, bandwidths, diagonals, order and stripes in one pass over the rows. A group of `lanes` threads has
/// a row; on a GPU it asks for the bounds of its next row first, and for `held` entries a thread at once.
/// Counts are integers: gathered a thread, then a team in scratch, then all, in any order. Long rows are
/// listed, on a GPU, and left to LookAtLongRows.
template <int lanes, class Exec, class Matrix, class Device>
struct LookAtRows {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Found = StructureCounters<Device>;
  using L = Lanes<Exec>;

  static constexpr int team_size = is_gpu<Exec> ? 256 : 1, min_teams_per_sm = 4;
  static constexpr int held = is_gpu<Exec> ? 4 : 64;  // the host's are in its first cache
  static constexpr std::size_t scratch_bytes = Found::size * sizeof(std::int64_t);
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<team_size, min_teams_per_sm>>;
  using Member = typename Policy::member_type;
  using Rows = StridedRowRange<lanes, team_size, is_gpu<Exec> ? 4 : 1024>;

  Matrix A;
  Found found;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::size_t const bytes = scratch_bytes;
    auto* const local =
        static_cast<std::int64_t*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(std::int64_t)));
    for (int i = team.team_rank(); i < Found::size; i += team.team_size()) local[i] = 0;
    team.team_barrier();
    std::int64_t own[Found::stripe_columns + 1] = {};
    std::int64_t distance[held];
    for (auto& of_entry : distance) of_entry = static_cast<std::int64_t>(A.num_cols);  // which none has
    auto const rows = static_cast<std::int64_t>(A.num_rows);
    Row next = row_at(Rows::row(team, 0));
    for (std::int64_t step = 0; Rows::block(team, step) < rows; ++step) {
      Row const row = next;
      next = row_at(Rows::row(team, step + 1));
      analyze(row, team.team_rank() % lanes, distance, own, local);
    }
    for (int i = 0; i <= Found::stripe_columns; ++i) Found::gather(i, &local[i], own[i]);
    team.team_barrier();
    for (int i = team.team_rank(); i < Found::size; i += team.team_size())
      Found::gather(i, &found.counts(i), local[i]);
  }

 private:
  struct Row {
    std::int64_t number;
    Offset begin, end;
    bool inside, alike;  // alike: as long as the row above, whose stripe it may go on
  };

  KOKKOS_FORCEINLINE_FUNCTION Row row_at(std::int64_t number) const {
    Row row{number, Offset(0), Offset(0), number < static_cast<std::int64_t>(A.num_rows), false};
    if (!row.inside) return row;
    row.begin = A.row_begin(static_cast<Ordinal>(number));
    row.end = A.row_end(static_cast<Ordinal>(number));
    row.alike = number > 0 && row.begin - A.row_begin(static_cast<Ordinal>(number - 1)) == row.end - row.begin;
    return row;
  }

  KOKKOS_FUNCTION void analyze(Row const& row, int lane, std::int64_t (&distance)[held], std::int64_t* own,
                               std::int64_t* local) const {
    auto const count = static_cast<std::int64_t>(row.end - row.begin);
    bool const is_long = is_gpu<Exec> && count > longest_by_lanes;
    int differs = 0, unsorted = 0;
    if (!is_long) analyze_entries(row, lane, distance, own, differs, unsorted);
    differs = sum_over_lanes<L, lanes>(differs);
    unsorted = sum_over_lanes<L, lanes>(unsorted);
    if (!row.inside || lane != 0) return;
    if (is_long) found.list_long_row(row.number);
    if (count > own[Found::longest_row]) own[Found::longest_row] = count;
    own[Found::sum_of_squares] += count * count;
    own[Found::unsorted_rows] += unsorted > 0;
    if (!row.alike || differs > 0) {
      ++own[Found::stripes];
      own[Found::stripe_columns] += count;
    }
    int bin = 0;
    for (auto left = count; left > 0; left >>= 1) ++bin;
    Kokkos::atomic_inc(&local[Found::histogram + bin]);
  }

  KOKKOS_FORCEINLINE_FUNCTION void analyze_entries(Row const& row, int lane, std::int64_t (&distance)[held],
                                                   std::int64_t* own, int& differs, int& unsorted) const {
    Offset const length = row.end - row.begin;
    if constexpr (!is_gpu<Exec>) {
      for (Offset k = row.begin; k < row.end; ++k) {
        Ordinal const column = A.columns(k);
        if (k > row.begin && A.columns(k - 1) >= column) unsorted = 1;
        if (row.alike && A.columns(k - length) != column) differs = 1;
        analyze_diagonal(column, row.number, distance[static_cast<std::size_t>(k - row.begin) % held], own);
      }
    } else {
      for (Offset first = row.begin + static_cast<Offset>(lane); first < row.end; first += held * lanes) {
        Ordinal column[held], left[held], above[held];
        for (int u = 0; u < held; ++u) {  // past the end: the last entry again
          Offset const wanted = first + static_cast<Offset>(u * lanes),
                       k = wanted < row.end ? wanted : row.end - 1;
          column[u] = A.columns(k);
          left[u] = A.columns(k > row.begin ? k - 1 : k);
          above[u] = row.alike ? A.columns(k - length) : column[u];
        }
        for (int u = 0; u < held; ++u) {
          Offset const k = first + static_cast<Offset>(u * lanes);
          if (k >= row.end) break;
          if (k > row.begin && left[u] >= column[u]) unsorted = 1;
          if (above[u] != column[u]) differs = 1;
          analyze_diagonal(column[u], row.number, distance[u], own);
        }
      }
    }
  }

  /// distance: that of the entry in the same place of the thread's row before, the same for many rows, mostly.
  KOKKOS_FORCEINLINE_FUNCTION void analyze_diagonal(Ordinal column, std::int64_t row, std::int64_t& distance,
                                                    std::int64_t* own) const {
    std::int64_t const here = static_cast<std::int64_t>(column) - row;
    if (here == distance) return;
    distance = here;
    found.template mark<Exec>(here, static_cast<std::int64_t>(A.num_rows), own);
  }
};

template <int lanes, class Exec, class Matrix, class Device>
void analyze_rows(Exec const& exec, Matrix const& A, StructureCounters<Device> const& findings) {
  using Functor = LookAtRows<lanes, Exec, Matrix, Device>;
  auto const blocks = Functor::Rows::num_blocks(static_cast<std::int64_t>(A.num_rows));
  std::int64_t const most = is_gpu<Exec> ? max_teams : exec.concurrency();
  typename Functor::Policy policy(exec, static_cast<int>(std::min(blocks, most)), Functor::team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes + sizeof(std::int64_t))));
  Kokkos::parallel_for("einkorn::structure[rows]", policy, Functor{A, findings});
}

template <class Exec, class Matrix, class Device>
void analyze_rows(Exec const& exec, Matrix const& A, StructureCounters<Device> const& findings) {
  if constexpr (is_gpu<Exec>) {
    double const mean = static_cast<double>(A.nnz()) / static_cast<double>(A.num_rows);
    if (mean <= 8.0) return analyze_rows<2>(exec, A, findings);
    if (mean <= 16.0) return analyze_rows<4>(exec, A, findings);
    if (mean <= 32.0) return analyze_rows<8>(exec, A, findings);
    return analyze_rows<16>(exec, A, findings);
  } else {
    analyze_rows<1>(exec, A, findings);
  }
}

}  // namespace einkorn::detail
