// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/csr/row_lengths.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace einkorn::detail {

template <class Matrix>
struct CountLongRows {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  decltype(Matrix::row_offsets) offsets;
  Offset length;

  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal& count) const {
    if (offsets(row + 1) - offsets(row) >= length) ++count;
  }
};

/// Number of rows with at least `length` entries. Reads row_offsets once; fences exec.
template <class Exec, class Matrix>
typename Matrix::ordinal_type count_long_rows(Exec const& exec, Matrix const& A,
                                              typename Matrix::offset_type length) {
  using Ordinal = typename Matrix::ordinal_type;
  Ordinal rows = 0;
  auto const offsets = A.row_offsets;
  range_reduce<Ordinal>("einkorn::from_csr[hyb,rows]", exec, A.num_rows, CountLongRows<Matrix>{offsets, length},
                        rows);
  return rows;
}

/// The largest width that at least a third of the rows fill (Bell & Garland, section 3.5), with at most
/// fill_limit slots per entry and a number of slots that fits Offset. Bisection with log2(3 mean) passes over
/// row_offsets: a width that a third of the rows fill stores at most 3 slots per entry.
template <class Exec, class Matrix, class Lengths>
typename Matrix::offset_type choose_width(Exec const& exec, Matrix const& A, Lengths const& lengths,
                                          double fill_limit) {
  using Offset = typename Matrix::offset_type;
  if (A.num_rows == 0 || lengths.longest == 0) return 0;
  double const rows = static_cast<double>(A.num_rows);
  double const slots = std::min(fill_limit, 3.0) * static_cast<double>(A.nnz());
  double const countable = static_cast<double>(std::numeric_limits<Offset>::max()) - 65536.0;
  double const max_width =
      std::min({static_cast<double>(lengths.longest), slots / rows, countable / (rows + 31.0)});
  Offset low = 0,
         high = max_width > 0 ? static_cast<Offset>(max_width) : Offset(0);  // the answer lies in [low, high]
  while (low < high) {
    Offset const middle = high - (high - low) / 2;
    if (3.0 * static_cast<double>(count_long_rows(exec, A, middle)) >= rows)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

}  // namespace einkorn::detail
