// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/cache_hint.hpp>
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

/// sum(c) += sum over u of values(u) X(x_rows(u), first + c) for the first `columns` columns of a tile. Entries
/// of row -1 read row 0 of X and add nothing, not even NaN.
template <int width, int unroll, class Ordinal, class X, class Sum>
KOKKOS_FORCEINLINE_FUNCTION void add_products(X const& x, std::size_t first, int columns,
                                              Ordinal const (&x_rows)[unroll], Sum const (&values)[unroll],
                                              Sum (&sum)[width]) {
  for (int c = 0; c < width; ++c) {
    if (c >= columns) return;
    Sum from_x[unroll];
    for (int u = 0; u < unroll; ++u)
      from_x[u] = Sum(entry(x, x_rows[u] < 0 ? Ordinal(0) : x_rows[u], first + static_cast<std::size_t>(c)));
    for (int u = 0; u < unroll; ++u)
      if (x_rows[u] >= 0) sum[c] += values[u] * from_x[u];
  }
}

/// The next `depth` entries of each row of a warp, one row per lane, in scratch: [0 .. depth - 1][lane].
/// `depth` lanes load the contiguous entries of a row together. The pitch puts what lanes store together into
/// different banks.
template <int depth, class L, StridedRows Rows>
struct EntriesOfWarp {
  using Ordinal = typename Rows::Ordinal;
  using Offset = typename Rows::Offset;
  using Scalar = typename Rows::Scalar;

  template <class T>
  static constexpr int pitch =
      L::size + (128 / static_cast<int>(sizeof(T)) > depth ? 128 / static_cast<int>(sizeof(T)) / depth : 1);
  Scalar values[depth][pitch<Scalar>];
  Ordinal columns[depth][pitch<Ordinal>];

  /// Loads entries done .. done + depth - 1 of every lane's row (`begin`, `length`); column -1 past the row's
  /// end. Synchronizes the warp twice.
  KOKKOS_FORCEINLINE_FUNCTION void load(Rows const& A, int lane, Offset begin, Offset length, Offset done,
                                        typename L::CacheHint hint) {
    constexpr int rows_per_load = L::size / depth;
    Ordinal new_columns[depth];
    Scalar new_values[depth];
    int const slot = lane % depth;
    for (int i = 0; i < depth; ++i) {
      int const row_lane = i * rows_per_load + lane / depth;
      Offset const from = L::shuffle(begin, row_lane), count = L::shuffle(length, row_lane),
                   j = done + static_cast<Offset>(slot);
      bool const is_entry = j < count;
      new_columns[i] = is_entry ? load_through_l1<L>(A.A.columns.data() + from + j, hint) : Ordinal(-1);
      new_values[i] = is_entry ? load_through_l1<L>(A.A.values.data() + from + j, hint) : Scalar(0);
    }
    L::sync();  // the previous entries have been read
    for (int i = 0; i < depth; ++i) {
      int const row_lane = i * rows_per_load + lane / depth;
      columns[slot][row_lane] = new_columns[i];
      values[slot][row_lane] = new_values[i];
    }
    L::sync();
  }
};

/// Y <- alpha A X + beta Y for X and Y of any strides, in the rows of up to `bound` entries: one thread per row
/// and tile of columns. Where neighbouring rows of A have neighbouring columns, as in most matrices from grids,
/// columns of X are read coalesced; columns of Y are written coalesced. An entry of A is read once per tile.
/// The threads of a warp continue until the longest of their rows is done.
template <ColumnTile tile, bool conjugated, class Exec, StridedRows Rows, class X, class Y, class Sum>
struct SpmmColumnTile {
  using Ordinal = typename Rows::Ordinal;
  using Offset = typename Rows::Offset;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tile.team_size, tile.min_teams_per_sm>>;
  using Team = typename Policy::member_type;
  using L = Lanes<Exec>;
  using Staged = EntriesOfWarp<tile.depth, L, Rows>;

  static constexpr int scratch_bytes = static_cast<int>(tile.team_size / L::size * sizeof(Staged)) + 16;
  static_assert(Rows::order == EntryOrder::by_row && L::size % tile.depth == 0);

  Rows A;
  X x;
  Y y;
  Epilogue<Sum> epilogue;
  Offset bound;
  int tiles, row_teams;
  bool is_together;  // keeps_tiles_together()
  CacheHint<Exec> hint;

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
    for (Sum& column_sum : sum) column_sum = Sum(0);
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
    for (Offset done = 0; done < longest; done += tile.depth) {
      staged.load(A, lane, begin, length, done, hint);
      for (int h = 0; h < tile.depth && done + static_cast<Offset>(h) < longest; h += tile.unroll) {
        Ordinal x_rows[tile.unroll];
        Sum values[tile.unroll];
        for (int u = 0; u < tile.unroll; ++u) {
          auto const value = staged.values[h + u][lane];
          x_rows[u] = staged.columns[h + u][lane];
          values[u] = Sum(conjugated ? conjugate(value) : value);
        }
        add_products(x, first, columns, x_rows, values, sum);
      }
    }
  }
};

/// The sum of a long row of A times a tile of columns of X by one warp: each lane sums every n-th entry, and
/// shuffles add the lanes' sums, so that each column ends in lanes of its own. A GroupSum of SpmmLongRows.
template <int width, int unroll, bool conjugated, class L, StridedRows Rows, class X, class Sum>
struct ColumnTileSum {
  using Ordinal = typename Rows::Ordinal;
  using Offset = typename Rows::Offset;

  static constexpr int lanes = L::size, columns = width < L::size ? width : L::size;
  static constexpr int step_entries = L::size * unroll;
  static constexpr int lanes_per_column = lanes_of_sum<L, columns>;

  Rows const& A;
  X const& x;
  int lane;
  std::size_t first;
  typename L::CacheHint hint;
  Sum sums[columns];  // over the entries of this lane
  Sum sum;            // of one column, after add_groups_of_warp()

  KOKKOS_FORCEINLINE_FUNCTION ColumnTileSum(Rows const& rows, X const& x_view, int warp_lane,
                                            std::size_t column, typename L::CacheHint load_hint)
      : A(rows), x(x_view), lane(warp_lane), first(column), hint(load_hint) {
    for (Sum& column_sum : sums) column_sum = Sum(0);
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::size_t tile_begin(std::size_t column, std::size_t) { return column; }

  /// As RowTileSum::add(). The last tile may have fewer columns.
  KOKKOS_FORCEINLINE_FUNCTION void add(Offset begin, Offset length, Offset, int from, int step) {
    std::size_t const left = x.extent(1) - first;
    int const num_columns = left < columns ? static_cast<int>(left) : columns;
    for (Offset done = static_cast<Offset>(from); done < length; done += static_cast<Offset>(step)) {
      Ordinal x_rows[unroll];
      Sum values[unroll];
      for (int u = 0; u < unroll; ++u) {  // past the end: the last entry again
        Offset const j = done + static_cast<Offset>(u * L::size + lane);
        Offset const p = begin + (j < length ? j : length - 1) * A.stride();
        auto const value = L::load_streaming(A.A.values.data() + p, hint);
        Ordinal const column = L::load_streaming(A.A.columns.data() + p, hint);
        x_rows[u] = j < length ? column : Ordinal(-1);
        values[u] = Sum(conjugated ? conjugate(value) : value);
      }
      add_products(x, first, num_columns, x_rows, values, sums);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_groups_of_warp() { sum = sums_over_lanes<L>(sums, lane); }
  KOKKOS_FORCEINLINE_FUNCTION static bool holds_sums(int rank) { return rank % lanes_per_column == 0; }
  KOKKOS_FORCEINLINE_FUNCTION void store(Sum* tile_sums) const { tile_sums[lane / lanes_per_column] = sum; }
  KOKKOS_FORCEINLINE_FUNCTION void add_stored(Sum const* tile_sums) {
    sum += tile_sums[lane / lanes_per_column];
  }
  template <class EpilogueOp, class Y>
  KOKKOS_FORCEINLINE_FUNCTION void write(EpilogueOp const& epilogue, Y const& y, Ordinal row,
                                         std::size_t) const {
    std::size_t const column = first + static_cast<std::size_t>(lane / lanes_per_column);
    if (column < y.extent(1)) epilogue(entry(y, row, column), sum);
  }
};

/// longest: entries of the longest row, or the largest Offset. 1 launch, and 1 more where rows may be long.
template <ColumnTile tile, LongRowsTuning tuning, bool conjugated, class Exec, StridedRows Rows, class X,
          class Y, class Sum>
void launch_column_tile(Exec const& exec, char const* label, Epilogue<Sum> const& epilogue, Rows const& A,
                        X const& x, Y const& y, typename Rows::Offset longest) {
  using Functor = SpmmColumnTile<tile, conjugated, Exec, Rows, X, Y, Sum>;
  using LongSum = ColumnTileSum<tile.long_columns, tile.unroll, conjugated, Lanes<Exec>, Rows, X, Sum>;
  auto const bound = launch_long_rows<LongSum, LongSum, tuning>(exec, label, epilogue, A, x, y, longest);
  auto const tiles = ceil_div(y.extent(1), tile.columns);
  auto const row_teams = ceil_div(static_cast<std::size_t>(A.A.num_rows), tile.team_size);
  bool const is_together = keeps_tiles_together(x.extent(0) * x.extent(1) * sizeof(typename X::value_type));
  typename Functor::Policy policy(exec, static_cast<int>(row_teams * tiles), tile.team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(Functor::scratch_bytes));
  Kokkos::parallel_for(label, light_weight(policy),
                       Functor{A, x, y, epilogue, bound, static_cast<int>(tiles), static_cast<int>(row_teams),
                               is_together, cache_hint(exec, A.A, x, y)});
}

/// Y <- alpha A X + beta Y with the tile of column_tile_columns(), for at least one column. longest: entries of
/// the longest row, or the largest Offset. 1 launch, and 1 more where rows may be long.
template <bool conjugated, class Exec, StridedRows Rows, class X, class Y, class Sum>
void spmm_column_tile(Exec const& exec, char const* label, Epilogue<Sum> const& epilogue, Rows const& A,
                      X const& x, Y const& y,
                      typename Rows::Offset longest = std::numeric_limits<typename Rows::Offset>::max()) {
  auto const launch_tile = [&]<int columns>(std::integral_constant<int, columns>) {
    constexpr Arch arch = arch_of<Exec>;
    constexpr ColumnTile tile = column_tile(arch, columns, sizeof(Sum));
    if (has_no_dominant_row(static_cast<std::size_t>(longest), A.A.values.extent(0)))
      launch_column_tile<tile, long_rows(arch, true), conjugated>(exec, label, epilogue, A, x, y, longest);
    else
      launch_column_tile<tile, long_rows(arch), conjugated>(exec, label, epilogue, A, x, y, longest);
  };
  if (column_tile_columns(y.extent(1)) == 8) return launch_tile(std::integral_constant<int, 8>());
  launch_tile(std::integral_constant<int, 4>());
}

}  // namespace einkorn::detail
