// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/csr/detail/row_order.hpp>
#include <einkorn/formats/diagonals/detail/host_tuning.hpp>
#include <einkorn/formats/diagonals/detail/mark_row_on_host.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

// Diagonal bands: the interface of DIA and bDIA that formats/diagonals uses. Band b < num_bands() contains the
// diagonals band_offset(b) .. band_offset(b) + band_width(b) - 1; bands are ascending and disjoint. The entry
// of row i in column i + band_offset(b) + j is at band_base(b) + j * stride + i of values, where band_base(b)
// is stride times the number of diagonals before the band. A diagonal of DIA is a band of width 1.
//
// structure() (analysis/detail) has a search of its own: it flags diagonals in the same pass over the matrix in
// which it measures everything else, and needs bands and entries per diagonal. Here only the marks are needed,
// so that a conversion costs one light pass.

/// The nonempty diagonals of a CSR: diagonal column - row = d has number d + num_rows - 1.
template <class Device>
struct DiagonalMarks {
  Kokkos::View<std::uint64_t*, Device> words;  // one byte per diagonal, 1 or 0, eight per word
  std::size_t count = 0;                       // nonempty diagonals
  bool sorted_unique_rows = true;              // the columns of every row are strictly increasing
};

/// The bytes of the words, one per diagonal.
template <class Words>
KOKKOS_FORCEINLINE_FUNCTION unsigned char* bytes_of(Words const& words) {
  return reinterpret_cast<unsigned char*>(words.data());
}

/// GPU: marks the diagonals of every lanes-th entry of a row; counts entries not right of their predecessor.
///
/// A mark is stored, atomically, only if it reads as 0, so that a diagonal is stored a few times only. The read goes
/// through the L1 cache and may be stale, which causes a redundant store. A thread loads `batch` columns and then their
/// marks before it stores any, because byte stores may alias the columns and would delay the loads.
template <int lanes, class Exec, class Matrix, class Words>
struct MarkDiagonals {
  using L = Lanes<Exec>;
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  static constexpr int batch = 4;

  Matrix A;
  Words words;

  KOKKOS_FUNCTION void operator()(std::int64_t item, std::size_t& unordered) const {
    auto const row = static_cast<Ordinal>(item / lanes);
    Offset const begin = A.row_begin(row), end = A.row_end(row);
    std::int64_t const shift = static_cast<std::int64_t>(A.num_rows) - 1 - static_cast<std::int64_t>(row);
    unsigned char* const marks = bytes_of(words) + shift;
    for (Offset k = begin + static_cast<Offset>(item % lanes); k < end; k += batch * lanes) {
      Ordinal column[batch], previous[batch];
      for (int j = 0; j < batch; ++j) {
        Offset const at = k + static_cast<Offset>(j * lanes);
        column[j] = at < end ? A.columns(at) : Ordinal(-1);
        previous[j] = at < end && at > begin ? A.columns(at - 1) : Ordinal(-1);
      }
      unsigned char mark[batch];
      for (int j = 0; j < batch; ++j)
        mark[j] = column[j] >= 0 ? marks[column[j]] : static_cast<unsigned char>(1);
      for (int j = 0; j < batch; ++j) {
        if (mark[j] == 0) L::store_volatile(marks + column[j], static_cast<unsigned char>(1));
        if (column[j] >= 0 && previous[j] >= column[j]) ++unordered;
      }
    }
  }
};

/// Host: marks the diagonals of a row.
template <class Exec, class Matrix, class Words>
struct MarkDiagonalsOnHost {
  Matrix A;
  Words words;

  void operator()(std::size_t row) const {
    auto const* const offsets = A.row_offsets.data();
    mark_row_on_host<Exec>(A.columns.data() + offsets[row], offsets[row + 1] - offsets[row],
                           bytes_of(words) + (static_cast<std::size_t>(A.num_rows) - 1 - row));
  }
};

template <class Words>
struct CountMarks {
  Words words;

  KOKKOS_FUNCTION void operator()(std::size_t i, std::size_t& sum) const {
    sum += static_cast<std::size_t>(Kokkos::popcount(words(i)));
  }
};

/// Finds the nonempty diagonals of A. Reads A's structure twice (the second time from the cache). Fences exec.
template <class Exec, class Matrix>
DiagonalMarks<typename Matrix::device_type> mark_diagonals(Exec const& exec, Matrix const& A) {
  using Device = typename Matrix::device_type;
  using Words = Kokkos::View<std::uint64_t*, Device>;
  DiagonalMarks<Device> result;
  if (A.num_rows == 0 || A.num_cols == 0 || A.nnz() == 0) return result;
  auto const all = static_cast<std::size_t>(A.num_rows) + static_cast<std::size_t>(A.num_cols) - 1;
  auto const words = allocate<Words>(exec, "einkorn::diagonals", ceil_div(all, 8));
  fill_vector(exec, words, std::uint64_t(0));
  if constexpr (is_gpu<Exec>) {
    constexpr int lanes = diagonal_lanes_per_row;
    std::size_t unordered = 0;
    range_reduce<std::int64_t>("einkorn::mark_diagonals", exec, static_cast<std::int64_t>(A.num_rows) * lanes,
                               MarkDiagonals<lanes, Exec, Matrix, Words>{A, words}, unordered);
    result.sorted_unique_rows = unordered == 0;
  } else {
    range_for<std::size_t>("einkorn::mark_diagonals", exec, static_cast<std::size_t>(A.num_rows),
                           MarkDiagonalsOnHost<Exec, Matrix, Words>{A, words});
    auto const order = row_order(exec, A);
    result.sorted_unique_rows = order.is_sorted && !order.repeats;
  }
  range_reduce<std::size_t>("einkorn::count_diagonals", exec, words.extent(0), CountMarks<Words>{words},
                            result.count);
  result.words = words;
  return result;
}

template <class Ordinal, class Device>
struct ListMarks {
  Kokkos::View<std::uint64_t*, Device> words;
  Kokkos::View<Ordinal*, Device> list;
  std::int64_t lowest;

  KOKKOS_FUNCTION void operator()(std::size_t i, std::size_t& before, bool is_final) const {
    std::uint64_t const word = words(i);
    if (word == 0) return;
    if (is_final) {
      auto const* const flags = bytes_of(words) + 8 * i;
      std::size_t to = before;
      for (std::size_t j = 0; j < 8; ++j)
        if (flags[j] != 0) list(to++) = static_cast<Ordinal>(lowest + static_cast<std::int64_t>(8 * i + j));
    }
    before += static_cast<std::size_t>(Kokkos::popcount(word));
  }
};

/// Lists the marked diagonals as column - row, ascending. Asynchronous on exec.
template <class Exec, class Matrix>
Kokkos::View<typename Matrix::ordinal_type*, typename Matrix::device_type> list_diagonals(
    Exec const& exec, Matrix const& A, DiagonalMarks<typename Matrix::device_type> const& marks) {
  using Ordinal = typename Matrix::ordinal_type;
  auto const list = allocate<Kokkos::View<Ordinal*, typename Matrix::device_type>>(
      exec, "einkorn::diagonal_offsets", marks.count);
  auto const words = marks.words;
  auto const lowest = 1 - static_cast<std::int64_t>(A.num_rows);
  range_scan<std::size_t>("einkorn::list_diagonals", exec, words.extent(0),
                          ListMarks<Ordinal, typename Matrix::device_type>{words, list, lowest});
  return list;
}

}  // namespace einkorn::detail
