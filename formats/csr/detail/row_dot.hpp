// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/lanes/simd.hpp>
#include <einkorn/core/scalar.hpp>

namespace einkorn::detail {

/// Sum over the entries [begin, end) of value times x(column), on one host thread. The order of the additions
/// depends on the number of entries alone.
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

}  // namespace einkorn::detail
