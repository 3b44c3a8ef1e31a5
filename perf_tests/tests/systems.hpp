// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/solve.hpp"

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

namespace einkorn::perf {

using Dense = std::vector<std::vector<double>>;

template <class T>
Kokkos::View<T*, Device> on_device(std::vector<T> const& values) {
  Kokkos::View<T*, Device> const copy("on_device", values.size());
  Kokkos::deep_copy(copy, Kokkos::View<T const*, Kokkos::HostSpace>(values.data(), values.size()));
  return copy;
}

/// A system from a dense matrix, without its zeros.
inline SolveBench make_system(Dense const& rows, std::vector<double> const& b, Method method) {
  std::vector<int> offsets{0}, columns;
  std::vector<double> values, inverse_diagonal;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j) {
      if (rows[i][j] == 0.0) continue;
      columns.push_back(static_cast<int>(j));
      values.push_back(rows[i][j]);
    }
    offsets.push_back(static_cast<int>(columns.size()));
    inverse_diagonal.push_back(1.0 / rows[i][i]);
  }
  SolveBench bench;
  bench.method = method;
  bench.A.num_rows = bench.A.num_cols = static_cast<int>(rows.size());
  bench.A.row_offsets = on_device(offsets);
  bench.A.columns = on_device(columns);
  bench.A.values = on_device(values);
  bench.b = on_device(b);
  bench.x = DenseVector<double>("x", rows.size());
  bench.inverse_diagonal = on_device(inverse_diagonal);
  return bench;
}

/// A path graph with an increasing diagonal, for which Jacobi has an effect; skew makes it unsymmetric.
inline SolveBench path(Method method, double skew = 0.0) {
  constexpr std::size_t n = 100;
  Dense rows(n, std::vector<double>(n, 0.0));
  std::vector<double> b(n);
  for (std::size_t i = 0; i < n; ++i) {
    rows[i][i] = 2.0 + 0.05 * static_cast<double>(i);
    if (i > 0) rows[i][i - 1] = -1.0 - skew;
    if (i + 1 < n) rows[i][i + 1] = -1.0 + skew;
    b[i] = std::sin(3.0 * static_cast<double>(i) + 1.0);
  }
  return make_system(rows, b, method);
}

}  // namespace einkorn::perf
