// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/formats/diagonals/detail/host_tuning.hpp>

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
  Kokkos::View<std::uint64_t*, Device> words;  // a byte a diagonal, 1 or 0, in words of eight
  std::size_t count = 0;                       // diagonals in use
  bool sorted_unique_rows = true;              // the columns of every row increase, and none repeats
};

/// The bytes of such words, diagonal by diagonal.
template <class Words>
KOKKOS_FORCEINLINE_FUNCTION unsigned char* bytes_of(Words const& words) {
  return reinterpret_cast<unsigned char*>(words.data());
}

/// Marks the diagonals of some entries of a row and counts those that do not lie behind their predecessor.
/// Threads that meet at a diagonal store the same byte, atomically, and read first: a diagonal is stored a few
/// times. On a GPU they read it through the first cache, which may be late: then they store once more. A thread
/// asks for `batch` columns, then for their marks, before it stores any: a store of a byte might change a
/// column, for all that a compiler knows, and loads would wait for it.
template <int lanes, class Exec, class Matrix, class Words>
struct MarkDiagonals {
  using L = Lanes<Exec>;
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  static constexpr int batch = lanes > 1 ? 4 : 1;

  Matrix A;
  Words words;

  KOKKOS_FUNCTION void operator()(std::int64_t item, std::size_t& unordered) const {
    auto const row = static_cast<Ordinal>(item / lanes);
    Offset const begin = A.row_begin(row), end = A.row_end(row);
    std::int64_t const shift = static_cast<std::int64_t>(A.num_rows) - 1 - static_cast<std::int64_t>(row);
    unsigned char* const marks = bytes_of(words) + shift;
    for (Offset k = begin + static_cast<Offset>(item % lanes); k < end; k += batch * lanes) {
      Ordinal column[batch], before[batch];
      for (int j = 0; j < batch; ++j) {
        Offset const at = k + static_cast<Offset>(j * lanes);
        column[j] = at < end ? A.columns(at) : Ordinal(-1);
        before[j] = at < end && at > begin ? A.columns(at - 1) : Ordinal(-1);
      }
      unsigned char mark[batch];
      for (int j = 0; j < batch; ++j) mark[j] = column[j] >= 0 ? load_mark(marks + column[j]) : 1;
      for (int j = 0; j < batch; ++j) {
        if (mark[j] == 0) L::store_volatile(marks + column[j], static_cast<unsigned char>(1));
        if (column[j] >= 0 && before[j] >= column[j]) ++unordered;
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static unsigned char load_mark(unsigned char const* mark) {
    if constexpr (is_gpu<Exec>)
      return *mark;
    else
      return L::load_volatile(mark);
  }
};

template <class Words>
struct CountMarks {
  Words words;

  KOKKOS_FUNCTION void operator()(std::size_t i, std::size_t& sum) const {
    sum += static_cast<std::size_t>(Kokkos::popcount(words(i)));
  }
};

/// Reads A's structure twice (the second time from a cache). Fences exec.
template <class Exec, class Matrix>
DiagonalMarks<typename Matrix::device_type> mark_diagonals(Exec const& exec, Matrix const& A) {
  using Device = typename Matrix::device_type;
  using Words = Kokkos::View<std::uint64_t*, Device>;
  DiagonalMarks<Device> result;
  if (A.num_rows == 0 || A.num_cols == 0 || A.nnz() == 0) return result;
  auto const most = static_cast<std::size_t>(A.num_rows) + static_cast<std::size_t>(A.num_cols) - 1;
  auto const words = allocate<Words>(exec, "einkorn::diagonals", (most + 7) / 8);
  Kokkos::deep_copy(exec, words, std::uint64_t(0));
  constexpr int lanes = is_gpu<Exec> ? diagonal_lanes_per_row : 1;
  std::size_t unordered = 0;
  Kokkos::parallel_reduce("einkorn::mark_diagonals",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                              exec, 0, static_cast<std::int64_t>(A.num_rows) * lanes),
                          MarkDiagonals<lanes, Exec, Matrix, Words>{A, words}, unordered);
  Kokkos::parallel_reduce("einkorn::count_diagonals",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, words.extent(0)),
                          CountMarks<Words>{words}, result.count);
  result.words = words;
  result.sorted_unique_rows = unordered == 0;
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

/// The marked diagonals as column - row, ascending. Asynchronous on exec.
template <class Exec, class Matrix>
Kokkos::View<typename Matrix::ordinal_type*, typename Matrix::device_type> list_diagonals(
    Exec const& exec, Matrix const& A, DiagonalMarks<typename Matrix::device_type> const& marks) {
  using Ordinal = typename Matrix::ordinal_type;
  auto const list = allocate<Kokkos::View<Ordinal*, typename Matrix::device_type>>(
      exec, "einkorn::diagonal_offsets", marks.count);
  auto const words = marks.words;
  auto const lowest = 1 - static_cast<std::int64_t>(A.num_rows);
  Kokkos::parallel_scan("einkorn::list_diagonals",
                        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, words.extent(0)),
                        ListMarks<Ordinal, typename Matrix::device_type>{words, list, lowest});
  return list;
}

}  // namespace einkorn::detail
