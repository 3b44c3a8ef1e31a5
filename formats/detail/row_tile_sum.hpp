// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/spmv_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
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

  /// Updates the row of Y from these sums, but for columns before `from`, which another tile has too.
  template <class Out, class Y>
  KOKKOS_FORCEINLINE_FUNCTION void write(Out const& update, Y const& y, Ordinal row, std::size_t from) const {
    using PackOfY = ColumnPack<typename Y::non_const_value_type, tile.pack>;
    for (int q = 0; q < tile.packs; ++q) {
      std::size_t const of_pack = column + static_cast<std::size_t>(q * between_packs);
      if (of_pack < from) continue;
      auto* const to = reinterpret_cast<PackOfY*>(&y(row, of_pack));
      PackOfY result;
      if (update.beta != Sum(0)) result = *to;
      for (int p = 0; p < tile.pack; ++p) update(result.part[p], sum[q][p]);
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
        Scalar const value = L::load_once(A.A.values.data() + p);
        own.columns[h] = L::load_once(A.A.columns.data() + p);
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

}  // namespace einkorn::detail
