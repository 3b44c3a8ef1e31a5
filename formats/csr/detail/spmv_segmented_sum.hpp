// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/carry.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/bank_padding.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/detail/row_dot.hpp>
#include <einkorn/formats/csr/spmv_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// The merge path of the rows and entries of a matrix (rows_before_diagonal()), cut into tiles of `items`
/// steps. Tile t ends rows first_row(t) .. first_row(t + 1) - 1 and holds entries first_entry(t) ..
/// first_entry(t + 1) - 1; carry(t) is the partial sum of the row that continues in the next tile.
template <class Ordinal, class Offset, class Device, class Sum>
struct MergeTiles {
  using offset_type = Offset;

  std::int64_t items = 0, num_steps = 0;  // num_steps: num_rows + nnz
  Offset num_tiles = 0;
  Ordinal num_rows = 0;
  bool has_long_runs = false;                       // some row spans more than max_short_carry_run tiles
  Kokkos::View<Ordinal*, Device> first_rows;        // [num_tiles + 1]
  Kokkos::View<Sum*, Device> carry;                 // [num_tiles]
  Kokkos::View<Offset const*, Device> row_offsets;  // [num_rows + 1]

  KOKKOS_FORCEINLINE_FUNCTION Ordinal first_row(Offset tile) const { return first_rows(tile); }
  KOKKOS_FORCEINLINE_FUNCTION Offset first_entry(Offset tile) const {
    std::int64_t const step = tile < num_tiles ? static_cast<std::int64_t>(tile) * items : num_steps;
    return static_cast<Offset>(step - static_cast<std::int64_t>(first_rows(tile)));
  }

  /// The carries of the row that begins in this tile and ends in another (for add_carry); none if no row does.
  KOKKOS_FUNCTION CarryRun<Ordinal, Offset> operator()(Offset tile) const {
    Ordinal const row = first_row(tile + 1);
    if (row >= num_rows) return {};
    Offset const begin = row_offsets(row);
    if (begin >= first_entry(tile + 1) || begin < first_entry(tile)) return {};
    auto const end_step = static_cast<std::int64_t>(row) + static_cast<std::int64_t>(row_offsets(row + 1));
    auto const last_tile = static_cast<Offset>(end_step / items);
    return {row, tile, last_tile - tile};
  }
};

template <class Tiles, class Matrix>
struct FirstRowsOfTiles {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  decltype(Tiles::first_rows) first_rows;
  decltype(Matrix::row_offsets) offsets;
  Ordinal num_rows;
  std::int64_t items, num_entries, num_steps;

  KOKKOS_FUNCTION void operator()(Offset t) const {
    std::int64_t const step = static_cast<std::int64_t>(t) * items;
    first_rows(t) = rows_before_diagonal(offsets, num_rows, num_entries, step < num_steps ? step : num_steps);
  }
};

/// Cuts a matrix into tiles. 2 allocations, 1 launch; log2(num_rows) reads per tile.
template <class Tiles, class Exec, class Matrix>
Tiles make_merge_tiles(Exec const& exec, Matrix const& A, std::int64_t items,
                       typename Matrix::offset_type longest_row) {
  using Offset = typename Matrix::offset_type;
  Tiles tiles;
  auto const num_entries = static_cast<std::int64_t>(A.nnz());
  auto const num_steps = num_entries + static_cast<std::int64_t>(A.num_rows);
  tiles.items = items;
  tiles.num_rows = A.num_rows;
  tiles.num_steps = num_steps;
  tiles.num_tiles = static_cast<Offset>(ceil_div(num_steps, items));
  tiles.has_long_runs = static_cast<std::int64_t>(longest_row) / items + 2 > max_short_carry_run;
  tiles.row_offsets = A.row_offsets;
  auto const count = static_cast<std::size_t>(tiles.num_tiles);
  tiles.first_rows = allocate<decltype(tiles.first_rows)>(exec, "einkorn::MergeTiles::first_rows", count + 1);
  tiles.carry = allocate<decltype(tiles.carry)>(exec, "einkorn::MergeTiles::carry", count);
  range_for<Offset>("einkorn::make_merge_tiles", exec, tiles.num_tiles + 1,
                    FirstRowsOfTiles<Tiles, Matrix>{tiles.first_rows, A.row_offsets, A.num_rows, items,
                                                    num_entries, num_steps});
  return tiles;
}

/// Segmented sum over tiles of equal work (GPU). A team forms the products of its tile with coalesced loads,
/// stores them in team scratch, and sums the part of each row: one group of threads per row, wide enough that
/// the team covers its rows in one pass; a part that is long for its group is summed by the whole warp. The sum
/// of a row that continues goes to carry (see add_carry), so no atomics. Source: segmented sum of Blelloch,
/// Heroux & Zagha, 1993, on the tiles of Merrill & Garland, SC 2016; departure: rows are summed one by one from
/// scratch, not by a scan over flags.
template <SpmvTuning tuning, bool conjugated, class Exec, class Matrix, class X, class Y, class EpilogueOp,
          class Tiles>
struct SpmvSegmentedSum {
  using Sum = typename EpilogueOp::sum_type;
  using Accumulators = typename EpilogueOp::Accumulators;
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Scalar = typename Matrix::scalar_type;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tuning.team_size, tuning.min_teams_per_sm>>;
  using L = Lanes<Exec>;

  static constexpr int team_size = tuning.team_size;
  static constexpr int items = team_size * tuning.unroll;
  static constexpr std::size_t scratch_bytes = (items + items / 16 + 1) * sizeof(Sum);

  Matrix A;
  X x;
  Y y;
  EpilogueOp epilogue;
  Tiles tiles;
  CacheHint<Exec> hint;

  template <class Team>
  KOKKOS_FUNCTION void run(Team const& team, Accumulators& accumulators) const {
    std::size_t const bytes = scratch_bytes;
    auto* const products = static_cast<Sum*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(Sum)));
    auto const tile = static_cast<Offset>(team.league_rank());
    Ordinal const first_row = tiles.first_row(tile), last_row = tiles.first_row(tile + 1);
    Offset const first_entry = tiles.first_entry(tile), last_entry = tiles.first_entry(tile + 1);
    form_products(team.team_rank(), first_entry, static_cast<int>(last_entry - first_entry), products);
    team.team_barrier();

    int const rows = static_cast<int>(last_row - first_row) + 1;  // the last one continues in the next tile
    int group = 1;
    while (group < L::size && 2 * group * rows <= team_size) group *= 2;
    int const lane = team.team_rank() % group;
    for (int base = 0; base < rows; base += team_size / group) {
      int const local = base + team.team_rank() / group;
      Ordinal const row = first_row + local;
      int begin = 0, end = 0;
      bool const inside = local < rows && row < A.num_rows;
      if (inside) {
        Offset const row_begin = A.row_begin(row), row_end = A.row_end(row);
        begin = static_cast<int>((row_begin > first_entry ? row_begin : first_entry) - first_entry);
        end = static_cast<int>((row_end < last_entry ? row_end : last_entry) - first_entry);
      }
      Sum const sum = sum_of_part(team.team_rank(), lane, group, begin, end, products);
      if (lane == 0 && inside) {
        if (local + 1 < rows)
          epilogue(accumulators, y(row), row, sum);
        else if (begin < end)
          tiles.carry(tile) = sum;
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void form_products(int thread, Offset first_entry, int count,
                                                 Sum* products) const {
    Ordinal columns[tuning.unroll];
    Scalar values[tuning.unroll];
    if (count == 0) return;
    // Past the end the last entry again: loads without predicates are all issued at once.
    for (int u = 0; u < tuning.unroll; ++u) {
      int const p = thread + u * team_size;
      Offset const at = first_entry + static_cast<Offset>(p < count ? p : count - 1);
      columns[u] = L::load_streaming(A.columns.data() + at, hint);
      values[u] = L::load_streaming(A.values.data() + at, hint);
    }
    Sum from_x[tuning.unroll];
    for (int u = 0; u < tuning.unroll; ++u) from_x[u] = Sum(x(columns[u]));
    for (int u = 0; u < tuning.unroll; ++u)
      products[bank_padded_index(thread + u * team_size)] =
          (conjugated ? Sum(conjugate(values[u])) : Sum(values[u])) * from_x[u];
  }

  /// Sum of products begin .. end - 1, by a group of `group` lanes or, if there are many, by the whole warp.
  /// All threads of the team call it; lane 0 of the group gets the sum.
  KOKKOS_FORCEINLINE_FUNCTION Sum sum_of_part(int thread, int lane, int group, int begin, int end,
                                              Sum const* products) const {
    constexpr int max_steps = 32;  // per lane of a group
    bool const is_long = end - begin > max_steps * group;
    Sum sum = Sum(0);
    if (!is_long)
      for (int p = begin + lane; p < end; p += group) sum += products[bank_padded_index(p)];
    for (int bits = group / 2; bits > 0; bits /= 2) sum += L::shuffle_xor(sum, bits);
    int const warp_lane = thread % L::size;
    for (auto owners = L::ballot(is_long && lane == 0); owners != 0; owners &= owners - 1) {
      int const owner = L::lowest(owners);
      int const from = L::shuffle(begin, owner), to = L::shuffle(end, owner);
      Sum part = Sum(0), other = Sum(0);
      int p = from + warp_lane;
      for (; p + L::size < to; p += 2 * L::size) {
        part += products[bank_padded_index(p)];
        other += products[bank_padded_index(p + L::size)];
      }
      if (p < to) part += products[bank_padded_index(p)];
      part = sum_over_lanes<L, L::size>(part + other);
      if (warp_lane == owner) sum = part;
    }
    return sum;
  }
};

template <bool conjugated, class Exec, class Matrix, class X, class Y, class EpilogueOp, class Tiles>
void spmv_segmented_sum_gpu(Exec const& exec, EpilogueOp const& epilogue, Matrix const& A, X const& x,
                            Y const& y, Tiles const& tiles) {
  using Sum = typename EpilogueOp::sum_type;
  constexpr SpmvTuning tuning = segmented_sum_tuning(arch_of<Exec>, sizeof(Sum));
  using Functor = SpmvSegmentedSum<tuning, conjugated, Exec, Matrix, X, Y, EpilogueOp, Tiles>;
  auto policy = typename Functor::Policy(exec, static_cast<int>(tiles.num_tiles), tuning.team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes + alignof(Sum))));
  epilogue.launch("einkorn::spmv[csr,segmented_sum]", policy,
                  Functor{A, x, y, epilogue, tiles, cache_hint(exec, A, x, y)});
}

/// Segmented sum on the host: one tile of the merge path per part, so that even one dense row is divided
/// evenly.
template <bool conjugated, class Matrix, class X, class Y, class EpilogueOp, class Tiles>
struct SpmvSegmentedSumHost {
  using Sum = typename EpilogueOp::sum_type;
  using Accumulators = typename EpilogueOp::Accumulators;
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  Matrix A;
  X x;
  Y y;
  EpilogueOp epilogue;
  Tiles tiles;

  void run(Offset tile, Accumulators& accumulators) const {
    Offset begin = tiles.first_entry(tile);
    Offset const last_entry = tiles.first_entry(tile + 1);
    Ordinal const last_row = tiles.first_row(tile + 1);
    for (Ordinal row = tiles.first_row(tile); row < last_row; ++row) {
      Offset const end = A.row_end(row);
      epilogue(accumulators, y(row), row, row_dot<Sum, true, conjugated>(A, begin, end, x));
      begin = end;
    }
    if (begin < last_entry) tiles.carry(tile) = row_dot<Sum, true, conjugated>(A, begin, last_entry, x);
  }
};

/// Steps of the merge path per tile: the products of a team on a GPU, one of host_parts parts on the host.
template <class Exec, class Sum, class Matrix>
std::int64_t merge_tile_items([[maybe_unused]] Exec const& exec, [[maybe_unused]] Matrix const& A) {
  if constexpr (is_gpu<Exec>) {
    constexpr SpmvTuning tuning = segmented_sum_tuning(arch_of<Exec>, sizeof(Sum));
    return tuning.team_size * tuning.unroll;
  } else {
    auto const parts = static_cast<std::int64_t>(host_parts(exec));
    auto const steps = static_cast<std::int64_t>(A.nnz()) + static_cast<std::int64_t>(A.num_rows);
    return std::max<std::int64_t>(ceil_div(steps, parts), 1);
  }
}

/// y <- alpha A x + beta y. 1 launch, and 1 for the carries where there is more than one tile.
template <bool conjugated, class Exec, class Matrix, class X, class Y, class EpilogueOp, class Tiles>
void spmv_segmented_sum(Exec const& exec, EpilogueOp const& epilogue, Matrix const& A, X const& x, Y const& y,
                        Tiles const& tiles) {
  if constexpr (is_gpu<Exec>)
    spmv_segmented_sum_gpu<conjugated>(exec, epilogue, A, x, y, tiles);
  else
    epilogue.launch_parts(
        exec, "einkorn::spmv[csr,segmented_sum]", tiles.num_tiles,
        SpmvSegmentedSumHost<conjugated, Matrix, X, Y, EpilogueOp, Tiles>{A, x, y, epilogue, tiles});
  if (tiles.num_tiles > 1)
    add_carry(exec, tiles, tiles.num_tiles, tiles.has_long_runs, tiles.carry, y, epilogue);
}

}  // namespace einkorn::detail
