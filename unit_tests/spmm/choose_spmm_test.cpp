// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The selection of a multivector kernel and its tile: tables of cases, for GPUs too.

#include <einkorn/formats/spmm/choose.hpp>

#include <gtest/gtest.h>

#include <cstddef>

namespace einkorn::test {
namespace {

using enum SpmmKernel;
constexpr auto row_major = SpmmLayout::row_major, strided = SpmmLayout::strided;

struct Case {
  std::size_t columns;
  SpmmLayout layout;
  SpmmKernel expected;
};

template <std::size_t n>
void expect(Arch arch, SpmmStatistics const& A, Case const (&cases)[n]) {
  for (Case const& c : cases)
    EXPECT_EQ(choose_spmm(c.columns, c.layout, arch, A), c.expected)
        << c.columns << (c.layout == row_major ? " row-major columns" : " strided columns");
}

TEST(ChooseSpmm, OnTheHost) {
  expect(Arch::host, {}, {{1, strided, host_rows}, {8, row_major, host_rows}, {8, strided, host_rows}});
  expect(Arch::host, {.by_rows = false}, {{1, strided, single_columns}, {8, row_major, single_columns}});
}

TEST(ChooseSpmm, ByRowsOnAGpu) {
  expect(Arch::hopper, {},
         {{1, row_major, row_team},
          {1, strided, row_team},
          {2, row_major, column_tile},
          {3, row_major, column_tile},
          {4, row_major, row_tile},
          {2, strided, column_tile},
          {64, strided, column_tile},
          {200, row_major, row_tile}});
}

TEST(ChooseSpmm, ByRowsWithABuffer) {
  expect(Arch::hopper, {.longest = 7, .entries = 1000, .buffer_columns = 16},
         {{1, strided, row_team},
          {3, strided, column_tile},
          {4, strided, pack_columns},
          {40, strided, pack_columns},
          {3, row_major, column_tile},
          {4, row_major, row_tile}});
}

TEST(ChooseSpmm, UnevenRowsByName) {
  expect(Arch::hopper, {.longest = 7, .entries = 1000, .by_rows = false, .buffer_columns = 16},
         {{1, strided, single_columns}, {8, strided, single_columns}, {8, row_major, single_columns}});
}

TEST(ChooseSpmm, UnevenRowsOfAnAutomaticPlan) {
  SpmmStatistics A{.longest = 10000, .entries = 1000000, .by_rows = false, .is_automatic = true};
  expect(Arch::hopper, A,  // no dominant row: all from 3000 entries per column on
         {{1, strided, single_columns},
          {2, strided, column_tile},
          {4, row_major, row_tile},
          {8, strided, column_tile}});
  A.buffer_columns = 32;
  expect(Arch::hopper, A, {{7, strided, column_tile}, {8, strided, pack_columns}, {8, row_major, row_tile}});
  A.longest = 10001;  // a dominant row
  expect(Arch::hopper, A, {{4, row_major, row_tile}, {7, strided, single_columns}, {8, strided, pack_columns}});
  A.longest = 30000;
  expect(Arch::hopper, A,
         {{8, row_major, single_columns}, {8, strided, single_columns}, {9, row_major, row_tile}});
}

TEST(ChooseSpmm, ColumnsOfATile) {
  struct Width {
    std::size_t columns;
    bool has_packs;
    int expected;
  };
  for (Width const& w :
       {Width{4, true, 4}, Width{7, true, 4}, Width{8, true, 8}, Width{31, false, 16}, Width{32, false, 32},
        Width{63, true, 32}, Width{64, true, 64}, Width{64, false, 32}, Width{127, true, 64},
        Width{128, true, 128}, Width{1000, true, 128}, Width{1000, false, 32}})
    EXPECT_EQ(row_tile_columns(w.columns, w.has_packs), w.expected) << w.columns << " columns";
  EXPECT_EQ(column_tile_columns(1), 4);
  EXPECT_EQ(column_tile_columns(4), 4);
  EXPECT_EQ(column_tile_columns(5), 8);
}

TEST(ChooseSpmm, ColumnTilesTogetherWhereXFitsTheCache) {
  EXPECT_TRUE(keeps_tiles_together(std::size_t(50) << 20));
  EXPECT_FALSE(keeps_tiles_together((std::size_t(50) << 20) + 1));
}

}  // namespace
}  // namespace einkorn::test
