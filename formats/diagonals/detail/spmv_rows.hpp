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

/// Rows per thread at a distance of the team size (GPU).
///
/// A thread loads the values of `unroll` diagonals before it uses the first; x is reused through the L1 cache.
/// A chunk of rows for which all diagonals are inside the matrix needs no checks. In other chunks the index of
/// x is clamped and the product discarded, so that no load is predicated. A thread computes k columns of a
/// multivector; a team computes chunks_per_team chunks. Source: Bell & Garland, 2008, section 4.1; departures:
/// several rows per thread, batches, chunks without checks.
template <DiagonalRowsTuning tuning, int k, class Exec, class Format, class Offsets, class X, class Y,
          class EpilogueOp>
struct SpmvDiagonalRows {
  using Sum = typename EpilogueOp::sum_type;
  using Accumulators = typename EpilogueOp::Accumulators;
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tuning.team_size, tuning.min_teams_per_sm>>;
  using L = Lanes<Exec>;

  static constexpr int team_size = tuning.team_size, rows_per_thread = k > 1 ? 1 : tuning.rows_per_thread;
  static constexpr int rows = team_size * rows_per_thread;  // per chunk
  static constexpr int chunks_per_team = k > 1 ? 1 : tuning.chunks_per_team;

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
    auto const first_row =
        static_cast<std::int64_t>(team.league_rank() - column_tile * row_teams) * (rows * chunks_per_team);
    for (int chunk = 0; chunk < chunks_per_team; ++chunk)
      sum_chunk(first_row + chunk * rows, team.team_rank(), column, accumulators);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void sum_chunk(std::int64_t first_row, int thread, std::size_t column,
                                             Accumulators& accumulators) const {
    auto const last_row = first_row + rows - 1;
    auto const num_diagonals = static_cast<int>(offsets.extent(0));
    bool const is_inside = last_row < static_cast<std::int64_t>(F.num_rows) &&
                           first_row + static_cast<std::int64_t>(offsets(0)) >= 0 &&
                           last_row + static_cast<std::int64_t>(offsets(num_diagonals - 1)) <
                               static_cast<std::int64_t>(F.num_cols);
    if (is_inside)
      sum_rows<true>(first_row + thread, column, num_diagonals, accumulators);
    else
      sum_rows<false>(first_row + thread, column, num_diagonals, accumulators);
  }
  template <bool is_inside>
  KOKKOS_FORCEINLINE_FUNCTION void sum_rows(std::int64_t row, std::size_t column, int num_diagonals,
                                            Accumulators& accumulators) const {
    Sum sum[rows_per_thread][k];
    typename EpilogueOp::Prefetched prefetched[rows_per_thread]{};
    for (int q = 0; q < rows_per_thread; ++q) {
      if (is_inside || row + q * team_size < static_cast<std::int64_t>(F.num_rows))
        prefetched[q] = epilogue.prefetch(row + q * team_size);
      for (int j = 0; j < k; ++j) sum[q][j] = Sum(0);
    }
    for (int first = 0; first < num_diagonals; first += tuning.unroll)
      add_batch<is_inside>(first, num_diagonals, row, column, sum);
    for (int q = 0; q < rows_per_thread; ++q) {
      auto const row_q = row + q * team_size;
      if (!is_inside && row_q >= static_cast<std::int64_t>(F.num_rows)) return;
      for (int j = 0; j < k; ++j)
        if (k == 1 || column + static_cast<std::size_t>(j) < y.extent(1))
          epilogue(accumulators, entry(y, row_q, column + static_cast<std::size_t>(j)), row_q, sum[q][j],
                   prefetched[q]);
    }
  }

  template <bool is_inside>
  KOKKOS_FORCEINLINE_FUNCTION void add_batch(int first, int num_diagonals, std::int64_t row, std::size_t column,
                                             Sum (&sum)[rows_per_thread][k]) const {
    Scalar values[tuning.unroll][rows_per_thread]{};
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
    for (int u = 0; u < tuning.unroll; ++u) {
      if (first + u >= num_diagonals) break;
      for (int q = 0; q < rows_per_thread; ++q)
        add_product<is_inside>(row + q * team_size + static_cast<std::int64_t>(offsets(first + u)), column,
                               Sum(values[u][q]), sum[q]);
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

/// y <- alpha A x + beta y for a format whose diagonal d begins at values(d * stride). 1 launch.
/// @pre num_cols > 0 and there is at least one diagonal.
template <DiagonalRowsTuning tuning, class Exec, class Format, class Offsets, class X, class Y,
          class EpilogueOp>
void spmv_diagonal_rows(Exec const& exec, char const* label, EpilogueOp const& epilogue, Format const& F,
                        Offsets const& offsets, X const& x, Y const& y) {
  constexpr FusedDiagonalRowsTuning fused =
      fused_diagonal_rows_tuning(arch_of<Exec>, sizeof(typename Format::scalar_type));
  if constexpr (EpilogueOp::accumulates && fused.medium.chunks_per_team > tuning.chunks_per_team) {
    auto const rows = static_cast<std::size_t>(F.num_rows);
    if (rows >= fused.min_large_rows)
      return spmv_diagonal_rows<fused.large>(exec, label, epilogue, F, offsets, x, y);
    if (rows >= fused.min_medium_rows)
      return spmv_diagonal_rows<fused.medium>(exec, label, epilogue, F, offsets, x, y);
  }
  constexpr int k = Y::rank() == 1 ? 1 : tuning.columns_at_once;
  using Functor = SpmvDiagonalRows<tuning, k, Exec, Format, Offsets, X, Y, EpilogueOp>;
  constexpr auto rows_per_team = static_cast<std::size_t>(Functor::rows * Functor::chunks_per_team);
  auto const row_teams = ceil_div(static_cast<std::size_t>(F.num_rows), rows_per_team);
  auto const tiles = Y::rank() == 1 ? std::size_t(1) : ceil_div(y.extent(1), k);
  epilogue.launch(label, typename Functor::Policy(exec, static_cast<int>(row_teams * tiles), tuning.team_size),
                  Functor{F, offsets, x, y, epilogue, static_cast<int>(row_teams), cache_hint(exec, F, x, y)});
}

}  // namespace einkorn::detail
