// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/spmm/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// A CSR matrix as the kernels of multivectors read one: the entries of the row at a position lie at
/// begin(position) + j stride(), j < length(position), of columns and values; a column of -1 is padding, behind
/// which there is nothing else, and entries(position) is the length without it; row_at(position) is the row
/// whose sums they make.
template <class Matrix>
struct StridedCsrRows {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Scalar = typename Matrix::scalar_type;
  static constexpr EntryOrder order = EntryOrder::by_row;
  static constexpr bool lengths_differ = true;
  Matrix A;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Ordinal row_at(Ordinal row) const { return row; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset begin(Ordinal row) const { return A.row_begin(row); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset length(Ordinal row) const {
    return A.row_end(row) - A.row_begin(row);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset entries(Ordinal row) const { return length(row); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static constexpr Offset stride() { return 1; }
};
/// The same of padded rows (spmv_padded_rows.hpp) with all their columns.
template <class Format>
struct StridedPaddedRows {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  static constexpr EntryOrder order = EntryOrder::by_slot;
  static constexpr bool lengths_differ = requires(Format const& F) { F.slots_before(Ordinal(0)); };
  Format A;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Ordinal row_at(Ordinal at) const { return A.row_at(at); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset begin(Ordinal at) const { return A.slot_begin(at); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset length(Ordinal at) const { return A.slot_count(at); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset entries(Ordinal at) const {
    Offset few = 0, many = A.slot_count(at);
    while (few < many) {
      Offset const middle = few + (many - few) / 2;
      if (A.columns(A.slot_begin(at) + middle * A.slot_stride()) < 0)
        many = middle;
      else
        few = middle + 1;
    }
    return few;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset stride() const { return A.slot_stride(); }
};

/// Y <- alpha A X + beta Y in the rows of more than `bound` entries, which it finds. Team `chunk * slices +
/// slice` looks among the `side_by_side` rows from side_by_side * (chunk + i * chunks) on, for every i:
/// neighbours, which in many matrices are long together, go to different chunks. The longest rows are summed by
/// a whole team, each team of the chunk with a slice of the columns, the others by the warps of these teams in
/// turn; each group of lanes has every n-th piece of the row, and sums of groups are added in an order that
/// nothing but the length decides.
///
/// TeamSum and WarpSum ("GroupSum": RowTileSum, ColumnTileSum) are what a group of `lanes` lanes sums of a row
/// and a tile of `columns` columns, `at_once` entries at a time, in teams and in single warps.
template <class TeamSum, class WarpSum, LongRowsTuning tuning, class Exec, class Rows, class X, class Y,
          class Sum>
struct SpmmLongRows {
  using Ordinal = typename Rows::Ordinal;
  using Offset = typename Rows::Offset;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tuning.team_size, tuning.min_teams_per_sm>>;
  using Team = typename Policy::member_type;
  using L = Lanes<Exec>;

  static constexpr int warps = tuning.team_size / L::size;
  static constexpr int max_rounds = 32;  // of team_size rows; a bit of `found` each

  Rows A;
  X x;
  Y y;
  Epilogue<Sum> epilogue;
  Offset bound;
  std::size_t chunks, slices;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto& scratch = *static_cast<Scratch*>(team.team_scratch(0).get_shmem_aligned(sizeof(Scratch), 16));
    auto const place = static_cast<std::size_t>(team.league_rank());
    std::size_t const chunk = place / slices, slice = place % slices;
    std::uint32_t found = 0;  // bit i: row i * team_size + team_rank of the chunk
    int rounds = 0;
    for (constexpr int at_once = 8; row_of_chunk(chunk, rounds * tuning.team_size) < num_rows();
         rounds += at_once) {
      Offset lengths[at_once];
      for (int u = 0; u < at_once; ++u) {
        std::size_t const row = row_of_chunk(chunk, (rounds + u) * tuning.team_size + team.team_rank());
        lengths[u] = row < num_rows() ? A.length(static_cast<Ordinal>(row)) : Offset(0);
      }
      for (int u = 0; u < at_once; ++u)
        if (lengths[u] > bound) found |= std::uint32_t(1) << (rounds + u);
    }
    if (!any_of(team, scratch, found != 0)) return;
    for (int round = 0; round < rounds; ++round) {
      team.team_barrier();
      bool const is_long = (found >> round & 1) != 0;
      if (is_long)
        scratch.lengths[team.team_rank()] =
            A.entries(static_cast<Ordinal>(row_of_chunk(chunk, round * tuning.team_size + team.team_rank())));
      if (any_of(team, scratch, is_long)) take_round(team, scratch, chunk, round, slice);
    }
  }

  /// Memory of a team: a mask of long rows a warp, how long they are, sums a warp.
  struct Scratch {
    typename L::Mask masks[warps];
    Offset lengths[tuning.team_size];
    Sum sums[warps][TeamSum::columns];
  };

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::size_t num_rows() const {
    return static_cast<std::size_t>(A.A.num_rows);
  }
  /// The n-th row that a team looks at; it may lie past the last one.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::size_t row_of_chunk(std::size_t chunk, int n) const {
    constexpr int by = tuning.side_by_side;
    return (chunk + static_cast<std::size_t>(n / by) * chunks) * by + static_cast<std::size_t>(n % by);
  }

  /// Whether the condition holds for a thread of the team, whose masks are left in the scratch. One barrier.
  KOKKOS_FORCEINLINE_FUNCTION static bool any_of(Team const& team, Scratch& scratch, bool condition) {
    auto const mask = L::ballot(condition);
    if (team.team_rank() % L::size == 0) scratch.masks[team.team_rank() / L::size] = mask;
    team.team_barrier();
    bool any = false;
    for (int warp = 0; warp < warps; ++warp) any = any || scratch.masks[warp] != 0;
    return any;
  }

  /// The rows of scratch.masks.
  KOKKOS_FORCEINLINE_FUNCTION void take_round(Team const& team, Scratch& scratch, std::size_t chunk, int round,
                                              std::size_t slice) const {
    constexpr auto width = static_cast<std::size_t>(WarpSum::columns);
    std::size_t const my_turn = slice * warps + static_cast<std::size_t>(team.team_rank() / L::size),
                      turns = slices * warps;
    std::size_t turn = 0;
    for (int warp = 0; warp < warps; ++warp)
      for (auto mask = scratch.masks[warp]; mask != 0; mask &= mask - 1) {
        int const n = warp * L::size + L::lowest(mask);
        auto const row = static_cast<Ordinal>(row_of_chunk(chunk, round * tuning.team_size + n));
        Offset const length = scratch.lengths[n];
        if (length > static_cast<Offset>(tuning.of_one_warp)) {
          take_by_team(team, scratch, row, length, slice * TeamSum::columns);
          continue;
        }
        for (std::size_t first = 0; first < y.extent(1); first += width, ++turn)
          if (turn % turns == my_turn) take_by_warp(team, row, length, first);
      }
  }

  /// The sums of one group, of the tile of columns that begins at `first` or, for the last ones, before it.
  template <class GroupSum>
  KOKKOS_FORCEINLINE_FUNCTION GroupSum sum_of_group(Ordinal position, Offset length, std::size_t first,
                                                    int place, int places) const {
    GroupSum sum(A, x, place % GroupSum::lanes, GroupSum::begin_of_tile(first, y.extent(1)));
    sum.add(A.begin(position), length, length, place / GroupSum::lanes * GroupSum::at_once,
            places / GroupSum::lanes * GroupSum::at_once);
    sum.add_groups_of_warp();
    return sum;
  }

  KOKKOS_FORCEINLINE_FUNCTION void take_by_warp(Team const& team, Ordinal position, Offset length,
                                                std::size_t first) const {
    int const place = team.team_rank() % L::size;
    auto const sum = sum_of_group<WarpSum>(position, length, first, place, L::size);
    if (WarpSum::holds_sums(place)) sum.write(epilogue, y, A.row_at(position), first);
  }

  /// Two barriers.
  KOKKOS_FORCEINLINE_FUNCTION void take_by_team(Team const& team, Scratch& scratch, Ordinal position,
                                                Offset length, std::size_t first) const {
    int const place = team.team_rank();
    auto sum = sum_of_group<TeamSum>(position, length, first, place, tuning.team_size);
    if (TeamSum::holds_sums(place % L::size)) sum.keep(scratch.sums[place / L::size]);
    team.team_barrier();
    if (place < L::size && TeamSum::holds_sums(place)) {
      for (int warp = 1; warp < warps; ++warp) sum.add_kept(scratch.sums[warp]);
      sum.write(epilogue, y, A.row_at(position), first);
    }
    team.team_barrier();
  }
};

/// 1 launch.
template <class TeamSum, class WarpSum, LongRowsTuning tuning, class Exec, class Rows, class X, class Y,
          class Sum>
void spmm_long_rows(Exec const& exec, char const* label, Epilogue<Sum> const& epilogue, Rows const& A,
                    X const& x, Y const& y, typename Rows::Offset bound) {
  using Functor = SpmmLongRows<TeamSum, WarpSum, tuning, Exec, Rows, X, Y, Sum>;
  auto const covered = [](std::size_t many, std::size_t by) { return (many + by - 1) / by; };
  constexpr std::size_t max_blocks =
      static_cast<std::size_t>(Functor::max_rounds) * tuning.team_size / tuning.side_by_side;
  auto const blocks = covered(static_cast<std::size_t>(A.A.num_rows), tuning.side_by_side);
  auto const slices = covered(y.extent(1), TeamSum::columns);
  // An odd number, as min_teams says.
  std::size_t const chunks = std::max(covered(blocks, max_blocks), covered(tuning.min_teams, slices)) | 1;
  typename Functor::Policy policy(exec, static_cast<int>(chunks * slices), tuning.team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(sizeof(typename Functor::Scratch) + 16)));
  Kokkos::parallel_for(label, light_weight(policy), Functor{A, x, y, epilogue, bound, chunks, slices});
}

/// Sums the rows that are not for groups, and returns up to how many entries the others have. longest: of the
/// rows' lengths, as far as it is known. 1 launch where rows may be long, else none.
template <class TeamSum, class WarpSum, LongRowsTuning tuning, class Exec, class Rows, class X, class Y,
          class Sum>
typename Rows::Offset take_long_rows(Exec const& exec, char const* label, Epilogue<Sum> const& epilogue,
                                     Rows const& A, X const& x, Y const& y, typename Rows::Offset longest) {
  if constexpr (Rows::lengths_differ) {
    std::size_t const mean = A.A.values.extent(0) / static_cast<std::size_t>(A.A.num_rows);
    std::size_t const bound =
        std::max(static_cast<std::size_t>(tuning.bound), mean * static_cast<std::size_t>(tuning.means));
    if (static_cast<std::size_t>(longest) > bound) {
      spmm_long_rows<TeamSum, WarpSum, tuning>(exec, label, epilogue, A, x, y,
                                               static_cast<typename Rows::Offset>(bound));
      return static_cast<typename Rows::Offset>(bound);
    }
  }
  return longest;
}

}  // namespace einkorn::detail
