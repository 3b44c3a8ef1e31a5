// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Grids of stencil matrices and boxes of their points.

#include "../../support/throws.hpp"
#include "../systems.hpp"
#include "graphs.hpp"

#include <einkorn/solvers/precond/multigrid/box_aggregates.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

using detail::Grid;

std::optional<Grid> grid_of(HostMatrix<double> const& A) {
  return detail::find_grid(Space(), A.on_device());
}
std::optional<Grid> grid_of(char const* spec) {
  return detail::find_grid(Space(), generated(spec));
}

TEST(FindGrid, FindsTheExtentsOfStencils) {
  for (auto const& grid : {Grid{9, 7, 1}, Grid{2, 9, 1}, Grid{9, 2, 1}, Grid{2, 2, 1}, Grid{3, 3, 1}}) {
    auto const extents = std::to_string(grid.x) + "x" + std::to_string(grid.y);
    SCOPED_TRACE(extents);
    EXPECT_EQ(grid_of(("gen:stencil5:" + extents).c_str()), grid);
    EXPECT_EQ(grid_of(("gen:stencil9:" + extents).c_str()), grid);
  }
  for (auto const& grid :
       {Grid{5, 6, 7}, Grid{2, 3, 4}, Grid{4, 3, 2}, Grid{2, 2, 2}, Grid{3, 2, 5}, Grid{20, 3, 3}}) {
    auto const extents = std::to_string(grid.x) + "x" + std::to_string(grid.y) + "x" + std::to_string(grid.z);
    SCOPED_TRACE(extents);
    EXPECT_EQ(grid_of(("gen:stencil7:" + extents).c_str()), grid);
    EXPECT_EQ(grid_of(("gen:stencil27:" + extents).c_str()), grid);
  }
  EXPECT_EQ(grid_of(lattice(50).A), (Grid{50, 1, 1}));
  EXPECT_EQ(grid_of(lattice(2).A), (Grid{2, 1, 1}));
  EXPECT_EQ(grid_of("gen:stencil7:5x1x4"), (Grid{5, 4, 1})) << "an axis of extent 1 is dropped";
  EXPECT_EQ(grid_of("gen:stencil27:1x6x4"), (Grid{6, 4, 1}));
}

TEST(FindGrid, FitsTheSmallestGridOfABand) {
  EXPECT_EQ(grid_of("gen:band:40:3"), (Grid{40, 1, 1}));
  EXPECT_EQ(grid_of("gen:band:40:5"), (Grid{2, 20, 1}));
  EXPECT_EQ(grid_of(rotated_spectrum(8, 10).A), (Grid{2, 2, 2}));
}

TEST(FindGrid, RowsMayBeUnsorted) {
  auto A = to_host(generated("gen:stencil27:5x6x4"));
  for (std::size_t i = 0; i < A.rows(); ++i)
    std::reverse(A.columns.begin() + A.offsets[i], A.columns.begin() + A.offsets[i + 1]);
  EXPECT_EQ(grid_of(A), (Grid{5, 6, 4}));
}

TEST(FindGrid, RefusesOtherMatrices) {
  for (auto const* spec :
       {"gen:elasticity:5x4x3", "gen:rmat:6", "gen:band:40:7", "gen:blocks:40:4", "gen:circuit:200"})
    EXPECT_EQ(grid_of(spec), std::nullopt) << spec;
  EXPECT_EQ(grid_of(diagonal_spectrum(30, 10).A), std::nullopt);
  EXPECT_EQ(grid_of(rotated_spectrum(9, 10).A), std::nullopt);
  EXPECT_EQ(grid_of(HostMatrix<double>{1, 2, {0, 2}, {0, 1}, {1, 1}}), std::nullopt);
  EXPECT_EQ(grid_of(HostMatrix<double>{1, 1, {0, 1}, {0}, {1}}), std::nullopt);
  EXPECT_EQ(grid_of(HostMatrix<double>{3, 3, {0, 0, 0, 0}, {}, {}}), std::nullopt);
  EXPECT_EQ(detail::find_grid(Space(), Csr<double, int, int, Device>()), std::nullopt);
}

/// One entry of a stencil moved or removed: the matrix has no grid.
TEST(FindGrid, RefusesStencilsWithOneChange) {
  auto const A = to_host(generated("gen:stencil7:5x4x6"));
  ASSERT_EQ(grid_of(A), (Grid{5, 4, 6}));
  for (std::size_t const row : {1u, 4u, 57u, 63u, 119u}) {
    auto removed = A;
    auto const at = static_cast<std::ptrdiff_t>(A.begin(row));
    removed.columns.erase(removed.columns.begin() + at);
    removed.values.erase(removed.values.begin() + at);
    for (std::size_t i = row + 1; i < removed.offsets.size(); ++i) --removed.offsets[i];
    EXPECT_EQ(grid_of(removed), std::nullopt) << row;
    auto moved = A;
    moved.columns[A.begin(row)] = static_cast<int>((row + 60) % 120);
    EXPECT_EQ(grid_of(moved), std::nullopt) << row;
  }
  auto wrapped = lattice(5, 4);  // point 4, the end of a line, and point 5, the begin of the next
  for (auto k = wrapped.A.begin(4); k < wrapped.A.end(4); ++k)
    if (wrapped.A.columns[k] == 9) wrapped.A.columns[k] = 5;
  EXPECT_EQ(grid_of(wrapped.A), std::nullopt);
}

TEST(BoxAggregates, CoverTheGrid) {
  for (int const width : {2, 3, 4})
    for (auto const& grid : {Grid{9, 9, 9}, Grid{10, 7, 5}, Grid{3, 4, 2}, Grid{2, 2, 2}, Grid{1, 1, 1},
                             Grid{17, 1, 1}, Grid{11, 8, 1}, Grid{100, 3, 2}}) {
      SCOPED_TRACE(std::to_string(grid.x) + "x" + std::to_string(grid.y) + "x" + std::to_string(grid.z) +
                   ", width " + std::to_string(width));

      auto const [aggregates, lists] = detail::box_aggregates<int, Device>(Space(), grid, width);

      auto const expected = detail::members(Space(), aggregates);
      EXPECT_EQ(to_host(lists.offsets), to_host(expected.offsets));
      EXPECT_EQ(to_host(lists.nodes), to_host(expected.nodes));
      auto const coarse = detail::coarse(grid, width);
      EXPECT_EQ(aggregates.count, coarse.size());
      auto const of_node = to_host(aggregates.of_node);
      ASSERT_EQ(of_node.size(), static_cast<std::size_t>(grid.size()));
      std::vector<int> number(static_cast<std::size_t>(coarse.size()), 0);
      std::size_t node = 0;
      // The first box has `width` points and half of the remaining ones, the last box the other half.
      auto const box = [width](std::int64_t at, std::int64_t extent, std::int64_t boxes) {
        std::int64_t const before = (extent - boxes * width) / 2;
        return at < before + width ? std::int64_t(0) : std::min((at - before) / width, boxes - 1);
      };
      for (std::int64_t z = 0; z < grid.z; ++z)
        for (std::int64_t y = 0; y < grid.y; ++y)
          for (std::int64_t x = 0; x < grid.x; ++x, ++node) {
            EXPECT_EQ(of_node[node],
                      box(x, grid.x, coarse.x) +
                          coarse.x * (box(y, grid.y, coarse.y) + coarse.y * box(z, grid.z, coarse.z)));
            ++number[static_cast<std::size_t>(of_node[node])];
          }
      auto const least = std::min<std::int64_t>(width, grid.x) * std::min<std::int64_t>(width, grid.y) *
                         std::min<std::int64_t>(width, grid.z);
      for (int const points : number) EXPECT_GE(points, least);
    }
}

/// The prolongator of a box reaches one point beyond it, A times it two: boxes that meet are neighbours.
TEST(BoxAggregates, GalerkinProductsHave27Diagonals) {
  for (std::int64_t extent = 3; extent < 40; ++extent) {
    auto const of_node =
        to_host(detail::box_aggregates<int, Device>(Space(), {extent, 1, 1}).aggregates.of_node);
    auto const n = static_cast<int>(extent);
    for (int i = 0; i < n; ++i)
      for (int j = std::max(0, i - 3); j < std::min(n, i + 4); ++j)
        EXPECT_LE(std::abs(of_node[static_cast<std::size_t>(i)] - of_node[static_cast<std::size_t>(j)]), 1)
            << "of " << extent << ": " << i << " and " << j;
  }
}

TEST(BoxAggregates, RejectsInvalidWidth) {
  EXPECT_TRUE(throws<InvalidArgument>([&] { detail::box_aggregates<int, Device>(Space(), {4, 4, 4}, 1); },
                                      {"width is 1", "2 or more"}));
  EXPECT_EQ((detail::box_aggregates<int, Device>(Space(), {0, 0, 0}).aggregates.count), 0);
}

}  // namespace
}  // namespace einkorn::test
