// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/lanes/cache_hint.hpp>
#include <einkorn/core/lanes/simd.hpp>
#include <einkorn/core/scalar.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn::detail {

/// Sum of value * x(column) over the entries begin .. end - 1, on one host thread. The order of the additions
/// depends on the number of entries only.
template <class Sum, bool simd, bool conjugated, class Matrix, class X>
[[gnu::always_inline]] inline Sum row_dot(Matrix const& A, typename Matrix::offset_type begin,
                                          typename Matrix::offset_type end, X const& x) {
  using Offset = typename Matrix::offset_type;
  auto const* const values = A.values.data();
  auto const* const columns = A.columns.data();
  Offset p = begin;
  Sum sum = Sum(0);
  if constexpr (simd && !is_complex<Sum>) {
    constexpr int W = simd_lanes<Sum>;
    if (end - begin >= static_cast<Offset>(W)) {
      auto lanes = Simd<Sum, W>::zero();
      for (; p + W <= end; p += W)
        lanes.add_product(Simd<Sum, W>::load(values + p), Simd<Sum, W>::gather(x, columns + p));
      sum = lanes.sum();
    }
  }
  for (; p < end; ++p) sum += (conjugated ? Sum(conjugate(values[p])) : Sum(values[p])) * Sum(x(columns[p]));
  return sum;
}

/// Sum of value * x(column) over the entries p, p + stride, .. before `end`, on one lane, in batches of
/// `unroll` loads. Past the end a load reads the last entry again, so that it needs no predicate. Rows of few entries
/// begin within sectors that neighbouring rows read too: they stay in L1.
template <class Sum, class L, int stride, int unroll, bool few_entries, bool conjugated, class Matrix, class X>
KOKKOS_FORCEINLINE_FUNCTION Sum lane_dot(Matrix const& A, X const& x, typename Matrix::offset_type p,
                                         typename Matrix::offset_type end, typename L::CacheHint hint) {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Scalar = typename Matrix::scalar_type;
  Sum sum = Sum(0);
  for (; p < end; p += stride * unroll) {
    Ordinal columns[unroll];
    Scalar values[unroll];
    bool used[unroll];
    for (int u = 0; u < unroll; ++u) {
      Offset const q = p + static_cast<Offset>(u) * stride;
      used[u] = q < end;
      Offset const k = used[u] ? q : end - 1;
      if constexpr (few_entries) {
        columns[u] = load_through_l1<L>(A.columns.data() + k, hint);
        values[u] = load_through_l1<L>(A.values.data() + k, hint);
      } else {
        columns[u] = L::load_streaming(A.columns.data() + k, hint);
        values[u] = L::load_streaming(A.values.data() + k, hint);
      }
    }
    Sum from_x[unroll];
    for (int u = 0; u < unroll; ++u) from_x[u] = Sum(x(columns[u]));
    for (int u = 0; u < unroll; ++u) {
      Sum const product = (conjugated ? Sum(conjugate(values[u])) : Sum(values[u])) * from_x[u];
      sum += used[u] ? product : Sum(0);
    }
  }
  return sum;
}

}  // namespace einkorn::detail
