// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/sum_partials.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace einkorn::detail {

/// Marks of rows, one bit per row. The rows begin ... end - 1 have none: their words are not read.
template <class Device>
struct RowMarks {
  Kokkos::View<std::uint32_t const*, Device> words;  // [ceil(rows / 32)]
  std::size_t begin = 0, end = 0;

  template <class Row>
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Row row) const {
    auto const at = static_cast<std::size_t>(row);
    if (at >= begin && at < end) return false;
    return (words(at / 32) >> (at % 32) & 1u) != 0;
  }
  /// True if the rows first ... last are known to have no marks, from begin and end alone.
  template <class Row>
  KOKKOS_FORCEINLINE_FUNCTION bool has_none(Row first, Row last) const {
    return static_cast<std::size_t>(first) >= begin && static_cast<std::size_t>(last) < end;
  }
};

/// The longest interval of rows that are not in the ascending list.
template <class Rows>
std::pair<std::size_t, std::size_t> longest_gap(Rows const& rows, std::size_t num_rows) {
  std::pair<std::size_t, std::size_t> longest(0, 0);
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= rows.extent(0); ++i) {
    auto const end = i < rows.extent(0) ? static_cast<std::size_t>(rows(i)) : num_rows;
    if (end > begin && end - begin > longest.second - longest.first) longest = {begin, end};
    begin = end + 1;
  }
  return longest;
}

/// EpilogueWithDots of the local part of a distributed matrix: without the dot products of rows that also have
/// ghost columns, whose y is not final. Additional traffic: 1 bit per row
/// outside of the longest interval without such rows.
template <class EpilogueOp, class Marks>
struct InteriorDots : EpilogueOp {
  using typename EpilogueOp::Accumulators;
  using typename EpilogueOp::Prefetched;
  using typename EpilogueOp::Sum;

  Marks has_ghosts;

  InteriorDots(EpilogueOp const& epilogue, Marks const& marks) : EpilogueOp(epilogue), has_ghosts(marks) {}

  /// Whether unmarked() is the epilogue of the rows first ... last. A kernel may use it for many rows at once.
  template <class Row>
  KOKKOS_FORCEINLINE_FUNCTION bool has_no_marks(Row first, Row last) const {
    return has_ghosts.has_none(first, last);
  }
  KOKKOS_FORCEINLINE_FUNCTION EpilogueOp const& unmarked() const { return *this; }

  template <class Target, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Accumulators& accumulators, Target& y, Row row, Sum const& sum,
                                              Prefetched const& prefetched) const {
    if (has_ghosts(row))
      Epilogue<Sum>{this->alpha, this->beta}(y, sum);
    else
      EpilogueOp::operator()(accumulators, y, row, sum, prefetched);
  }
  template <class Target, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Accumulators& accumulators, Target& y, Row row,
                                              Sum const& sum) const {
    (*this)(accumulators, y, row, sum, EpilogueOp::prefetch(row));
  }
  template <class Target, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void add(Accumulators& accumulators, Target& y, Row row, Sum const& rest) const {
    if (has_ghosts(row))
      Epilogue<Sum>{this->alpha, this->beta}.add(y, rest);
    else
      EpilogueOp::add(accumulators, y, row, rest);
  }
  template <class Row, class Target>
  KOKKOS_FORCEINLINE_FUNCTION void accumulate(double* sums, Row row, Target const& value) const {
    if (!has_ghosts(row)) EpilogueOp::accumulate(sums, row, value);
  }
};

/// The epilogue of a matrix with some of the rows only: row k of the matrix is row rows(k) of y. Replaces the y
/// of the kernel. EpilogueOp: Epilogue or EpilogueWithDots.
template <class EpilogueOp, class Rows, class Y>
struct RowsOf : EpilogueOp {
  using typename EpilogueOp::Accumulators;
  using typename EpilogueOp::Prefetched;
  using Sum = typename EpilogueOp::sum_type;

  Rows rows;
  Y y;

  RowsOf(EpilogueOp const& epilogue, Rows const& rows_in, Y const& y_in)
      : EpilogueOp(epilogue), rows(rows_in), y(y_in) {}

  template <class Row>
  KOKKOS_FORCEINLINE_FUNCTION Prefetched prefetch(Row row) const {
    return EpilogueOp::prefetch(rows(row));
  }
  template <class Target, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Accumulators& accumulators, Target&, Row row, Sum const& sum,
                                              Prefetched const& prefetched) const {
    auto const of_y = rows(row);
    EpilogueOp::operator()(accumulators, y(of_y), of_y, sum, prefetched);
  }
  template <class Target, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Accumulators& accumulators, Target& unused, Row row,
                                              Sum const& sum) const {
    (*this)(accumulators, unused, row, sum, prefetch(row));
  }
  template <class Target, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void add(Accumulators& accumulators, Target&, Row row, Sum const& rest) const {
    auto const of_y = rows(row);
    EpilogueOp::add(accumulators, y(of_y), of_y, rest);
  }
};

/// A source of SumPartials: the partial sums of the local product, and the boundary rows, one row per thread,
///
///     y(rows(b)) <- y(rows(b)) + (ghost g)(b),   with the dot products of these rows,
///
/// instead of a kernel of its own for few rows. EpilogueOp: EpilogueWithDots.
template <class EpilogueOp, class Matrix, class Rows, class Ghosts, class Y>
struct BoundaryRows {
  static constexpr int count = EpilogueOp::count;
  using Sum = typename EpilogueOp::sum_type;
  using Offset = typename Matrix::offset_type;
  using Target = typename Y::non_const_value_type;

  BlockSums<count> local;
  EpilogueOp epilogue;
  Matrix ghost;
  bool ghost_is_diagonal;  // row b of ghost has one entry, in column b
  Rows rows;
  Ghosts g;
  Y y;
  std::size_t num_blocks = local.num_blocks + rows.extent(0);

  KOKKOS_FORCEINLINE_FUNCTION void add(std::size_t part, std::size_t num_parts, std::size_t first,
                                       std::size_t stride, double* sums) const {
    auto const of_local = local.prefetch(part, num_parts, first);
    auto const n = rows.extent(0), begin = n * part / num_parts, end = n * (part + 1) / num_parts;
    if (ghost_is_diagonal)
      add_rows<true>(begin + first, end, stride, sums);
    else
      add_rows<false>(begin + first, end, stride, sums);
    local.add(part, num_parts, first, stride, of_local, sums);
  }

 private:
  /// Rows that a thread loads before it uses the first: there are more rows than threads, which wait for one load after
  /// another (offsets, columns, ghosts).
  template <int size>
  struct Batch {
    std::size_t rows[size];
    Target targets[size];
    typename EpilogueOp::Prefetched prefetched[size];
    Sum ghost_sums[size];
  };
  /// H200, double, 2026-11, 131 to 1083 thousand rows: 7 rows of a diagonal ghost part were faster than 8, and 2 to 5 us
  /// faster than 4 with offsets and columns.
  static constexpr int batch_of_short_rows = 4, batch_of_diagonal = sizeof(Target) <= sizeof(double) ? 7 : 4;

  template <bool is_diagonal>
  KOKKOS_FORCEINLINE_FUNCTION void add_rows(std::size_t b, std::size_t end, std::size_t stride,
                                            double* sums) const {
    constexpr int size = is_diagonal ? batch_of_diagonal : batch_of_short_rows;
    for (; b < end; b += size * stride) {
      // Past the end of the rows, row b again, which is not stored.
      auto const at = [=](int u) {
        auto const of_u = b + static_cast<std::size_t>(u) * stride;
        return of_u < end ? of_u : b;
      };
      Batch<size> batch;
      for (int u = 0; u < size; ++u) batch.rows[u] = static_cast<std::size_t>(rows(at(u)));
      if constexpr (is_diagonal) {
        for (int u = 0; u < size; ++u) batch.ghost_sums[u] = Sum(ghost.values(at(u))) * Sum(g(at(u)));
        load_targets(batch);
      } else {
        multiply_ghosts(at, batch);
      }
      complete(b, end, stride, batch, sums);
    }
  }
  template <int size>
  KOKKOS_FORCEINLINE_FUNCTION void load_targets(Batch<size>& batch) const {
    for (int u = 0; u < size; ++u) {
      batch.targets[u] = y(batch.rows[u]);
      batch.prefetched[u] = epilogue.prefetch(batch.rows[u]);
    }
  }
  template <int size, class At>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_ghosts(At const& at, Batch<size>& batch) const {
    Offset begins[size], lengths[size], longest = 0;
    for (int u = 0; u < size; ++u) {
      begins[u] = ghost.row_offsets(at(u));
      lengths[u] = ghost.row_offsets(at(u) + 1) - begins[u];
      batch.ghost_sums[u] = Sum(0);
    }
    load_targets(batch);
    for (int u = 0; u < size; ++u) longest = lengths[u] > longest ? lengths[u] : longest;
    for (Offset k = 0; k < longest; ++k)
      for (int u = 0; u < size; ++u)
        if (k < lengths[u])
          batch.ghost_sums[u] +=
              Sum(ghost.values(begins[u] + k)) * Sum(g(static_cast<std::size_t>(ghost.columns(begins[u] + k))));
  }
  /// The rows b, b + stride, .. of a batch, of which those before `end` exist.
  template <int size>
  KOKKOS_FORCEINLINE_FUNCTION void complete(std::size_t b, std::size_t end, std::size_t stride,
                                            Batch<size>& batch, double* sums) const {
    for (int u = 0; u < size; ++u) {
      if (b + static_cast<std::size_t>(u) * stride >= end) return;
      Epilogue<Sum>{Sum(1), Sum(1)}(batch.targets[u], batch.ghost_sums[u]);
      y(batch.rows[u]) = batch.targets[u];
      epilogue.accumulate(sums, batch.rows[u], batch.targets[u], batch.prefetched[u]);
    }
  }
};

}  // namespace einkorn::detail
