// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// Row access (RowEntries of formats/row_access.hpp) for diagonal bands (search.hpp).
template <class Format>
struct BandRowEntries {
  using scalar_type = typename Format::scalar_type;
  using ordinal_type = typename Format::ordinal_type;
  static constexpr bool max_is_known = true;
  using Offset = typename Format::offset_type;

  Format F;

  [[nodiscard]] static bool is_available() { return true; }
  template <class Exec>
  [[nodiscard]] std::size_t max_row_length(Exec const&) const {
    return static_cast<std::size_t>(F.num_diagonals());
  }
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(ordinal_type row, Body const& body) const {
    for (ordinal_type band = 0; band < F.num_bands(); ++band) {
      Offset slot = F.band_base(band) + static_cast<Offset>(row);
      ordinal_type const first = row + F.band_offset(band), end = first + F.band_width(band);
      for (ordinal_type column = first; column < end; ++column, slot += F.stride)
        if (column >= 0 && column < F.num_cols) body(column, scalar_type(F.values(slot)));
    }
  }
};

}  // namespace einkorn::detail
