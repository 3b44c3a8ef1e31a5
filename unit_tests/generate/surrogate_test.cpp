// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "generated.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/formats/generate/surrogate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

Surrogate surrogate_of(std::string const& spec) {
  return make_surrogate(parse_generator(spec), false);
}

// Row lengths are computed by a formula, so that all surrogates are compared with the published figures without
// being generated.
TEST(Surrogate, HasThePublishedEntriesLongestRowAndDeviation) {
  for (auto const& features : surrogate_features) {
    Surrogate const surrogate = surrogate_of("gen:surrogate:" + std::string(features.name));
    ASSERT_EQ(surrogate.num_rows(), features.rows) << features.name;
    ASSERT_EQ(surrogate.num_cols(), features.cols) << features.name;
    std::int64_t nnz = 0, longest = 0;
    double squares = 0;
    for (std::int64_t row = 0; row < features.rows; ++row) {
      auto const length = surrogate.length(row);
      nnz += length;
      longest = std::max(longest, length);
      squares += static_cast<double>(length) * static_cast<double>(length);
    }
    auto const rows = static_cast<double>(features.rows);
    double const mean = static_cast<double>(nnz) / rows, deviation = std::sqrt(squares / rows - mean * mean);
    EXPECT_NEAR(static_cast<double>(nnz) / static_cast<double>(features.nnz), 1, 0.02) << features.name;
    EXPECT_NEAR(static_cast<double>(longest), static_cast<double>(features.longest_row), 3.0) << features.name;
    if (features.length_deviation > 0.1) {
      EXPECT_NEAR(deviation / features.length_deviation, 1, 0.2) << features.name;
    }
  }
}

TEST(Surrogate, SeedPermutesTheRowLengths) {
  auto const entries = [](std::string const& spec) {
    Surrogate const surrogate = surrogate_of(spec);
    std::vector<std::int64_t> lengths;
    for (std::int64_t row = 0; row < surrogate.num_rows(); ++row) lengths.push_back(surrogate.length(row));
    return lengths;
  };
  auto one = entries("gen:surrogate:dc2"), two = entries("gen:surrogate:dc2:seed=2");
  EXPECT_NE(one, two);
  std::sort(one.begin(), one.end());
  std::sort(two.begin(), two.end());
  EXPECT_EQ(one, two);
}

TEST(Surrogate, FillsTheDenseMatrix) {
  auto const A = generated("gen:surrogate:dense:2");
  ASSERT_EQ(A.num_rows(), 40);
  ASSERT_EQ(A.num_cols, 40);
  EXPECT_EQ(A.nnz(), 1600u);
}

TEST(Surrogate, RowsOfAGroupHaveTheSameColumnsInAlignedRuns) {
  auto const A = generated("gen:surrogate:cant:10");
  std::size_t in_blocks = 0;
  for (std::int64_t i = 0; i + 2 < A.num_rows(); i += 3) {
    EXPECT_EQ(A.row(i).columns, A.row(i + 1).columns) << i;
    EXPECT_EQ(A.row(i).columns, A.row(i + 2).columns) << i;
    EXPECT_NE(A.row(i).values, A.row(i + 1).values) << i;
    auto const& columns = A.row(i).columns;
    for (auto const column : columns) {
      auto const block = column / 3 * 3;
      in_blocks += std::binary_search(columns.begin(), columns.end(), block) &&
                   std::binary_search(columns.begin(), columns.end(), block + 1) &&
                   std::binary_search(columns.begin(), columns.end(), block + 2);
    }
  }
  EXPECT_GT(static_cast<double>(in_blocks), 0.99 * static_cast<double>(A.nnz()) / 3);
}

TEST(Surrogate, KeepsTheBandAndTheFractionNearTheDiagonal) {
  auto const A = generated("gen:surrogate:pwtk:10");
  auto const features = scaled(find_surrogate("pwtk"), 10);
  std::size_t near = 0, beyond = 0;
  for (std::int64_t i = 0; i < A.num_rows(); ++i)
    for (auto const column : A.row(i).columns) {
      near += std::abs(column - i) <= features.half_window + features.rows_per_group;
      beyond += std::abs(column - i) > features.half_band + features.rows_per_group;
    }
  auto const total = static_cast<double>(A.nnz());
  EXPECT_LT(static_cast<double>(beyond), 0.01 * total);
  EXPECT_GT(static_cast<double>(near), 0.01 * (static_cast<double>(features.near_percent) - 15) * total);
}

TEST(Surrogate, FarEntriesOfACircuitAreInFewColumns) {
  auto const A = generated("gen:surrogate:ASIC_680k:1");
  std::set<std::int64_t> popular;
  std::size_t far = 0;
  for (std::int64_t i = 0; i < A.num_rows(); ++i) {
    if (A.row(i).columns.size() > 100) continue;
    for (auto const column : A.row(i).columns)
      if (std::abs(column - i) > 100) {
        popular.insert(column);
        ++far;
      }
  }
  EXPECT_GT(far, A.rows.size() / 2);
  EXPECT_LE(popular.size(), static_cast<std::size_t>(A.num_cols) * 2 / (2 * 64) + 2);
}

TEST(Surrogate, VeryLongRowHasDistinctColumns) {
  Surrogate const surrogate = surrogate_of("gen:surrogate:FullChip");
  std::int64_t hub = 0;
  for (std::int64_t row = 0; row < surrogate.num_rows(); ++row)
    if (surrogate.length(row) > surrogate.length(hub)) hub = row;
  auto const row = surrogate.row(hub);
  ASSERT_EQ(row.length(), 2312481);
  std::int64_t before = -1;
  for (std::int64_t k = 0; k < row.length(); ++k) {
    ASSERT_GT(row.column(k), before) << k;
    before = row.column(k);
  }
  EXPECT_LT(before, surrogate.num_cols());
  EXPECT_GT(before, surrogate.num_cols() * 9 / 10);
}

TEST(Surrogate, ScalesRowsAndEntries) {
  for (auto const& features : surrogate_features)
    for (std::int64_t const percent : {1, 7, 250}) {
      auto const spec = "gen:surrogate:" + std::string(features.name) + ":" + std::to_string(percent);
      Surrogate const surrogate = surrogate_of(spec);
      EXPECT_EQ(surrogate.num_rows(), features.rows * percent / 100) << spec;
      for (std::int64_t i = 0; i < surrogate.num_rows(); i += 1 + surrogate.num_rows() / 50) {
        auto const row = surrogate.row(i);
        EXPECT_LE(row.length(), surrogate.num_cols()) << spec;
        std::int64_t before = -1;
        for (std::int64_t k = 0; k < row.length(); ++k) {
          ASSERT_GT(row.column(k), before) << spec << " row " << i;
          before = row.column(k);
        }
        ASSERT_LT(before, surrogate.num_cols()) << spec << " row " << i;
      }
    }
}

TEST(Surrogate, TwinIsADeprecatedAlias) {
  for (std::string const rest : {"cant:3", "dc2:2:seed=5", "RAIL4284:1"})
    EXPECT_EQ(digest(generated("gen:twin:" + rest)), digest(generated("gen:surrogate:" + rest))) << rest;
}

TEST(Surrogate, NamesIgnoreCaseAndUnknownNamesAreRefused) {
  EXPECT_EQ(find_surrogate("fullchip").name, "FullChip");
  try {
    (void)generated("gen:surrogate:unknown");
    ADD_FAILURE() << "accepted";
  } catch (InvalidArgument const& error) {
    EXPECT_NE(std::string(error.what()).find("webbase-1M, rail4284"), std::string::npos) << error.what();
  }
}

TEST(Shuffle, IsABijection) {
  for (std::int64_t const count : {1, 2, 3, 64, 1000, 4097}) {
    detail::Shuffle const shuffle(count, CounterRng(5, length_stream, false));
    std::set<std::int64_t> seen;
    for (std::int64_t i = 0; i < count; ++i) seen.insert(shuffle(i));
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(*seen.rbegin(), count - 1);
  }
}

}  // namespace
}  // namespace einkorn::test
