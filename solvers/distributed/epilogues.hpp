// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Marks of rows, one bit per row.
template <class Device>
struct RowMarks {
  Kokkos::View<std::uint32_t const*, Device> words;  // [ceil(rows / 32)]

  template <class Row>
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Row row) const {
    auto const at = static_cast<std::size_t>(row);
    return (words(at / 32) >> (at % 32) & 1u) != 0;
  }
};

/// EpilogueWithDots of the local part of a distributed matrix: without the dot products of rows that also have
/// ghost columns, whose y is not final. Additional traffic: 1 bit per row.
template <class EpilogueOp, class Marks>
struct InteriorDots : EpilogueOp {
  using typename EpilogueOp::Accumulators;
  using typename EpilogueOp::Prefetched;
  using typename EpilogueOp::Sum;

  Marks has_ghosts;

  InteriorDots(EpilogueOp const& epilogue, Marks const& marks) : EpilogueOp(epilogue), has_ghosts(marks) {}

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

}  // namespace einkorn::detail
