// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/accumulate/index_words.hpp>
#include <einkorn/core/accumulate/row_group.hpp>
#include <einkorn/core/accumulate/word_table.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/scalar.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

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
/// from a column's word where in the piece it stands, and the sums, all in scratch.
///
/// ordered: a group of lanes takes A's entries one after the other, its lanes the entries of B's row, no two of
/// which meet in a column: every sum grows in the order of A's entries, without atomics. Otherwise a team,
/// whose threads take entries of A side by side and add atomically.
template <class Exec, class AMatrix, class BMatrix, class CMatrix, bool ordered>
struct RowSumsOfC {
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Ordinal = typename CMatrix::ordinal_type;
  using Offset = typename CMatrix::offset_type;
  using Scalar = typename CMatrix::scalar_type;
  using Device = typename CMatrix::device_type;
  using Table = WordTable<Ordinal, true>;
  using Group = RowGroup<typename Policy::member_type, !ordered>;

  AMatrix A;
  BMatrix B;
  CMatrix C;
  Kokkos::View<Ordinal const*, Device> rows;                 // of this bin; empty: every row
  Kokkos::View<std::uint32_t const*, Device> piece_offsets;  // of `rows`; empty: one piece a row
  std::int64_t num_items;
  int most_sums, capacity;
  bool narrow;  // B's and C's rows are sorted: a piece needs a part of B's rows only

  /// An entry of A, and the entries of B that it is multiplied by.
  struct Run {
    Scalar a;
    typename BMatrix::offset_type first;
    Ordinal count;
  };

  KOKKOS_FORCEINLINE_FUNCTION static std::size_t bytes(int most_sums, int capacity) {
    return (ordered ? bytes_taken<Run>(Group::most_staged) : 0) + bytes_taken<Scalar>(most_sums) +
           2 * bytes_taken<Ordinal>(capacity) + bytes_taken<std::uint32_t>(capacity);
  }

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    Group const group{team};
    std::size_t const own = bytes(most_sums, capacity);
    char* scratch = static_cast<char*>(team.team_scratch(0).get_shmem_aligned(
                        own * static_cast<std::size_t>(group.groups()), 16)) +
                    own * static_cast<std::size_t>(group.rank());
    auto const item = static_cast<std::int64_t>(team.league_rank()) * group.groups() + group.rank();
    if (item >= num_items) return;
    Piece piece = piece_of(item);
    piece.sums = take<Scalar>(scratch, most_sums);
    auto* const keys = take<Ordinal>(scratch, capacity);
    piece.starts = take<Ordinal>(scratch, capacity);
    auto* const masks = take<std::uint32_t>(scratch, capacity);
    auto* const runs = ordered ? take<Run>(scratch, Group::most_staged) : nullptr;
    Table const table{keys, masks, capacity};
    group.for_each(capacity, [&](int slot) { table.clear(slot); });
    group.for_each(piece.size, [&](int p) {
      piece.sums[p] = Scalar(0);
      insert_place(table, piece.starts, C.columns.data() + piece.first, static_cast<Ordinal>(p));
    });
    if (piece.whole)
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
    Ordinal* starts;
  };

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
    piece.first = begin + static_cast<Offset>(part * most_sums);
    Offset const left = end - piece.first;
    piece.size = left < static_cast<Offset>(most_sums) ? static_cast<int>(left) : most_sums;
    piece.whole = end - begin <= static_cast<Offset>(most_sums);
    if (!piece.whole && narrow) {
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
    group.for_each_staged(
        runs, static_cast<Ordinal>(A.row_end(piece.row) - begin),
        [&](Ordinal k) -> Run {
          Ordinal const j = A.columns(begin + k);
          auto from = B.row_begin(j), end = B.row_end(j);
          if (partial && narrow) {
            from = first_not_below(B.columns, from, end, piece.least);
            end = first_not_below(B.columns, from, end, static_cast<Ordinal>(piece.most + 1));
          }
          return {Scalar(A.values(begin + k)), from, static_cast<Ordinal>(end - from)};
        },
        [&](Run const& run) {
          group.in_lanes(run.count, [&](Ordinal l) {
            Ordinal const column = B.columns(run.first + l);
            int const slot = table.find(word_of(column));
            std::uint32_t const bit = bit_of(column);
            if (partial && (slot == Table::none || (table.masks[slot] & bit) == 0)) return;
            Scalar* const sum = &piece.sums[place_in_list(table, piece.starts, slot, bit)];
            Scalar const product = run.a * Scalar(B.values(run.first + l));
            if constexpr (ordered)
              *sum += product;
            else
              add_atomically(sum, product);
          });
        });
  }
};

}  // namespace einkorn::detail
