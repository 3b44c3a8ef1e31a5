// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "solve/types.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace einkorn::tools {

/// What the choice of multigrid for a symmetric A with a positive diagonal depends on. Rows without entries beside
/// the diagonal are not counted in the means.
struct MultigridRule {
  static constexpr std::int64_t min_rows = 10'000;
  static constexpr std::int64_t max_entries_per_row = 64;
  static constexpr double max_row_sum = 0.01, max_positive = 0.1;

  std::int64_t num_rows = 0;
  std::int64_t longest_row = 0;
  double mean_row_sum = 0;   // of max(0, sum of row i) / a_ii
  double mean_positive = 0;  // of the sum of the positive entries beside the diagonal / a_ii

  /// A is close to a singular M-matrix, so that CG needs many iterations and constants are near-null vectors: for
  /// a Laplacian of m points per direction the mean row sum is 1 / m. The limits are where one set-up and solve
  /// to 1e-8 became faster than CG with Jacobi, on one thread of a CPU (tools/README.md).
  [[nodiscard]] bool recommends() const {
    return num_rows >= min_rows && longest_row <= max_entries_per_row && mean_row_sum <= max_row_sum &&
           mean_positive <= max_positive;
  }
  /// "row sums are 0.0033 of the diagonal on average".
  [[nodiscard]] std::string sentence() const;
};

/// One pass over A. A complex A is not recommended.
/// @pre A has a positive diagonal
MultigridRule multigrid_rule(Exec const& exec, Matrix<double> const& A);
MultigridRule multigrid_rule(Exec const& exec, Matrix<Kokkos::complex<double>> const& A);

}  // namespace einkorn::tools
