// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The columns of C by row_teams: the order of many keys, and both phases in one pass.

#include "../support/battery.hpp"
#include "spgemm_oracle.hpp"

#include <einkorn/formats/spgemm/spgemm.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace einkorn::test {
namespace {

using Host = HostMatrix<double>;

/// Too many keys for a sort by ranks. All but one key of a row are in its first bucket: 0 .. 399 and the last.
TEST(SpgemmColumns, KeysInOneBucket) {
  int const adjacent = 400, columns = 1 << 24;
  Host A{3, adjacent + 1, {0}, {}, {}}, B{adjacent + 1, columns, {0}, {}, {}};
  for (int const length : {adjacent + 1, 40, 2}) {
    for (int k = 0; k < length; ++k) {
      A.columns.push_back(adjacent - k);
      A.values.push_back(k % 3 + 1.0);
    }
    A.offsets.push_back(static_cast<int>(A.columns.size()));
  }
  for (int i = 0; i <= adjacent; ++i) {
    B.columns.push_back(i < adjacent ? 32 * (adjacent - 1 - i) : columns - 1);
    B.values.push_back(i % 5 - 2.0);
    B.offsets.push_back(i + 1);
  }
  SpgemmTeamOptions options;
  options.algorithm = SpgemmAlgorithm::row_teams;

  auto const C = spgemm(Space(), A.on_device(), B.on_device(), options);

  EXPECT_TRUE(is_product(to_host(C), A, B, true));
}

/// So many products that columns are counted while they are written.
TEST(SpgemmColumns, CountedWhileWritten) {
  int const n = 50000;  // 14 entries per row: 9.8 10^6 products
  Host A{n, n, {0}, {}, {}};
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 14; ++k) {
      auto const drawn = noise(static_cast<std::uint64_t>(14 * i + k), 7);
      A.columns.push_back(k * (n / 14) + static_cast<int>(drawn % static_cast<std::uint64_t>(n / 14)));
      A.values.push_back(static_cast<double>(drawn >> 60) - 7.0);
    }
    A.offsets.push_back(14 * (i + 1));
  }
  SpgemmTeamOptions options;
  options.algorithm = SpgemmAlgorithm::row_teams;
  options.row_classes = SpgemmRowClasses::off;

  auto const plan = spgemm_symbolic(Space(), A.on_device(), A.on_device(), options);

  ASSERT_EQ(plan.report().compressed_nnz_B, 0u);
  ASSERT_TRUE(detail::counts_while_writing(plan.report().products, false, options.workspace_limit));
  EXPECT_GE(plan.report().workspace, 4 * plan.report().products);
  auto const C = to_host(spgemm_numeric(Space(), plan, A.on_device(), A.on_device()));
  options.workspace_limit = std::numeric_limits<std::size_t>::max() - 1;  // in two passes
  auto const other = to_host(spgemm(Space(), A.on_device(), A.on_device(), options));
  EXPECT_TRUE(C.offsets == other.offsets && C.columns == other.columns && C.values == other.values);
}

}  // namespace
}  // namespace einkorn::test
