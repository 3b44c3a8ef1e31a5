// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/spmv_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn::detail {

/// The rows of a matrix by length (limits: row_bin_limits()): short ones, which groups of `lanes` lanes take as
/// they come; longer ones, listed, a warp each; the longest, cut into pieces of `piece` entries, a team each.
/// Piece i belongs to row piece_rows(i), whose first piece is piece_firsts(i).
template <class Ordinal, class Offset, class Device, class Sum>
struct RowBins {
  int lanes = 2;
  Offset longest_short = 0, piece = 1;
  Kokkos::View<Ordinal*, Device> warp_rows;                 // [rows of warps]
  Kokkos::View<Ordinal*, Device> piece_rows, piece_firsts;  // [pieces]
  Kokkos::View<Sum*, Device> carry;                         // [pieces]
  Kokkos::View<unsigned*, Device> arrived;                  // [pieces], 0 between products

  [[nodiscard]] std::size_t bytes() const {
    return (warp_rows.extent(0) + 2 * piece_rows.extent(0)) * sizeof(Ordinal) +
           carry.extent(0) * (sizeof(Sum) + sizeof(unsigned));
  }
};

template <class Matrix>
struct CountShortRows {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  decltype(Matrix::row_offsets) offsets;
  Offset longest;

  KOKKOS_FUNCTION void operator()(Ordinal row, double& count, double& sum) const {
    Offset const length = offsets(row + 1) - offsets(row);
    count += length <= longest;
    if (length <= longest) sum += static_cast<double>(length);
  }
};

/// The lanes with the fewest warps in all, among those that ask for a short row of mean length in one batch.
/// (What is short is a matter of the lanes: with more of them fewer rows are left to warps.) Fences exec.
template <class Exec, class Matrix>
int lanes_for_short_rows(Exec const& exec, Matrix const& A, typename Matrix::ordinal_type empty_rows) {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  auto const offsets = A.row_offsets;
  int best = 16;
  double min_warps = -1.0;
  for (int lanes = 2; lanes <= 16; lanes *= 2) {
    auto const longest =
        static_cast<Offset>(row_bin_limits(lanes, static_cast<std::size_t>(A.nnz())).short_row);
    double rows = 0, entries = 0;
    Kokkos::parallel_reduce("einkorn::make_spmv_plan[csr,short_rows]",
                            Kokkos::RangePolicy<Exec, Kokkos::IndexType<Ordinal>>(exec, 0, A.num_rows),
                            CountShortRows<Matrix>{offsets, longest}, rows, entries);
    if (entries > (rows - static_cast<double>(empty_rows)) * lanes * row_team_unroll(lanes, 0)) continue;
    auto const all = static_cast<double>(A.num_rows);
    double const warps = all * lanes / lockstep_lanes(arch_of<Exec>) + (all - rows);
    if (min_warps >= 0.0 && warps >= min_warps) continue;
    min_warps = warps;
    best = lanes;
  }
  return best;
}

template <class Matrix>
struct CountRowBins {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  decltype(Matrix::row_offsets) offsets;
  Offset longest_short, longest_of_warp, piece;

  KOKKOS_FUNCTION void operator()(Ordinal row, std::size_t& of_warps, std::size_t& cut) const {
    Offset const length = offsets(row + 1) - offsets(row);
    if (length > longest_short && length > longest_of_warp)
      cut += static_cast<std::size_t>((length + (piece - 1)) / piece);
    else if (length > longest_short)
      ++of_warps;
  }
};

template <class Matrix, class List>
struct ListWarpRows {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  decltype(Matrix::row_offsets) offsets;
  List warp_list;
  Offset longest_short, longest_of_warp;

  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal& before, bool is_final) const {
    Offset const length = offsets(row + 1) - offsets(row);
    if (length <= longest_short || length > longest_of_warp) return;
    if (is_final) warp_list(before) = row;
    ++before;
  }
};

template <class Matrix, class List, class Arrived>
struct ListPieces {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  decltype(Matrix::row_offsets) offsets;
  List piece_rows, piece_firsts;
  Arrived arrived;
  Offset longest_short, longest_of_warp, piece;

  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal& before, bool is_final) const {
    Offset const length = offsets(row + 1) - offsets(row);
    if (length <= longest_short || length <= longest_of_warp) return;
    auto const count = static_cast<Ordinal>((length + (piece - 1)) / piece);
    for (Ordinal i = 0; is_final && i < count; ++i) {
      piece_rows(before + i) = row;
      piece_firsts(before + i) = before;
      arrived(before + i) = 0;
    }
    before += count;
  }
};

/// Sorts the rows into bins; lanes: 0 for the table's. Reads row_offsets up to 7 times; fences exec.
template <class Bins, class Exec, class Matrix>
Bins make_row_bins(Exec const& exec, Matrix const& A, typename Matrix::ordinal_type empty_rows, int lanes) {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Rows = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Ordinal>>;
  Bins bins;
  bins.lanes = lanes > 0 ? (lanes < 2    ? 2
                            : lanes > 16 ? 16
                                         : lanes)
                         : lanes_for_short_rows(exec, A, empty_rows);
  RowBinLimits const limits = row_bin_limits(bins.lanes, static_cast<std::size_t>(A.nnz()));
  Offset const longest_short = static_cast<Offset>(limits.short_row);
  Offset const longest_of_warp = static_cast<Offset>(limits.warp_row),
               piece = static_cast<Offset>(limits.piece);
  bins.longest_short = longest_short;
  bins.piece = piece;
  auto const offsets = A.row_offsets;
  std::size_t warp_rows = 0, pieces = 0;
  Kokkos::parallel_reduce("einkorn::make_spmv_plan[csr,count_bins]", Rows(exec, 0, A.num_rows),
                          CountRowBins<Matrix>{offsets, longest_short, longest_of_warp, piece}, warp_rows,
                          pieces);
  bins.warp_rows = allocate<decltype(bins.warp_rows)>(exec, "einkorn::RowBins::warp_rows", warp_rows);
  bins.piece_rows = allocate<decltype(bins.piece_rows)>(exec, "einkorn::RowBins::piece_rows", pieces);
  bins.piece_firsts = allocate<decltype(bins.piece_rows)>(exec, "einkorn::RowBins::piece_firsts", pieces);
  bins.carry = allocate<decltype(bins.carry)>(exec, "einkorn::RowBins::carry", pieces);
  bins.arrived = allocate<decltype(bins.arrived)>(exec, "einkorn::RowBins::arrived", pieces);
  auto const warp_list = bins.warp_rows;
  auto const piece_rows = bins.piece_rows, piece_firsts = bins.piece_firsts;
  auto const arrived = bins.arrived;
  if (warp_rows > 0)
    Kokkos::parallel_scan(
        "einkorn::make_spmv_plan[csr,list_warp_rows]", Rows(exec, 0, A.num_rows),
        ListWarpRows<Matrix, decltype(bins.warp_rows)>{offsets, warp_list, longest_short, longest_of_warp});
  if (pieces > 0)
    Kokkos::parallel_scan(
        "einkorn::make_spmv_plan[csr,list_pieces]", Rows(exec, 0, A.num_rows),
        ListPieces<Matrix, decltype(bins.piece_rows), decltype(bins.arrived)>{
            offsets, piece_rows, piece_firsts, arrived, longest_short, longest_of_warp, piece});
  exec.fence("einkorn::make_spmv_plan[csr]: the bins are filled");
  return bins;
}

/// Rows by length in one launch (GPU): the first teams take a piece of a long row each, the next ones a row a
/// warp, the others short rows as row_team does, passing over what is not short. What a row has in several
/// pieces goes through bins.carry, and the last of its teams to be done adds it up in the order of the pieces:
/// no floating-point atomics, no second launch. Sources: bins by length, Ashari, Sedaghati, Eisenlohr,
/// Parthasarathy & Sadayappan, SC 2014 (ACSR); rows between threads, warps and teams, Greathouse & Daga, SC
/// 2014. Departures: short rows are not listed, so that their entries are read in runs; long rows are cut.
template <SpmvTuning tuning, int lanes, bool conjugated, class Exec, class Matrix, class X, class Y,
          class EpilogueOp, class Bins>
struct SpmvRowBins {
  using Sum = typename EpilogueOp::sum_type;
  using Accumulators = typename EpilogueOp::Accumulators;
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Scalar = typename Matrix::scalar_type;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tuning.team_size, tuning.min_teams_per_sm>>;
  using Member = typename Policy::member_type;
  using L = Lanes<Exec>;

  static constexpr int team_size = tuning.team_size, warps = team_size / L::size, groups = team_size / lanes;
  static constexpr std::size_t scratch_bytes = static_cast<std::size_t>(warps + 1) * sizeof(Sum);

  Matrix A;
  X x;
  Y y;
  EpilogueOp epilogue;
  Bins bins;
  int pieces, warp_teams;
  int passes;  // short rows that a group takes one after another

  KOKKOS_FUNCTION void run(Member const& team, Accumulators& accumulators) const {
    int number = team.league_rank();
    if (number < pieces) return sum_piece(team, number, accumulators);
    number -= pieces;
    if (number < warp_teams)
      return sum_row_of_warp(number * warps + team.team_rank() / L::size, team.team_rank() % L::size,
                             accumulators);
    number -= warp_teams;
    auto row = static_cast<Unsigned>(number) * static_cast<Unsigned>(groups * passes) +
               static_cast<Unsigned>(team.team_rank() / lanes);
    for (int pass = 0; pass < passes; ++pass, row += groups)
      sum_short_row(row, team.team_rank() % lanes, accumulators);
  }

 private:
  using Unsigned = std::make_unsigned_t<Ordinal>;  // the last team may reach past the largest Ordinal

  KOKKOS_FORCEINLINE_FUNCTION void sum_short_row(Unsigned row, int lane, Accumulators& accumulators) const {
    Offset begin = 0, end = 0;
    bool const inside = row < static_cast<Unsigned>(A.num_rows);
    if (inside) {
      begin = A.row_begin(static_cast<Ordinal>(row));
      end = A.row_end(static_cast<Ordinal>(row));
    }
    bool const is_short = end - begin <= bins.longest_short;
    Sum const sum =
        sum_over_lanes<L, lanes>(is_short ? products<lanes>(begin + static_cast<Offset>(lane), end) : Sum(0));
    if (lane == 0 && inside && is_short)
      epilogue(accumulators, y(static_cast<Ordinal>(row)), static_cast<Ordinal>(row), sum);
  }

  KOKKOS_FORCEINLINE_FUNCTION void sum_row_of_warp(int number, int lane, Accumulators& accumulators) const {
    if (static_cast<std::size_t>(number) >= bins.warp_rows.extent(0)) return;
    Ordinal const row = bins.warp_rows(number);
    Sum const sum = sum_over_lanes<L, L::size>(
        products<L::size>(A.row_begin(row) + static_cast<Offset>(lane), A.row_end(row)));
    if (lane == 0) epilogue(accumulators, y(row), row, sum);
  }

  KOKKOS_FORCEINLINE_FUNCTION void sum_piece(Member const& team, int piece, Accumulators& accumulators) const {
    std::size_t const bytes = scratch_bytes;
    auto* const of_warps = static_cast<Sum*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(Sum)));
    Ordinal const row = bins.piece_rows(piece), first = bins.piece_firsts(piece);
    Offset const end = A.row_end(row);
    Offset const begin =
        A.row_begin(row) + static_cast<Offset>(static_cast<Ordinal>(piece) - first) * bins.piece;
    Offset const stop = end - begin > bins.piece ? begin + bins.piece : end;
    Sum const sum =
        sum_over_team(team, products<team_size>(begin + static_cast<Offset>(team.team_rank()), stop), of_warps);
    auto const count = static_cast<int>((end - A.row_begin(row) + (bins.piece - 1)) / bins.piece);
    if (count == 1) {
      if (team.team_rank() == 0) epilogue(accumulators, y(row), row, sum);
      return;
    }
    auto* const is_last = reinterpret_cast<int*>(of_warps + warps);
    if (team.team_rank() == 0) {
      bins.carry(piece) = sum;
      *is_last = L::arrive(&bins.arrived(first)) == static_cast<unsigned>(count - 1);
    }
    team.team_barrier();
    if (*is_last == 0) return;
    L::acquire_fence();
    Sum part = Sum(0);
    for (int i = team.team_rank(); i < count; i += team_size)
      part += bins.carry(first + static_cast<Ordinal>(i));
    Sum const total = sum_over_team(team, part, of_warps);
    if (team.team_rank() > 0) return;
    epilogue(accumulators, y(row), row, total);
    bins.arrived(first) = 0;
  }

  /// In thread 0 of the team: the sum of all, warp by warp. Every thread of the team calls it.
  KOKKOS_FORCEINLINE_FUNCTION static Sum sum_over_team(Member const& team, Sum const& value, Sum* of_warps) {
    Sum const of_warp = sum_over_lanes<L, L::size>(value);
    if (team.team_rank() % L::size == 0) of_warps[team.team_rank() / L::size] = of_warp;
    team.team_barrier();
    Sum sum = Sum(0);
    if (team.team_rank() == 0)
      for (int w = 0; w < warps; ++w) sum += of_warps[w];
    return sum;
  }

  /// Sum of the products of the entries p, p + stride, ... before `end`, `unroll` of them asked for at a time;
  /// past the end the last entry again, so that loads need no predicate.
  template <int stride>
  KOKKOS_FORCEINLINE_FUNCTION Sum products(Offset p, Offset end) const {
    Sum sum = Sum(0);
    for (; p < end; p += stride * tuning.unroll) {
      Ordinal columns[tuning.unroll];
      Scalar values[tuning.unroll];
      bool used[tuning.unroll];
      for (int u = 0; u < tuning.unroll; ++u) {
        Offset const q = p + static_cast<Offset>(u) * stride;
        used[u] = q < end;
        columns[u] = L::load(A.columns.data() + (used[u] ? q : end - 1));
        values[u] = L::load(A.values.data() + (used[u] ? q : end - 1));
      }
      Sum from_x[tuning.unroll];
      for (int u = 0; u < tuning.unroll; ++u) from_x[u] = Sum(x(columns[u]));
      for (int u = 0; u < tuning.unroll; ++u) {
        Sum const product = (conjugated ? Sum(conjugate(values[u])) : Sum(values[u])) * from_x[u];
        sum += used[u] ? product : Sum(0);
      }
    }
    return sum;
  }
};

template <int lanes, bool conjugated, class Exec, class Matrix, class X, class Y, class EpilogueOp, class Bins>
void spmv_row_bins(Exec const& exec, EpilogueOp const& epilogue, Matrix const& A, X const& x, Y const& y,
                   Bins const& bins) {
  using Sum = typename EpilogueOp::sum_type;
  constexpr SpmvTuning tuning = row_bins_tuning(arch_of<Exec>, sizeof(Sum));
  using Functor = SpmvRowBins<tuning, lanes, conjugated, Exec, Matrix, X, Y, EpilogueOp, Bins>;
  auto const teams_for = [](std::size_t items, int a_team) {
    return (items + static_cast<std::size_t>(a_team) - 1) / static_cast<std::size_t>(a_team);
  };
  auto const rows = static_cast<std::size_t>(A.num_rows);
  int passes = rows_in_turn(lanes, tuning.unroll);
  if (teams_for(rows, Functor::groups * passes) < std::size_t(min_row_teams)) passes = 1;
  auto const pieces = bins.piece_rows.extent(0),
             warp_teams = teams_for(bins.warp_rows.extent(0), Functor::warps);
  auto policy = typename Functor::Policy(
      exec, static_cast<int>(pieces + warp_teams + teams_for(rows, Functor::groups * passes)),
      tuning.team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes + alignof(Sum))));
  epilogue.launch(
      "einkorn::spmv[csr,row_bins]", policy,
      Functor{A, x, y, epilogue, bins, static_cast<int>(pieces), static_cast<int>(warp_teams), passes});
}

/// The same with the lanes of the bins: 2, 4, 8 or 16. 1 launch.
template <bool conjugated, class Exec, class Matrix, class X, class Y, class EpilogueOp, class Bins>
void spmv_row_bins(Exec const& exec, EpilogueOp const& epilogue, Matrix const& A, X const& x, Y const& y,
                   Bins const& bins) {
  switch (bins.lanes) {
    case 2:
      return spmv_row_bins<2, conjugated>(exec, epilogue, A, x, y, bins);
    case 4:
      return spmv_row_bins<4, conjugated>(exec, epilogue, A, x, y, bins);
    case 8:
      return spmv_row_bins<8, conjugated>(exec, epilogue, A, x, y, bins);
    default:
      return spmv_row_bins<16, conjugated>(exec, epilogue, A, x, y, bins);
  }
}

}  // namespace einkorn::detail
