// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace einkorn::detail {

/// Entry j of row i of the CSR to slot j of row i of the ELL, and padding behind the row. One row a thread, so
/// writes are coalesced and a row's entries come through the cache. values_only leaves columns and padding.
template <bool values_only, class Exec, class Format, class Matrix>
void fill_slots(Exec const& exec, Format const& F, Matrix const& A) {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  Kokkos::parallel_for(
      values_only ? "einkorn::update_values[ell]" : "einkorn::from_csr[ell]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<Offset>>(exec, 0, F.stride), KOKKOS_LAMBDA(Offset i) {
        auto const row = static_cast<Ordinal>(i);
        bool const is_row = row < F.num_rows;
        Offset const begin = is_row ? A.row_begin(row) : 0, length = is_row ? A.row_end(row) - begin : 0;
        for (Offset j = 0; j < length; ++j) {
          if constexpr (!values_only) F.columns(j * F.stride + i) = A.columns(begin + j);
          F.values(j * F.stride + i) = A.values(begin + j);
        }
        if constexpr (!values_only)
          for (Offset j = length; j < F.width; ++j) {
            F.columns(j * F.stride + i) = -1;
            F.values(j * F.stride + i) = Scalar(0);
          }
      });
}

}  // namespace einkorn::detail
