// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/csr/detail/inspect.hpp>
#include <einkorn/formats/csr5/csr5.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// One more than the last row that can have an entry in the tile.
template <class Format, class Offset>
KOKKOS_FORCEINLINE_FUNCTION typename Format::ordinal_type end_row(Format const& F, Offset tile) {
  auto const next = F.tile_row(tile + 1);
  return next < F.num_rows ? next + 1 : F.num_rows;
}

/// Calls visit(j, row) in order for every non-empty row of [low, high) that starts at entry first + j, 0 <= j <
/// count.
template <class Format, class Ordinal, class Offset, class Visit>
KOKKOS_FORCEINLINE_FUNCTION void for_each_start(Format const& F, Ordinal low, Ordinal high, Offset first,
                                                int count, Visit const& visit) {
  Offset const end = first + static_cast<Offset>(count);
  Ordinal row = row_of_entry(F.row_offsets, low, high, first);
  if (F.row_offsets(row) == first) visit(0, row);
  for (Offset next = F.row_offsets(row + 1); next < end; next = F.row_offsets(row + 1)) {
    ++row;
    if (F.row_offsets(row + 1) == next) row = row_of_entry(F.row_offsets, row, high, next);
    visit(static_cast<int>(next - first), row);
  }
}

template <class Format>
struct FindTileRows {
  using TileRow = typename Format::tile_row_type;
  using Offset = typename Format::offset_type;

  Format F;
  Offset nnz;

  KOKKOS_FUNCTION void operator()(Offset t) const {
    Offset const first = t * F.tile_size();
    F.tile_rows(t) =
        static_cast<TileRow>(first < nnz ? row_of_entry(F.row_offsets, F.num_rows, first) : F.num_rows);
  }
};

/// Writes tile_rows, without flags.
template <class Exec, class Format>
void find_tile_rows(Exec const& exec, Format const& F, typename Format::offset_type nnz) {
  using Offset = typename Format::offset_type;
  range_for<Offset>("einkorn::from_csr[csr5,tile_rows]", exec, F.num_tiles + 1, FindTileRows<Format>{F, nnz});
}

/// Writes the descriptors, and to empty_begin(tile + 1) the number of starts of a tile that spans an empty row,
/// 0 for other tiles.
template <class Exec, class Format>
struct DescribeTiles {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using L = Lanes<Exec>;
  static constexpr int team_size = 256, tiles_per_team = team_size / L::size;

  Format F;
  int words;
  InspectionErrors errors;  // GPU: of A; offsets that decrease would be visited many times

  /// GPU: one tile per warp.
  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Exec>::member_type const& team) const {
    if (errors.any()) return;
    Offset const tile = static_cast<Offset>(team.league_rank()) * tiles_per_team +
                        static_cast<Offset>(team.team_rank() / L::size);
    if (tile >= F.num_tiles) return;  // the same in all lanes of the warp
    int const lane = team.team_rank() % L::size;
    Csr5Lane state{starts_of(tile, lane), 0, 0};
    int const count = Kokkos::popcount(state.starts);
    int const inclusive = inclusive_scan_over_lanes<L>(count, lane);
    state.y_offset = inclusive - count;
    auto const with_start = L::ballot(state.starts != 0);
    auto const right = static_cast<typename L::Mask>(with_start >> lane >> 1);
    if (state.starts != 0) state.seg_offset = right != 0 ? L::lowest(right) : L::size - 1 - lane;
    store(tile, lane, state);
    int const starts = L::shuffle(inclusive, L::size - 1);
    if (lane == 0)
      F.empty_begin(tile + 1) = spans_empty_row(tile, starts) ? static_cast<Offset>(starts) : Offset(0);
  }

  /// Host: one tile per call.
  void operator()(Offset tile) const {
    Csr5Lane state[64] = {};
    int const lanes = F.shape.lanes, sigma = F.shape.sigma;
    state[0].starts = 1;
    for_each_start(F, F.tile_row(tile), end_row(F, tile), tile * F.tile_size(), lanes * sigma,
                   MarkStart{state, sigma});
    int starts = 0, without_start = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      state[lane].y_offset = starts;
      starts += Kokkos::popcount(state[lane].starts);
    }
    for (int lane = lanes - 1; lane >= 0; --lane) {
      if (state[lane].starts != 0) state[lane].seg_offset = without_start;
      without_start = state[lane].starts != 0 ? 0 : without_start + 1;
      store(tile, lane, state[lane]);
    }
    F.empty_begin(tile + 1) = spans_empty_row(tile, starts) ? static_cast<Offset>(starts) : Offset(0);
  }

 private:
  /// Sets the bit of a start in its lane. A functor, because nvcc warns about a host lambda in a host-device
  /// function.
  struct MarkStart {
    Csr5Lane* state;
    int sigma;
    KOKKOS_FORCEINLINE_FUNCTION void operator()(int j, Ordinal) const {
      state[j / sigma].starts |= std::uint32_t(1) << j % sigma;
    }
  };

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t starts_of(Offset tile, int lane) const {
    std::uint32_t starts = lane == 0 ? 1u : 0u;  // the first entry of a tile always counts
    Offset const first = tile * F.tile_size() + static_cast<Offset>(lane) * static_cast<Offset>(F.shape.sigma);
    for_each_start(F, F.tile_row(tile), end_row(F, tile), first, F.shape.sigma,
                   [&](int j, Ordinal) { starts |= std::uint32_t(1) << j; });
    return starts;
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(Offset tile, int lane, Csr5Lane const& state) const {
    auto const packed = pack(F.shape, state);
    auto const lanes = static_cast<Offset>(F.shape.lanes);
    Offset const at = tile * static_cast<Offset>(words) * lanes + static_cast<Offset>(lane);
    F.tile_descriptors(at) = static_cast<std::uint32_t>(packed);
    if (words > 1) F.tile_descriptors(at + lanes) = static_cast<std::uint32_t>(packed >> 32);
  }
  /// Whether the tile has more rows from its first to its last than starts, that is, empty rows.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool spans_empty_row(Offset tile, int starts) const {
    Ordinal const first = F.tile_row(tile);
    Ordinal const last = row_of_entry(F.row_offsets, first, end_row(F, tile), (tile + 1) * F.tile_size() - 1);
    return last - first != starts - 1;
  }
};

template <class Exec, class Format>
void describe_tiles(Exec const& exec, Format const& F, InspectionErrors errors) {
  using Functor = DescribeTiles<Exec, Format>;
  using Offset = typename Format::offset_type;
  char const* const label = "einkorn::from_csr[csr5,tile_desc]";
  Functor const functor{F, F.shape.words(), errors};
  if constexpr (is_gpu<Exec>) {
    auto const teams = ceil_div(F.num_tiles, Functor::tiles_per_team);
    Kokkos::parallel_for(
        label, light_weight(Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(teams), Functor::team_size)),
        functor);
  } else {
    range_for<Offset>(label, exec, F.num_tiles, functor);
  }
}

template <class Format>
struct SumEmptyBegins {
  using Offset = typename Format::offset_type;

  Format F;

  KOKKOS_FUNCTION void operator()(Offset i, Offset& sum, bool is_final) const {
    sum += i == 0 ? Offset(0) : F.empty_begin(i);
    if (is_final) F.empty_begin(i) = sum;
  }
};

/// Replaces the counts in empty_begin by their prefix sums. Asynchronous on exec.
template <class Exec, class Format>
void sum_empty_begins(Exec const& exec, Format const& F) {
  using Offset = typename Format::offset_type;
  range_scan<Offset>("einkorn::from_csr[csr5,empty_begin]", exec, F.num_tiles + 1, SumEmptyBegins<Format>{F});
}

template <class Format>
struct FillEmptyOffsets {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;

  Format F;
  Offset lanes;
  int words, y_bits, segment_bits;

  KOKKOS_FUNCTION void operator()(Offset thread) const {
    Offset const tile = thread / lanes, lane = thread % lanes;
    if (F.empty_begin(tile + 1) == F.empty_begin(tile)) return;
    Ordinal const low = F.tile_row(tile);
    auto const state =
        unpack(packed_descriptor(F.tile_descriptors, F.shape, words, tile, static_cast<int>(lane)), y_bits,
               segment_bits);
    Offset at = F.empty_begin(tile) + static_cast<Offset>(state.y_offset);
    Offset const first = tile * F.tile_size() + lane * static_cast<Offset>(F.shape.sigma);
    if (lane == 0 && F.row_offsets(low) < first)
      F.empty_offsets(at++) = 0;  // continues a row of the previous tile
    for_each_start(F, low, end_row(F, tile), first, F.shape.sigma,
                   [&](int, Ordinal row) { F.empty_offsets(at++) = row - low; });
  }
};

template <class Format>
struct FlagTiles {
  using TileRow = typename Format::tile_row_type;
  using Offset = typename Format::offset_type;

  Format F;

  KOKKOS_FUNCTION void operator()(Offset tile) const {
    if (F.empty_begin(tile + 1) != F.empty_begin(tile))
      F.tile_rows(tile) = static_cast<TileRow>(F.tile_rows(tile) | Format::empty_flag);
  }
};

/// Fills empty_offsets and sets the flags of tiles that span empty rows.
template <class Exec, class Format>
void fill_empty_offsets(Exec const& exec, Format const& F) {
  using Offset = typename Format::offset_type;
  auto const lanes = static_cast<Offset>(F.shape.lanes);
  int const words = F.shape.words(), y_bits = F.shape.y_bits(), segment_bits = F.shape.segment_bits();
  range_for<Offset>("einkorn::from_csr[csr5,empty_offset]", exec, F.num_tiles * lanes,
                    FillEmptyOffsets<Format>{F, lanes, words, y_bits, segment_bits});
  range_for<Offset>("einkorn::from_csr[csr5,flags]", exec, F.num_tiles, FlagTiles<Format>{F});
}

/// Allocates tile_rows, tile_descriptors and empty_begin.
template <class Exec, class Format>
void allocate_tiles(Exec const& exec, Format& F) {
  auto const tiles = static_cast<std::size_t>(F.num_tiles);
  F.tile_rows = allocate<decltype(F.tile_rows)>(exec, "einkorn::Csr5::tile_rows", tiles + 1);
  F.tile_descriptors = allocate<decltype(F.tile_descriptors)>(
      exec, "einkorn::Csr5::tile_descriptors",
      tiles * static_cast<std::size_t>(F.shape.words()) * static_cast<std::size_t>(F.shape.lanes));
  if (tiles > 0)
    F.empty_begin = allocate<decltype(F.empty_begin)>(exec, "einkorn::Csr5::empty_begin", tiles + 1);
}

/// Builds tile_rows, tile_descriptors and empty_begin. Sizes, shape and row_offsets of F are set. Asynchronous on exec.
/// @param errors  GPU: of the matrix, unless there are no checks
/// @pre allocate_tiles()
template <class Exec, class Format>
void build_tiles(Exec const& exec, Format& F, typename Format::offset_type nnz, InspectionErrors errors) {
  find_tile_rows(exec, F, nnz);
  if (F.num_tiles == 0) return;
  describe_tiles(exec, F, errors);
  sum_empty_begins(exec, F);
}

/// What the host reads of the rows and the tiles.
template <class Format>
struct Csr5Summary {
  typename Format::offset_type longest_row = 0, starts_in_flagged_tiles = 0;
  typename Format::ordinal_type empty_rows_before_tail = 0;
  bool has_empty_rows = false;
};

template <class Format>
struct SummarizeRows {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;

  Format F;

  KOKKOS_FUNCTION void operator()(Ordinal row, Offset& longest, Ordinal& empty, Ordinal& empty_before_tail,
                                  Ordinal& tail_row, Offset& starts) const {
    Offset const length = F.row_offsets(row + 1) - F.row_offsets(row);
    Ordinal const tail = F.tile_row(F.num_tiles);
    longest = length > longest ? length : longest;
    empty += length == 0 ? 1 : 0;
    empty_before_tail += length == 0 && row < tail ? 1 : 0;
    if (row > 0) return;
    tail_row = tail;
    starts = F.num_tiles > 0 ? F.empty_begin(F.num_tiles) : Offset(0);
  }
};

/// Sets longest_row and tail_row of F. Reads row_offsets once, in 1 launch; fences exec.
/// @pre build_tiles()
template <class Exec, class Format>
Csr5Summary<Format> summarize(Exec const& exec, Format& F) {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  Csr5Summary<Format> result;
  F.longest_row = 0;
  F.tail_row = 0;
  if (F.num_rows == 0) return result;
  Ordinal empty = 0;
  range_reduce<Ordinal>("einkorn::from_csr[csr5,rows]", exec, F.num_rows, SummarizeRows<Format>{F},
                        Kokkos::Max<Offset>(F.longest_row), empty, result.empty_rows_before_tail,
                        Kokkos::Max<Ordinal>(F.tail_row), Kokkos::Max<Offset>(result.starts_in_flagged_tiles));
  result.has_empty_rows = empty > 0;
  return result;
}

/// Builds empty_offsets, with their number from summarize(); without flagged tiles frees empty_begin.
template <class Exec, class Format>
void build_empty_offsets(Exec const& exec, Format& F, typename Format::offset_type starts_in_flagged_tiles) {
  if (starts_in_flagged_tiles == 0) {
    F.empty_begin = {};
    return;
  }
  F.empty_offsets = allocate<decltype(F.empty_offsets)>(exec, "einkorn::Csr5::empty_offsets",
                                                        static_cast<std::size_t>(starts_in_flagged_tiles));
  fill_empty_offsets(exec, F);
}

template <class Format>
struct ListEmptyRows {
  using Ordinal = typename Format::ordinal_type;

  decltype(Format::row_offsets) offsets;
  decltype(Format::empty_rows) list;

  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal& before, bool is_final) const {
    if (offsets(row + 1) != offsets(row)) return;
    if (is_final) list(before) = row;
    ++before;
  }
};

/// Lists the empty rows before the tail, `count` rows. Asynchronous on exec.
template <class Exec, class Format>
void list_empty_rows(Exec const& exec, Format& F, typename Format::ordinal_type count) {
  using Ordinal = typename Format::ordinal_type;
  F.empty_rows =
      allocate<decltype(F.empty_rows)>(exec, "einkorn::Csr5::empty_rows", static_cast<std::size_t>(count));
  if (count == 0) return;
  range_scan<Ordinal>("einkorn::from_csr[csr5,empty_rows]", exec, F.tail_row,
                      ListEmptyRows<Format>{F.row_offsets, F.empty_rows});
}

}  // namespace einkorn::detail
