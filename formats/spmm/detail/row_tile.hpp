// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
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

/// Neighbouring columns of a row of X or Y, read or written by one instruction.
template <class T, int n>
struct alignas(sizeof(T) * n) ColumnPack {
  T part[n];
};

/// The sum of a row of A times a tile of columns of X by one group of lanes. Pack `lane + q lanes` of the tile
/// belongs to lane `lane`, so that a row of X is read coalesced. Entries of A are loaded `lanes * depth` per
/// step, one step ahead, and broadcast to the group by shuffles; few lanes with several columns each need fewer
/// shuffles than one lane per column. Source: row splitting as in GE-SpMM (Huang et al., SC 2020); departure:
/// shuffles instead of scratch.
template <RowTile tile, bool conjugated, class L, StridedRows Rows, class X, class Sum>
struct RowTileSum {
  using Ordinal = typename Rows::Ordinal;
  using Offset = typename Rows::Offset;
  using Scalar = typename Rows::Scalar;
  using Shuffled = std::conditional_t<sizeof(Scalar) % 4 == 0, Scalar, Sum>;  // shuffles have 4-byte words
  using PackOfX = ColumnPack<typename X::non_const_value_type, tile.pack>;

  static constexpr int lanes = tile.lanes, columns = tile.columns();
  static constexpr int step_entries = tile.lanes * tile.depth;
  static constexpr int unroll = tile.unroll < step_entries ? tile.unroll : step_entries;
  static constexpr int pack_stride = tile.lanes * tile.pack;
  static_assert(step_entries % unroll == 0);

  Rows const& A;
  X const& x;
  int lane;
  std::size_t column;  // first column of the lane
  typename L::CacheHint hint;
  Sum sum[tile.packs][tile.pack];

  /// first: first column of the tile; X and Y have all its columns.
  KOKKOS_FORCEINLINE_FUNCTION RowTileSum(Rows const& rows, X const& x_view, int group_lane, std::size_t first,
                                         typename L::CacheHint load_hint)
      : A(rows),
        x(x_view),
        lane(group_lane),
        column(first + static_cast<std::size_t>(group_lane * tile.pack)),
        hint(load_hint) {
    for (auto& pack_sums : sum)
      for (Sum& column_sum : pack_sums) column_sum = Sum(0);
  }

  /// First column of the tile that contains column `first` of k: the last tile ends at the last column.
  KOKKOS_FORCEINLINE_FUNCTION static std::size_t tile_begin(std::size_t first, std::size_t k) {
    return first + columns < k ? first : k - columns;
  }

  /// Adds entries first .. first + step_entries - 1 of a row of `length` entries, and every `step` entries
  /// later again. longest: the largest length among the rows of the warp, all of whose lanes call it with one
  /// step.
  KOKKOS_FORCEINLINE_FUNCTION void add(Offset begin, Offset length, Offset longest, int first, int step) {
    Entries next = load(begin, length, static_cast<Offset>(first + lane));
    for (Offset done = 0; done < longest; done += static_cast<Offset>(step)) {
      Entries const current = next;
      if (done + static_cast<Offset>(step) < longest)
        next = load(begin, length, done + static_cast<Offset>(step + first + lane));
      for (int h = 0; h < tile.depth; h += batch_depth)
        for (int j = 0; j < tile.lanes; j += batch_lanes)
          if (done + static_cast<Offset>(h * tile.lanes + j) < longest) add_batch(current, h, j);
    }
  }

  /// Adds the sums of the groups of the warp, in all of them; the order of the additions is fixed.
  KOKKOS_FORCEINLINE_FUNCTION void add_groups_of_warp() {
    for (int q = 0; q < tile.packs; ++q)
      for (Sum& column_sum : sum[q])
        for (int bits = tile.lanes; bits < L::size; bits *= 2) column_sum += L::shuffle_xor(column_sum, bits);
  }

  /// Whether this lane of the warp stores its sums after add_groups_of_warp(): each sum is stored once.
  KOKKOS_FORCEINLINE_FUNCTION static bool holds_sums(int rank) { return rank < tile.lanes; }
  /// Stores the sums of the tile in team scratch; one pack per lane.
  KOKKOS_FORCEINLINE_FUNCTION void store(Sum* tile_sums) const {
    static_assert(tile.packs == 1);
    for (int p = 0; p < tile.pack; ++p) tile_sums[lane * tile.pack + p] = sum[0][p];
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_stored(Sum const* tile_sums) {
    static_assert(tile.packs == 1);
    for (int p = 0; p < tile.pack; ++p) sum[0][p] += tile_sums[lane * tile.pack + p];
  }

  /// Applies the epilogue to the row of Y, except in columns before `from`, which the previous tile has too.
  template <class EpilogueOp, class Y>
  KOKKOS_FORCEINLINE_FUNCTION void write(EpilogueOp const& epilogue, Y const& y, Ordinal row,
                                         std::size_t from) const {
    using PackOfY = ColumnPack<typename Y::non_const_value_type, tile.pack>;
    for (int q = 0; q < tile.packs; ++q) {
      std::size_t const pack_column = column + static_cast<std::size_t>(q * pack_stride);
      if (pack_column < from) continue;
      auto* const to = reinterpret_cast<PackOfY*>(&y(row, pack_column));
      PackOfY result;
      if (epilogue.beta != Sum(0)) result = *to;
      for (int p = 0; p < tile.pack; ++p) epilogue(result.part[p], sum[q][p]);
      *to = result;
    }
  }

 private:
  /// A batch: entries of batch_lanes lanes, batch_depth of each.
  static constexpr int batch_lanes = unroll < tile.lanes ? unroll : tile.lanes;
  static constexpr int batch_depth = unroll / batch_lanes;
  static_assert(tile.lanes % batch_lanes == 0 && tile.depth % batch_depth == 0);

  struct Entries {
    Ordinal columns[tile.depth];
    Shuffled values[tile.depth];
  };

  /// Entries `at`, `at + lanes`, .. of the row; column -1 past its end.
  KOKKOS_FORCEINLINE_FUNCTION Entries load(Offset begin, Offset length, Offset at) const {
    Entries entries;
    for (int h = 0; h < tile.depth; ++h) {
      Offset const j = at + static_cast<Offset>(h * tile.lanes);
      entries.columns[h] = Ordinal(-1);
      entries.values[h] = Shuffled(0);
      if (j < length) {
        Offset const p = begin + j * A.stride();
        Scalar const value = L::load_streaming(A.A.values.data() + p, hint);
        entries.columns[h] = L::load_streaming(A.A.columns.data() + p, hint);
        entries.values[h] = Shuffled(conjugated ? conjugate(value) : value);
      }
    }
    return entries;
  }

  /// Adds the entries of lanes j .. j + batch_lanes - 1 at depths h .. h + batch_depth - 1. All lanes of the
  /// group call it. Missing entries come last; they read row 0 of X and add nothing, not even NaN.
  KOKKOS_FORCEINLINE_FUNCTION void add_batch(Entries const& entries, int h, int j) {
    auto const row_stride = static_cast<std::size_t>(x.stride(0));
    PackOfX from_x[unroll][tile.packs];
    Sum values[unroll];
    int count = 0;
    for (int g = 0; g < batch_depth; ++g)
      for (int s = 0; s < batch_lanes; ++s) {
        int const u = g * batch_lanes + s;
        Ordinal const row = L::shuffle(entries.columns[h + g], j + s, tile.lanes);
        values[u] = Sum(L::shuffle(entries.values[h + g], j + s, tile.lanes));
        count += row >= 0;
        auto const* const x_row = x.data() + static_cast<std::size_t>(row >= 0 ? row : 0) * row_stride + column;
        for (int q = 0; q < tile.packs; ++q)
          from_x[u][q] = *reinterpret_cast<PackOfX const*>(x_row + q * pack_stride);
      }
    for (int u = 0; u < unroll; ++u)
      if (u < count)
        for (int q = 0; q < tile.packs; ++q)
          for (int p = 0; p < tile.pack; ++p) sum[q][p] += values[u] * Sum(from_x[u][q].part[p]);
  }
};

/// Y <- alpha A X + beta Y for row-major X and Y, in the rows of up to `bound` entries: one group of lanes per
/// row and tile of columns (RowTileSum). The groups of a warp continue until the longest of their rows is done.
template <RowTile tile, bool conjugated, class Exec, StridedRows Rows, class X, class Y, class Sum>
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
  CacheHint<Exec> hint;

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
    GroupSum group(A, x, team.team_rank() % tile.lanes, GroupSum::tile_begin(first, y.extent(1)), hint);
    group.add(begin, length, longest, 0, GroupSum::step_entries);
    if (inside) group.write(epilogue, y, A.row_at(position), first);
  }
};

/// longest: entries of the longest row, or the largest Offset. X and Y have at least the columns of the tile. 1
/// launch, and 1 more where rows may be long.
template <RowTile tile, LongRowsTuning tuning, bool conjugated, class Exec, StridedRows Rows, class X, class Y,
          class Sum>
void launch_row_tile(Exec const& exec, char const* label, Epilogue<Sum> const& epilogue, Rows const& A,
                     X const& x, Y const& y, typename Rows::Offset longest) {
  using Functor = SpmmRowTile<tile, conjugated, Exec, Rows, X, Y, Sum>;
  constexpr std::size_t scalar_bytes = sizeof(typename X::value_type);
  using TeamSum =
      RowTileSum<tuning.tile(tile, scalar_bytes, tuning.team_bytes), conjugated, Lanes<Exec>, Rows, X, Sum>;
  using WarpSum =
      RowTileSum<tuning.tile(tile, scalar_bytes, tuning.warp_bytes), conjugated, Lanes<Exec>, Rows, X, Sum>;
  auto const bound = launch_long_rows<TeamSum, WarpSum, tuning>(exec, label, epilogue, A, x, y, longest);
  auto const num_rows = static_cast<std::size_t>(A.A.num_rows);
  constexpr auto rows_per_team = static_cast<std::size_t>(Functor::rows_per_team);
  auto const tiles = ceil_div(y.extent(1), tile.columns());
  auto const teams = ceil_div(num_rows, rows_per_team) * tiles;
  Kokkos::parallel_for(label,
                       light_weight(typename Functor::Policy(exec, static_cast<int>(teams), tile.team_size)),
                       Functor{A, x, y, epilogue, bound, static_cast<int>(tiles), cache_hint(exec, A.A, x, y)});
}

/// Whether the rows of a multivector are whole, aligned packs.
template <int pack, class View>
bool has_packs(View const& view) {
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

/// Y <- alpha A X + beta Y with the tile of row_tile_columns(). longest: entries of the longest row, or the
/// largest Offset where it is unknown. 1 launch, and 1 more where rows may be long.
template <bool conjugated, class Exec, StridedRows Rows, class X, class Y, class Sum>
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
    if (!has_packs<wide>(x) || !has_packs<wide>(y)) return with_pack(integral_constant<int, 1>());
  with_pack(integral_constant<int, wide>());
}

}  // namespace einkorn::detail
