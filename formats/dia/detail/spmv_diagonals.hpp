// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/update.hpp>
#include <einkorn/formats/dia/dia_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// One row a thread (GPU). A thread asks for the values of `unroll` diagonals before it uses the first; x comes
/// through the first cache, where neighbouring rows and diagonals meet. Past the last diagonal that one is read
/// again, and outside the matrix the nearest x, and their products dropped: no load waits for a condition. k
/// columns of a multivector are worked on together. Source: Bell & Garland, 2008, section 4.1.
template <DiaTuning tuning, int k, class Exec, class Format, class X, class Y, class Sum>
struct SpmvDiagonals {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tuning.team_size, tuning.teams_at_once>>;
  using L = Lanes<Exec>;

  Format F;
  X x;
  Y y;
  Update<Sum> update;
  int row_teams;  // teams that it takes to cover the rows once

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    int const column_tile = Y::rank() == 1 ? 0 : team.league_rank() / row_teams;
    auto const column = static_cast<std::size_t>(column_tile) * k;
    auto const row =
        static_cast<std::int64_t>(team.league_rank() - column_tile * row_teams) * tuning.team_size +
        team.team_rank();
    if (row >= static_cast<std::int64_t>(F.num_rows)) return;
    Sum sum[k];
    for (int j = 0; j < k; ++j) sum[j] = Sum(0);
    for (Ordinal first = 0; first < F.num_diagonals(); first += tuning.unroll)
      add_batch(first, F.num_diagonals() - first, row, column, sum);
    for (int j = 0; j < k; ++j)
      if (k == 1 || column + static_cast<std::size_t>(j) < y.extent(1))
        update(entry(y, row, column + static_cast<std::size_t>(j)), sum[j]);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void add_batch(Ordinal first, Ordinal left, std::int64_t row, std::size_t column,
                                             Sum (&sum)[k]) const {
    std::int64_t columns[tuning.unroll];
    Scalar values[tuning.unroll];
    bool inside[tuning.unroll];
    Scalar const* const of_row = F.values.data() + static_cast<Offset>(row);
    auto const last_column = static_cast<std::int64_t>(F.num_cols) - 1;
    for (int u = 0; u < tuning.unroll; ++u) {
      Ordinal const diagonal = first + (u < left ? static_cast<Ordinal>(u) : left - 1);
      values[u] = L::load_once(of_row + static_cast<Offset>(diagonal) * F.stride);
      auto const wanted = row + static_cast<std::int64_t>(F.offsets(diagonal));
      inside[u] = u < left && wanted >= 0 && wanted <= last_column;
      columns[u] = wanted < 0 ? 0 : wanted > last_column ? last_column : wanted;
    }
    for (int j = 0; j < k; ++j) {
      auto const vector = column + static_cast<std::size_t>(j);
      if (k > 1 && vector >= x.extent(1)) return;
      Sum from_x[tuning.unroll];
      for (int u = 0; u < tuning.unroll; ++u) from_x[u] = Sum(entry(x, columns[u], vector));
      for (int u = 0; u < tuning.unroll; ++u) sum[j] += inside[u] ? Sum(values[u]) * from_x[u] : Sum(0);
    }
  }
};

/// y <- alpha A x + beta y. num_cols > 0. 1 launch.
template <DiaTuning tuning, class Exec, class Format, class X, class Y, class Sum>
void spmv_diagonals(Exec const& exec, char const* label, Update<Sum> const& update, Format const& F, X const& x,
                    Y const& y) {
  constexpr int k = Y::rank() == 1 ? 1 : tuning.columns_at_once;
  using Functor = SpmvDiagonals<tuning, k, Exec, Format, X, Y, Sum>;
  constexpr auto rows_a_team = static_cast<std::size_t>(tuning.team_size);
  auto const row_teams = (static_cast<std::size_t>(F.num_rows) + rows_a_team - 1) / rows_a_team;
  auto const tiles = Y::rank() == 1 ? std::size_t(1) : (y.extent(1) + k - 1) / k;
  Kokkos::parallel_for(
      label,
      light_weight(typename Functor::Policy(exec, static_cast<int>(row_teams * tiles), tuning.team_size)),
      Functor{F, x, y, update, static_cast<int>(row_teams)});
}

}  // namespace einkorn::detail
