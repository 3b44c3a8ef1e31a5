// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

namespace einkorn::detail {

/// The first of the entries whose row is not below the given one, or num_entries: where the row begins. rows
/// does not decrease; log2(num_entries) reads.
template <class Rows, class Ordinal, class Offset>
KOKKOS_INLINE_FUNCTION Offset first_entry_of(Rows const& rows, Ordinal row, Offset num_entries) {
  Offset low = 0, high = num_entries;  // the answer lies in [low, high]
  while (low < high) {
    Offset const middle = low + (high - low) / 2;
    if (rows(middle) < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace einkorn::detail
