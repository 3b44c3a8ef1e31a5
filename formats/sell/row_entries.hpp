// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/sell/sell.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn {

namespace detail {

template <class Format>
struct MaxSliceWidth {
  using Ordinal = typename Format::ordinal_type;
  Format F;
  KOKKOS_FUNCTION void operator()(Ordinal slice, std::size_t& max_width) const {
    auto const width = static_cast<std::size_t>(F.slot_count(slice * F.slice_rows));
    if (width > max_width) max_width = width;
  }
};

}  // namespace detail

/// Row access (RowEntries of formats/row_access.hpp) for a Sell. Not available if rows are sorted.
template <class Format>
struct SellRowEntries {
  using scalar_type = typename Format::scalar_type;
  using ordinal_type = typename Format::ordinal_type;
  static constexpr bool max_is_known = false;

  Format F;

  [[nodiscard]] bool is_available() const { return F.rows.extent(0) == 0; }
  template <class Exec>
  [[nodiscard]] std::size_t max_row_length(Exec const& exec) const {
    std::size_t max_width = 0;
    range_reduce<ordinal_type>("einkorn::row_entries[sell]", exec, F.num_slices(),
                               detail::MaxSliceWidth<Format>{F}, Kokkos::Max<std::size_t>(max_width));
    return max_width;
  }
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(ordinal_type row, Body const& body) const {
    auto slot = F.slot_begin(row);
    for (auto left = F.slot_count(row); left > 0; --left, slot += F.slot_stride()) {
      ordinal_type const column = F.column(row, slot);
      if (column < 0) return;
      body(column, scalar_type(F.values(slot)));
    }
  }
};

template <class Scalar, class Ordinal, class Offset, class Device>
auto row_entries(Sell<Scalar, Ordinal, Offset, Device> const& F) {
  return SellRowEntries<Sell<Scalar, Ordinal, Offset, Device>>{F};
}

}  // namespace einkorn
