// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "../support/host_matrix.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

namespace einkorn::test {

/// The number of b x b blocks with an entry of A, counted sequentially.
template <class Host>
std::size_t count_blocks(Host const& A, int b) {
  auto const size = static_cast<std::size_t>(b);
  std::size_t blocks = 0;
  for (std::size_t first = 0; first < A.rows(); first += size) {
    auto const last = std::min(first + size, A.rows());
    if (A.begin(first) == A.end(last - 1)) continue;
    std::set<std::size_t> columns;
    for (auto k = A.begin(first); k < A.end(last - 1); ++k) columns.insert(A.column(k) / size);
    blocks += columns.size();
  }
  return blocks;
}

/// The b of 2 .. 8 with the fewest bytes of values and block columns.
template <class Host>
int smallest_by_bytes(Host const& A) {
  int best = 0;
  std::size_t fewest = 0;
  for (int b = 2; b <= 8; ++b) {
    auto const bytes = count_blocks(A, b) * (static_cast<std::size_t>(b * b) * sizeof(typename Host::Scalar) +
                                             sizeof(typename Host::Ordinal));
    if (best != 0 && bytes >= fewest) continue;
    best = b;
    fewest = bytes;
  }
  return best;
}

}  // namespace einkorn::test
