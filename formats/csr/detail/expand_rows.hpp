// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/balance/split.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// rows(k) <- the row of entry k (GPU). Teams have equal numbers of entries. A team finds the rows of its first
/// and last entry, so that its threads search few rows.
template <class Exec, class Offsets, class Rows, class Offset>
struct ExpandRows {
  using Ordinal = typename Rows::value_type;
  using Policy = Kokkos::TeamPolicy<Exec>;
  static constexpr int team_size = 256, entries_per_team = team_size * 16;

  Offsets offsets;
  Rows rows;
  Ordinal num_rows;
  Offset num_entries;

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    Offset const begin = static_cast<Offset>(team.league_rank()) * entries_per_team;
    Offset const end =
        num_entries - begin < static_cast<Offset>(entries_per_team) ? num_entries : begin + entries_per_team;
    Ordinal const first = row_of_entry(offsets, num_rows, begin);
    Ordinal const last = row_of_entry(offsets, num_rows, static_cast<Offset>(end - 1));
    for (Offset k = begin + static_cast<Offset>(team.team_rank()); k < end;
         k += static_cast<Offset>(team.team_size()))
      rows(k) = row_of_entry(offsets, first, static_cast<Ordinal>(last + 1), k);
  }
};

/// ExpandRows on the host: one search per part, then row after row.
template <class Offsets, class Rows, class Offset>
struct ExpandRowsHost {
  using Ordinal = typename Rows::value_type;

  Offsets offsets;
  Rows rows;
  Ordinal num_rows;
  Offset num_entries, part_size;

  void operator()(Offset part) const {
    Offset k = part * part_size;
    Offset const end = num_entries - k < part_size ? num_entries : k + part_size;
    for (Ordinal row = row_of_entry(offsets, num_rows, k); k < end; ++row) {
      Offset const row_end = offsets(row + 1) < end ? offsets(row + 1) : end;
      for (; k < row_end; ++k) rows(k) = row;
    }
  }
};

/// rows(k) <- the row that contains entry k, from the row offsets of a CSR. Asynchronous on exec; 1 launch.
template <class Exec, class Offsets, class Rows>
void expand_rows(Exec const& exec, Offsets const& offsets, typename Rows::value_type num_rows,
                 Rows const& rows) {
  using Offset = typename Offsets::non_const_value_type;
  auto const num_entries = static_cast<Offset>(rows.extent(0));
  if (num_entries == 0) return;
  auto const num_blocks = [num_entries](Offset size) { return num_entries / size + (num_entries % size != 0); };
  if constexpr (is_gpu<Exec>) {
    using Functor = ExpandRows<Exec, Offsets, Rows, Offset>;
    auto const league = static_cast<int>(num_blocks(Functor::entries_per_team));
    Kokkos::parallel_for("einkorn::expand_rows", typename Functor::Policy(exec, league, Functor::team_size),
                         Functor{offsets, rows, num_rows, num_entries});
  } else {
    auto const parts = static_cast<Offset>(host_parts(exec));
    Offset const size = num_entries / parts + (num_entries % parts != 0);
    for_each_part(exec, "einkorn::expand_rows", static_cast<std::int64_t>(num_blocks(size)),
                  ExpandRowsHost<Offsets, Rows, Offset>{offsets, rows, num_rows, num_entries, size});
  }
}

}  // namespace einkorn::detail
