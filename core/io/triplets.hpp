// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <cstddef>
#include <vector>

namespace einkorn {

/// A matrix as a list of (row, column, value) in host memory: the result of readers, the argument of writers
/// and of conversions (formats/csr/from_triplets.hpp). Indices count from 0. Entries may have any order; the
/// values of a repeated position add up.
/// Invariants: the three lists have equal lengths; 0 <= rows[k] < num_rows; 0 <= columns[k] < num_cols.
template <class Scalar, class Ordinal>
struct Triplets {
  using scalar_type = Scalar;
  using ordinal_type = Ordinal;

  Ordinal num_rows = 0, num_cols = 0;
  std::vector<Ordinal> rows, columns;
  std::vector<Scalar> values;

  [[nodiscard]] std::size_t size() const noexcept { return values.size(); }
};

}  // namespace einkorn
