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
#include <einkorn/formats/csr/detail/inspection.hpp>
#include <einkorn/formats/csr/detail/row_order.hpp>
#include <einkorn/formats/diagonals/detail/diagonal_table.hpp>
#include <einkorn/formats/diagonals/detail/mark_row_on_host.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
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
  Kokkos::View<std::uint64_t*, Device>
      words;                       // one byte per diagonal, 1 or 0, eight per word; empty if they are listed
  std::size_t count = 0;           // nonempty diagonals
  std::vector<std::int64_t> list;  // GPU, of a sample of the rows: the diagonals, ascending
  bool is_sample = false;          // of the rows: there may be more diagonals
};

/// The bytes of the words, one per diagonal.
template <class Words>
KOKKOS_FORCEINLINE_FUNCTION unsigned char* bytes_of(Words const& words) {
  return reinterpret_cast<unsigned char*>(words.data());
}

/// GPU: visits the diagonals of the entries of every `sample`-th block of rows.
///
/// A group of `lanes` threads reads a row, `batch` entries per thread at once, and loads the bounds of several rows at
/// once. In most matrices the entry at one position of a thread's rows is on one diagonal for many rows, and the diagonal
/// is visited only if it changes.
template <int lanes, class Exec, class Matrix, class Visitor>
struct VisitDiagonals {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  static constexpr int team_size = 256, batch = 4;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Rows = CyclicRows<lanes, team_size, 4>;

  Matrix A;
  std::int64_t sample;
  Visitor visitor;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    if (!visitor.is_needed()) return;
    Ordinal diagonal[batch];
    for (auto& d : diagonal) d = A.num_cols;  // no diagonal
    int const lane = team.team_rank() % lanes;
    Rows::for_each(
        team, static_cast<std::int64_t>(A.num_rows), sample,
        [this](std::int64_t number) { return row_at(number); },
        [&](Row const& row) { visit(row, lane, diagonal); });
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
  KOKKOS_FORCEINLINE_FUNCTION void visit(Row const& row, int lane, Ordinal (&diagonal)[batch]) const {
    for (Offset first = row.begin + static_cast<Offset>(lane); first < row.end; first += batch * lanes) {
      Ordinal column[batch];
      for (int u = 0; u < batch; ++u) {  // beyond the end: the last entry
        Offset const at = first + static_cast<Offset>(u * lanes);
        column[u] = A.columns(at < row.end ? at : row.end - 1);
      }
      for (int u = 0; u < batch; ++u) {
        Ordinal const d = column[u] - row.number;
        if (d != diagonal[u]) visitor.visit(static_cast<std::int64_t>(d));
        diagonal[u] = d;
      }
    }
  }
};

/// Marks a diagonal by a byte, if it reads as 0. The read goes through the L1 cache and may be stale, which causes a redundant
/// store.
template <class Exec>
struct MarkByByte {
  unsigned char* marks;  // of diagonal 0

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_needed() const { return true; }
  KOKKOS_FORCEINLINE_FUNCTION void visit(std::int64_t diagonal) const {
    unsigned char* const mark = marks + diagonal;
    if (*mark == 0) Lanes<Exec>::store_volatile(mark, static_cast<unsigned char>(1));
  }
};

/// Inserts a diagonal in a table, unless the matrix is invalid or the table full.
template <class Exec>
struct InsertInTable {
  DiagonalTable table;
  InspectionErrors errors;
  std::int64_t num_rows;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_needed() const { return !errors.any(); }
  KOKKOS_FORCEINLINE_FUNCTION void visit(std::int64_t diagonal) const {
    table.template insert<Lanes<Exec>>(static_cast<std::uint64_t>(diagonal + num_rows));
  }
};

/// 1 launch, asynchronous on exec.
template <class Exec, class Matrix, class Visitor>
void visit_diagonals(Exec const& exec, Matrix const& A, std::int64_t sample, Visitor const& visitor) {
  auto const launch = [&]<int lanes>(std::integral_constant<int, lanes>) {
    using Functor = VisitDiagonals<lanes, Exec, Matrix, Visitor>;
    auto const blocks = ceil_div(Functor::Rows::num_blocks(static_cast<std::int64_t>(A.num_rows)), sample);
    auto const teams = static_cast<int>(std::min(blocks, max_resident_teams));
    Kokkos::parallel_for("einkorn::mark_diagonals",
                         light_weight(Kokkos::TeamPolicy<Exec>(exec, teams, Functor::team_size)),
                         Functor{A, sample, visitor});
  };
  if (static_cast<double>(A.nnz()) <= 8.0 * static_cast<double>(A.num_rows))
    launch(std::integral_constant<int, 2>());
  else
    launch(std::integral_constant<int, 8>());
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
struct CountDiagonalMarks {
  Words words;

  KOKKOS_FUNCTION void operator()(std::size_t i, std::size_t& sum) const {
    sum += static_cast<std::size_t>(Kokkos::popcount(words(i)));
  }
};

/// All nonempty diagonals of A, by marks. Reads A's structure once; fences exec.
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
  if constexpr (is_gpu<Exec>)
    visit_diagonals(exec, A, 1,
                    MarkByByte<Exec>{bytes_of(words) + (static_cast<std::int64_t>(A.num_rows) - 1)});
  else
    range_for<std::size_t>("einkorn::mark_diagonals", exec, static_cast<std::size_t>(A.num_rows),
                           MarkDiagonalsOnHost<Exec, Matrix, Words>{A, words});
  range_reduce<std::size_t>("einkorn::count_diagonals", exec, words.extent(0), CountDiagonalMarks<Words>{words},
                            result.count);
  return result;
}

/// GPU: a conversion searches one of so many blocks of rows for diagonals.
inline std::int64_t diagonal_sample_stride(std::int64_t rows) {
  return std::clamp<std::int64_t>(rows / 65536, 1, 16);
}

/// The checks of a CSR and the search of its diagonals, with which conversions to diagonals begin. On a GPU both run
/// between the constructor and finish(), the search in a sample of the rows: the conversion finds out whether it lacks
/// diagonals.
template <class Exec, class Matrix>
class DiagonalSearch {
 public:
  DiagonalSearch(Exec const& exec, Matrix const& A, Checks checks)
      : exec_(exec), A_(A), inspection_(exec, A, checks) {
    if constexpr (is_gpu<Exec>) {
      auto const rows = static_cast<std::int64_t>(A.num_rows);
      if (A.nnz() > 0 && rows > 0)
        visit_diagonals(exec, A, diagonal_sample_stride(rows),
                        InsertInTable<Exec>{{inspection_.more()}, inspection_.errors(), rows});
    }
  }

  /// Sets `marks`. Fences exec.
  /// @throws InvalidStructure (checks)
  Fingerprint finish() {
    auto const fingerprint = inspection_.finish().fingerprint;
    if constexpr (is_gpu<Exec>) {
      auto const* const table = inspection_.more_on_host();
      marks.is_sample = table[0] > 0 && table[0] <= DiagonalTable::capacity;
      if (marks.is_sample) {
        marks.list = read_diagonal_table(table, static_cast<std::int64_t>(A_.num_rows));
        marks.count = marks.list.size();
        return fingerprint;
      }
    }
    search_all();
    return fingerprint;
  }

  /// Sets `marks` from all rows.
  void search_all() { marks = mark_diagonals(exec_, A_); }

  [[nodiscard]] bool has_sorted_unique_rows() const {
    auto const order = row_order(exec_, A_);
    return order.is_sorted && !order.repeats;
  }

  DiagonalMarks<typename Matrix::device_type> marks;

 private:
  Exec exec_;
  Matrix A_;
  Inspection<Inspect::structure, Exec, Matrix, DiagonalTable::size> inspection_;
};

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
  fence(exec, "einkorn::list_diagonals_on_host");
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
