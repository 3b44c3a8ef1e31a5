// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "../support/types.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::test {

/// An operator that has apply() and nothing else, as a user would write it: over a CSR, one row per thread.
template <class S>
struct UserOperator {
  Csr<S, int, int, Device> A;

  [[nodiscard]] std::size_t num_rows() const { return static_cast<std::size_t>(A.num_rows); }
  [[nodiscard]] std::size_t num_cols() const { return static_cast<std::size_t>(A.num_cols); }

  template <class X, class Y>
  struct Rows {
    Csr<S, int, int, Device> A;
    X x;
    Y y;
    KOKKOS_FUNCTION void operator()(int i) const {
      S sum(0);
      for (int k = A.row_offsets(i); k < A.row_offsets(i + 1); ++k) sum += A.values(k) * x(A.columns(k));
      y(i) = sum;
    }
  };
  template <class X, class Y>
  void apply(Space const& exec, X const& x, Y const& y) const {
    Kokkos::parallel_for("user", Kokkos::RangePolicy<Space>(exec, 0, A.num_rows), Rows<X, Y>{A, x, y});
  }
};

}  // namespace einkorn::test
