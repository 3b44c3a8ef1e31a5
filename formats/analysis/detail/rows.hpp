// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/cyclic_rows.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/analysis/detail/counters.hpp>
#include <einkorn/formats/analysis/detail/rows_on_host.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// GPU: what a thread counts of the lengths of its rows. Lengths of consecutive rows are mostly in one bin of the
/// histogram: the rows of the current bin are counted here, because all threads of a team would add to one count.
template <class Exec, class Device>
struct LengthsOfThread {
  using Counters = StructureCounters<Device>;
  int bin, rows_of_bin;

  KOKKOS_FORCEINLINE_FUNCTION void add_rows_of_bin(std::int64_t* team_counts) const {
    if (rows_of_bin > 0) add_in_team<Exec>(&team_counts[Counters::histogram + bin], std::int64_t(rows_of_bin));
  }
  template <class Ordinal>
  KOKKOS_FORCEINLINE_FUNCTION void count_row(Ordinal row, std::int64_t count, Counters const& counters,
                                             std::int64_t* thread_counts, std::int64_t* team_counts) {
    if (count > max_row_by_lanes) counters.list_long_row(static_cast<std::int64_t>(row), count);
    if (count > thread_counts[Counters::longest_row]) thread_counts[Counters::longest_row] = count;
    thread_counts[Counters::sum_of_squares] += count * count;
    int const row_bin = 64 - Kokkos::countl_zero(static_cast<std::uint64_t>(count));
    if (row_bin != bin) {
      add_rows_of_bin(team_counts);
      bin = row_bin;
      rows_of_bin = 0;
    }
    ++rows_of_bin;
  }
};

/// GPU: row lengths, for all rows, and the list of long rows.
template <class Exec, class Matrix, class Device>
struct AnalyzeRowLengths {
  using Ordinal = typename Matrix::ordinal_type;
  using Counters = StructureCounters<Device>;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr int team_size = 256, batch = 4;
  static constexpr std::size_t scratch_bytes = Counters::num_combined * sizeof(std::int64_t);

  Matrix A;
  Counters counters;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    count_in_team<Exec>(team, counters, [&](std::int64_t* team_counts) { count(team, team_counts); });
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void count(Member const& team, std::int64_t* team_counts) const {
    std::int64_t counts[Counters::sum_of_squares + 1] = {};
    LengthsOfThread<Exec, Device> lengths{};
    auto const rows = static_cast<std::int64_t>(A.num_rows);
    std::int64_t const stride = static_cast<std::int64_t>(team.league_size()) * (batch * team_size);
    for (std::int64_t first =
             static_cast<std::int64_t>(team.league_rank()) * (batch * team_size) + team.team_rank();
         first < rows; first += stride) {
      std::int64_t length[batch];
      for (int u = 0; u < batch; ++u) {
        std::int64_t const row = first + u * team_size;
        length[u] = row < rows ? static_cast<std::int64_t>(A.row_end(static_cast<Ordinal>(row)) -
                                                           A.row_begin(static_cast<Ordinal>(row)))
                               : -1;
      }
      for (int u = 0; u < batch; ++u)
        if (length[u] >= 0) lengths.count_row(first + u * team_size, length[u], counters, counts, team_counts);
    }
    lengths.add_rows_of_bin(team_counts);
    for (int i = 0; i <= Counters::sum_of_squares; ++i)
      Counters::template combine<Exec>(i, &team_counts[i], counts[i]);
  }
};

/// GPU: bandwidths, diagonals, order and stripes, and row lengths, in one pass over the rows, or, without row lengths, over
/// every `sample`-th block of rows.
///
/// A group of `lanes` threads processes a row. It loads the bounds of several rows, and `batch` entries per thread at once;
/// rows of more than max_row_by_lanes entries are listed for AnalyzeLongRows. Counts are integers, combined per thread, per
/// team in scratch, then in global memory: the result does not depend on the order.
template <int lanes, class Exec, class Matrix, class Device>
struct AnalyzeRows {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Counters = StructureCounters<Device>;
  using L = Lanes<Exec>;

  static constexpr int team_size = 256, min_teams_per_sm = 4, batch = 4, unsorted = 1 << 16;
  static constexpr std::size_t scratch_bytes = Counters::num_combined * sizeof(std::int64_t);
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<team_size, min_teams_per_sm>>;
  using Member = typename Policy::member_type;
  using Rows = CyclicRows<lanes, team_size, 4>;

  Matrix A;
  Counters counters;
  std::int64_t sample;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    count_in_team<Exec>(team, counters, [&](std::int64_t* team_counts) { count(team, team_counts); });
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void count(Member const& team, std::int64_t* team_counts) const {
    Thread thread{};
    for (auto& d : thread.diagonal) d = A.num_cols;  // no diagonal
    int const lane = team.team_rank() % lanes;
    Rows::for_each(
        team, static_cast<std::int64_t>(A.num_rows), sample,
        [this](std::int64_t number) { return row_at(number); },
        [&](Row const& row) { analyze(row, lane, thread, team_counts); });
    thread.lengths.add_rows_of_bin(team_counts);
    for (int i = 0; i <= Counters::stripe_columns; ++i)
      Counters::template combine<Exec>(i, &team_counts[i], thread.counts[i]);
  }

  struct Row {
    Ordinal number;
    Offset begin, end;
    bool exists, may_continue_stripe;  // has the length and the first column of the row above
  };
  /// The results of a thread.
  struct Thread {
    std::int64_t counts[Counters::stripe_columns + 1];
    Ordinal diagonal[batch];  // of the entries of the previous row
    LengthsOfThread<Exec, Device> lengths;
  };

  KOKKOS_FORCEINLINE_FUNCTION Row row_at(std::int64_t number) const {
    Row row{static_cast<Ordinal>(number), Offset(0), Offset(0), number < static_cast<std::int64_t>(A.num_rows),
            false};
    if (!row.exists) return row;
    row.begin = A.row_begin(row.number);
    row.end = A.row_end(row.number);
    if (row.number == 0) return row;
    Offset const above = A.row_begin(row.number - 1), length = row.end - row.begin;
    row.may_continue_stripe =
        row.begin - above == length && (length == 0 || A.columns(above) == A.columns(row.begin));
    return row;
  }

  KOKKOS_FORCEINLINE_FUNCTION void analyze(Row const& row, int lane, Thread& thread,
                                           std::int64_t* team_counts) const {
    auto const count = static_cast<std::int64_t>(row.end - row.begin);
    bool const is_long = count > max_row_by_lanes;
    int found = 0;  // 1: differs from the row above; from 2^16 on: unsorted
    if (!is_long) analyze_entries(row, lane, thread, found);
    found = sum_over_lanes<L, lanes>(found);
    if (!row.exists || lane != 0) return;
    if (sample == 1) thread.lengths.count_row(row.number, count, counters, thread.counts, team_counts);
    thread.counts[Counters::unsorted_rows] += found >= unsorted;
    if (!row.may_continue_stripe || found % unsorted > 0) {
      ++thread.counts[Counters::stripes];
      thread.counts[Counters::stripe_columns] += count;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void analyze_entries(Row const& row, int lane, Thread& thread, int& found) const {
    bool differs = false, is_unsorted = false;
    Offset const length = row.end - row.begin;
    auto const num_rows = static_cast<std::int64_t>(A.num_rows);
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
        if (k > row.begin && left[u] >= column[u]) is_unsorted = true;
        if (above[u] != column[u]) differs = true;
        Ordinal const d = column[u] - row.number;  // in most matrices that of the previous row
        if (d != thread.diagonal[u])
          is_new[u] = counters.is_unmarked(static_cast<std::int64_t>(d), num_rows, thread.counts);
        thread.diagonal[u] = d;
      }
      for (int u = 0; u < batch; ++u)
        if (is_new[u])
          counters.template mark_diagonal<Exec>(static_cast<std::int64_t>(thread.diagonal[u]), num_rows);
    }
    found = (differs ? 1 : 0) + (is_unsorted ? unsorted : 0);
  }
};

/// GPU: one of so many blocks of rows is analyzed: the sample has about 2^22 entries, and at least a sixteenth of the blocks.
inline std::int64_t structure_sample(std::int64_t nnz) {
  return nnz <= std::int64_t(1) << 24 ? 1 : std::min<std::int64_t>(nnz >> 22, 16);
}

template <int lanes, class Exec, class Matrix, class Device>
void analyze_rows(Exec const& exec, Matrix const& A, StructureCounters<Device> const& counters,
                  std::int64_t sample) {
  using Functor = AnalyzeRows<lanes, Exec, Matrix, Device>;
  auto const blocks = ceil_div(Functor::Rows::num_blocks(static_cast<std::int64_t>(A.num_rows)), sample);
  typename Functor::Policy policy(exec, static_cast<int>(std::min(blocks, max_resident_teams)),
                                  Functor::team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes + sizeof(std::int64_t))));
  Kokkos::parallel_for("einkorn::structure[rows]", policy, Functor{A, counters, sample});
}

template <class Exec, class Matrix, class Device>
void analyze_row_lengths(Exec const& exec, Matrix const& A, StructureCounters<Device> const& counters) {
  using Functor = AnalyzeRowLengths<Exec, Matrix, Device>;
  auto const teams = std::min(
      ceil_div(static_cast<std::int64_t>(A.num_rows), std::int64_t(Functor::batch * Functor::team_size)),
      max_resident_teams);
  Kokkos::TeamPolicy<Exec> policy(exec, static_cast<int>(teams), Functor::team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes + sizeof(std::int64_t))));
  Kokkos::parallel_for("einkorn::structure[row lengths]", light_weight(policy), Functor{A, counters});
}

/// 1 launch, on a GPU with sample > 1 2.
template <class Exec, class Matrix, class Device>
void analyze_rows(Exec const& exec, Matrix const& A, StructureCounters<Device> const& counters,
                  [[maybe_unused]] std::int64_t sample) {
  if constexpr (is_gpu<Exec>) {
    if (sample > 1) analyze_row_lengths(exec, A, counters);
    double const mean = static_cast<double>(A.nnz()) / static_cast<double>(A.num_rows);
    if (mean <= 8.0) return analyze_rows<2>(exec, A, counters, sample);
    if (mean <= 16.0) return analyze_rows<4>(exec, A, counters, sample);
    if (mean <= 32.0) return analyze_rows<8>(exec, A, counters, sample);
    return analyze_rows<16>(exec, A, counters, sample);
  } else {
    analyze_rows_on_host(exec, A, counters);
  }
}

}  // namespace einkorn::detail
