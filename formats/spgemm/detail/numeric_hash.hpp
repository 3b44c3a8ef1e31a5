// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/spgemm/detail/compressed_columns.hpp>
#include <einkorn/formats/spgemm/detail/rank_table.hpp>
#include <einkorn/formats/spgemm/detail/row_group.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace einkorn::detail {

/// to += value, with others adding to it at once.
template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION void add_atomically(Scalar* to, Scalar const& value) {
  if constexpr (is_complex<Scalar>) {
    auto* const parts = reinterpret_cast<real_type<Scalar>*>(to);
    Kokkos::atomic_add(parts, value.real());
    Kokkos::atomic_add(parts + 1, value.imag());
  } else {
    Kokkos::atomic_add(to, value);
  }
}

/// The values of rows of C, or of pieces of them, on their known columns. A group has a hash table that tells
/// where in the piece a column stands, and the sums, all in scratch.
///
/// ordered: a group of lanes takes A's entries one after the other, its lanes the entries of B's row, no two of
/// which meet in a column: every sum grows in the order of A's entries, without atomics. The entries of B for
/// the next entry of A are asked for while these are added. Otherwise a team, whose threads take entries of A
/// side by side and add atomically.
template <class Exec, class AMatrix, class BMatrix, class CMatrix, bool ordered>
struct RowSumsOfC {
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Ordinal = typename CMatrix::ordinal_type;
  using Offset = typename CMatrix::offset_type;
  using Scalar = typename CMatrix::scalar_type;
  using Device = typename CMatrix::device_type;
  using L = Lanes<Exec>;
  using Table = RankTable<Ordinal, L>;
  using Group = RowGroup<L, typename Policy::member_type, !ordered>;

  AMatrix A;
  BMatrix B;
  CMatrix C;
  Kokkos::View<Ordinal const*, Device> rows;                 // of this bin; empty: every row
  Kokkos::View<std::uint32_t const*, Device> piece_offsets;  // of `rows`; empty: one piece a row
  std::int64_t num_items;
  int max_sums, capacity;
  int lanes, run_lanes;
  bool narrow;  // B's and C's rows are sorted: a piece needs a part of B's rows only

  /// An entry of A, and the entries of B that it is multiplied by.
  struct alignas(16) Run {
    Scalar a;
    typename BMatrix::offset_type first;
    Ordinal count;
  };

  KOKKOS_FORCEINLINE_FUNCTION static std::size_t bytes(int max_sums, int capacity) {
    return (ordered ? bytes_taken<Run>(Group::staging_entries) : 0) + bytes_taken<Scalar>(max_sums) +
           bytes_taken<Ordinal>(capacity) + bytes_taken<RankedColumns>(capacity);
  }

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    Group group{team, lanes, run_lanes};
    char* scratch = group.scratch(bytes(max_sums, capacity));
    auto const item = group.item();
    group.is_idle = item >= num_items;
    Piece piece = piece_of(group.is_idle ? num_items - 1 : item);
    if (group.is_idle) piece.size = 0;
    piece.sums = take<Scalar>(scratch, max_sums);
    auto* const keys = take<Ordinal>(scratch, capacity);
    Table const table{keys, take<RankedColumns>(scratch, capacity), capacity};
    auto* const runs = ordered ? take<Run>(scratch, Group::staging_entries) : nullptr;
    group.for_each(capacity, [&](int slot) { table.clear(slot); });
    auto const* const columns = C.columns.data() + piece.first;
    group.for_each(piece.size, [&](int p) {
      piece.sums[p] = Scalar(0);
      table.insert(columns, p);
    });
    if (group.longest(piece.whole ? 0 : 1) == 0)  // the warp goes one way
      add_products<false>(group, table, piece, runs);
    else
      add_products<true>(group, table, piece, runs);
    group.for_each(piece.size, [&](int p) { C.values(piece.first + static_cast<Offset>(p)) = piece.sums[p]; });
  }

 private:
  struct Piece {
    Ordinal row;
    Offset first;  // entry of C
    int size;
    bool whole;
    Ordinal least, most;  // columns, where C's rows are sorted
    Scalar* sums;
  };
  struct Entry {
    Ordinal column;
    Scalar value;
  };
  static constexpr Ordinal none = std::numeric_limits<Ordinal>::max();

  KOKKOS_FORCEINLINE_FUNCTION Piece piece_of(std::int64_t item) const {
    std::int64_t place = item, part = 0;
    if (piece_offsets.extent(0) > 0) {
      place = row_of_entry(piece_offsets, static_cast<std::int64_t>(piece_offsets.extent(0)) - 1,
                           static_cast<std::uint32_t>(item));
      part = item - static_cast<std::int64_t>(piece_offsets(place));
    }
    Piece piece{};
    piece.row = rows.extent(0) > 0 ? rows(place) : static_cast<Ordinal>(place);
    Offset const begin = C.row_begin(piece.row), end = C.row_end(piece.row);
    piece.first = begin + static_cast<Offset>(part * max_sums);
    Offset const left = end - piece.first;
    piece.size = left < static_cast<Offset>(max_sums) ? static_cast<int>(left) : max_sums;
    piece.whole = end - begin <= static_cast<Offset>(max_sums);
    if (narrow && piece.size > 0) {
      piece.least = C.columns(piece.first);
      piece.most = C.columns(piece.first + static_cast<Offset>(piece.size - 1));
    }
    return piece;
  }

  /// Products of A's row whose columns are in the piece.
  template <bool partial>
  KOKKOS_FORCEINLINE_FUNCTION void add_products(Group const& group, Table const& table, Piece const& piece,
                                                Run* runs) const {
    auto const begin = A.row_begin(piece.row);
    Ordinal const count = piece.size == 0 ? Ordinal(0) : static_cast<Ordinal>(A.row_end(piece.row) - begin);
    auto const run_of = [&](Ordinal k) -> Run {
      Ordinal const j = A.columns(begin + k);
      auto from = B.row_begin(j), end = B.row_end(j);
      if (partial && narrow) {
        from = lower_bound_index(B.columns, from, end, piece.least);
        end = lower_bound_index(B.columns, from, end, static_cast<Ordinal>(piece.most + 1));
      }
      return {Scalar(A.values(begin + k)), from, static_cast<Ordinal>(end - from)};
    };
    if constexpr (ordered) {
      Ordinal const most = group.longest(count);
      for (Ordinal done = 0; done < most; done += Group::max_staged) {
        int const staged = group.stage(runs, count, done, run_of);
        add_in_order<partial>(group, table, piece, runs, staged);
      }
    } else {
      group.for_each_staged(runs, count, run_of, [&](Run const& run) {
        group.in_lanes(run.count, [&](Ordinal l) { add<partial>(table, piece, run.a, load(run, l)); });
      });
    }
  }

  /// A run's entry that is this lane's, already asked for.
  struct Prefetched {
    Scalar a;
    Entry entry;
    bool is_entry;
  };
  KOKKOS_FORCEINLINE_FUNCTION Prefetched prefetch(Run const& run, Ordinal l) const {
    Prefetched result{run.a, {}, l < run.count};
    if (result.is_entry) result.entry = load(run, l);
    return result;
  }

  /// The staged runs one after the other. Where one is longer than its lanes, none is asked for in advance.
  template <bool partial>
  KOKKOS_FORCEINLINE_FUNCTION void add_in_order(Group const& group, Table const& table, Piece const& piece,
                                                Run const* runs, int count) const {
    auto const lane = group.lane() < run_lanes ? static_cast<Ordinal>(group.lane()) : none;
    int const rounds = group.longest(count);
    int const num_long = group.template sum<int>(
        count, [&](int s) { return runs[s].count > static_cast<Ordinal>(run_lanes) ? 1 : 0; });
    if (partial && lanes >= few && run_lanes > 1) {  // one lane: a run may repeat a column
      for (int s = 0; s < rounds; s += lanes / few) add_few<partial>(group, table, piece, runs + s, lane);
    } else if (group.longest(num_long) > 0) {
      for (int s = 0; s < rounds; ++s) add_run<partial>(group, table, piece, runs[s], lane);
    } else {
      auto const add_one = [&](Prefetched const& one) {
        if (one.is_entry) add<partial>(table, piece, one.a, one.entry);
        group.sync();
      };
      Prefetched even = prefetch(runs[0], lane);
      for (int s = 0; s < rounds; s += 2) {  // two a time, so that nothing is copied from next to now
        Prefetched const odd = prefetch(runs[s + 1], lane);
        add_one(even);
        even = prefetch(runs[s + 2], lane);
        add_one(odd);
      }
    }
  }
  template <bool partial>
  KOKKOS_FORCEINLINE_FUNCTION void add_run(Group const& group, Table const& table, Piece const& piece,
                                           Run const& run, Ordinal lane) const {
    auto const stride = static_cast<Ordinal>(run_lanes);
    for (Ordinal l = lane; l < run.count; l += 2 * stride) {
      Prefetched const one = prefetch(run, l),
                       other = prefetch(run, run.count - l > stride ? l + stride : none);
      add<partial>(table, piece, one.a, one.entry);
      if (other.is_entry) add<partial>(table, piece, other.a, other.entry);
    }
    group.sync();
  }

  /// As many runs as a group has lanes for, `few` each: few entries of a run are in a piece of a long row. All
  /// are looked for side by side, and added one run after the other.
  static constexpr int few = 4;
  template <bool partial>
  KOKKOS_FORCEINLINE_FUNCTION void add_few(Group const& group, Table const& table, Piece const& piece,
                                           Run const* runs, Ordinal lane) const {
    int const own = group.lane() / few, at_once = lanes / few;
    Run const run = runs[own];
    if (max_over_lanes<L>(run.count) > static_cast<Ordinal>(few)) {
      for (int s = 0; s < at_once; ++s) add_run<partial>(group, table, piece, runs[s], lane);
      return;
    }
    Prefetched const one = prefetch(run, static_cast<Ordinal>(group.lane() % few));
    int const place = one.is_entry ? table.find(one.entry.column) : Table::none;
    Scalar const product = place == Table::none ? Scalar(0) : one.a * one.entry.value;
    for (int s = 0; s < at_once; ++s) {
      if (s == own && place != Table::none) piece.sums[place] += product;
      group.sync();
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION Entry load(Run const& run, Ordinal l) const {
    return {B.columns(run.first + l), Scalar(B.values(run.first + l))};
  }

  template <bool partial>
  KOKKOS_FORCEINLINE_FUNCTION static void add(Table const& table, Piece const& piece, Scalar const& a,
                                              Entry const& b) {
    int const place = partial ? table.find(b.column) : table.place_of(b.column);
    if (partial && place == Table::none) return;
    if constexpr (ordered)
      piece.sums[place] += a * b.value;
    else
      add_atomically(&piece.sums[place], a * b.value);
  }
};

}  // namespace einkorn::detail
