// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// Matrices whose tiles can or cannot have 16-bit column codes, and the expected codes.

#include "battery.hpp"

#include <einkorn/formats/column_codes/column_codes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace einkorn::test {

using Columns = std::vector<std::int64_t>;

/// True if four windows of 16384 columns (the last of 16383) contain all columns, by definition.
inline bool has_windows(Columns columns) {
  std::sort(columns.begin(), columns.end());
  std::size_t k = 0;
  for (int w = 0; w < 4 && k < columns.size(); ++w)
    for (auto const first = columns[k]; k < columns.size() && columns[k] - first < (w < 3 ? 16384 : 16383);)
      ++k;
  return k == columns.size();
}

/// `count` consecutive columns from `first` on.
inline Columns run_of(std::int64_t first, std::int64_t count) {
  Columns columns;
  for (std::int64_t j = 0; j < count; ++j) columns.push_back(first + j);
  return columns;
}

/// 64 columns that begin with the given ones; about 60 columns next to the first make the windows worthwhile.
inline Columns filled_up(Columns columns) {
  for (std::int64_t j = 1; columns.size() < 64; ++j) columns.push_back(columns.front() + j);
  return columns;
}

inline Pattern from_rows(std::string name, std::vector<Columns> const& rows, std::int64_t num_cols) {
  Pattern pattern;
  pattern.name = std::move(name);
  pattern.num_rows = static_cast<std::int64_t>(rows.size());
  pattern.num_cols = num_cols;
  for (auto const& row : rows) {
    pattern.columns.insert(pattern.columns.end(), row.begin(), row.end());
    pattern.offsets.push_back(static_cast<std::int64_t>(pattern.columns.size()));
  }
  return pattern;
}

/// Rows of equal length: even rows with nearby columns, odd rows with unordered columns over a range of a
/// million.
inline Pattern near_and_far_rows(std::int64_t num_rows, std::int64_t length) {
  std::vector<Columns> rows;
  for (std::int64_t i = 0; i < num_rows; ++i) {
    Columns row;
    for (std::int64_t j = 0; j < length; ++j) {
      auto const far = noise(static_cast<std::uint64_t>(i * length + j), 77) % 1000000;
      row.push_back(i % 2 == 0 ? i + 3 * j : static_cast<std::int64_t>(far));
    }
    rows.push_back(row);
  }
  return from_rows("near and far rows", rows, 1100000);
}

/// Rows at the limits of what codes can represent.
inline std::vector<Columns> edge_rows() {
  return {filled_up({5, 5 + 16383}),
          filled_up({5, 5 + 16384}),
          filled_up({5, 5 + 16384, 5 + 32768, 5 + 49152, 5 + 65534}),
          filled_up({5, 5 + 16384, 5 + 32768, 5 + 49152, 5 + 65535}),
          filled_up({0, 65535}),
          filled_up({0, 65536}),
          filled_up({150000, 50000, 100000, 0}),
          filled_up({150000, 50000, 100000, 0, 250000}),
          filled_up({299000, 0}),
          run_of(0, 65535),
          run_of(0, 65536),
          run_of(100000, 16384)};
}

}  // namespace einkorn::test
