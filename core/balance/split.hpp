// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn {

/// The first place in [low, high) at which ascending numbers are not below `least`, or high. at(place): a View
/// or a function. log2(high - low) reads.
template <class At, class Place, class Number>
KOKKOS_INLINE_FUNCTION Place first_not_below(At const& at, Place low, Place high, Number least) {
  while (low < high) {
    Place const middle = low + (high - low) / 2;
    if (at(middle) < least)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// The row that holds entry k, known to lie in [low, high). log2(high - low) reads.
template <class Ordinal, class Offsets, class Offset>
KOKKOS_INLINE_FUNCTION Ordinal row_of_entry_between(Offsets const& offsets, Ordinal low, Ordinal high,
                                                    Offset k) {
  while (high - low > 1) {
    Ordinal const middle = low + (high - low) / 2;
    if (static_cast<Offset>(offsets(middle)) <= k)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/// The row that holds entry k: the last one that starts at or before it, which is never an empty row.
/// offsets: non-decreasing, [num_rows + 1], offsets(0) <= k < offsets(num_rows). log2(num_rows) reads.
template <class Ordinal, class Offsets, class Offset>
KOKKOS_INLINE_FUNCTION Ordinal row_of_entry(Offsets const& offsets, Ordinal num_rows, Offset k) {
  return row_of_entry_between(offsets, Ordinal(0), num_rows, k);
}

/// Where diagonal d cuts the merge path (Merrill & Garland, SC 2016) of the rows and their entries: the number
/// of rows that end in the first d steps, a step being an entry used or a row ended. The remaining d - rows
/// steps are entries. Parts of equal length hold as much work whatever the row lengths, empty rows included.
///
/// Steps are counted in 64 bits: rows and entries together may be more than either index type holds.
template <class Ordinal, class Offsets>
KOKKOS_INLINE_FUNCTION Ordinal rows_before_diagonal(Offsets const& offsets, Ordinal num_rows,
                                                    std::int64_t num_entries, std::int64_t diagonal) {
  Ordinal low = static_cast<Ordinal>(diagonal > num_entries ? diagonal - num_entries : 0);
  Ordinal high = static_cast<std::int64_t>(num_rows) < diagonal ? num_rows : static_cast<Ordinal>(diagonal);
  while (low < high) {  // row `middle` has ended when its last entry lies before the cut
    Ordinal const middle = low + (high - low) / 2;
    if (static_cast<std::int64_t>(offsets(middle + 1)) + static_cast<std::int64_t>(middle) < diagonal)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace einkorn
