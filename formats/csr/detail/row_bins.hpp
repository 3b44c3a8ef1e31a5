// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/formats/csr/spmv_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// The rows of a matrix by length: up to longest_short entries, which groups of `lanes` lanes take as they
/// come; up to longest_warp_row, listed, a warp each; longer ones, cut into pieces of row_piece entries, a team
/// each. Piece i belongs to row piece_rows(i), whose first piece is piece_firsts(i).
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

/// The lanes with the fewest warps in all, among those that ask for a short row of mean length in one batch.
/// (What is short is a matter of the lanes: with more of them fewer rows are left to warps.) Fences exec.
template <class Exec, class Matrix>
static int lanes_for_short_rows(Exec const& exec, Matrix const& A) {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  auto const offsets = A.row_offsets;
  int best = 16;
  double fewest_warps = -1.0;
  for (int lanes = 2; lanes <= 16; lanes *= 2) {
    auto const longest =
        static_cast<Offset>(row_bin_limits(lanes, static_cast<std::size_t>(A.nnz())).short_row);
    double rows = 0, entries = 0, empty = 0;
    Kokkos::parallel_reduce(
        "einkorn::make_spmv_plan[csr,short_rows]",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<Ordinal>>(exec, 0, A.num_rows),
        KOKKOS_LAMBDA(Ordinal row, double& count, double& sum, double& without) {
          Offset const length = offsets(row + 1) - offsets(row);
          count += length <= longest;
          if (length <= longest) sum += static_cast<double>(length);
          without += length == 0;
        },
        rows, entries, empty);
    if (entries > (rows - empty) * lanes * row_team_unroll(lanes, 0)) continue;
    auto const all = static_cast<double>(A.num_rows);
    double const warps = all * lanes / lockstep_lanes(arch_of<Exec>) + (all - rows);
    if (fewest_warps >= 0.0 && warps >= fewest_warps) continue;
    fewest_warps = warps;
    best = lanes;
  }
  return best;
}

/// Sorts the rows into bins; lanes: 0 for the table's. Reads row_offsets up to 7 times; fences exec.
template <class Bins, class Exec, class Matrix>
static Bins make_row_bins(Exec const& exec, Matrix const& A, int lanes) {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Rows = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Ordinal>>;
  Bins bins;
  bins.lanes = lanes > 0 ? (lanes < 2 ? 2 : lanes > 16 ? 16 : lanes) : lanes_for_short_rows(exec, A);
  RowBinLimits const limits = row_bin_limits(bins.lanes, static_cast<std::size_t>(A.nnz()));
  Offset const longest_short = static_cast<Offset>(limits.short_row);
  Offset const longest_of_warp = static_cast<Offset>(limits.warp_row),
               piece = static_cast<Offset>(limits.piece);
  bins.longest_short = longest_short;
  bins.piece = piece;
  auto const offsets = A.row_offsets;
  std::size_t warp_rows = 0, pieces = 0;
  Kokkos::parallel_reduce(
      "einkorn::make_spmv_plan[csr,count_bins]", Rows(exec, 0, A.num_rows),
      KOKKOS_LAMBDA(Ordinal row, std::size_t & of_warps, std::size_t & cut) {
        Offset const length = offsets(row + 1) - offsets(row);
        if (length > longest_short && length > longest_of_warp)
          cut += static_cast<std::size_t>((length + (piece - 1)) / piece);
        else if (length > longest_short)
          ++of_warps;
      },
      warp_rows, pieces);
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
        KOKKOS_LAMBDA(Ordinal row, Ordinal & before, bool is_final) {
          Offset const length = offsets(row + 1) - offsets(row);
          if (length <= longest_short || length > longest_of_warp) return;
          if (is_final) warp_list(before) = row;
          ++before;
        });
  if (pieces > 0)
    Kokkos::parallel_scan(
        "einkorn::make_spmv_plan[csr,list_pieces]", Rows(exec, 0, A.num_rows),
        KOKKOS_LAMBDA(Ordinal row, Ordinal & before, bool is_final) {
          Offset const length = offsets(row + 1) - offsets(row);
          if (length <= longest_short || length <= longest_of_warp) return;
          auto const count = static_cast<Ordinal>((length + (piece - 1)) / piece);
          for (Ordinal i = 0; is_final && i < count; ++i) {
            piece_rows(before + i) = row;
            piece_firsts(before + i) = before;
            arrived(before + i) = 0;
          }
          before += count;
        });
  exec.fence("einkorn::make_spmv_plan[csr]: the bins are filled");
  return bins;
}

}  // namespace einkorn::detail
