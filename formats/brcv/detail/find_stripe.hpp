// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

namespace einkorn::detail {

/// The stripe that holds `row`, which lies in [low, high): the last one that begins at or before it. By halves:
/// log2(high - low) reads of b, one after the other.
template <class Begins, class Ordinal>
KOKKOS_INLINE_FUNCTION Ordinal stripe_of_row(Begins const& b, Ordinal low, Ordinal high, Ordinal row) {
  while (high - low > 1) {
    Ordinal const middle = low + (high - low) / 2;
    if (b(middle) <= row)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/// The same among all stripes by a whole warp: each of its lanes looks at one place, which leaves a 32nd (a
/// 64th) of the stripes, so that a million of them take 4 steps. All lanes of the warp call it with the same
/// row, `lane` being the lane's place in the warp.
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
      Ordinal const step = count / lanes + (count % lanes != 0), place = step * static_cast<Ordinal>(lane);
      bool const before =
          place < count && b(low + place) <= row;  // true in lane 0, then false from some lane on
      auto const after = static_cast<Mask>(~L::ballot(before));
      Ordinal const last = (after == 0 ? lanes : static_cast<Ordinal>(L::lowest(after))) - 1;
      low += last * step;
      count = count - last * step < step ? count - last * step : step;
    }
    return low;
  }
}

}  // namespace einkorn::detail
