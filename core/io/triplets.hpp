// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <cstddef>
#include <vector>

namespace einkorn {

/// A matrix as a plain list of (row, column, value) on the host: what readers give, what writers take, and what
/// a format is built from (see formats/csr/from_triplets.hpp). Indices count from 0. Entries may come in any
/// order and may repeat: a repeated position means the sum of its values. Invariants: the three lists are of
/// one length; 0 <= rows[k] < num_rows; 0 <= columns[k] < num_cols.
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
