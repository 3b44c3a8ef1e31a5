// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/core/cyclic_rows.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/csr/detail/row_order.hpp>
#include <einkorn/formats/diagonals/detail/count_marks.hpp>
#include <einkorn/formats/diagonals/detail/mark_row_on_host.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace einkorn::detail {

// Diagonal bands: the interface of DIA and bDIA that formats/diagonals uses. Band b < num_bands() contains the
// diagonals band_offset(b) .. band_offset(b) + band_width(b) - 1; bands are ascending and disjoint. The entry
// of row i in column i + band_offset(b) + j is at band_base(b) + j * stride + i of values, where band_base(b)
// is stride times the number of diagonals before the band. A diagonal of DIA is a band of width 1.
//
// structure() (analysis/detail) marks diagonals in the same pass over the matrix in which it measures everything else. Here
// only the marks are needed, so that a conversion costs one light pass.

/// The nonempty diagonals of a CSR: diagonal column - row = d has number d + num_rows - 1.
template <class Device>
struct DiagonalMarks {
  Kokkos::View<std::uint64_t*, Device> words;  // one byte per diagonal, 1 or 0, eight per word
  std::size_t count = 0;                       // nonempty diagonals
  bool sorted_unique_rows = true;              // the columns of every row are strictly increasing
  std::vector<std::int64_t> list;              // GPU: the diagonals, ascending, if there are few
};

/// The bytes of the words, one per diagonal.
template <class Words>
KOKKOS_FORCEINLINE_FUNCTION unsigned char* bytes_of(Words const& words) {
  return reinterpret_cast<unsigned char*>(words.data());
}

/// GPU: marks the diagonals of the entries; sets *unordered if an entry is not right of its predecessor in the row.
///
/// A group of `lanes` threads reads a row, `batch` entries per thread at once, and loads the bounds of several rows at once. In
/// most matrices the entry at one position of a thread's rows is on one diagonal for many rows: a mark is read only if the
/// diagonal changes, and stored, atomically, only if it reads as 0. The read goes through the L1 cache and may be stale, which
/// causes a redundant store.
template <int lanes, class Exec, class Matrix>
struct MarkDiagonals {
  using L = Lanes<Exec>;
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  static constexpr int team_size = 256, batch = 4;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Rows = CyclicRows<lanes, team_size, 4>;

  Matrix A;
  unsigned char* marks;
  std::int64_t* unordered;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Ordinal diagonal[batch];
    for (auto& d : diagonal) d = A.num_cols;  // no diagonal
    bool is_unordered = false;
    int const lane = team.team_rank() % lanes;
    Rows::for_each(
        team, static_cast<std::int64_t>(A.num_rows), 1, [this](std::int64_t number) { return row_at(number); },
        [&](Row const& row) { mark(row, lane, diagonal, is_unordered); });
    if (is_unordered) L::store_volatile(unordered, std::int64_t(1));  // threads store the same
  }

 private:
  struct Row {
    Ordinal number;
    Offset begin, end;
  };

  KOKKOS_FORCEINLINE_FUNCTION Row row_at(std::int64_t number) const {
    if (number >= static_cast<std::int64_t>(A.num_rows)) return {Ordinal(0), Offset(0), Offset(0)};
    auto const row = static_cast<Ordinal>(number);
    return {row, A.row_begin(row), A.row_end(row)};
  }
  KOKKOS_FORCEINLINE_FUNCTION void mark(Row const& row, int lane, Ordinal (&diagonal)[batch],
                                        bool& is_unordered) const {
    for (Offset first = row.begin + static_cast<Offset>(lane); first < row.end; first += batch * lanes) {
      Ordinal column[batch], left[batch];
      for (int u = 0; u < batch; ++u) {  // beyond the end: the last entry
        Offset const at = first + static_cast<Offset>(u * lanes), k = at < row.end ? at : row.end - 1;
        column[u] = A.columns(k);
        left[u] = k > row.begin ? A.columns(k - 1) : Ordinal(-1);
      }
      bool is_new[batch];
      for (int u = 0; u < batch; ++u) {
        is_unordered |= left[u] >= column[u];
        Ordinal const d = column[u] - row.number;
        is_new[u] = d != diagonal[u] && *mark_of(d) == 0;
        diagonal[u] = d;
      }
      for (int u = 0; u < batch; ++u)
        if (is_new[u]) L::store_volatile(mark_of(diagonal[u]), static_cast<unsigned char>(1));
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION unsigned char* mark_of(Ordinal diagonal) const {
    return marks + (static_cast<std::int64_t>(diagonal) + static_cast<std::int64_t>(A.num_rows) - 1);
  }
};

template <int lanes, class Exec, class Matrix>
void mark_diagonals_in_teams(Exec const& exec, Matrix const& A, unsigned char* marks, std::int64_t* unordered) {
  using Functor = MarkDiagonals<lanes, Exec, Matrix>;
  auto const blocks = Functor::Rows::num_blocks(static_cast<std::int64_t>(A.num_rows));
  auto const teams =
      static_cast<int>(std::min<std::int64_t>(blocks, 792));  // 6 resident ones for each of 132 multiprocessors
  Kokkos::parallel_for("einkorn::mark_diagonals",
                       light_weight(Kokkos::TeamPolicy<Exec>(exec, teams, Functor::team_size)),
                       Functor{A, marks, unordered});
}

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
struct CountMarksOnHost {
  Words words;

  KOKKOS_FUNCTION void operator()(std::size_t i, std::size_t& sum) const {
    sum += static_cast<std::size_t>(Kokkos::popcount(words(i)));
  }
};

/// GPU: mark_diagonals(). Waits once.
template <class Exec, class Matrix, class Marks>
void mark_diagonals_on_gpu(Exec const& exec, Matrix const& A, Marks& marks) {
  enum : int { unordered, num_diagonals, num_bands, num_listed, list, size = list + max_listed_diagonals };
  using Results = Kokkos::View<std::int64_t*, typename Matrix::device_type>;
  auto const results = allocate<Results>(exec, "einkorn::diagonals::results", static_cast<std::size_t>(size));
  fill_vector(exec, results, std::int64_t(0));
  bool const is_short = static_cast<double>(A.nnz()) <= 8.0 * static_cast<double>(A.num_rows);
  auto* const bytes = bytes_of(marks.words);
  if (is_short)
    mark_diagonals_in_teams<2>(exec, A, bytes, results.data() + unordered);
  else
    mark_diagonals_in_teams<8>(exec, A, bytes, results.data() + unordered);
  count_marks(exec, "einkorn::count_diagonals", marks.words.data(),
              static_cast<std::int64_t>(marks.words.extent(0)), static_cast<std::int64_t>(A.num_rows), results,
              {num_diagonals, num_bands, num_listed, list});
  std::array<std::int64_t, size> host{};
  copy_vector(exec, Kokkos::View<std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(host.data(), size),
              results);
  exec.fence("einkorn::mark_diagonals: the diagonals are counted");
  marks.sorted_unique_rows = host[unordered] == 0;
  marks.count = static_cast<std::size_t>(host[num_diagonals]);
  if (host[num_diagonals] > max_listed_diagonals) return;
  marks.list = allocate_vector<std::int64_t>("einkorn::diagonals", marks.count);
  std::copy_n(host.begin() + list, marks.count, marks.list.begin());
  std::sort(marks.list.begin(), marks.list.end());
}

/// Finds the nonempty diagonals of A. Reads A's structure once. Fences exec.
template <class Exec, class Matrix>
DiagonalMarks<typename Matrix::device_type> mark_diagonals(Exec const& exec, Matrix const& A) {
  using Device = typename Matrix::device_type;
  using Words = Kokkos::View<std::uint64_t*, Device>;
  DiagonalMarks<Device> result;
  if (A.num_rows == 0 || A.num_cols == 0 || A.nnz() == 0) return result;
  auto const all = static_cast<std::size_t>(A.num_rows) + static_cast<std::size_t>(A.num_cols) - 1;
  auto const words = allocate<Words>(exec, "einkorn::diagonals", ceil_div(all, 8));
  fill_vector(exec, words, std::uint64_t(0));
  result.words = words;
  if constexpr (is_gpu<Exec>) {
    mark_diagonals_on_gpu(exec, A, result);
  } else {
    range_for<std::size_t>("einkorn::mark_diagonals", exec, static_cast<std::size_t>(A.num_rows),
                           MarkDiagonalsOnHost<Exec, Matrix, Words>{A, words});
    auto const order = row_order(exec, A);
    result.sorted_unique_rows = order.is_sorted && !order.repeats;
    range_reduce<std::size_t>("einkorn::count_diagonals", exec, words.extent(0), CountMarksOnHost<Words>{words},
                              result.count);
  }
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

/// The marked diagonals as column - row, ascending, without marks.list. Asynchronous on exec.
template <class Exec, class Matrix>
Kokkos::View<typename Matrix::ordinal_type*, typename Matrix::device_type> list_marks(
    Exec const& exec, Matrix const& A, DiagonalMarks<typename Matrix::device_type> const& marks) {
  using Ordinal = typename Matrix::ordinal_type;
  auto const list = allocate<Kokkos::View<Ordinal*, typename Matrix::device_type>>(
      exec, "einkorn::diagonal_offsets", marks.count);
  auto const lowest = 1 - static_cast<std::int64_t>(A.num_rows);
  range_scan<std::size_t>("einkorn::list_diagonals", exec, marks.words.extent(0),
                          ListMarks<Ordinal, typename Matrix::device_type>{marks.words, list, lowest});
  return list;
}

/// The marked diagonals as column - row, ascending, on the host. Fences exec.
template <class Exec, class Matrix>
std::vector<typename Matrix::ordinal_type> list_diagonals_on_host(
    Exec const& exec, Matrix const& A, DiagonalMarks<typename Matrix::device_type> const& marks) {
  using Ordinal = typename Matrix::ordinal_type;
  auto result = allocate_vector<Ordinal>("einkorn::diagonal_offsets on the host", marks.count);
  if (!marks.list.empty())
    std::transform(marks.list.begin(), marks.list.end(), result.begin(),
                   [](std::int64_t d) { return static_cast<Ordinal>(d); });
  else
    copy_vector(
        exec, Kokkos::View<Ordinal*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(result.data(), result.size()),
        list_marks(exec, A, marks));
  exec.fence("einkorn::list_diagonals_on_host");
  return result;
}

/// The same in the memory of A.
template <class Exec, class Matrix>
Kokkos::View<typename Matrix::ordinal_type*, typename Matrix::device_type> list_diagonals(
    Exec const& exec, Matrix const& A, DiagonalMarks<typename Matrix::device_type> const& marks) {
  using Ordinal = typename Matrix::ordinal_type;
  if (marks.list.empty()) return list_marks(exec, A, marks);
  auto const on_host = list_diagonals_on_host(exec, A, marks);
  auto const list = allocate<Kokkos::View<Ordinal*, typename Matrix::device_type>>(
      exec, "einkorn::diagonal_offsets", marks.count);
  copy_vector(
      exec, list,
      Kokkos::View<Ordinal const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(on_host.data(), marks.count));
  return list;
}

}  // namespace einkorn::detail
