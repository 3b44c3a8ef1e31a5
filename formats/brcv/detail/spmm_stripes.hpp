// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/brcv/brcv_tuning.hpp>
#include <einkorn/formats/brcv/detail/find_stripe.hpp>
#include <einkorn/formats/brcv/detail/lane_group.hpp>
#include <einkorn/formats/brcv/detail/staged_values.hpp>
#include <einkorn/formats/brcv/detail/stripe_chunks.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// Y <- alpha A X + beta Y for row-major X and Y (GPU). A group of lanes computes a chunk of rows of one stripe
/// and a tile of lanes * cols columns of X and Y; lane l has the columns l, l + lanes, ... of the tile. The
/// group stages a part of the list of columns and of the values of the chunk in scratch. Then it reads each row
/// of X in the list once, coalesced, `unroll` rows at a time, and each lane adds its elements to the sums of
/// all rows of the chunk. A stripe of height h thus reads X h times less often than CSR, up to the rows of a
/// chunk.
///
/// Chunks come from the plan. Without a plan the unit of work is the same number of rows, independent of the
/// stripes; the group processes the parts of stripes in it in sequence. Source: "reuse of the rows of the dense
/// matrix" of the patent at brcv.hpp; the steps of its multiplication were not available.
template <BrcvTuning tuning, int lanes, int cols, class Exec, class Format, class X, class Y, class Sum>
struct SpmmStripes {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tuning.team_size, tuning.min_teams_per_sm>>;
  using Member = typename Policy::member_type;
  using Chunks = StripeChunks<Ordinal, typename Format::device_type>;
  using L = Lanes<Exec>;
  using Group = LaneGroup<L, lanes>;

  static constexpr int chunk_rows = brcv_chunk_rows(sizeof(Sum));
  static constexpr int staged_columns = brcv_staged_columns(lanes);
  using Staged = StagedValues<Scalar, Ordinal, chunk_rows, staged_columns>;
  static constexpr int groups_per_team = tuning.team_size / lanes;
  static constexpr int groups_per_warp = L::size < lanes ? 1 : L::size / lanes;
  static constexpr int width = lanes * cols;  // columns per tile
  static constexpr std::size_t scratch_bytes = groups_per_team * Staged::bytes;

  Format F;
  X x;
  Y y;
  Epilogue<Sum> epilogue;
  Chunks chunks;  // of the plan, or empty
  Ordinal num_units;
  int tiles;
  CacheHint<Exec> hint;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::size_t const bytes = scratch_bytes;
    auto* const scratch = static_cast<char*>(team.team_scratch(0).get_shmem_aligned(bytes, 16));
    int const group = Group::rank(team), lane = Group::lane(team);
    Staged const staged(scratch + static_cast<std::size_t>(group) * Staged::bytes);
    auto const first =
        static_cast<std::size_t>(team.league_rank() % tiles) * width + static_cast<std::size_t>(lane);
    std::size_t columns[cols];  // limited to the last column, so that loads are not predicated
    for (int q = 0; q < cols; ++q) {
      auto const column = first + static_cast<std::size_t>(q * lanes);
      columns[q] = column < y.extent(1) ? column : y.extent(1) - 1;
    }
    auto const unit =
        static_cast<Ordinal>(team.league_rank() / tiles) * groups_per_team + static_cast<Ordinal>(group);
    if (chunks.rows.extent(0) > 0) {
      if (unit >= num_units) return;
      Ordinal const stripe = chunks.stripes(unit), row = chunks.rows(unit), rows_left = F.b(stripe + 1) - row;
      multiply_chunk(team, staged, lane, stripe, row,
                     rows_left < chunk_rows ? static_cast<int>(rows_left) : chunk_rows, first, columns);
    } else {
      multiply_unit(team, staged, group, lane, unit, first, columns);
    }
  }

 private:
  /// Without a plan: the rows of a unit, whose stripes are searched.
  KOKKOS_FORCEINLINE_FUNCTION void multiply_unit(Member const& team, Staged const& staged, int group, int lane,
                                                 Ordinal unit, std::size_t first,
                                                 std::size_t const (&columns)[cols]) const {
    int const in_warp = group % groups_per_warp;
    Ordinal const first_unit = unit - static_cast<Ordinal>(in_warp);
    if (first_unit >= num_units) return;  // the same in all lanes of the warp
    Ordinal const first_row = first_unit * chunk_rows;
    Ordinal const low = stripe_of_row_by_lanes<L>(F.b, F.num_stripes(), first_row, in_warp * lanes + lane);
    if (unit >= num_units) return;
    Ordinal row = unit * chunk_rows;
    Ordinal const end = F.num_rows - row < chunk_rows ? F.num_rows : row + chunk_rows;
    Ordinal const stripes_left = F.num_stripes() - low, max_stripes = row - first_row + 1;
    Ordinal stripe =
        stripe_of_row(F.b, low, low + (max_stripes < stripes_left ? max_stripes : stripes_left), row);
    for (; row < end; ++stripe) {
      Ordinal const next = F.b(stripe + 1) < end ? F.b(stripe + 1) : end;
      multiply_chunk(team, staged, lane, stripe, row, static_cast<int>(next - row), first, columns);
      row = next;
    }
  }

  /// Computes `rows` rows of one stripe.
  KOKKOS_FORCEINLINE_FUNCTION void multiply_chunk(Member const& team, Staged const& staged, int lane,
                                                  Ordinal stripe, Ordinal row, int rows, std::size_t first,
                                                  std::size_t const (&columns)[cols]) const {
    Offset const list = F.rc(stripe), length = F.rc(stripe + 1) - list;
    Scalar const* const values =
        F.values.data() + (F.rv(stripe) + static_cast<Offset>(row - F.b(stripe)) * length);
    Sum sum[chunk_rows][cols];
    for (int r = 0; r < chunk_rows; ++r)
      for (int q = 0; q < cols; ++q) sum[r][q] = Sum(0);
    for (Offset done = 0; done < length; done += staged_columns) {
      int const count = length - done < static_cast<Offset>(staged_columns) ? static_cast<int>(length - done)
                                                                            : staged_columns;
      staged.template fill<L, lanes>(lane, values + done, length, rows, F.c.data() + (list + done), count,
                                     hint);
      Group::barrier(team);
      if (rows > chunk_rows / 2)
        add_staged<chunk_rows>(staged, count, columns, sum);
      else
        add_staged<chunk_rows / 2>(staged, count, columns, sum);
      Group::barrier(team);  // before the scratch is overwritten
    }
    for (int r = 0; r < chunk_rows; ++r)
      if (r < rows)
        for (int q = 0; q < cols; ++q)
          if (first + static_cast<std::size_t>(q * lanes) < y.extent(1))
            epilogue(y(row + r, columns[q]), sum[r][q]);
  }

  /// Adds the products of the staged columns to the sums of the first `rows` rows. Sums of rows beyond the
  /// chunk add uninitialized scratch and are not stored.
  template <int rows>
  KOKKOS_FORCEINLINE_FUNCTION void add_staged(Staged const& staged, int count,
                                              std::size_t const (&columns)[cols],
                                              Sum (&sum)[chunk_rows][cols]) const {
    auto const* const from = x.data();
    auto const row_stride = static_cast<std::size_t>(x.stride(0));
    for (int j = 0; j < count; j += tuning.unroll) {
      Sum from_x[tuning.unroll][cols];
      for (int u = 0; u < tuning.unroll; ++u) {  // past the end: loads the last row again
        auto const* const row =
            from + static_cast<std::size_t>(staged.column(j + u < count ? j + u : count - 1)) * row_stride;
        for (int q = 0; q < cols; ++q) from_x[u][q] = Sum(row[columns[q]]);
      }
      for (int u = 0; u < tuning.unroll; ++u)
        if (j + u < count) {
          Scalar values[rows];
          staged.template values_of<rows>(j + u, values);
          for (int r = 0; r < rows; ++r)
            for (int q = 0; q < cols; ++q) sum[r][q] += Sum(values[r]) * from_x[u][q];
        }
    }
  }
};

template <int lanes, int cols, class Exec, class Format, class X, class Y, class Sum, class Chunks>
void spmm_stripes(Exec const& exec, Epilogue<Sum> const& epilogue, Format const& F, X const& x, Y const& y,
                  Chunks const& chunks) {
  using Ordinal = typename Format::ordinal_type;
  constexpr BrcvTuning tuning = brcv_spmm_tuning(arch_of<Exec>);
  using Functor = SpmmStripes<tuning, lanes, cols, Exec, Format, X, Y, Sum>;
  constexpr auto chunk_rows = static_cast<std::size_t>(Functor::chunk_rows);
  constexpr auto groups_per_team = static_cast<std::size_t>(Functor::groups_per_team);
  auto const units = chunks.rows.extent(0) > 0 ? chunks.rows.extent(0)
                                               : ceil_div(static_cast<std::size_t>(F.num_rows), chunk_rows);
  auto const tiles = ceil_div(y.extent(1), std::size_t(Functor::width));
  auto const teams = ceil_div(units, groups_per_team) * tiles;
  typename Functor::Policy policy(exec, static_cast<int>(teams), Functor::groups_per_team, lanes);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes + 16)));
  Kokkos::parallel_for("einkorn::spmv[brcv]", light_weight(policy),
                       Functor{F, x, y, epilogue, chunks, static_cast<Ordinal>(units), static_cast<int>(tiles),
                               cache_hint(exec, F, x, y)});
}

/// Selects the tile by the number of columns: the narrowest that covers them, at most 64 columns; from 9
/// columns on two columns per lane, so that a value loaded from scratch is used twice. 1 launch.
template <class Exec, class Format, class X, class Y, class Sum, class Chunks>
void spmm_stripes_by_width(Exec const& exec, Epilogue<Sum> const& epilogue, Format const& F, X const& x,
                           Y const& y, Chunks const& chunks) {
  auto const k = y.extent(1);
  if (k <= 4) return spmm_stripes<4, 1>(exec, epilogue, F, x, y, chunks);
  if (k <= 8) return spmm_stripes<8, 1>(exec, epilogue, F, x, y, chunks);
  if (k <= 16) return spmm_stripes<8, 2>(exec, epilogue, F, x, y, chunks);
  if (k <= 32) return spmm_stripes<16, 2>(exec, epilogue, F, x, y, chunks);
  spmm_stripes<32, 2>(exec, epilogue, F, x, y, chunks);
}

}  // namespace einkorn::detail
