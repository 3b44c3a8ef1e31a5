// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/io/detail/matrix_market_scalar.hpp>
#include <einkorn/core/io/triplets.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace einkorn::detail {

/// True if the positions are strictly increasing in row-major or column-major order, as in most files: then no
/// position repeats.
template <class Ordinal>
bool is_strictly_ordered(std::vector<Ordinal> const& rows, std::vector<Ordinal> const& columns) {
  bool by_column = true, by_row = true;
  for (std::size_t k = 1; k < rows.size() && (by_column || by_row); ++k) {
    by_column &= columns[k - 1] < columns[k] || (columns[k - 1] == columns[k] && rows[k - 1] < rows[k]);
    by_row &= rows[k - 1] < rows[k] || (rows[k - 1] == rows[k] && columns[k - 1] < columns[k]);
  }
  return by_column || by_row;
}

/// Sorts `order` stably by keys[order[k]] in 0..num_keys-1.
template <class Ordinal>
void counting_sort(std::vector<std::size_t>& order, std::vector<Ordinal> const& keys, std::size_t num_keys) {
  std::vector<std::size_t> start(num_keys + 1, 0);
  for (auto const key : keys) ++start[static_cast<std::size_t>(key) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<std::size_t> sorted(order.size());
  for (auto const k : order) sorted[start[static_cast<std::size_t>(keys[k])]++] = k;
  order = std::move(sorted);
}

/// The permutation that sorts the entries stably by column, then row. Counting sorts in O(entries), unless the
/// extents exceed 4 times the number of entries: then a comparison sort, because the counters would need more
/// time and memory than the input justifies.
template <class Ordinal>
std::vector<std::size_t> column_major_order(std::vector<Ordinal> const& rows,
                                            std::vector<Ordinal> const& columns, Ordinal num_rows,
                                            Ordinal num_cols) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  auto const m = static_cast<std::size_t>(num_rows), n = static_cast<std::size_t>(num_cols);
  if (std::max(m, n) / 4 <= rows.size()) {
    counting_sort(order, rows, m);
    counting_sort(order, columns, n);
  } else {
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::tuple(columns[a], rows[a], a) < std::tuple(columns[b], rows[b], b);
    });
  }
  return order;
}

/// Calls repeated(first, k) for each entry k with the position of an earlier entry; `first` is the earliest. In
/// column-major order, in file order for one position.
template <class Scalar, class Ordinal, class Repeated>
void for_each_duplicate(Triplets<Scalar, Ordinal> const& matrix, Repeated&& repeated) {
  auto const& rows = matrix.rows;
  auto const& columns = matrix.columns;
  if (is_strictly_ordered(rows, columns)) return;
  auto const order = column_major_order(rows, columns, matrix.num_rows, matrix.num_cols);
  for (std::size_t i = 1, first = 0; i < order.size(); ++i) {
    auto const a = order[first], b = order[i];
    if (rows[a] == rows[b] && columns[a] == columns[b])
      repeated(a, b);
    else
      first = i;
  }
}

/// Removes the marked entries and keeps the order of the others.
template <class Scalar, class Ordinal>
void remove_entries(Triplets<Scalar, Ordinal>& matrix, std::vector<bool> const& is_removed) {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < matrix.size(); ++k) {
    if (is_removed[k]) continue;
    matrix.rows[kept] = matrix.rows[k];
    matrix.columns[kept] = matrix.columns[k];
    matrix.values[kept++] = matrix.values[k];
  }
  matrix.rows.resize(kept);
  matrix.columns.resize(kept);
  matrix.values.resize(kept);
}

}  // namespace einkorn::detail
