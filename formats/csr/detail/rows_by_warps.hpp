// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/range_launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn::detail {

/// One row per warp, whose lanes call body(row, lane) together. With one thread per row a single thread would
/// process the longest row.
template <class Exec, class Ordinal, class Body>
struct RowsByWarps {
  static constexpr int team_size = 128;  // analytical, not measured: nothing is shared between its warps
  static constexpr int rows_per_team = team_size / Lanes<Exec>::size;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<team_size>>;

  Body body;
  Ordinal num_rows;

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    auto const row =
        static_cast<std::int64_t>(team.league_rank()) * rows_per_team + team.team_rank() / Lanes<Exec>::size;
    if (row < static_cast<std::int64_t>(num_rows))
      body(static_cast<Ordinal>(row), team.team_rank() % Lanes<Exec>::size);
  }
};

/// Host: one row per work item.
template <class Ordinal, class Body>
struct RowsByThreads {
  Body body;
  KOKKOS_FUNCTION void operator()(Ordinal row) const { body(row, 0); }
};

/// Calls body(row, lane) for every row and every lane of Lanes<Exec>. 1 launch (none without rows),
/// asynchronous.
template <class Exec, class Ordinal, class Body>
void for_each_row(Exec const& exec, char const* label, Ordinal num_rows, Body const& body) {
  if (num_rows == 0) return;
  if constexpr (is_gpu<Exec>) {
    using Functor = RowsByWarps<Exec, Ordinal, Body>;
    auto const teams = ceil_div(static_cast<std::int64_t>(num_rows), Functor::rows_per_team);
    Kokkos::parallel_for(
        label, light_weight(typename Functor::Policy(exec, static_cast<int>(teams), Functor::team_size)),
        Functor{body, num_rows});
  } else {
    range_for<Ordinal>(label, exec, num_rows, RowsByThreads<Ordinal, Body>{body});
  }
}

}  // namespace einkorn::detail
