// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/formats/detail/diagonal_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// What the files diagonal_*.hpp read, DIA and bDIA alike ("diagonal bands"): band b < num_bands() holds the
/// diagonals band_offset(b) .. band_offset(b) + band_width(b) - 1, ascending and apart from those of the other
/// bands; the entry of row i and column i + band_offset(b) + j lies at band_base(b) + j * stride + i of values,
/// and band_base(b) is stride times the diagonals before the band. A diagonal of DIA is a band of width 1.

/// Which diagonals of a CSR hold an entry: the diagonal of column - row = d is number d + num_rows - 1.
template <class Device>
struct DiagonalMarks {
  Kokkos::View<unsigned char*, Device> is_used;  // [num_rows + num_cols - 1]
  std::size_t count = 0;                         // diagonals in use
  bool strict_rows = true;                       // the columns of every row increase, and none repeats
};

/// Marks the diagonals of some entries of a row and counts those that do not lie behind their predecessor.
/// Threads that meet at a diagonal store the same byte, and read first: a diagonal is stored a few times.
template <int lanes, class Matrix, class Marks>
struct MarkDiagonals {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  Matrix A;
  Marks is_used;

  KOKKOS_FUNCTION void operator()(std::int64_t item, std::size_t& misplaced) const {
    auto const row = static_cast<Ordinal>(item / lanes);
    Offset const begin = A.row_begin(row), end = A.row_end(row);
    std::int64_t const shift = static_cast<std::int64_t>(A.num_rows) - 1 - static_cast<std::int64_t>(row);
    for (Offset k = begin + static_cast<Offset>(item % lanes); k < end; k += lanes) {
      Ordinal const column = A.columns(k);
      auto& mark = is_used(static_cast<std::size_t>(static_cast<std::int64_t>(column) + shift));
      if (mark == 0) mark = 1;
      if (k > begin && A.columns(k - 1) >= column) ++misplaced;
    }
  }
};

/// Reads A's structure twice (the second time from a cache). Fences exec.
template <class Exec, class Matrix>
static DiagonalMarks<typename Matrix::device_type> mark_diagonals(Exec const& exec, Matrix const& A) {
  using Device = typename Matrix::device_type;
  using Marks = Kokkos::View<unsigned char*, Device>;
  DiagonalMarks<Device> result;
  if (A.num_rows == 0 || A.num_cols == 0 || A.nnz() == 0) return result;
  auto const most = static_cast<std::size_t>(A.num_rows) + static_cast<std::size_t>(A.num_cols) - 1;
  auto const is_used = allocate<Marks>(exec, "einkorn::diagonals", most);
  Kokkos::deep_copy(exec, is_used, static_cast<unsigned char>(0));
  constexpr int lanes = is_gpu<Exec> ? diagonal_lanes_a_row : 1;
  std::size_t misplaced = 0;
  Kokkos::parallel_reduce("einkorn::mark_diagonals",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                              exec, 0, static_cast<std::int64_t>(A.num_rows) * lanes),
                          MarkDiagonals<lanes, Matrix, Marks>{A, is_used}, misplaced);
  Kokkos::parallel_reduce(
      "einkorn::count_diagonals", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, most),
      KOKKOS_LAMBDA(std::size_t d, std::size_t & sum) { sum += is_used(d); }, result.count);
  result.is_used = is_used;
  result.strict_rows = misplaced == 0;
  return result;
}

/// The marked diagonals as column - row, ascending. Asynchronous on exec.
template <class Exec, class Matrix>
static Kokkos::View<typename Matrix::ordinal_type*, typename Matrix::device_type> list_diagonals(
    Exec const& exec, Matrix const& A, DiagonalMarks<typename Matrix::device_type> const& marks) {
  using Ordinal = typename Matrix::ordinal_type;
  auto const list = allocate<Kokkos::View<Ordinal*, typename Matrix::device_type>>(
      exec, "einkorn::diagonal_offsets", marks.count);
  auto const is_used = marks.is_used;
  auto const lowest = 1 - static_cast<std::int64_t>(A.num_rows);
  Kokkos::parallel_scan(
      "einkorn::list_diagonals",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, is_used.extent(0)),
      KOKKOS_LAMBDA(std::size_t d, std::size_t & before, bool is_final) {
        if (is_used(d) == 0) return;
        if (is_final) list(before) = static_cast<Ordinal>(lowest + static_cast<std::int64_t>(d));
        ++before;
      });
  return list;
}

}  // namespace einkorn::detail
