// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/range_launch.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace einkorn::detail {

/// Copies entry j of row i of the CSR to slot j of row i of the ELL and pads the rest of the row. Entries
/// beyond the width are skipped (HYB stores them in COO). One thread per row: writes are coalesced, reads go
/// along the rows through the cache. values_only: columns and padding are not written.
template <bool values_only, class Format, class Matrix>
struct FillSlots {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;

  Format F;
  Matrix A;

  KOKKOS_FUNCTION void operator()(Offset i) const {
    auto const row = static_cast<Ordinal>(i);
    Offset const stride = F.stride, width = F.width;
    Offset begin = 0, length = 0;
    if (row < F.num_rows) {
      begin = A.row_begin(row);
      length = A.row_end(row) - begin;
    }
    if (length > width) length = width;
    for (Offset j = 0; j < length; ++j) F.values(j * stride + i) = Scalar(A.values(begin + j));
    if constexpr (!values_only) {
      for (Offset j = 0; j < length; ++j) F.columns(j * stride + i) = A.columns(begin + j);
      for (Offset j = length; j < width; ++j) {
        F.columns(j * stride + i) = -1;
        F.values(j * stride + i) = Scalar(0);
      }
    }
  }
};

template <bool values_only, class Exec, class Format, class Matrix>
void fill_slots(Exec const& exec, Format const& F, Matrix const& A) {
  using Offset = typename Format::offset_type;
  range_for<Offset>(values_only ? "einkorn::update_values[ell]" : "einkorn::from_csr[ell]", exec, F.stride,
                    FillSlots<values_only, Format, Matrix>{F, A});
}

}  // namespace einkorn::detail
