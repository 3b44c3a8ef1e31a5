// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// C = A B on the host with far more columns than entries: memory grows with entries; the same bits.

#include "../support/host_matrix.hpp"
#include "../support/watch.hpp"

#include <einkorn/formats/spgemm/spgemm.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace einkorn::test {
namespace {

using Host = HostMatrix<double>;

SpgemmOptions host_rows(SpgemmRows rows = SpgemmRows::sorted) {
  SpgemmOptions options;
  options.algorithm = SpgemmAlgorithm::host_rows;
  options.rows = rows;
  return options;
}

TEST(SpgemmOfWideMatrices, MemoryGrowsWithEntries) {
  if (is_gpu<Space>) GTEST_SKIP() << "host_rows is for matrices in host memory";
  int const n = 200'000'000;
  auto const A = Host{2, 2, {0, 1, 2}, {1, 0}, {2.0, 3.0}}.on_device();
  auto const B = Host{2, n, {0, 1, 2}, {n - 1, 5}, {0.5, 7.0}}.on_device();
  std::size_t bytes = 0;
  Host C;

  {
    Watch const watch;
    C = to_host(spgemm(Space(), A, B, host_rows()));
    for (auto const& allocation : watch.seen().allocations) bytes += allocation.bytes;
  }

  EXPECT_LT(bytes, std::size_t(1) << 16);
  EXPECT_EQ(C.num_cols, n);
  EXPECT_EQ(C.columns, (std::vector<int>{5, n - 1}));
  EXPECT_EQ(C.values, (std::vector<double>{14.0, 1.5}));
}

/// Rows of 0 to 39 real entries; columns unsorted, some repeated.
Host mixed(int rows, int columns, std::uint64_t seed) {
  Host A{rows, columns, {0}, {}, {}};
  auto const next = [&] { return (seed = seed * 6364136223846793005u + 1442695040888963407u) >> 33; };
  for (int i = 0; i < rows; ++i) {
    for (std::uint64_t k = next() % 40; k > 0; --k) {
      A.columns.push_back(static_cast<int>(next() % static_cast<std::uint64_t>(columns)));
      A.values.push_back(static_cast<double>(next() % 1000) / 7.0 - 70.0);
    }
    A.offsets.push_back(static_cast<int>(A.columns.size()));
  }
  return A;
}

/// Groups of 5 columns with gaps of three sizes, so that a key has one or several columns.
int far_apart(int column) {
  int const run = column / 5;
  return run * 9001 + run / 7 * 70001 + column % 5 * (run % 2 == 0 ? 1 : 40);
}

TEST(SpgemmOfWideMatrices, SameBitsAsWithFewColumns) {
  if (is_gpu<Space>) GTEST_SKIP() << "host_rows is for matrices in host memory";
  auto const A = mixed(150, 90, 1), B = mixed(90, 2000, 2);
  Host wide = B;
  wide.num_cols = far_apart(2000) + 1;
  for (auto& column : wide.columns) column = far_apart(column);
  for (auto const rows : {SpgemmRows::sorted, SpgemmRows::unsorted}) {
    Watch const watch;
    auto const narrow_plan = spgemm_symbolic(Space(), A.on_device(), B.on_device(), host_rows(rows));
    auto const plan = spgemm_symbolic(Space(), A.on_device(), wide.on_device(), host_rows(rows));

    auto const want = to_host(spgemm_numeric(Space(), narrow_plan, A.on_device(), B.on_device()));
    auto const got = to_host(spgemm_numeric(Space(), plan, A.on_device(), wide.on_device()));

    auto expected = want.columns;
    for (auto& column : expected) column = far_apart(column);
    EXPECT_EQ(got.offsets, want.offsets);
    if (rows == SpgemmRows::sorted) {
      EXPECT_EQ(got.columns, expected);
      EXPECT_EQ(got.values, want.values);  // the order of additions too
    } else {
      auto sorted = got.columns;
      for (std::size_t i = 0; i < got.rows(); ++i) {
        auto const row = [&](std::vector<int>& columns) {
          std::sort(columns.begin() + got.offsets[i], columns.begin() + got.offsets[i + 1]);
        };
        row(sorted);
        row(expected);
      }
      EXPECT_EQ(sorted, expected);
    }
    EXPECT_LT(plan.report().workspace, static_cast<std::size_t>(wide.num_cols));  // a bitmap has 1/8 per thread
    for (auto const& allocation : watch.seen().allocations)
      EXPECT_LT(allocation.bytes, static_cast<std::size_t>(wide.num_cols) / 4) << allocation.label;
  }
}

}  // namespace
}  // namespace einkorn::test
