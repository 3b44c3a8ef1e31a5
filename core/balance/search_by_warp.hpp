// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn {

/// The row in [low, high) that holds entry k, as row_of_entry() (split.hpp), by the lanes of a warp together, all of them with
/// the same arguments.
/// @pre low < high and offsets(low) <= k < offsets(high).
///
/// Cost: log(high - low) / log(L::size + 1) reads per lane.
template <class L, class Ordinal, class Offsets, class Offset>
KOKKOS_FORCEINLINE_FUNCTION Ordinal row_of_entry_by_warp(Offsets const& offsets, Ordinal low, Ordinal high,
                                                         Offset k, int lane) {
  while (high - low > 1) {
    auto const step = static_cast<Ordinal>((high - low - 1) / (L::size + 1) + 1);
    std::int64_t const probe = static_cast<std::int64_t>(low) + (lane + 1) * static_cast<std::int64_t>(step);
    bool const is_before = probe < static_cast<std::int64_t>(high) && offsets(static_cast<Ordinal>(probe)) <= k;
    low += static_cast<Ordinal>(Kokkos::popcount(L::ballot(is_before))) * step;
    high = high - low > step ? low + step : high;
  }
  return low;
}

}  // namespace einkorn
