// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "host_matrix.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace einkorn::test {

/// The matrix with every row sorted by column, stably.
template <class S, class O, class F>
HostMatrix<S, O, F> sorted_by_column(HostMatrix<S, O, F> const& A) {
  auto B = A;
  for (std::size_t i = 0; i < A.rows(); ++i) {
    std::vector<std::size_t> order(A.end(i) - A.begin(i));
    std::iota(order.begin(), order.end(), A.begin(i));
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return A.columns[a] < A.columns[b]; });
    for (std::size_t j = 0; j < order.size(); ++j) {
      B.columns[A.begin(i) + j] = A.columns[order[j]];
      B.values[A.begin(i) + j] = A.values[order[j]];
    }
  }
  return B;
}

}  // namespace einkorn::test
