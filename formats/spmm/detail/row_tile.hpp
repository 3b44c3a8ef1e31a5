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
#include <cstdint>
#include <limits>
#include <type_traits>

namespace einkorn::detail {

/// Columns of a row of X or Y that are read or written as one.
template <class T, int n>
struct alignas(sizeof(T) * n) ColumnPack {
  T part[n];
};

/// What a group of lanes sums of a row of A times a tile of X's columns: pack `lane + q lanes` of the tile is
/// lane `lane`'s, so that a row of X is read coalesced. Entries come `lanes * held` at a time, the next ones
/// while these are worked on, and reach the other lanes by shuffles: these take longer than the arithmetic, so
/// that few lanes a row, with several columns each, are faster than a lane a column. Source: row splitting as
/// in GE-SpMM (Huang et al., SC 2020), with shuffles in place of its scratch.
template <RowTile tile, bool conjugated, class L, class Rows, class X, class Sum>
struct RowTileSum {
  using Ordinal = typename Rows::Ordinal;
  using Offset = typename Rows::Offset;
  using Scalar = typename Rows::Scalar;
  using Sent = std::conditional_t<sizeof(Scalar) % 4 == 0, Scalar, Sum>;  // lanes exchange words of 4 bytes
  using PackOfX = ColumnPack<typename X::non_const_value_type, tile.pack>;

  static constexpr int lanes = tile.lanes, columns = tile.columns();
  static constexpr int at_once = tile.lanes * tile.held;  // entries
  static constexpr int unroll = tile.unroll < at_once ? tile.unroll : at_once;
  static constexpr int between_packs = tile.lanes * tile.pack;
  static_assert(at_once % unroll == 0);

  Rows const& A;
  X const& x;
  int lane;
  std::size_t column;  // the first of the lane's
  Sum sum[tile.packs][tile.pack];

  /// first: column of the tile, all of which X and Y have.
  KOKKOS_FORCEINLINE_FUNCTION RowTileSum(Rows const& rows, X const& of_x, int of_group, std::size_t first)
      : A(rows), x(of_x), lane(of_group), column(first + static_cast<std::size_t>(of_group * tile.pack)) {
    for (auto& of_pack : sum)
      for (Sum& of_column : of_pack) of_column = Sum(0);
  }

  /// Where the tile begins that has column `first` and, as all tiles, `columns` columns, of k.
  KOKKOS_FORCEINLINE_FUNCTION static std::size_t begin_of_tile(std::size_t first, std::size_t k) {
    return first + columns < k ? first : k - columns;
  }

  /// Adds the entries from `first` on, at_once of them and then those `step` further on, of a row of `length`
  /// entries. longest: the largest length among the rows of the warp, whose lanes all come here with one step.
  KOKKOS_FORCEINLINE_FUNCTION void add(Offset begin, Offset length, Offset longest, int first, int step) {
    Entries own = load(begin, length, static_cast<Offset>(first + lane));
    for (Offset done = 0; done < longest; done += static_cast<Offset>(step)) {
      Entries const now = own;
      if (done + static_cast<Offset>(step) < longest)
        own = load(begin, length, done + static_cast<Offset>(step + first + lane));
      for (int h = 0; h < tile.held; h += of_held)
        for (int j = 0; j < tile.lanes; j += steps)
          if (done + static_cast<Offset>(h * tile.lanes + j) < longest) add_batch(now, h, j);
    }
  }

  /// The sums of all groups of the warp, in every one of them; the order of the additions is fixed.
  KOKKOS_FORCEINLINE_FUNCTION void add_groups_of_warp() {
    for (int q = 0; q < tile.packs; ++q)
      for (Sum& of_column : sum[q])
        for (int bits = tile.lanes; bits < L::size; bits *= 2) of_column += L::shuffle_xor(of_column, bits);
  }

  /// Whether this lane of a warp is to hand its sums on: each is then handed on once.
  KOKKOS_FORCEINLINE_FUNCTION static bool holds_sums(int place) { return place < tile.lanes; }
  /// The sums of the tile in memory of the team; of one pack a lane.
  KOKKOS_FORCEINLINE_FUNCTION void keep(Sum* of_tile) const {
    static_assert(tile.packs == 1);
    for (int p = 0; p < tile.pack; ++p) of_tile[lane * tile.pack + p] = sum[0][p];
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_kept(Sum const* of_tile) {
    static_assert(tile.packs == 1);
    for (int p = 0; p < tile.pack; ++p) sum[0][p] += of_tile[lane * tile.pack + p];
  }

  /// Updates the row of Y from these sums, but for columns before `from`, which another tile has too.
  template <class EpilogueOp, class Y>
  KOKKOS_FORCEINLINE_FUNCTION void write(EpilogueOp const& epilogue, Y const& y, Ordinal row,
                                         std::size_t from) const {
    using PackOfY = ColumnPack<typename Y::non_const_value_type, tile.pack>;
    for (int q = 0; q < tile.packs; ++q) {
      std::size_t const of_pack = column + static_cast<std::size_t>(q * between_packs);
      if (of_pack < from) continue;
      auto* const to = reinterpret_cast<PackOfY*>(&y(row, of_pack));
      PackOfY result;
      if (epilogue.beta != Sum(0)) result = *to;
      for (int p = 0; p < tile.pack; ++p) epilogue(result.part[p], sum[q][p]);
      *to = result;
    }
  }

 private:
  /// A batch: this many entries of each of so many that every lane holds.
  static constexpr int steps = unroll < tile.lanes ? unroll : tile.lanes;
  static constexpr int of_held = unroll / steps;
  static_assert(tile.lanes % steps == 0 && tile.held % of_held == 0);

  struct Entries {
    Ordinal columns[tile.held];
    Sent values[tile.held];
  };

  /// A lane's entries: `at`, `at + lanes`, ..; past the row's end they have column -1.
  KOKKOS_FORCEINLINE_FUNCTION Entries load(Offset begin, Offset length, Offset at) const {
    Entries own;
    for (int h = 0; h < tile.held; ++h) {
      Offset const j = at + static_cast<Offset>(h * tile.lanes);
      own.columns[h] = Ordinal(-1);
      own.values[h] = Sent(0);
      if (j < length) {
        Offset const p = begin + j * A.stride();
        Scalar const value = L::load_streaming(A.A.values.data() + p);
        own.columns[h] = L::load_streaming(A.A.columns.data() + p);
        own.values[h] = Sent(conjugated ? conjugate(value) : value);
      }
    }
    return own;
  }

  /// Entries j .. j + steps - 1 of what is held at h .. h + of_held - 1. All lanes together. The entries that
  /// are not there stand behind the others; they read row 0 of X and add nothing, whatever stands there.
  KOKKOS_FORCEINLINE_FUNCTION void add_batch(Entries const& held, int h, int j) {
    auto const row_stride = static_cast<std::size_t>(x.stride(0));
    PackOfX from_x[unroll][tile.packs];
    Sum values[unroll];
    int count = 0;
    for (int g = 0; g < of_held; ++g)
      for (int s = 0; s < steps; ++s) {
        int const u = g * steps + s;
        Ordinal const row = L::shuffle(held.columns[h + g], j + s, tile.lanes);
        values[u] = Sum(L::shuffle(held.values[h + g], j + s, tile.lanes));
        count += row >= 0;
        auto const* const x_row = x.data() + static_cast<std::size_t>(row >= 0 ? row : 0) * row_stride + column;
        for (int q = 0; q < tile.packs; ++q)
          from_x[u][q] = *reinterpret_cast<PackOfX const*>(x_row + q * between_packs);
      }
    for (int u = 0; u < unroll; ++u)
      if (u < count)
        for (int q = 0; q < tile.packs; ++q)
          for (int p = 0; p < tile.pack; ++p) sum[q][p] += values[u] * Sum(from_x[u][q].part[p]);
  }
};

/// Y <- alpha A X + beta Y for row-major X and Y in the rows of up to `bound` entries: a row of A and a tile of
/// columns a group of lanes (RowTileSum). Groups of one warp go on together until the longest of their
/// rows is done. The last tile ends with the last column.
template <RowTile tile, bool conjugated, class Exec, class Rows, class X, class Y, class Sum>
struct SpmmRowTile {
  using Ordinal = typename Rows::Ordinal;
  using Offset = typename Rows::Offset;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tile.team_size, tile.min_teams_per_sm>>;
  using L = Lanes<Exec>;
  using GroupSum = RowTileSum<tile, conjugated, L, Rows, X, Sum>;

  static constexpr int rows_per_team = tile.team_size / tile.lanes;

  Rows A;
  X x;
  Y y;
  Epilogue<Sum> epilogue;
  Offset bound;
  int tiles;

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    Ordinal const position = static_cast<Ordinal>(team.league_rank() / tiles) * rows_per_team +
                             static_cast<Ordinal>(team.team_rank() / tile.lanes);
    bool inside = position < A.A.num_rows && position >= 0;  // a team may reach past the largest Ordinal
    Offset const begin = inside ? A.begin(position) : Offset(0);
    Offset length = inside ? A.length(position) : Offset(0);
    if (length > bound) {
      inside = false;
      length = Offset(0);
    }
    Offset const longest = max_over_lanes<L>(length, tile.lanes);  // among the rows of the warp
    std::size_t const first = static_cast<std::size_t>(team.league_rank() % tiles) * GroupSum::columns;
    GroupSum group(A, x, team.team_rank() % tile.lanes, GroupSum::begin_of_tile(first, y.extent(1)));
    group.add(begin, length, longest, 0, GroupSum::at_once);
    if (inside) group.write(epilogue, y, A.row_at(position), first);
  }
};

/// longest: of the rows' lengths, as far as it is known. X and Y have at least the tile's columns. 1 launch,
/// and 1 more where rows may be long.
template <RowTile tile, LongRowsTuning tuning, bool conjugated, class Exec, class Rows, class X, class Y,
          class Sum>
void launch_row_tile(Exec const& exec, char const* label, Epilogue<Sum> const& epilogue, Rows const& A,
                     X const& x, Y const& y, typename Rows::Offset longest) {
  using Functor = SpmmRowTile<tile, conjugated, Exec, Rows, X, Y, Sum>;
  constexpr std::size_t scalar_bytes = sizeof(typename X::value_type);
  using TeamSum =
      RowTileSum<tuning.tile(tile, scalar_bytes, tuning.team_bytes), conjugated, Lanes<Exec>, Rows, X, Sum>;
  using WarpSum =
      RowTileSum<tuning.tile(tile, scalar_bytes, tuning.warp_bytes), conjugated, Lanes<Exec>, Rows, X, Sum>;
  auto const bound = take_long_rows<TeamSum, WarpSum, tuning>(exec, label, epilogue, A, x, y, longest);
  auto const num_rows = static_cast<std::size_t>(A.A.num_rows);
  constexpr auto rows_per_team = static_cast<std::size_t>(Functor::rows_per_team);
  auto const tiles = (y.extent(1) + tile.columns() - 1) / tile.columns();
  auto const teams = (num_rows + rows_per_team - 1) / rows_per_team * tiles;
  Kokkos::parallel_for(label,
                       light_weight(typename Functor::Policy(exec, static_cast<int>(teams), tile.team_size)),
                       Functor{A, x, y, epilogue, bound, static_cast<int>(tiles)});
}

/// Whether every row of a multivector consists of whole packs that begin where a pack may.
template <int pack, class View>
bool is_of_packs(View const& view) {
  using T = typename View::non_const_value_type;
  return view.extent(1) % pack == 0 && view.stride(0) % pack == 0 &&
         reinterpret_cast<std::uintptr_t>(view.data()) % (sizeof(T) * pack) == 0;
}

/// Whether row_tile computes these multivectors.
template <class X, class Y>
bool takes_row_tile(X const& x, Y const& y) {
  bool const are_row_major = is_row_major(x) && is_row_major(y);
  return uses_row_tile(y.extent(1), are_row_major ? SpmmLayout::row_major : SpmmLayout::strided);
}

/// Y <- alpha A X + beta Y with the tile of row_tile_columns(). longest: entries of the longest row, or the largest
/// Offset where it is unknown. 1 launch, and 1 more where rows may be long.
template <bool conjugated, class Exec, class Rows, class X, class Y, class Sum>
void spmm_row_tile(Exec const& exec, char const* label, Epilogue<Sum> const& epilogue, Rows const& A,
                   X const& x, Y const& y,
                   typename Rows::Offset longest = std::numeric_limits<typename Rows::Offset>::max()) {
  using T = typename X::non_const_value_type;
  constexpr int wide = columns_per_pack<T>;
  using std::integral_constant;
  auto const with_pack = [&]<int pack>(integral_constant<int, pack>) {
    int const width = row_tile_columns(y.extent(1), pack == wide);
    auto const launch_if = [&]<int columns>(integral_constant<int, columns>) {
      if (width != columns) return;
      constexpr Arch arch = arch_of<Exec>;
      constexpr RowTile tile = row_tile(arch, columns, pack, Rows::order);
      if (has_no_dominant_row(static_cast<std::size_t>(longest), A.A.values.extent(0)))
        launch_row_tile<tile, long_rows(arch, true), conjugated>(exec, label, epilogue, A, x, y, longest);
      else
        launch_row_tile<tile, long_rows(arch), conjugated>(exec, label, epilogue, A, x, y, longest);
    };
    if constexpr (pack == wide) {
      launch_if(integral_constant<int, 128>());
      launch_if(integral_constant<int, 64>());
    }
    launch_if(integral_constant<int, 32>());
    launch_if(integral_constant<int, 16>());
    launch_if(integral_constant<int, 8>());
    launch_if(integral_constant<int, 4>());
  };
  if constexpr (wide > 1)
    if (!is_of_packs<wide>(x) || !is_of_packs<wide>(y)) return with_pack(integral_constant<int, 1>());
  with_pack(integral_constant<int, wide>());
}

}  // namespace einkorn::detail
