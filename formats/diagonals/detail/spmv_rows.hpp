// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/diagonals/detail/spmv_rows_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Several rows per thread at a distance of the team size (GPU).
///
/// A thread loads the values of `unroll` diagonals before it uses the first; x is reused through the L1 cache.
/// A team for whose rows all diagonals are inside the matrix, and of which none is marked (InteriorDots), needs no
/// checks. In other teams the index of x is clamped and the product discarded, so that no load is predicated.
/// Source: Bell & Garland, 2008, section 4.1; departures: several rows per thread, batches, teams without checks.
template <DiagonalRowsTuning tuning, class Exec, class Format, class Offsets, class X, class Y,
          class EpilogueOp>
struct SpmvDiagonalRows {
  using Sum = typename EpilogueOp::sum_type;
  using Accumulators = typename EpilogueOp::Accumulators;
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tuning.team_size, tuning.min_teams_per_sm>>;
  using L = Lanes<Exec>;

  static constexpr int team_size = tuning.team_size, rows_per_thread = tuning.rows_per_thread,
                       k = tuning.columns;
  static constexpr int rows = team_size * rows_per_thread;  // per team

  Format F;
  Offsets offsets;  // [num_diagonals], ascending
  X x;
  Y y;
  EpilogueOp epilogue;
  int row_teams;  // teams per pass over the rows
  CacheHint<Exec> hint;

  template <class Team>
  KOKKOS_FUNCTION void run(Team const& team, Accumulators& accumulators) const {
    int const column_tile = Y::rank() == 1 ? 0 : team.league_rank() / row_teams;
    auto const column = static_cast<std::size_t>(column_tile) * k;
    auto const first_row = static_cast<std::int64_t>(team.league_rank() - column_tile * row_teams) * rows;
    sum_team(first_row, team.team_rank(), column, accumulators);
  }

 private:
  using Values = Scalar[tuning.unroll][rows_per_thread];

  KOKKOS_FORCEINLINE_FUNCTION void sum_team(std::int64_t first_row, int thread, std::size_t column,
                                            Accumulators& accumulators) const {
    auto const last_row = first_row + rows - 1;
    auto const num_diagonals = static_cast<int>(offsets.extent(0));
    // Loaded before the offsets arrive, which decide whether the team needs checks.
    Values values{};
    load_values<false>(0, num_diagonals, first_row + thread, values);
    bool const is_inside = last_row < static_cast<std::int64_t>(F.num_rows) &&
                           first_row + static_cast<std::int64_t>(offsets(0)) >= 0 &&
                           last_row + static_cast<std::int64_t>(offsets(num_diagonals - 1)) <
                               static_cast<std::int64_t>(F.num_cols);
    if constexpr (requires { epilogue.unmarked(); }) {
      if (is_inside && epilogue.has_no_marks(first_row, last_row))
        return sum_rows<true>(epilogue.unmarked(), first_row + thread, column, num_diagonals, values,
                              accumulators);
    } else if (is_inside) {
      return sum_rows<true>(epilogue, first_row + thread, column, num_diagonals, values, accumulators);
    }
    sum_rows<false>(epilogue, first_row + thread, column, num_diagonals, values, accumulators);
  }
  template <bool is_inside, class RowEpilogue>
  KOKKOS_FORCEINLINE_FUNCTION void sum_rows(RowEpilogue const& row_epilogue, std::int64_t row,
                                            std::size_t column, int num_diagonals, Values& values,
                                            Accumulators& accumulators) const {
    Sum sum[rows_per_thread][k];
    typename EpilogueOp::Prefetched prefetched[rows_per_thread]{};
    for (int q = 0; q < rows_per_thread; ++q) {
      if (is_inside || row + q * team_size < static_cast<std::int64_t>(F.num_rows))
        prefetched[q] = row_epilogue.prefetch(row + q * team_size);
      for (int j = 0; j < k; ++j) sum[q][j] = Sum(0);
    }
    for (int first = 0; first < num_diagonals; first += tuning.unroll) {
      if (first > 0) load_values<is_inside>(first, num_diagonals, row, values);
      for (int u = 0; u < tuning.unroll; ++u) {
        if (first + u >= num_diagonals) break;
        for (int q = 0; q < rows_per_thread; ++q)
          add_product<is_inside>(row + q * team_size + static_cast<std::int64_t>(offsets(first + u)), column,
                                 Sum(values[u][q]), sum[q]);
      }
    }
    for (int q = 0; q < rows_per_thread; ++q) {
      auto const row_q = row + q * team_size;
      if (!is_inside && row_q >= static_cast<std::int64_t>(F.num_rows)) return;
      for (int j = 0; j < k; ++j)
        if (k == 1 || column + static_cast<std::size_t>(j) < y.extent(1))
          row_epilogue(accumulators, entry(y, row_q, column + static_cast<std::size_t>(j)), row_q, sum[q][j],
                       prefetched[q]);
    }
  }

  /// The values of the diagonals first .. first + unroll - 1 in the rows of a thread; past the end of the rows those of
  /// the last row.
  template <bool is_inside>
  KOKKOS_FORCEINLINE_FUNCTION void load_values(int first, int num_diagonals, std::int64_t row,
                                               Values& values) const {
    auto const last_row = static_cast<std::int64_t>(F.num_rows) - 1;
    for (int u = 0; u < tuning.unroll; ++u) {
      if (first + u >= num_diagonals) break;
      Scalar const* const diagonal_values = F.values.data() + static_cast<Offset>(first + u) * F.stride;
      for (int q = 0; q < rows_per_thread; ++q) {
        auto const row_q = row + q * team_size;
        values[u][q] = L::load_streaming(
            diagonal_values + static_cast<Offset>(is_inside || row_q < last_row ? row_q : last_row), hint);
      }
    }
  }

  template <bool is_inside>
  KOKKOS_FORCEINLINE_FUNCTION void add_product(std::int64_t index, std::size_t column, Sum const& value,
                                               Sum (&sum)[k]) const {
    auto const last_column = static_cast<std::int64_t>(F.num_cols) - 1;
    auto const clamped = is_inside   ? index
                         : index < 0 ? std::int64_t(0)
                                     : (index > last_column ? last_column : index);
    for (int j = 0; j < k; ++j) {
      auto const vector = column + static_cast<std::size_t>(j);
      if (k > 1 && vector >= x.extent(1)) return;
      Sum const product = value * Sum(entry(x, clamped, vector));
      sum[j] += is_inside || index == clamped ? product : Sum(0);
    }
  }
};

template <DiagonalRowsTuning tuning, class Exec, class Format, class Offsets, class X, class Y,
          class EpilogueOp>
void launch_diagonal_rows(Exec const& exec, char const* label, EpilogueOp const& epilogue, Format const& F,
                          Offsets const& offsets, X const& x, Y const& y) {
  using Functor = SpmvDiagonalRows<tuning, Exec, Format, Offsets, X, Y, EpilogueOp>;
  auto const row_teams =
      ceil_div(static_cast<std::size_t>(F.num_rows), static_cast<std::size_t>(Functor::rows));
  auto const tiles =
      Y::rank() == 1 ? std::size_t(1) : ceil_div(y.extent(1), static_cast<std::size_t>(tuning.columns));
  epilogue.launch(label, typename Functor::Policy(exec, static_cast<int>(row_teams * tiles), tuning.team_size),
                  Functor{F, offsets, x, y, epilogue, static_cast<int>(row_teams), cache_hint(exec, F, x, y)});
}

/// y <- alpha A x + beta y for a format whose diagonal d begins at values(d * stride). 1 launch.
/// @pre num_cols > 0 and there is at least one diagonal.
template <class Exec, class Format, class Offsets, class X, class Y, class EpilogueOp>
void spmv_diagonal_rows(Exec const& exec, char const* label, EpilogueOp const& epilogue, Format const& F,
                        Offsets const& offsets, X const& x, Y const& y) {
  constexpr Arch arch = arch_of<Exec>;
  constexpr auto bytes = sizeof(typename Format::scalar_type);
  if constexpr (Y::rank() == 1) {
    constexpr DiagonalRowsTunings tunings = diagonal_rows_tunings(arch, bytes);
    if constexpr (tunings.max_large_diagonals > 0)
      if (static_cast<std::size_t>(F.num_rows) >= tunings.min_large_rows &&
          static_cast<std::size_t>(offsets.extent(0)) <= tunings.max_large_diagonals)
        return launch_diagonal_rows<tunings.large>(exec, label, epilogue, F, offsets, x, y);
    launch_diagonal_rows<tunings.other>(exec, label, epilogue, F, offsets, x, y);
  } else {
    launch_diagonal_rows<diagonal_columns_tuning(arch, bytes)>(exec, label, epilogue, F, offsets, x, y);
  }
}

}  // namespace einkorn::detail
