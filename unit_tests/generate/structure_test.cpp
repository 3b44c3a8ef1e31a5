// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "generated.hpp"

#include <einkorn/formats/generate/counter_rng.hpp>
#include <einkorn/formats/generate/power_law.hpp>
#include <einkorn/formats/generate/rmat.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// Each kind of matrix is compared with its definition, evaluated entry by entry.

namespace einkorn::test {
namespace {

using Columns = std::vector<std::int64_t>;

struct Grid {
  std::string spec;
  std::int64_t nx, ny, nz, unknowns;
  bool is_star;
};

TEST(GenerateStencil, CouplesTheNeighboursOnTheGrid) {
  for (auto const& [spec, nx, ny, nz, unknowns, is_star] :
       std::vector<Grid>{{"gen:stencil5:5x4", 5, 4, 1, 1, true},
                         {"gen:stencil5:6", 6, 6, 1, 1, true},
                         {"gen:stencil9:5x4", 5, 4, 1, 1, false},
                         {"gen:stencil9:1x4", 1, 4, 1, 1, false},
                         {"gen:stencil7:4x3x5", 4, 3, 5, 1, true},
                         {"gen:stencil7:3x1x2", 3, 1, 2, 1, true},
                         {"gen:stencil27:4x3x5", 4, 3, 5, 1, false},
                         {"gen:stencil27:2", 2, 2, 2, 1, false},
                         {"gen:elasticity:3x4x2", 3, 4, 2, 3, false},
                         {"gen:elasticity:5", 5, 5, 5, 3, false}}) {
    auto const A = generated(spec);
    ASSERT_EQ(A.num_rows(), nx * ny * nz * unknowns) << spec;
    ASSERT_EQ(A.num_cols, A.num_rows()) << spec;
    std::size_t longest = 0;
    for (std::int64_t i = 0; i < A.num_rows(); ++i) {
      std::int64_t const p = i / unknowns;
      Columns want;
      for (std::int64_t j = 0; j < A.num_cols; ++j) {
        std::int64_t const q = j / unknowns;
        auto const dx = std::abs(p % nx - q % nx), dy = std::abs(p / nx % ny - q / nx % ny),
                   dz = std::abs(p / nx / ny - q / nx / ny);
        if (is_star ? dx + dy + dz <= 1 : std::max({dx, dy, dz}) <= 1) want.push_back(j);
      }
      EXPECT_EQ(A.row(i).columns, want) << spec << " row " << i;
      longest = std::max(longest, want.size());
    }
    if (spec == "gen:elasticity:5") {
      EXPECT_EQ(longest, 81u);
    }
  }
}

TEST(GenerateBand, FillsTheDiagonalsAboutTheMainOne) {
  for (auto const& [spec, n, width] :
       std::vector<std::tuple<std::string, std::int64_t, std::int64_t>>{{"gen:band:20:1", 20, 1},
                                                                        {"gen:band:20:7", 20, 7},
                                                                        {"gen:band:5:9", 5, 9},
                                                                        {"gen:band:6:7", 6, 7}}) {
    auto const A = generated(spec);
    ASSERT_EQ(A.num_rows(), n);
    for (std::int64_t i = 0; i < n; ++i) {
      Columns want;
      for (std::int64_t j = 0; j < n; ++j)
        if (std::abs(i - j) <= width / 2) want.push_back(j);
      EXPECT_EQ(A.row(i).columns, want) << spec << " row " << i;
    }
  }
}

TEST(GenerateBands, SpreadsBandsEvenlyAboutTheMainDiagonal) {
  struct Case {
    std::int64_t n, width, count;
  };
  for (auto const& [n, width, count] : std::vector<Case>{{60, 3, 1},
                                                         {60, 4, 2},
                                                         {60, 3, 3},
                                                         {61, 5, 5},
                                                         {100, 1, 20},
                                                         {100, 3, 20},
                                                         {64, 30, 2},
                                                         {50, 49, 1},
                                                         {37, 2, 6}}) {
    auto const spec =
        "gen:bands:" + std::to_string(n) + ":" + std::to_string(width) + ":" + std::to_string(count);
    auto const A = generated(spec);
    ASSERT_EQ(A.num_rows(), n);
    for (std::int64_t i = 0; i < n; ++i) {
      Columns want;
      for (std::int64_t band = 0; band < count; ++band) {
        auto const middle = i + (2 * band - (count - 1)) * (n / (2 * count));
        for (std::int64_t j = middle - width / 2; j < middle - width / 2 + width; ++j)
          if (j >= 0 && j < n) want.push_back(j);
      }
      EXPECT_EQ(A.row(i).columns, want) << spec << " row " << i;
    }
  }
}

TEST(GenerateStripes, ColumnsChangeEveryHeightRows) {
  for (auto const& [spec, n, height, width] :
       std::vector<std::tuple<std::string, std::int64_t, std::int64_t, std::size_t>>{
           {"gen:stripes:103:4:9", 103, 4, 9},
           {"gen:stripes:64:16:32", 64, 16, 32},
           {"gen:stripes:8:1:4", 8, 1, 4},
           {"gen:stripes:16:1:1", 16, 1, 1},
           {"gen:stripes:200:1:1", 200, 1, 1},
           {"gen:stripes:400:1:1", 400, 1, 1}}) {
    auto const A = generated(spec);
    ASSERT_EQ(A.num_rows(), n);
    for (std::int64_t i = 0; i < n; ++i) {
      EXPECT_EQ(A.row(i).columns.size(), width) << spec << " row " << i;
      if (i == 0) continue;
      if (i % height != 0)
        EXPECT_EQ(A.row(i).columns, A.row(i - 1).columns) << spec << " row " << i;
      else
        EXPECT_NE(A.row(i).columns, A.row(i - 1).columns) << spec << " row " << i;
      EXPECT_NE(A.row(i).values, A.row(i - 1).values) << spec << " row " << i;
    }
  }
}

TEST(GenerateRmat, MergesRepeatedEdges) {
  for (std::string const spec : {"gen:rmat:1:3", "gen:rmat:4:64", "gen:rmat:9", "gen:rmat:6:1:seed=5"}) {
    auto const graph = make_rmat(parse_generator(spec), false);
    std::map<std::uint64_t, std::int64_t> copies_of_key;
    for (std::int64_t edge = 0; edge < graph.num_edges(); ++edge) ++copies_of_key[graph.key(edge)];
    CounterRng const values(parse_generator(spec).seed, value_stream, false);
    auto const A = generated(spec);
    ASSERT_EQ(A.num_rows(), graph.num_nodes());
    ASSERT_EQ(A.nnz(), copies_of_key.size()) << spec;
    std::int64_t edges = 0;
    for (auto const& [key, count] : copies_of_key) {
      std::int64_t sum = 0;
      for (std::int64_t copy = 0; copy < count; ++copy)
        sum += values.value(static_cast<std::int64_t>(key), copy).real;
      auto const n = static_cast<std::uint64_t>(graph.num_nodes());
      double const got = A.at(static_cast<std::int64_t>(key / n), static_cast<std::int64_t>(key % n));
      EXPECT_NEAR(got, std::ldexp(static_cast<double>(sum), -23), std::abs(got) * std::ldexp(1, -23)) << spec;
      edges += count;
    }
    EXPECT_EQ(edges, graph.num_edges()) << spec;
  }
}

TEST(GenerateRmat, QuadrantsHaveTheirProbabilities) {
  for (auto const& [spec, probabilities] : std::vector<std::pair<std::string, std::vector<double>>>{
           {"gen:rmat:16:2", {.57, .19, .19, .05}}, {"gen:rmat:16:2:45:22:11", {.45, .22, .11, .22}}}) {
    auto const graph = make_rmat(parse_generator(spec), false);
    std::vector<std::vector<int>> quadrants(2, std::vector<int>(4));  // of the matrix; of the smallest blocks
    for (std::int64_t edge = 0; edge < graph.num_edges(); ++edge) {
      auto const row = graph.row_of(graph.key(edge)), column = graph.column_of(graph.key(edge));
      ++quadrants[0][static_cast<std::size_t>(2 * (row >> 15) + (column >> 15))];
      ++quadrants[1][static_cast<std::size_t>(2 * (row & 1) + (column & 1))];
    }
    for (auto const& counts : quadrants)
      for (std::size_t q = 0; q < 4; ++q)
        EXPECT_NEAR(counts[q] / static_cast<double>(graph.num_edges()), probabilities[q], 0.006)
            << spec << " quadrant " << q;
  }
}

TEST(GenerateRmat, HasHubsInRowsAndColumnsAndEmptyRows) {
  auto const A = generated("gen:rmat:12");
  std::vector<std::size_t> column_length(A.rows.size());
  std::size_t longest = 0, empty = 0;
  for (auto const& row : A.rows) {
    longest = std::max(longest, row.columns.size());
    empty += row.columns.empty();
    for (auto const column : row.columns) ++column_length[static_cast<std::size_t>(column)];
  }
  EXPECT_GT(static_cast<double>(longest), 40 * A.mean_length());
  EXPECT_GT(static_cast<double>(*std::max_element(column_length.begin(), column_length.end())),
            40 * A.mean_length());
  EXPECT_GT(empty, A.rows.size() / 8);
}

TEST(GeneratePowerLaw, CubeRootIsExact) {
  for (std::uint64_t root : {0ull, 1ull, 2ull, 10ull, 1625ull, 99999ull, 2642245ull}) {
    EXPECT_EQ(detail::cube_root(root * root * root), root);
    if (root > 0) {
      EXPECT_EQ(detail::cube_root(root * root * root - 1), root - 1);
    }
  }
  EXPECT_EQ(detail::cube_root(~std::uint64_t(0)), 2642245u);
}

TEST(GeneratePowerLaw, HasTheRequiredMeanAndTail) {
  for (auto const& [spec, mean] : std::vector<std::pair<std::string, double>>{{"gen:powerlaw:50000:16", 16},
                                                                              {"gen:powerlaw:50000:5", 5}}) {
    auto const A = generated(spec);
    EXPECT_NEAR(A.mean_length(), mean, 0.1 * mean) << spec;
    auto const longer_than = [&](double length) {
      return static_cast<double>(std::count_if(A.rows.begin(), A.rows.end(), [&](auto const& row) {
        return static_cast<double>(row.columns.size()) >= length;
      }));
    };
    EXPECT_NEAR(longer_than(16 * mean) / longer_than(4 * mean), 0.125, 0.03) << spec;  // 4^(-3/2)
    EXPECT_GT(longer_than(100 * mean), 0) << spec;
  }
}

TEST(GenerateCircuit, HasShortRowsASymmetricPatternAndAFewNets) {
  auto const A = generated("gen:circuit:20000");
  std::vector<std::size_t> lengths;
  std::size_t ordinary = 0, far = 0;
  for (std::int64_t i = 0; i < A.num_rows(); ++i) {
    auto const& columns = A.row(i).columns;
    lengths.push_back(columns.size());
    ordinary += columns.size() >= 3 && columns.size() <= 10;
    EXPECT_TRUE(std::binary_search(columns.begin(), columns.end(), i)) << "no diagonal in row " << i;
    for (auto const j : columns) {
      EXPECT_TRUE(std::binary_search(A.row(j).columns.begin(), A.row(j).columns.end(), i)) << i << " " << j;
      far += std::abs(i - j) > 1597;
    }
  }
  EXPECT_NEAR(A.mean_length(), 5.9, 0.2);
  EXPECT_GT(ordinary, A.rows.size() * 97 / 100);
  std::sort(lengths.rbegin(), lengths.rend());
  std::vector<std::size_t> const nets(lengths.begin(), lengths.begin() + 6);
  EXPECT_EQ(nets, (std::vector<std::size_t>{2500, 1250, 625, 313, 157, 79}));
  EXPECT_GT(far, A.nnz() / 20);
  EXPECT_LT(far, A.nnz() / 10);
}

TEST(GenerateLongRows, SpreadsEveryRowOverAllColumns) {
  auto const A = generated("gen:longrows:7:1000:30");
  EXPECT_EQ(A.num_rows(), 7);
  EXPECT_EQ(A.num_cols, 1000);
  for (std::int64_t i = 0; i < 7; ++i) {
    EXPECT_EQ(A.row(i).columns.size(), 30u);
    EXPECT_LT(A.row(i).columns.front(), 34);
    EXPECT_GE(A.row(i).columns.back(), 967);
    if (i > 0) {
      EXPECT_NE(A.row(i).columns, A.row(i - 1).columns);
    }
  }
}

TEST(GenerateLongRows, FillsTheRowWhenLengthIsAllColumns) {
  auto const A = generated("gen:longrows:2:9:9");
  EXPECT_EQ(A.row(1).columns, (Columns{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(GenerateBlocks, AlignedDenseBlocksIncludingTheDiagonal) {
  for (auto const& [spec, n, block] : std::vector<std::tuple<std::string, std::int64_t, std::int64_t>>{
           {"gen:blocks:300:3", 300, 3}, {"gen:blocks:100:7", 100, 7}, {"gen:blocks:9:4", 9, 4}}) {
    auto const A = generated(spec);
    ASSERT_EQ(A.num_rows(), n);
    std::int64_t const num_blocks = (n + block - 1) / block;
    for (std::int64_t i = 0; i < n; ++i) {
      Columns blocks, want;
      for (auto const column : A.row(i).columns)
        if (blocks.empty() || blocks.back() != column / block) blocks.push_back(column / block);
      for (auto const b : blocks)
        for (std::int64_t j = b * block; j < std::min(n, (b + 1) * block); ++j) want.push_back(j);
      EXPECT_EQ(A.row(i).columns, want) << spec << " row " << i;
      EXPECT_TRUE(std::binary_search(blocks.begin(), blocks.end(), i / block)) << spec << " row " << i;
      EXPECT_GE(static_cast<std::int64_t>(blocks.size()), std::min<std::int64_t>(4, num_blocks)) << spec;
      EXPECT_LE(blocks.size(), 12u) << spec;
      if (i % block != 0) {
        EXPECT_EQ(A.row(i).columns, A.row(i - 1).columns) << spec << " row " << i;
      }
    }
  }
}

TEST(Strata, PartitionTheExtent) {
  for (auto const& [extent, count] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{10, 3}, {7, 7}, {5, 1}, {12, 4}, {13, 8}}) {
    Strata const strata(extent, count);
    std::int64_t next = 0;
    for (std::int64_t k = 0; k < count; ++k) {
      EXPECT_EQ(strata.begin(k), next);
      for (std::int64_t j = 0; j < strata.size(k); ++j) EXPECT_EQ(strata.index_of(next + j), k);
      next += strata.size(k);
    }
    EXPECT_EQ(next, extent);
  }
}

TEST(ScalarFrom, KeepsTheTwentyFourLeadingBits) {
  EXPECT_EQ(scalar_from<double>({numerator_of_one, 0}), 1.0);
  EXPECT_EQ(scalar_from<float>({-1, 0}), -std::ldexp(1.0f, -23));
  EXPECT_EQ(scalar_from<double>({(std::int64_t(1) << 30) + 127, 0}), 128.0);
  EXPECT_EQ(scalar_from<double>({-(std::int64_t(1) << 30) - 128, 0}), -128.0 - std::ldexp(128, -23));
  EXPECT_EQ(scalar_from<float>({(std::int64_t(1) << 24) - 1, 0}), std::ldexp(16777215.0f, -23));
}

}  // namespace
}  // namespace einkorn::test
