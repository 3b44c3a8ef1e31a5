// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/choose_spmv.hpp>
#include <einkorn/formats/csr/detail/row_dot.hpp>
#include <einkorn/formats/csr/spmv_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace einkorn::detail {

/// The rows of a matrix by length (row_bin_limits()): short ones, in their own order, for groups of `lanes`
/// lanes; longer ones, listed, for warps; the longest, cut into chunks of `chunk` entries, for teams. Chunk i
/// belongs to row chunk_rows(i), whose first chunk is first_chunks(i).
template <class Ordinal, class Offset, class Device, class Sum>
struct RowBins {
  int lanes = 2;
  Offset max_short = 0, chunk = 1;
  Kokkos::View<Ordinal*, Device> warp_rows;                 // [rows for warps]
  Kokkos::View<Ordinal*, Device> chunk_rows, first_chunks;  // [chunks]
  Kokkos::View<Sum*, Device> carry;                         // [chunks]
  Kokkos::View<unsigned*, Device> arrivals;                 // [chunks], 0 between products

  [[nodiscard]] std::size_t bytes() const {
    return (warp_rows.extent(0) + 2 * chunk_rows.extent(0)) * sizeof(Ordinal) +
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

/// The number of lanes with the fewest warps in total, among those that load a short row of mean length in one
/// batch. (max_short grows with the lanes: with more of them fewer rows are left to warps.) Fences exec.
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
    range_reduce<Ordinal>("einkorn::make_spmv_plan[csr,short_rows]", exec, A.num_rows,
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
  Offset max_short, max_warp, chunk;

  KOKKOS_FUNCTION void operator()(Ordinal row, std::size_t& num_warp_rows, std::size_t& num_chunks) const {
    Offset const length = offsets(row + 1) - offsets(row);
    if (length > max_short && length > max_warp)
      num_chunks += static_cast<std::size_t>((length + (chunk - 1)) / chunk);
    else if (length > max_short)
      ++num_warp_rows;
  }
};

template <class Matrix, class List>
struct ListWarpRows {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  decltype(Matrix::row_offsets) offsets;
  List warp_rows;
  Offset max_short, max_warp;

  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal& before, bool is_final) const {
    Offset const length = offsets(row + 1) - offsets(row);
    if (length <= max_short || length > max_warp) return;
    if (is_final) warp_rows(before) = row;
    ++before;
  }
};

template <class Matrix, class List, class Arrivals>
struct ListChunks {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  decltype(Matrix::row_offsets) offsets;
  List chunk_rows, first_chunks;
  Arrivals arrivals;
  Offset max_short, max_warp, chunk;

  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal& before, bool is_final) const {
    Offset const length = offsets(row + 1) - offsets(row);
    if (length <= max_short || length <= max_warp) return;
    auto const count = static_cast<Ordinal>((length + (chunk - 1)) / chunk);
    for (Ordinal i = 0; is_final && i < count; ++i) {
      chunk_rows(before + i) = row;
      first_chunks(before + i) = before;
      arrivals(before + i) = 0;
    }
    before += count;
  }
};

/// Sorts the rows into bins. lanes: 2 to 16, 0 for the table's. Reads row_offsets up to 7 times; fences exec.
template <class Bins, class Exec, class Matrix>
Bins make_row_bins(Exec const& exec, Matrix const& A, typename Matrix::ordinal_type empty_rows, int lanes) {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  Bins bins;
  bins.lanes = lanes > 0 ? std::clamp(lanes, 2, 16) : lanes_for_short_rows(exec, A, empty_rows);
  RowBinLimits const limits = row_bin_limits(bins.lanes, static_cast<std::size_t>(A.nnz()));
  Offset const max_short = static_cast<Offset>(limits.short_row);
  Offset const max_warp = static_cast<Offset>(limits.warp_row), chunk = static_cast<Offset>(limits.chunk);
  bins.max_short = max_short;
  bins.chunk = chunk;
  auto const offsets = A.row_offsets;
  std::size_t num_warp_rows = 0, num_chunks = 0;
  range_reduce<Ordinal>("einkorn::make_spmv_plan[csr,count_bins]", exec, A.num_rows,
                        CountRowBins<Matrix>{offsets, max_short, max_warp, chunk}, num_warp_rows, num_chunks);
  bins.warp_rows = allocate<decltype(bins.warp_rows)>(exec, "einkorn::RowBins::warp_rows", num_warp_rows);
  bins.chunk_rows = allocate<decltype(bins.chunk_rows)>(exec, "einkorn::RowBins::chunk_rows", num_chunks);
  bins.first_chunks = allocate<decltype(bins.chunk_rows)>(exec, "einkorn::RowBins::first_chunks", num_chunks);
  bins.carry = allocate<decltype(bins.carry)>(exec, "einkorn::RowBins::carry", num_chunks);
  bins.arrivals = allocate<decltype(bins.arrivals)>(exec, "einkorn::RowBins::arrivals", num_chunks);
  if (num_warp_rows > 0)
    range_scan<Ordinal>(
        "einkorn::make_spmv_plan[csr,list_warp_rows]", exec, A.num_rows,
        ListWarpRows<Matrix, decltype(bins.warp_rows)>{offsets, bins.warp_rows, max_short, max_warp});
  if (num_chunks > 0)
    range_scan<Ordinal>(
        "einkorn::make_spmv_plan[csr,list_chunks]", exec, A.num_rows,
        ListChunks<Matrix, decltype(bins.chunk_rows), decltype(bins.arrivals)>{
            offsets, bins.chunk_rows, bins.first_chunks, bins.arrivals, max_short, max_warp, chunk});
  fence(exec, "einkorn::make_spmv_plan[csr]: the bins are filled");
  return bins;
}

/// Rows by length in one launch (GPU): the first teams sum one chunk of a long row each, the next ones one row
/// per warp, the others short rows as row_team does, skipping rows that are not short. The sums of a row's
/// chunks go to bins.carry, and the last of its teams to finish adds them in order: no floating-point atomics,
/// no second launch. Sources: bins by length, Ashari, Sedaghati, Eisenlohr, Parthasarathy & Sadayappan, SC 2014
/// (ACSR); rows for threads, warps and teams, Greathouse & Daga, SC 2014. Departures: short rows are not
/// listed, so that their entries are read contiguously; long rows are cut.
template <SpmvTuning tuning, int lanes, bool conjugated, class Exec, class Matrix, class X, class Y,
          class EpilogueOp, class Bins>
struct SpmvRowBins {
  using Sum = typename EpilogueOp::sum_type;
  using Accumulators = typename EpilogueOp::Accumulators;
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tuning.team_size, tuning.min_teams_per_sm>>;
  using L = Lanes<Exec>;

  static constexpr int team_size = tuning.team_size, warps = team_size / L::size, groups = team_size / lanes;
  static constexpr std::size_t scratch_bytes = static_cast<std::size_t>(warps + 1) * sizeof(Sum);

  Matrix A;
  X x;
  Y y;
  EpilogueOp epilogue;
  Bins bins;
  int chunks, warp_teams;
  int passes;  // short rows per group
  CacheHint<Exec> hint;

  template <class Team>
  KOKKOS_FUNCTION void run(Team const& team, Accumulators& accumulators) const {
    int index = team.league_rank();
    if (index < chunks) return sum_chunk(team, index, accumulators);
    index -= chunks;
    if (index < warp_teams)
      return sum_warp_row(index * warps + team.team_rank() / L::size, team.team_rank() % L::size, accumulators);
    index -= warp_teams;
    auto row = static_cast<Unsigned>(index) * static_cast<Unsigned>(groups * passes) +
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
    bool const is_short = end - begin <= bins.max_short;
    Sum const sum =
        sum_over_lanes<L, lanes>(is_short ? products<lanes>(begin + static_cast<Offset>(lane), end) : Sum(0));
    if (lane == 0 && inside && is_short)
      epilogue(accumulators, y(static_cast<Ordinal>(row)), static_cast<Ordinal>(row), sum);
  }

  KOKKOS_FORCEINLINE_FUNCTION void sum_warp_row(int index, int lane, Accumulators& accumulators) const {
    if (static_cast<std::size_t>(index) >= bins.warp_rows.extent(0)) return;
    Ordinal const row = bins.warp_rows(index);
    Sum const sum = sum_over_lanes<L, L::size>(
        products<L::size>(A.row_begin(row) + static_cast<Offset>(lane), A.row_end(row)));
    if (lane == 0) epilogue(accumulators, y(row), row, sum);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void sum_chunk(Team const& team, int chunk, Accumulators& accumulators) const {
    std::size_t const bytes = scratch_bytes;
    auto* const warp_sums = static_cast<Sum*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(Sum)));
    Ordinal const row = bins.chunk_rows(chunk), first = bins.first_chunks(chunk);
    Offset const end = A.row_end(row);
    Offset const begin =
        A.row_begin(row) + static_cast<Offset>(static_cast<Ordinal>(chunk) - first) * bins.chunk;
    Offset const stop = end - begin > bins.chunk ? begin + bins.chunk : end;
    Sum const sum = sum_over_team(
        team, products<team_size>(begin + static_cast<Offset>(team.team_rank()), stop), warp_sums);
    auto const count = static_cast<int>((end - A.row_begin(row) + (bins.chunk - 1)) / bins.chunk);
    if (count == 1) {
      if (team.team_rank() == 0) epilogue(accumulators, y(row), row, sum);
      return;
    }
    auto* const flag = reinterpret_cast<int*>(warp_sums + warps);
    auto const store = [&] { bins.carry(chunk) = sum; };
    if (!is_last_team<L>(team, &bins.arrivals(first), count, flag, store)) return;
    Sum part = Sum(0);
    for (int i = team.team_rank(); i < count; i += team_size)
      part += bins.carry(first + static_cast<Ordinal>(i));
    Sum const total = sum_over_team(team, part, warp_sums);
    if (team.team_rank() > 0) return;
    epilogue(accumulators, y(row), row, total);
    bins.arrivals(first) = 0;
  }

  /// The sum of all values, in thread 0. All threads of the team call it. One barrier.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static Sum sum_over_team(Team const& team, Sum const& value, Sum* warp_sums) {
    Sum const warp_sum = sum_over_lanes<L, L::size>(value);
    if (team.team_rank() % L::size == 0) warp_sums[team.team_rank() / L::size] = warp_sum;
    team.team_barrier();
    Sum sum = Sum(0);
    if (team.team_rank() == 0)
      for (int w = 0; w < warps; ++w) sum += warp_sums[w];
    return sum;
  }

  template <int stride>
  KOKKOS_FORCEINLINE_FUNCTION Sum products(Offset p, Offset end) const {
    return lane_dot<Sum, L, stride, tuning.unroll, true, conjugated>(A, x, p, end, hint);
  }
};

template <int lanes, bool conjugated, class Exec, class Matrix, class X, class Y, class EpilogueOp, class Bins>
void spmv_row_bins(Exec const& exec, EpilogueOp const& epilogue, Matrix const& A, X const& x, Y const& y,
                   Bins const& bins) {
  using Sum = typename EpilogueOp::sum_type;
  constexpr SpmvTuning tuning = row_bins_tuning(arch_of<Exec>, sizeof(Sum));
  using Functor = SpmvRowBins<tuning, lanes, conjugated, Exec, Matrix, X, Y, EpilogueOp, Bins>;
  auto const rows = static_cast<std::size_t>(A.num_rows);
  int const passes = rows_per_group(lanes, tuning.unroll, rows, Functor::groups);
  auto const chunks = bins.chunk_rows.extent(0),
             warp_teams = ceil_div(bins.warp_rows.extent(0), static_cast<std::size_t>(Functor::warps)),
             row_teams = ceil_div(rows, static_cast<std::size_t>(Functor::groups * passes));
  auto policy =
      typename Functor::Policy(exec, static_cast<int>(chunks + warp_teams + row_teams), tuning.team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes + alignof(Sum))));
  epilogue.launch("einkorn::spmv[csr,row_bins]", policy,
                  Functor{A, x, y, epilogue, bins, static_cast<int>(chunks), static_cast<int>(warp_teams),
                          passes, cache_hint(exec, A, x, y)});
}

/// y <- alpha A x + beta y with the lanes of the bins: 2, 4, 8 or 16. 1 launch.
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
