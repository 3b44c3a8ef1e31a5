// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/spmm/choose.hpp>
#include <einkorn/formats/spmm/detail/long_rows.hpp>
#include <einkorn/formats/spmm/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <limits>
#include <type_traits>

namespace einkorn::detail {

/// sum(c) += sum over u of values(u) X(rows_of_x(u), first + c) for the first `columns` of a tile's columns.
/// Entries of row -1 read row 0 of X and add nothing, whatever stands there.
template <int width, int unroll, class Ordinal, class X, class Sum>
KOKKOS_FORCEINLINE_FUNCTION void add_products(X const& x, std::size_t first, int columns,
                                              Ordinal const (&rows_of_x)[unroll], Sum const (&values)[unroll],
                                              Sum (&sum)[width]) {
  for (int c = 0; c < width; ++c) {
    if (c >= columns) return;
    Sum from_x[unroll];
    for (int u = 0; u < unroll; ++u)
      from_x[u] =
          Sum(entry(x, rows_of_x[u] < 0 ? Ordinal(0) : rows_of_x[u], first + static_cast<std::size_t>(c)));
    for (int u = 0; u < unroll; ++u)
      if (rows_of_x[u] >= 0) sum[c] += values[u] * from_x[u];
  }
}

/// The next `held` entries of the rows of a warp, a row a lane, so that every lane finds its own at
/// [0 .. held - 1][lane]. Entries of a row lie side by side: `held` lanes ask for them together, and through
/// this memory of the warp they reach the lane whose row it is. The pitch puts what lanes write together into
/// different banks.
template <int held, class L, class Rows>
struct EntriesOfWarp {
  using Ordinal = typename Rows::Ordinal;
  using Offset = typename Rows::Offset;
  using Scalar = typename Rows::Scalar;

  template <class T>
  static constexpr int pitch =
      L::size + (128 / static_cast<int>(sizeof(T)) > held ? 128 / static_cast<int>(sizeof(T)) / held : 1);
  Scalar values[held][pitch<Scalar>];
  Ordinal columns[held][pitch<Ordinal>];

  /// Entries done .. done + held - 1 of every lane's row (`begin`, `length`); past the row's end they have
  /// column -1. The lanes of the warp meet twice.
  KOKKOS_FORCEINLINE_FUNCTION void load(Rows const& A, int lane, Offset begin, Offset length, Offset done) {
    constexpr int rows_at_once = L::size / held;
    Ordinal new_columns[held];
    Scalar new_values[held];
    int const slot = lane % held;
    for (int i = 0; i < held; ++i) {
      int const of_lane = i * rows_at_once + lane / held;
      Offset const from = L::shuffle(begin, of_lane), count = L::shuffle(length, of_lane),
                   j = done + static_cast<Offset>(slot);
      bool const is_entry = j < count;
      new_columns[i] = is_entry ? L::load(A.A.columns.data() + from + j) : Ordinal(-1);
      new_values[i] = is_entry ? L::load(A.A.values.data() + from + j) : Scalar(0);
    }
    L::sync();  // what was here before has been read
    for (int i = 0; i < held; ++i) {
      int const of_lane = i * rows_at_once + lane / held;
      columns[slot][of_lane] = new_columns[i];
      values[slot][of_lane] = new_values[i];
    }
    L::sync();
  }
};

/// Y <- alpha A X + beta Y for X and Y of any strides, in the rows of up to `bound` entries: a row and a tile
/// of columns a thread, so that where neighbouring rows have neighbouring columns of A, as in most matrices
/// from grids, a column of X is read coalesced, and Y is written so. An entry of A is read once for the whole
/// tile. Threads of a warp go on together until the longest of their rows is done.
template <ColumnTile tile, bool conjugated, class Exec, class Rows, class X, class Y, class Sum>
struct SpmmColumnTile {
  using Ordinal = typename Rows::Ordinal;
  using Offset = typename Rows::Offset;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tile.team_size, tile.min_teams_per_sm>>;
  using Team = typename Policy::member_type;
  using L = Lanes<Exec>;
  using Staged = EntriesOfWarp<tile.held, L, Rows>;

  static constexpr int scratch_bytes = static_cast<int>(tile.team_size / L::size * sizeof(Staged)) + 16;
  static_assert(Rows::order == EntryOrder::by_row && L::size % tile.held == 0);

  Rows A;
  X x;
  Y y;
  Epilogue<Sum> epilogue;
  Offset bound;
  int tiles, row_teams;
  bool is_together;  // tiles of the same rows go one after another

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    int const row_team = is_together ? team.league_rank() / tiles : team.league_rank() % row_teams,
              column_tile = is_together ? team.league_rank() % tiles : team.league_rank() / row_teams;
    auto const position =
        static_cast<Ordinal>(row_team) * tile.team_size + static_cast<Ordinal>(team.team_rank());
    auto const first = static_cast<std::size_t>(column_tile) * tile.columns;
    std::size_t const left = y.extent(1) - first;
    int const columns = left < tile.columns ? static_cast<int>(left) : tile.columns;
    bool inside = position < A.A.num_rows && position >= 0;  // a team may reach past the largest Ordinal
    Offset const begin = inside ? A.begin(position) : Offset(0);
    Offset length = inside ? A.length(position) : Offset(0);
    if (length > bound) {
      inside = false;
      length = Offset(0);
    }
    Sum sum[tile.columns];
    for (Sum& of_column : sum) of_column = Sum(0);
    add_row(team, begin, length, first, columns, sum);
    if (!inside) return;
    Ordinal const row = A.row_at(position);
    for (int c = 0; c < tile.columns; ++c)
      if (c < columns) epilogue(entry(y, row, first + static_cast<std::size_t>(c)), sum[c]);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void add_row(Team const& team, Offset begin, Offset length, std::size_t first,
                                           int columns, Sum (&sum)[tile.columns]) const {
    int const warp = team.team_rank() / L::size, lane = team.team_rank() % L::size;
    auto& staged = static_cast<Staged*>(team.team_scratch(0).get_shmem_aligned(scratch_bytes - 16, 16))[warp];
    Offset const longest = max_over_lanes<L>(length);
    for (Offset done = 0; done < longest; done += tile.held) {
      staged.load(A, lane, begin, length, done);
      for (int h = 0; h < tile.held && done + static_cast<Offset>(h) < longest; h += tile.unroll) {
        Ordinal rows_of_x[tile.unroll];
        Sum values[tile.unroll];
        for (int u = 0; u < tile.unroll; ++u) {
          auto const value = staged.values[h + u][lane];
          rows_of_x[u] = staged.columns[h + u][lane];
          values[u] = Sum(conjugated ? conjugate(value) : value);
        }
        add_products(x, first, columns, rows_of_x, values, sum);
      }
    }
  }
};

/// What the lanes of a warp sum together of a long row of A times a tile of X's columns: each lane has every
/// n-th entry, and their sums are added by shuffles, so that each column's ends in lanes of its own. A GroupSum
/// of SpmmLongRows.
template <int width, int unroll, bool conjugated, class L, class Rows, class X, class Sum>
struct ColumnTileSum {
  using Ordinal = typename Rows::Ordinal;
  using Offset = typename Rows::Offset;

  static constexpr int lanes = L::size, columns = width < L::size ? width : L::size;
  static constexpr int at_once = L::size * unroll;  // entries
  static constexpr int lanes_per_column = lanes_of_sum<L, columns>;

  Rows const& A;
  X const& x;
  int lane;
  std::size_t first;
  Sum sums[columns];  // of this lane's entries
  Sum sum;            // of a column, after add_groups_of_warp()

  KOKKOS_FORCEINLINE_FUNCTION ColumnTileSum(Rows const& rows, X const& of_x, int of_warp, std::size_t column)
      : A(rows), x(of_x), lane(of_warp), first(column) {
    for (Sum& of_column : sums) of_column = Sum(0);
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::size_t begin_of_tile(std::size_t column, std::size_t) {
    return column;
  }

  /// As RowTileSum::add(); a tile of fewer columns at the end.
  KOKKOS_FORCEINLINE_FUNCTION void add(Offset begin, Offset length, Offset, int from, int step) {
    std::size_t const left = x.extent(1) - first;
    int const some = left < columns ? static_cast<int>(left) : columns;
    for (Offset done = static_cast<Offset>(from); done < length; done += static_cast<Offset>(step)) {
      Ordinal rows_of_x[unroll];
      Sum values[unroll];
      for (int u = 0; u < unroll; ++u) {  // past the end: the last entry again, so that loads need no predicate
        Offset const j = done + static_cast<Offset>(u * L::size + lane);
        Offset const p = begin + (j < length ? j : length - 1) * A.stride();
        auto const value = L::load_streaming(A.A.values.data() + p);
        Ordinal const column = L::load_streaming(A.A.columns.data() + p);
        rows_of_x[u] = j < length ? column : Ordinal(-1);
        values[u] = Sum(conjugated ? conjugate(value) : value);
      }
      add_products(x, first, some, rows_of_x, values, sums);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_groups_of_warp() { sum = sums_over_lanes<L>(sums, lane); }
  KOKKOS_FORCEINLINE_FUNCTION static bool holds_sums(int place) { return place % lanes_per_column == 0; }
  KOKKOS_FORCEINLINE_FUNCTION void keep(Sum* of_tile) const { of_tile[lane / lanes_per_column] = sum; }
  KOKKOS_FORCEINLINE_FUNCTION void add_kept(Sum const* of_tile) { sum += of_tile[lane / lanes_per_column]; }
  template <class EpilogueOp, class Y>
  KOKKOS_FORCEINLINE_FUNCTION void write(EpilogueOp const& epilogue, Y const& y, Ordinal row,
                                         std::size_t) const {
    std::size_t const column = first + static_cast<std::size_t>(lane / lanes_per_column);
    if (column < y.extent(1)) epilogue(entry(y, row, column), sum);
  }
};

/// longest: of the rows' lengths, as far as it is known. 1 launch, and 1 more where rows may be long.
template <ColumnTile tile, LongRowsTuning tuning, bool conjugated, class Exec, class Rows, class X, class Y,
          class Sum>
void launch_column_tile(Exec const& exec, char const* label, Epilogue<Sum> const& epilogue, Rows const& A,
                        X const& x, Y const& y, typename Rows::Offset longest) {
  using Functor = SpmmColumnTile<tile, conjugated, Exec, Rows, X, Y, Sum>;
  using LongSum = ColumnTileSum<tile.long_columns, tile.unroll, conjugated, Lanes<Exec>, Rows, X, Sum>;
  auto const bound = take_long_rows<LongSum, LongSum, tuning>(exec, label, epilogue, A, x, y, longest);
  auto const tiles = (y.extent(1) + tile.columns - 1) / tile.columns;
  auto const row_teams = (static_cast<std::size_t>(A.A.num_rows) + tile.team_size - 1) / tile.team_size;
  bool const is_together = keeps_tiles_together(x.extent(0) * x.extent(1) * sizeof(typename X::value_type));
  typename Functor::Policy policy(exec, static_cast<int>(row_teams * tiles), tile.team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(Functor::scratch_bytes));
  Kokkos::parallel_for(
      label, light_weight(policy),
      Functor{A, x, y, epilogue, bound, static_cast<int>(tiles), static_cast<int>(row_teams), is_together});
}

/// The tile by the number of columns, of which there are some. longest: of the rows' lengths, where the caller
/// knows it. 1 launch, and 1 more where rows may be long.
template <bool conjugated, class Exec, class Rows, class X, class Y, class Sum>
void spmm_column_tile(Exec const& exec, char const* label, Epilogue<Sum> const& epilogue, Rows const& A,
                      X const& x, Y const& y,
                      typename Rows::Offset longest = std::numeric_limits<typename Rows::Offset>::max()) {
  auto const of_columns = [&]<int columns>(std::integral_constant<int, columns>) {
    constexpr Arch arch = arch_of<Exec>;
    constexpr ColumnTile tile = column_tile(arch, columns, sizeof(Sum));
    if (has_no_dominant_row(static_cast<std::size_t>(longest), A.A.values.extent(0)))
      launch_column_tile<tile, long_rows(arch, true), conjugated>(exec, label, epilogue, A, x, y, longest);
    else
      launch_column_tile<tile, long_rows(arch), conjugated>(exec, label, epilogue, A, x, y, longest);
  };
  if (column_tile_columns(y.extent(1)) == 8) return of_columns(std::integral_constant<int, 8>());
  of_columns(std::integral_constant<int, 4>());
}

}  // namespace einkorn::detail
