// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// A A and A A^T of the real matrices of examples/data.

#include "../support/data_folder.hpp"
#include "../support/matrix_files.hpp"
#include "../support/near.hpp"
#include "spgemm_oracle.hpp"

#include <einkorn/formats/csr/transpose.hpp>
#include <einkorn/formats/spgemm/spgemm.hpp>

#include <gtest/gtest.h>

#include <cstddef>

namespace einkorn::test {
namespace {

constexpr std::size_t max_products = 20000000;  // about five seconds of the oracle

/// row_teams against the oracle; the default algorithm gives the same bits.
template <class A, class B>
bool has_right_product(A const& a, B const& b) {
  auto const host_a = to_host(a), host_b = to_host(b);
  if (count_products(host_a, host_b) > max_products) return false;
  SpgemmTeamOptions teams;
  teams.algorithm = SpgemmAlgorithm::row_teams;

  auto const by_teams = to_host(spgemm(Space(), a, b, teams)), by_default = to_host(spgemm(Space(), a, b));

  EXPECT_TRUE(is_product(by_teams, host_a, host_b, false));
  EXPECT_TRUE(by_default.offsets == by_teams.offsets && by_default.columns == by_teams.columns);
  EXPECT_TRUE(same_numbers(by_default.values, by_teams.values));
  return true;
}

TEST(SpgemmOfRealMatrices, SquaresAndProductsWithTransposes) {
  std::size_t squares = 0, with_transposes = 0;
  for (auto const& file : files_in(data_folder("../examples/data"))) {
    SCOPED_TRACE(file.filename());
    auto const A = csr_of_file<double>(file);
    if (A.num_rows == A.num_cols) squares += has_right_product(A, A);
    with_transposes += has_right_product(A, transpose(Space(), A).matrix);
  }
  EXPECT_GE(squares, 5u);
  EXPECT_GE(with_transposes, 6u);
}

}  // namespace
}  // namespace einkorn::test
