// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace einkorn::detail {

/// The bands of a matrix (host).
template <class Ordinal>
struct BandTable {
  std::vector<Ordinal> offsets, widths;
  double diagonals = 0;  // stored diagonals of all bands; double, since a refused number may overflow integers

  [[nodiscard]] std::size_t size() const { return offsets.size(); }
};

/// Groups ascending diagonals into bands: runs of diagonals, joined if at most max_gap empty diagonals separate
/// them.
template <class Ordinal>
BandTable<Ordinal> join_diagonals(std::vector<Ordinal> const& diagonals, std::int64_t max_gap) {
  BandTable<Ordinal> table;
  reserve(table.offsets, "einkorn::Bdia::band_offsets on the host", diagonals.size());
  reserve(table.widths, "einkorn::Bdia::band_widths on the host", diagonals.size());
  for (std::size_t d = 0; d < diagonals.size(); ++d) {
    auto const diagonal = static_cast<std::int64_t>(diagonals[d]);
    auto const end = table.size() == 0 ? diagonal
                                       : static_cast<std::int64_t>(table.offsets.back()) +
                                             static_cast<std::int64_t>(table.widths.back());
    if (table.size() == 0 || diagonal - end > max_gap) {
      table.offsets.push_back(diagonals[d]);
      table.widths.push_back(1);
      table.diagonals += 1;
    } else {
      table.widths.back() += static_cast<Ordinal>(diagonal - end + 1);
      table.diagonals += static_cast<double>(diagonal - end + 1);
    }
  }
  return table;
}

}  // namespace einkorn::detail
