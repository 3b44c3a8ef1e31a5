// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/scalar.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// A dense block in a team's scratch, entry (i, j) at entries[j * stride + i], with what its inversion notes a
/// row and a column. The stride is odd: lanes that read along a row use different banks.
template <class Sum>
struct ScratchBlock {
  Sum* entries;
  double* row_sum;                      // [n]
  int *row_scale, *column_scale;        // [n]: exponents of 2 that entries have been divided by
  int *row_step, *column_step, *pivot;  // [n]
  int *origin, *is_bad;                 // [n]
  int n, stride;

  static KOKKOS_FUNCTION int stride_of(int most) { return most | 1; }
  static KOKKOS_FUNCTION std::size_t bytes(int most) {
    return static_cast<std::size_t>(most) *
           (static_cast<std::size_t>(stride_of(most)) * sizeof(Sum) + sizeof(double) + 7 * sizeof(int));
  }
  /// In bytes(most) of memory aligned for Sum.
  KOKKOS_FUNCTION ScratchBlock(void* memory, int most, int rows)
      : entries(static_cast<Sum*>(memory)),
        row_sum(reinterpret_cast<double*>(entries + most * stride_of(most))),
        row_scale(reinterpret_cast<int*>(row_sum + most)),
        column_scale(row_scale + most),
        row_step(column_scale + most),
        column_step(row_step + most),
        pivot(column_step + most),
        origin(pivot + most),
        is_bad(origin + most),
        n(rows),
        stride(stride_of(most)) {}

  KOKKOS_FORCEINLINE_FUNCTION Sum& operator()(int i, int j) const { return entries[j * stride + i]; }
  KOKKOS_FUNCTION bool any_bad() const {
    bool any = false;
    for (int i = 0; i < n; ++i) any = any || is_bad[i] != 0;
    return any;
  }
};

/// Cheaper than the modulus and within a factor of sqrt(2) of it; no overflow.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION double magnitude(T const& value) {
  if constexpr (is_complex<T>)
    return Kokkos::fmax(Kokkos::fabs(value.real()), Kokkos::fabs(value.imag()));
  else
    return Kokkos::fabs(value);
}

}  // namespace einkorn::detail
