// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/core/update.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn::detail {

/// The numbers of SpmmRowTile. A structural type.
struct RowTileTuning {
  int team_size;      ///< threads a team
  int teams_at_once;  ///< teams that a multiprocessor must have registers for
  int unroll;         ///< rows of X that a group asks for before it uses the first
};

/// With `cols` columns a lane. Analytical, not measured: 8 to 16 loads of X in flight a lane, for whose results
/// and sums 64 registers (4 teams) or 80 (3 teams) are enough in double.
constexpr RowTileTuning row_tile_tuning(Arch arch, int cols) {
  int const unroll = cols == 1 ? 8 : 4;
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      return {256, cols == 4 ? 3 : 4, unroll};
    case Arch::hip:
    case Arch::mi300:
      return {256, 2, unroll};
    default:
      return {1, 1, unroll};
  }
}

/// Y <- alpha A X + beta Y for row-major X and Y. One row of A and a tile of `lanes * cols` columns a group of
/// lanes: column `lane + q lanes` of the tile is lane `lane`'s, so that a row of X is read coalesced at any
/// alignment. Columns and values come `lanes` at a time, coalesced, the next ones while these are worked on,
/// and reach the other lanes by shuffles. Groups of one warp go on together until the longest of their rows is
/// done. Source: row splitting as in GE-SpMM (Huang et al., SC 2020), with shuffles in place of its scratch.
template <RowTileTuning tuning, int lanes, int cols, bool conjugated, class Exec, class Matrix, class X,
          class Y, class Sum>
struct SpmmRowTile {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Scalar = typename Matrix::scalar_type;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tuning.team_size, tuning.teams_at_once>>;
  using L = Lanes<Exec>;
  using Sent = std::conditional_t<sizeof(Scalar) % 4 == 0, Scalar, Sum>;  // lanes exchange words of 4 bytes

  static constexpr int rows_a_team = tuning.team_size / lanes;
  static constexpr int width = lanes * cols;  // columns a tile
  static constexpr int unroll = tuning.unroll < lanes ? tuning.unroll : lanes;

  Matrix A;
  X x;
  Y y;
  Update<Sum> update;
  int tiles;

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    int const lane = team.team_rank() % lanes;
    Ordinal const row = static_cast<Ordinal>(team.league_rank() / tiles) * rows_a_team +
                        static_cast<Ordinal>(team.team_rank() / lanes);
    bool const inside = row < A.num_rows && row >= 0;  // the last team may reach past the largest Ordinal
    auto const first =
        static_cast<std::size_t>(team.league_rank() % tiles) * width + static_cast<std::size_t>(lane);
    std::size_t columns[cols];  // past the last one: the last one again, so that loads need no predicate
    for (int q = 0; q < cols; ++q) {
      auto const column = first + static_cast<std::size_t>(q * lanes);
      columns[q] = column < y.extent(1) ? column : y.extent(1) - 1;
    }
    Offset const begin = inside ? A.row_begin(row) : Offset(0),
                 length = inside ? A.row_end(row) - begin : Offset(0);
    Offset longest = length;  // among the rows of the warp
    for (int bits = lanes; bits < L::size; bits *= 2) {
      Offset const other = L::shuffle_xor(longest, bits);
      if (other > longest) longest = other;
    }
    Sum sum[cols];
    for (int q = 0; q < cols; ++q) sum[q] = Sum(0);
    Entry own = load(begin, length, static_cast<Offset>(lane));
    for (Offset done = 0; done < longest; done += lanes) {
      Entry const now = own;
      if (done + lanes < longest) own = load(begin, length, done + static_cast<Offset>(lanes + lane));
      int const count = longest - done < static_cast<Offset>(lanes) ? static_cast<int>(longest - done) : lanes;
      for (int j = 0; j < count; j += unroll)
        add_batch(now, j, done + static_cast<Offset>(j), length, columns, sum);
    }
    if (inside)
      for (int q = 0; q < cols; ++q)
        if (first + static_cast<std::size_t>(q * lanes) < y.extent(1)) update(y(row, columns[q]), sum[q]);
  }

 private:
  struct Entry {
    Ordinal column;
    Sent value;
  };

  /// Entry `at` of the row; past its end the last one, and in a row without entries any, which nobody adds.
  KOKKOS_FORCEINLINE_FUNCTION Entry load(Offset begin, Offset length, Offset at) const {
    Offset const p = length == 0 ? Offset(0) : begin + (at < length ? at : length - 1);
    Scalar const value = L::load_once(A.values.data() + p);
    return {L::load_once(A.columns.data() + p), Sent(conjugated ? conjugate(value) : value)};
  }

  /// Entries `at` .. `at + unroll - 1` of the row, which lanes j .. j + unroll - 1 hold. All lanes together.
  KOKKOS_FORCEINLINE_FUNCTION void add_batch(Entry const& held, int j, Offset at, Offset length,
                                             std::size_t const (&columns)[cols], Sum (&sum)[cols]) const {
    auto const row_stride = static_cast<std::size_t>(x.stride(0));
    Sum from_x[unroll][cols];
    Sum values[unroll];
    for (int u = 0; u < unroll; ++u) {
      auto const* const row =
          x.data() + static_cast<std::size_t>(L::shuffle(held.column, j + u, lanes)) * row_stride;
      values[u] = Sum(L::shuffle(held.value, j + u, lanes));
      for (int q = 0; q < cols; ++q) from_x[u][q] = Sum(row[columns[q]]);
    }
    for (int u = 0; u < unroll; ++u)
      if (at + static_cast<Offset>(u) < length)
        for (int q = 0; q < cols; ++q) sum[q] += values[u] * from_x[u][q];
  }
};

template <int lanes, int cols, bool conjugated, class Exec, class Matrix, class X, class Y, class Sum>
void spmm_row_tile(Exec const& exec, Update<Sum> const& update, Matrix const& A, X const& x, Y const& y) {
  constexpr RowTileTuning tuning = row_tile_tuning(arch_of<Exec>, cols);
  using Functor = SpmmRowTile<tuning, lanes, cols, conjugated, Exec, Matrix, X, Y, Sum>;
  constexpr auto rows_a_team = static_cast<std::size_t>(Functor::rows_a_team);
  auto const tiles = (y.extent(1) + Functor::width - 1) / Functor::width;
  auto const teams = (static_cast<std::size_t>(A.num_rows) + rows_a_team - 1) / rows_a_team * tiles;
  Kokkos::parallel_for("einkorn::spmv[csr,row_tile]",
                       light_weight(typename Functor::Policy(exec, static_cast<int>(teams), tuning.team_size)),
                       Functor{A, x, y, update, static_cast<int>(tiles)});
}

/// Whether the kernel takes these multivectors: row-major ones with columns enough.
template <class X, class Y>
bool takes_row_tile(X const& x, Y const& y) {
  return y.extent(1) >= 4 && is_row_major(x) && is_row_major(y);
}

/// The tile by the number of columns: the narrowest that covers them; 128 columns a tile beyond 64. 1 launch.
template <bool conjugated, class Exec, class Matrix, class X, class Y, class Sum>
void spmm_row_tile(Exec const& exec, Update<Sum> const& update, Matrix const& A, X const& x, Y const& y) {
  auto const k = y.extent(1);
  if (k <= 4) return spmm_row_tile<4, 1, conjugated>(exec, update, A, x, y);
  if (k <= 8) return spmm_row_tile<8, 1, conjugated>(exec, update, A, x, y);
  if (k <= 16) return spmm_row_tile<16, 1, conjugated>(exec, update, A, x, y);
  if (k <= 32) return spmm_row_tile<32, 1, conjugated>(exec, update, A, x, y);
  if (k <= 64) return spmm_row_tile<32, 2, conjugated>(exec, update, A, x, y);
  spmm_row_tile<32, 4, conjugated>(exec, update, A, x, y);
}

}  // namespace einkorn::detail
