// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/split.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn::detail {

/// The stripe of [low, high) that contains `row`: the last one with b(stripe) <= row. log2(high - low)
/// dependent reads.
template <class Begins, class Ordinal>
KOKKOS_INLINE_FUNCTION Ordinal stripe_of_row(Begins const& b, Ordinal low, Ordinal high, Ordinal row) {
  return row_of_entry(b, low, high, row);
}

/// The same among all stripes by a whole warp: in each step the lanes read one element each and reduce the
/// interval to 1/32 (1/64), so that a million stripes take 4 steps. All lanes of the warp call it with the same
/// row.
/// @param lane index of the lane in the warp
template <class L, class Begins, class Ordinal>
KOKKOS_INLINE_FUNCTION Ordinal stripe_of_row_by_lanes(Begins const& b, Ordinal num_stripes, Ordinal row,
                                                      [[maybe_unused]] int lane) {
  if constexpr (L::size == 1) {
    return stripe_of_row(b, Ordinal(0), num_stripes, row);
  } else {
    using Mask = typename L::Mask;
    constexpr auto lanes = static_cast<Ordinal>(L::size);
    Ordinal low = 0, count = num_stripes;  // the answer lies in [low, low + count)
    while (count > 1) {
      Ordinal const step = count / lanes + (count % lanes != 0), offset = step * static_cast<Ordinal>(lane);
      bool const before =
          offset < count && b(low + offset) <= row;  // true in lane 0; true in the first lanes only
      auto const after = static_cast<Mask>(~L::ballot(before));
      Ordinal const last = (after == 0 ? lanes : static_cast<Ordinal>(L::lowest(after))) - 1;
      low += last * step;
      count = count - last * step < step ? count - last * step : step;
    }
    return low;
  }
}

}  // namespace einkorn::detail
