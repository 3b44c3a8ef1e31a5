// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/scalar.hpp>
#include <einkorn/core/update.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// y <- alpha op(A) x + beta y for op transpose or conjugate transpose, by adding every product to y
/// atomically: needs no transpose in memory, but the order of the additions varies from run to run. One row a
/// thread.
template <bool conjugated, class Exec, class Matrix, class X, class Y, class Sum>
static void spmv_scatter(Exec const& exec, Update<Sum> const& update, Matrix const& A, X const& x, Y const& y) {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Target = typename Y::value_type;
  scale(exec, update.beta, y);
  auto const width = Y::rank() == 1 ? std::size_t(1) : y.extent(1);
  Sum const alpha = update.alpha;
  Kokkos::parallel_for(
      "einkorn::spmv[csr,scatter]", Kokkos::RangePolicy<Exec, Kokkos::IndexType<Ordinal>>(exec, 0, A.num_rows),
      KOKKOS_LAMBDA(Ordinal row) {
        for (Offset p = A.row_begin(row); p < A.row_end(row); ++p) {
          Sum const value = alpha * (conjugated ? Sum(conjugate(A.values(p))) : Sum(A.values(p)));
          for (std::size_t j = 0; j < width; ++j) {
            Target& target = entry(y, A.columns(p), j);
            Kokkos::atomic_add(&target, Target(value * Sum(entry(x, row, j))));
          }
        }
      });
}

}  // namespace einkorn::detail
