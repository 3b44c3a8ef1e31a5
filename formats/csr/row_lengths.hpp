// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/csr/csr.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn {

/// Statistics of the row lengths of a matrix, from which kernels are selected.
template <class Ordinal, class Offset>
struct RowLengths {
  Ordinal num_rows = 0, empty_rows = 0;
  Offset longest = 0, entries = 0;

  /// Mean length of all rows, empty ones included; 0 without rows.
  [[nodiscard]] constexpr double mean() const {
    return num_rows == 0 ? 0.0 : static_cast<double>(entries) / static_cast<double>(num_rows);
  }
};

namespace detail {

template <class Ordinal, class Offset, class Offsets>
struct MeasureRowLengths {
  Offsets offsets;

  KOKKOS_FUNCTION void operator()(Ordinal row, Offset& longest, Ordinal& empty) const {
    Offset const length = offsets(row + 1) - offsets(row);
    if (length > longest) longest = length;
    if (length == 0) ++empty;
  }
};

}  // namespace detail

/// Computes the statistics of A [num_rows x num_cols] on the device.
/// @pre A is valid (validate()).
///
/// Cost: 1 launch (none without rows) that reads row_offsets once; fences exec. Deterministic. Source:
/// elementary, one reduction.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
RowLengths<Ordinal, Offset> row_lengths(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A) {
  RowLengths<Ordinal, Offset> result{A.num_rows, 0, 0, A.nnz()};
  if (A.num_rows == 0) return result;
  auto const offsets = A.row_offsets;
  range_reduce<Ordinal>("einkorn::row_lengths", exec, A.num_rows,
                        detail::MeasureRowLengths<Ordinal, Offset, decltype(A.row_offsets)>{offsets},
                        Kokkos::Max<Offset>(result.longest), Kokkos::Sum<Ordinal>(result.empty_rows));
  return result;
}

}  // namespace einkorn
