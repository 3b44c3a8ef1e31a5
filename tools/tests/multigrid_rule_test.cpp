// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve/multigrid_rule.hpp"

#include <einkorn/core/io/triplets.hpp>
#include <einkorn/formats/csr/from_triplets.hpp>

#include <gtest/gtest.h>

namespace einkorn::tools {
namespace {

/// Rows -1, 2 + shift, -1, with `coupling` instead of -1; the last row is diagonal.
MultigridRule rule_of_chain(int n, double shift, double coupling = -1) {
  Triplets<double, int> triplets{n, n, {}, {}, {}};
  auto const add = [&](int row, int column, double value) {
    triplets.rows.push_back(row);
    triplets.columns.push_back(column);
    triplets.values.push_back(value);
  };
  for (int i = 0; i < n; ++i) add(i, i, 2 + shift);
  for (int i = 1; i + 1 < n; ++i) {
    add(i, i - 1, coupling);
    add(i - 1, i, coupling);
  }
  return multigrid_rule(Exec(), csr_from_triplets<int, Device>(triplets));
}

TEST(MultigridRule, RecommendsLargeWeaklyDominantMMatrices) {
  EXPECT_TRUE(rule_of_chain(10'000, 0).recommends());
  EXPECT_TRUE(rule_of_chain(10'000, 0.01).recommends());
  EXPECT_FALSE(rule_of_chain(9'999, 0).recommends());
  EXPECT_FALSE(rule_of_chain(10'000, 0.1).recommends());      // dominant: few iterations
  EXPECT_FALSE(rule_of_chain(10'000, 1e-3, 1).recommends());  // not an M-matrix
  EXPECT_FALSE(rule_of_chain(10'000, 0, 0).recommends());     // diagonal
  auto rule = rule_of_chain(10'000, 0);
  rule.longest_row = 65;
  EXPECT_FALSE(rule.recommends());
}

TEST(MultigridRule, MeansAreThoseOfCoupledRows) {
  auto const rule = rule_of_chain(5, 2);  // row sums of 4 coupled rows: 3, 2, 2, 3; of 4
  EXPECT_EQ(rule.num_rows, 5);
  EXPECT_EQ(rule.longest_row, 3);
  EXPECT_DOUBLE_EQ(rule.mean_row_sum, 0.625);
  EXPECT_EQ(rule.mean_positive, 0);
  EXPECT_EQ(rule.sentence(), "row sums are 0.62 of the diagonal on average");
  EXPECT_DOUBLE_EQ(rule_of_chain(5, 2, 1).mean_positive, 0.375);
}

TEST(MultigridRule, ComplexMatricesAndTheEmptyMatrixAreNotRecommended) {
  EXPECT_FALSE(multigrid_rule(Exec(), Matrix<Kokkos::complex<double>>()).recommends());
  EXPECT_FALSE(multigrid_rule(Exec(), Matrix<double>()).recommends());
}

}  // namespace
}  // namespace einkorn::tools
