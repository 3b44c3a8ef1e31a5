// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/carry.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/simd.hpp>
#include <einkorn/formats/column_codes/detail/column_readers.hpp>
#include <einkorn/formats/csr5/csr5.hpp>

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>

namespace einkorn::detail {

/// The tiles in chunks (see host_parts); the last chunk also has the tail.
template <class Format>
struct TileChunks {
  using Ordinal = typename Format::ordinal_type;
  using offset_type = typename Format::offset_type;
  Format F;
  offset_type num_chunks;

  [[nodiscard]] offset_type first_tile(offset_type chunk) const {
    return F.num_tiles / num_chunks * chunk + F.num_tiles % num_chunks * chunk / num_chunks;
  }
  [[nodiscard]] offset_type first_entry(offset_type chunk) const { return first_tile(chunk) * F.tile_size(); }

  /// The chunks in which a row of the previous chunk continues, for add_carry.
  CarryRun<Ordinal, offset_type> operator()(offset_type chunk) const {
    if (chunk == 0) return {};
    Ordinal const row = F.tile_row(first_tile(chunk));
    if (row >= F.num_rows || F.row_offsets(row) >= first_entry(chunk)) return {};
    if (F.row_offsets(row) < first_entry(chunk - 1)) return {};
    offset_type count = 1;
    while (chunk + count < num_chunks && first_entry(chunk + count) < F.row_offsets(row + 1)) ++count;
    return {row, chunk, count};
  }
};

inline constexpr int any_lanes = 0, max_host_lanes = 16;

/// CSR5 SpMV on the host: Algorithm 8 of Liu and Vinter, ICS 2015, one tile after another, one lane of the tile
/// per SIMD lane. A row that crosses tiles of one chunk is summed in `Pending`. A row that crosses chunks uses
/// carry; without carry, the chunk in which it begins completes it. Departures as on the GPU: no prefix sums
/// are subtracted, and lanes without a start write no y.
/// @tparam W lanes of the tiles, or any_lanes: F.shape.lanes, one entry after another, so that only one width is compiled
/// for SIMD registers
template <Indices indices, int W, class Format, class X, class Y, class EpilogueOp, class Carry>
struct SpmvTilesHost {
  using Sum = typename EpilogueOp::sum_type;
  using Accumulators = typename EpilogueOp::Accumulators;
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;

  static constexpr int max_lanes = W == any_lanes ? max_host_lanes : W;

  TileChunks<Format> chunks;
  X x;
  Y y;
  EpilogueOp epilogue;
  Carry carry;  // [num_chunks] or [0]
  int words, y_bits, segment_bits;

  /// The row that is summed across tiles.
  struct Pending {
    Ordinal row = 0;
    Sum sum = Sum(0);
    bool open = false, began_before = false;  // began_before: in another chunk, which writes y
  };

  void run(Offset chunk, Accumulators& accumulators) const {
    auto const& F = chunks.F;
    Offset const first = chunks.first_tile(chunk), last = chunks.first_tile(chunk + 1);
    Pending pending;
    pending.row = F.tile_row(first);
    if (pending.row < F.num_rows && F.row_offsets(pending.row) < first * F.tile_size())
      pending.open = pending.began_before = true;
    for (Offset tile = first; tile < last; ++tile) {
      if constexpr (indices == Indices::full || W == any_lanes)
        sum_tile(tile, FullColumns<Ordinal, Offset>{F.columns.data(), 0}, pending, chunk, accumulators);
      else
        with_columns_of_tile(
            F, tile, tile * F.tile_size(), (tile + 1) * F.tile_size(),
            [&](auto const& columns) { sum_tile(tile, columns, pending, chunk, accumulators); });
    }
    if (chunk + 1 == chunks.num_chunks)
      sum_tail(pending, chunk, accumulators);
    else if (carry.extent(0) == 0 && pending.open && !pending.began_before)
      for (Offset k = last * F.tile_size(); k < F.row_offsets(pending.row + 1); ++k)
        pending.sum += product(F.position(k));
    flush(pending, chunk, accumulators);
    update_empty_rows(chunk, accumulators);
  }

 private:
  [[nodiscard]] int lanes() const { return W == any_lanes ? chunks.F.shape.lanes : W; }

  /// Updates this chunk's part of the list of empty rows, independent of their positions.
  void update_empty_rows(Offset chunk, Accumulators& accumulators) const {
    auto const& rows = chunks.F.empty_rows;
    auto const begin_of = [&](Offset part) {
      auto const parts = static_cast<std::size_t>(chunks.num_chunks), index = static_cast<std::size_t>(part);
      return rows.extent(0) / parts * index + rows.extent(0) % parts * index / parts;
    };
    for (auto i = begin_of(chunk); i < begin_of(chunk + 1); ++i)
      epilogue(accumulators, y(rows(i)), rows(i), Sum(0));
  }

  /// The product of an entry of a tile. Always inlined, so that the following addition is fused in all uses.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Sum product(Offset at) const {
    auto const& F = chunks.F;
    return Sum(F.values(at)) * Sum(x(indices == Indices::full ? F.columns(at) : F.column(at)));
  }

  void flush(Pending& pending, Offset chunk, Accumulators& accumulators) const {
    if (pending.open && !pending.began_before) epilogue(accumulators, y(pending.row), pending.row, pending.sum);
    if (pending.open && pending.began_before && carry.extent(0) > 0) carry(chunk) = pending.sum;
    pending = {};
  }

  /// The sums of the segments of one tile: the first and the last may belong to rows that cross tiles, the
  /// others are written to y.
  struct Segments {
    SpmvTilesHost const& kernel;
    Accumulators& accumulators;
    Ordinal row;
    Offset empty_begin;
    bool spans_empty_row;
    int last;
    Sum first_sum = Sum(0), last_sum = Sum(0);

    [[nodiscard]] Ordinal row_of(int k) const {
      return row + (spans_empty_row ? kernel.chunks.F.empty_offsets(empty_begin + static_cast<Offset>(k))
                                    : static_cast<Ordinal>(k));
    }
    void put(int k, Sum const& sum) {
      if (k == 0)
        first_sum = sum;
      else if (k == last)
        last_sum = sum;
      else
        kernel.epilogue(accumulators, kernel.y(row_of(k)), row_of(k), sum);
    }
  };

  /// The products of the entries from `at` on, one per lane; 0 for the lanes that the tiles do not have.
  void add_products_of_lanes(Simd<Sum, max_lanes>& sum, Offset at) const {
    auto const& F = chunks.F;
    Sum values[max_lanes] = {}, of_x[max_lanes] = {};
    for (int lane = 0; lane < lanes(); ++lane) {
      Offset const entry = at + static_cast<Offset>(lane);
      values[lane] = Sum(F.values(entry));
      of_x[lane] = Sum(x(indices == Indices::full ? F.columns(entry) : F.column(entry)));
    }
    sum.add_product(Simd<Sum, max_lanes>::load(values), Simd<Sum, max_lanes>::load(of_x));
  }

  template <class Columns>
  void sum_tile(Offset tile, Columns const& columns, Pending& pending, Offset chunk,
                Accumulators& accumulators) const {
    auto const& F = chunks.F;
    Offset const base = tile * F.tile_size();
    std::uint32_t starts[max_lanes] = {}, any = 0;
    int open[max_lanes] = {}, to_the_right[max_lanes] = {};
    for (int lane = 0; lane < lanes(); ++lane) {
      auto const state =
          unpack(packed_descriptor(F.tile_descriptors, F.shape, words, tile, lane), y_bits, segment_bits);
      starts[lane] = state.starts;
      open[lane] = state.y_offset - 1;
      to_the_right[lane] = state.seg_offset;
      any |= state.starts;
    }
    bool const spans_empty_row = F.spans_empty_row(tile);
    Segments segments{*this,
                      accumulators,
                      F.tile_row(tile),
                      spans_empty_row ? F.empty_begin(tile) : Offset(0),
                      spans_empty_row,
                      open[lanes() - 1] + std::popcount(starts[lanes() - 1])};
    Sum head[max_lanes] = {}, at_start[max_lanes];
    DecodedColumns<Ordinal, Offset> decoded;
    std::uint32_t started = 0;  // bit i: lane i has had a start
    auto sum = Simd<Sum, max_lanes>::zero();
    for (int j = 0; j < F.shape.sigma; ++j) {
      if ((any >> j) & 1u) {
        sum.store(at_start);
        auto const here = gather_bits<max_lanes>(starts, j);
        for (auto bits = here; bits != 0; bits &= bits - 1) {
          int const lane = std::countr_zero(bits);
          if ((started >> lane) & 1u)
            segments.put(open[lane], at_start[lane]);
          else
            head[lane] = at_start[lane];
          ++open[lane];
        }
        started |= here;
        sum.clear_flagged(starts, j);
      }
      Offset const at = base + static_cast<Offset>(j) * static_cast<Offset>(lanes());
      if constexpr (W == any_lanes)
        add_products_of_lanes(sum, at);
      else
        sum.add_product(Simd<Sum, W>::load(F.values.data() + at),
                        Simd<Sum, W>::gather(x, columns.template columns_of<W>(at, decoded)));
    }
    sum.store(at_start);
    for (int lane = 0; lane < lanes(); ++lane)
      if (!((started >> lane) & 1u)) head[lane] = at_start[lane];
    for (auto bits = started; bits != 0; bits &= bits - 1) {
      int const lane = std::countr_zero(bits);
      Sum total = at_start[lane];
      for (int right = lane + 1; right < lanes() && right <= lane + 1 + to_the_right[lane]; ++right)
        total += head[right];
      segments.put(open[lane], total);
    }
    if (F.row_offsets(segments.row) >= base) {
      flush(pending, chunk, accumulators);
      pending = {segments.row, Sum(0), true, false};
    }
    pending.sum += segments.first_sum;
    if (segments.last > 0) {
      flush(pending, chunk, accumulators);
      pending = {segments.row_of(segments.last), segments.last_sum, true, false};
    }
  }

  /// The same code with and without column codes, so that both have the same floating-point operations.
  void sum_tail(Pending& pending, Offset chunk, Accumulators& accumulators) const {
    auto const& F = chunks.F;
    Offset const coded = F.coded_entries();
    Offset k = F.tail_begin();
    for (Ordinal row = F.tail_row; row < F.num_rows; ++row) {
      bool const continues_row = F.row_offsets(row) < F.tail_begin();
      if (!continues_row) {
        flush(pending, chunk, accumulators);
        pending = {row, Sum(0), true, false};
      }
      for (; k < F.row_offsets(row + 1); ++k) pending.sum += Sum(F.values(k)) * Sum(x(F.columns(k - coded)));
    }
  }
};

template <Indices indices, int W, class Exec, class Format, class X, class Y, class EpilogueOp, class Carry>
void launch_tiles_host(Exec const& exec, EpilogueOp const& epilogue, TileChunks<Format> const& chunks,
                       X const& x, Y const& y, Carry const& carry) {
  auto const& shape = chunks.F.shape;
  epilogue.launch_parts(
      exec, "einkorn::spmv[csr5,tiles]", chunks.num_chunks,
      SpmvTilesHost<indices, W, Format, X, Y, EpilogueOp, Carry>{chunks, x, y, epilogue, carry, shape.words(),
                                                                 shape.y_bits(), shape.segment_bits()});
}

template <Indices indices, class Exec, class Format, class X, class Y, class EpilogueOp, class Carry>
void spmv_tiles_host(Exec const& exec, EpilogueOp const& epilogue, Format const& F, X const& x, Y const& y,
                     Carry const& carry) {
  using Offset = typename Format::offset_type;
  auto const chunks_of_plan = static_cast<Offset>(carry.extent(0));
  TileChunks<Format> const chunks{F,
                                  chunks_of_plan > 0 ? chunks_of_plan : static_cast<Offset>(host_parts(exec))};
  constexpr int W = simd_lanes<typename Format::scalar_type>;  // of csr5_shape()
  if (F.shape.lanes == W)
    launch_tiles_host<indices, W>(exec, epilogue, chunks, x, y, carry);
  else  // reads both kinds of indices
    launch_tiles_host<Indices::compressed, any_lanes>(exec, epilogue, chunks, x, y, carry);
  if (chunks.num_chunks > 1 && carry.extent(0) > 0)
    add_carry(exec, chunks, chunks.num_chunks, false, carry, y, epilogue);
}

}  // namespace einkorn::detail
