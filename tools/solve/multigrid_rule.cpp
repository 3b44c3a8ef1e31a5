// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve/multigrid_rule.hpp"

#include <Kokkos_Core.hpp>

#include <sstream>

namespace einkorn::tools {

namespace {

/// Sums over the rows that have entries beside the diagonal, and the longest row.
struct SumRows {
  Matrix<double> A;

  KOKKOS_FUNCTION void operator()(int row, double& row_sums, double& positive, std::int64_t& coupled_rows,
                                  std::int64_t& longest) const {
    int const begin = A.row_begin(row), end = A.row_end(row);
    double diagonal = 0, others = 0, others_positive = 0;
    bool is_coupled = false;
    for (int k = begin; k < end; ++k) {
      double const value = A.values(k);
      if (A.columns(k) == row) {
        diagonal = value;
      } else if (value != 0) {
        is_coupled = true;
        others += value;
        if (value > 0) others_positive += value;
      }
    }
    if (end - begin > longest) longest = end - begin;
    if (!is_coupled) return;
    ++coupled_rows;
    if (diagonal + others > 0) row_sums += (diagonal + others) / diagonal;
    positive += others_positive / diagonal;
  }
};

}  // namespace

std::string MultigridRule::sentence() const {
  std::ostringstream text;
  text.precision(2);
  text << "row sums are " << mean_row_sum << " of the diagonal on average";
  return text.str();
}

MultigridRule multigrid_rule(Exec const& exec, Matrix<double> const& A) {
  MultigridRule rule;
  rule.num_rows = A.num_rows;
  std::int64_t coupled_rows = 0;
  Kokkos::parallel_reduce("einkorn::tools::multigrid_rule",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, A.num_rows), SumRows{A},
                          rule.mean_row_sum, rule.mean_positive, coupled_rows,
                          Kokkos::Max<std::int64_t>(rule.longest_row));
  exec.fence("einkorn::tools::multigrid_rule");
  if (coupled_rows == 0) {
    rule.mean_row_sum = 1;  // a diagonal matrix
  } else {
    rule.mean_row_sum /= static_cast<double>(coupled_rows);
    rule.mean_positive /= static_cast<double>(coupled_rows);
  }
  return rule;
}

MultigridRule multigrid_rule(Exec const&, Matrix<Kokkos::complex<double>> const&) {
  return {};
}

}  // namespace einkorn::tools
