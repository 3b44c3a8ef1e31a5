// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// Matrices whose entries lie on given diagonals, for the rooms of DIA and bDIA.

#include "../support/battery.hpp"
#include "../support/near.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace einkorn::test {

/// Every entry (i, i + d) of a num_rows x num_cols matrix, for ascending diagonals d.
inline Pattern on_diagonals(std::int64_t num_rows, std::int64_t num_cols,
                            std::vector<std::int64_t> const& diagonals) {
  Pattern pattern;
  pattern.name = std::to_string(num_rows) + " x " + std::to_string(num_cols) + " on " +
                 std::to_string(diagonals.size()) + " diagonals from " +
                 std::to_string(diagonals.empty() ? 0 : diagonals.front());
  pattern.num_rows = num_rows;
  pattern.num_cols = num_cols;
  for (std::int64_t i = 0; i < num_rows; ++i) {
    for (auto const d : diagonals)
      if (i + d >= 0 && i + d < num_cols) pattern.columns.push_back(i + d);
    pattern.offsets.push_back(static_cast<std::int64_t>(pattern.columns.size()));
  }
  return pattern;
}

/// first, first + 1, .., first + width - 1
inline std::vector<std::int64_t> band(std::int64_t first, std::int64_t width) {
  std::vector<std::int64_t> diagonals;
  for (std::int64_t j = 0; j < width; ++j) diagonals.push_back(first + j);
  return diagonals;
}

/// Bands after one another.
inline std::vector<std::int64_t> bands(std::vector<std::vector<std::int64_t>> const& all) {
  std::vector<std::int64_t> diagonals;
  for (auto const& one : all) diagonals.insert(diagonals.end(), one.begin(), one.end());
  return diagonals;
}

/// Square, wide and tall; one band and several; widths around those of lanes; corners only.
inline std::vector<Pattern> diagonal_patterns() {
  std::vector<Pattern> all;
  for (std::int64_t const width : {1, 2, 3, 27, 31, 32, 33, 101})
    all.push_back(on_diagonals(700, 700, band(-width / 2, width)));
  all.push_back(on_diagonals(1500, 1500, bands({{-400}, {-20}, band(-1, 3), {20}, {400}})));
  all.push_back(
      on_diagonals(1100, 1100, bands({band(-331, 3), band(-31, 3), band(-1, 3), band(29, 3), band(329, 3)})));
  all.push_back(on_diagonals(600, 600, {-9, -7, -5, -3, -1, 1, 3, 5, 7, 9, 11}));
  all.push_back(on_diagonals(40, 3000, bands({band(-39, 5), band(700, 40), band(2990, 10)})));
  all.push_back(on_diagonals(3000, 40, bands({band(-2999, 7), band(-1500, 33), band(35, 5)})));
  all.push_back(on_diagonals(513, 511, {-512, 510}));
  all.push_back(on_diagonals(37, 53, band(-36, 89)));
  all.push_back(on_diagonals(1, 90, band(3, 80)));
  all.push_back(on_diagonals(90, 1, band(-80, 70)));
  return all;
}

/// multiply(alpha, x, beta, y) does y <- alpha A x + beta y. Exact; y full of NaN where beta is 0.
template <class S, class Host, class Multiply>
void expect_exact_products(Host const& A, Multiply const& multiply) {
  auto const x = numbers<S>(Numbers::integers, A.cols(), 2);
  auto const device_x = to_device(x);
  for (auto const& [alpha, beta] : {std::pair{S(1), S(0)}, std::pair{S(-2.5), S(0.5)}}) {
    auto const before =
        beta == S(0) ? std::vector<S>(A.rows(), not_a_number<S>()) : numbers<S>(Numbers::integers, A.rows(), 3);
    auto const y = to_device(before);

    multiply(alpha, device_x, beta, y);

    EXPECT_TRUE(agrees(to_host(y), expected<S>(A, x, alpha, beta), before, true))
        << "alpha " << alpha << ", beta " << beta;
  }
}

}  // namespace einkorn::test
