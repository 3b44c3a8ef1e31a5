// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/scalar.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// A dense block in a team's scratch, entry (i, j) at entries[j * stride + i], with the arrays of its
/// inversion. The stride is odd: lanes that read along a row use different banks.
template <class Sum>
struct ScratchBlock {
  Sum* entries;
  double* row_sum;                      // [n]
  int *row_scale, *column_scale;        // [n]: exponents of the powers of two of the scaling
  int *row_step, *column_step, *pivot;  // [n]
  int *origin, *is_bad;                 // [n]
  int n, stride;

  static KOKKOS_FUNCTION int stride_of(int max_rows) { return max_rows | 1; }
  static KOKKOS_FUNCTION std::size_t bytes(int max_rows) {
    return static_cast<std::size_t>(max_rows) *
           (static_cast<std::size_t>(stride_of(max_rows)) * sizeof(Sum) + sizeof(double) + 7 * sizeof(int));
  }
  /// In bytes(max_rows) of memory aligned for Sum.
  KOKKOS_FUNCTION ScratchBlock(void* memory, int max_rows, int rows)
      : entries(static_cast<Sum*>(memory)),
        row_sum(reinterpret_cast<double*>(entries + max_rows * stride_of(max_rows))),
        row_scale(reinterpret_cast<int*>(row_sum + max_rows)),
        column_scale(row_scale + max_rows),
        row_step(column_scale + max_rows),
        column_step(row_step + max_rows),
        pivot(column_step + max_rows),
        origin(pivot + max_rows),
        is_bad(origin + max_rows),
        n(rows),
        stride(stride_of(max_rows)) {}

  KOKKOS_FORCEINLINE_FUNCTION Sum& operator()(int i, int j) const { return entries[j * stride + i]; }
  KOKKOS_FUNCTION bool any_bad() const {
    bool any = false;
    for (int i = 0; i < n; ++i) any = any || is_bad[i] != 0;
    return any;
  }
};

/// Within a factor of sqrt(2) of the modulus, cheaper, and without overflow.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION double magnitude(T const& value) {
  if constexpr (is_complex<T>)
    return Kokkos::fmax(Kokkos::fabs(value.real()), Kokkos::fabs(value.imag()));
  else
    return Kokkos::fabs(value);
}

}  // namespace einkorn::detail
