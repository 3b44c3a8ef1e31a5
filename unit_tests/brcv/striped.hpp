// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "../support/battery.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::test {

/// Stripes of the given heights and row lengths; neighbouring stripes have different columns.
inline Pattern striped(std::string name, std::vector<std::pair<std::int64_t, std::int64_t>> const& stripes,
                       std::int64_t num_cols) {
  Pattern pattern;
  pattern.name = std::move(name);
  pattern.num_cols = num_cols;
  for (std::size_t s = 0; s < stripes.size(); ++s) {
    auto const [height, length] = stripes[s];
    std::vector<std::int64_t> list;
    for (std::int64_t j = 0; j < length; ++j)
      list.push_back((j * num_cols / length + static_cast<std::int64_t>(s)) % num_cols);
    for (std::int64_t row = 0; row < height; ++row) {
      pattern.columns.insert(pattern.columns.end(), list.begin(), list.end());
      pattern.offsets.push_back(static_cast<std::int64_t>(pattern.columns.size()));
    }
    pattern.num_rows += height;
  }
  return pattern;
}

/// Heights and lengths around the limits of the kernels: chunks of 4, 8 and 16 rows, 8 to 64 staged columns;
/// empty stripes at the begin, at the end and between.
inline std::vector<Pattern> striped_patterns() {
  std::vector<std::pair<std::int64_t, std::int64_t>> heights{{2, 0}}, lengths{{1, 0}}, both;
  for (std::int64_t const height : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 40, 100})
    heights.emplace_back(height, 6 + height % 3);
  for (std::int64_t const length : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 0, 31, 32, 33, 63, 64, 65, 129, 200})
    lengths.emplace_back(1 + length % 11, length);
  for (std::int64_t i = 0; i < 90; ++i) both.emplace_back(1 + i * 7 % 13, i * 5 % 31);
  lengths.emplace_back(3, 0);
  return {striped("stripes of many heights", heights, 50), striped("stripes of many lengths", lengths, 210),
          striped("stripes of heights and lengths in turn", both, 60), striped("one stripe", {{70, 27}}, 40)};
}

/// The arrays of BRCV by a sequential version of the steps of the patent (brcv.hpp).
struct StripeArrays {
  std::vector<std::int64_t> b{0}, rc{0}, rv, c;
};
inline StripeArrays stripe_arrays(Pattern const& A) {
  StripeArrays arrays;
  auto const columns_of = [&](std::int64_t row) {
    auto const at = [&](std::int64_t i) { return A.columns.begin() + A.offsets[static_cast<std::size_t>(i)]; };
    return std::vector<std::int64_t>(at(row), at(row + 1));
  };
  for (std::int64_t row = 0; row < A.num_rows; ++row) {
    auto const columns = columns_of(row);
    if (row > 0 && columns == columns_of(row - 1)) {
      ++arrays.b.back();
      continue;
    }
    arrays.b.push_back(arrays.b.back() + 1);
    arrays.rc.push_back(arrays.rc.back() + static_cast<std::int64_t>(columns.size()));
    arrays.rv.push_back(A.offsets[static_cast<std::size_t>(row)]);
    arrays.c.insert(arrays.c.end(), columns.begin(), columns.end());
  }
  return arrays;
}

}  // namespace einkorn::test
