// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn {

/// The first index in [low, high) for which the predicate is false, or high: std::partition_point() on indices.
/// @pre The predicate holds for no index behind one for which it does not hold.
///
/// Cost: at most log2(high - low) + 1 evaluations.
template <class Index, class Predicate>
KOKKOS_FORCEINLINE_FUNCTION Index partition_point_index(Index low, Index high, Predicate const& predicate) {
  while (low < high) {
    Index const middle = low + (high - low) / 2;
    if (predicate(middle))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// The first index i in [low, high) with at(i) >= value, or high: std::lower_bound() on indices.
/// @param at View or function of an index
/// @pre at(low), ..., at(high - 1) are non-decreasing.
///
/// Cost: at most log2(high - low) + 1 reads.
template <class At, class Index, class Value>
KOKKOS_FORCEINLINE_FUNCTION Index lower_bound_index(At const& at, Index low, Index high, Value value) {
  return partition_point_index(low, high, [&](Index i) { return at(i) < value; });
}

/// The last row in [low, high) with offsets(row) <= k: the row that holds entry k. Empty rows never qualify.
/// @param offsets View or function of a row, non-decreasing
/// @pre low < high and offsets(low) <= k < offsets(high).
///
/// Cost: log2(high - low) reads.
template <class Ordinal, class Offsets, class Offset>
KOKKOS_INLINE_FUNCTION Ordinal row_of_entry(Offsets const& offsets, Ordinal low, Ordinal high, Offset k) {
  while (high - low > 1) {
    Ordinal const middle = low + (high - low) / 2;
    if (static_cast<Offset>(offsets(middle)) <= k)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/// The row in [0, num_rows) that holds entry k.
/// @param offsets [num_rows + 1], non-decreasing
/// @pre offsets(0) <= k < offsets(num_rows).
///
/// Cost: log2(num_rows) reads.
template <class Ordinal, class Offsets, class Offset>
KOKKOS_INLINE_FUNCTION Ordinal row_of_entry(Offsets const& offsets, Ordinal num_rows, Offset k) {
  return row_of_entry(offsets, Ordinal(0), num_rows, k);
}

/// The number of rows that end in the first `diagonal` steps of the merge path of rows and entries. A step
/// consumes an entry or ends a row; the other diagonal - (this number) steps consume entries. Ranges of equal
/// numbers of steps hold equal work for any row lengths, empty rows included.
/// @param offsets [num_rows + 1], non-decreasing, from 0 to num_entries
///
/// Steps are counted in 64 bits: num_rows + num_entries may overflow both index types.
/// Cost: at most log2(num_rows) + 1 reads. Source: Merrill, Garland, SC 2016.
template <class Ordinal, class Offsets>
KOKKOS_INLINE_FUNCTION Ordinal rows_before_diagonal(Offsets const& offsets, Ordinal num_rows,
                                                    std::int64_t num_entries, std::int64_t diagonal) {
  Ordinal low = static_cast<Ordinal>(diagonal > num_entries ? diagonal - num_entries : 0);
  Ordinal high = static_cast<std::int64_t>(num_rows) < diagonal ? num_rows : static_cast<Ordinal>(diagonal);
  return partition_point_index(low, high, [&](Ordinal row) {
    return static_cast<std::int64_t>(offsets(row + 1)) + static_cast<std::int64_t>(row) < diagonal;
  });
}

}  // namespace einkorn
