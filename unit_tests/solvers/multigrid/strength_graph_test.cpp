// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The graph of the strong connections against its definition.

#include "../../support/throws.hpp"
#include "../systems.hpp"
#include "graphs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

using detail::count_weak;
using detail::strength_graph;

/// Every row ascends, without the node itself.
template <class Graph>
testing::AssertionResult has_ascending_rows(Graph const& graph) {
  auto const offsets = to_host(graph.row_offsets);
  auto const columns = to_host(graph.columns);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    for (auto k = offsets[i]; k < offsets[i + 1]; ++k) {
      int const column = columns[static_cast<std::size_t>(k)];
      if (column == static_cast<int>(i)) return testing::AssertionFailure() << "row " << i << " has a loop";
      if (k > offsets[i] && columns[static_cast<std::size_t>(k) - 1] >= column)
        return testing::AssertionFailure() << "row " << i << " does not ascend";
    }
  return testing::AssertionSuccess();
}

void expect_definition(HostMatrix<double> const& A, double theta, int block_size = 1) {
  SCOPED_TRACE("theta " + std::to_string(theta) + ", block_size " + std::to_string(block_size));
  auto const graph = strength_graph(Space(), A.on_device(), theta, block_size);
  EXPECT_EQ(graph.num_nodes, A.num_rows / block_size);
  EXPECT_TRUE(has_ascending_rows(graph));
  EXPECT_EQ(neighbours(graph), strong_connections(A, theta, block_size));
}

/// The entries of every row in descending order, each in two halves.
HostMatrix<double> disordered(HostMatrix<double> const& A) {
  HostMatrix<double> B{A.num_rows, A.num_cols, {0}, {}, {}};
  for (std::size_t i = 0; i < A.rows(); ++i) {
    for (auto k = A.end(i); k-- > A.begin(i);)
      for (int half = 0; half < 2; ++half) {
        B.columns.push_back(A.columns[k]);
        B.values.push_back(A.values[k] / 2);
      }
    std::swap(B.columns[B.columns.size() - 1], B.columns[B.columns.size() - 2 * (A.end(i) - A.begin(i))]);
    std::swap(B.values[B.values.size() - 1], B.values[B.values.size() - 2 * (A.end(i) - A.begin(i))]);
    B.offsets.push_back(static_cast<int>(B.values.size()));
  }
  return B;
}

TEST(StrengthGraph, FollowsItsDefinition) {
  std::vector<HostMatrix<double>> const matrices = {lattice(20, 12).A,
                                                    to_host(generated("gen:stencil27:8x7x6")),
                                                    convection(15, 14, 0.9).A,
                                                    dominant<double>(300, 1).A,
                                                    to_host(generated("gen:rmat:8")),
                                                    to_host(generated("gen:elasticity:5x4x3")),
                                                    rotated_spectrum(48, 1e3).A,
                                                    diagonal_spectrum(30, 10).A};
  for (auto const& A : matrices)
    for (double const theta : {0.0, 0.02, 0.25, 0.6}) expect_definition(A, theta);
}

TEST(StrengthGraph, BlocksOfRowsAreNodes) {
  auto const elasticity = to_host(generated("gen:elasticity:6x5x4"));
  auto const unsymmetric = dominant<double>(240, 1).A;
  for (double const theta : {0.0, 0.1, 0.3, 0.5})
    for (int const block_size : {2, 3, 4, 12}) {
      expect_definition(elasticity, theta, block_size);
      expect_definition(unsymmetric, theta, block_size);
    }
  expect_definition(unsymmetric, 0.1, 16);
}

TEST(StrengthGraph, RowsMayBeUnsortedAndRepeatPositions) {
  auto const A = disordered(dominant<double>(200, 1).A);
  expect_definition(A, 0.05);
  expect_definition(A, 0.2, 4);
}

TEST(StrengthGraph, IsTheSameInEveryUnit) {
  auto const A = to_host(generated("gen:elasticity:6x5x4"));
  for (int const block_size : {1, 3}) {
    auto const expected = neighbours(strength_graph(Space(), A.on_device(), 0.1, block_size));
    for (double const unit : {std::ldexp(1.0, 900), std::ldexp(1.0, -900)}) {
      auto scaled = A;
      for (auto& value : scaled.values) value *= unit;
      EXPECT_EQ(neighbours(strength_graph(Space(), scaled.on_device(), 0.1, block_size)), expected);
    }
  }
}

TEST(StrengthGraph, LimitItselfAndStoredZerosAreWeak) {
  auto const limit = from_dense<double>({{1, 0.5, 0}, {0.5, 1, 0.75}, {0, 0.75, 1}}, 3);
  EXPECT_EQ(neighbours(strength_graph(Space(), limit.on_device(), 0.5)), (NeighbourSets{{}, {2}, {1}}));
  HostMatrix<double> const zeros{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {1, 0, 0, 1}};
  EXPECT_EQ(neighbours(strength_graph(Space(), zeros.on_device(), 0)), (NeighbourSets{{}, {}}));
}

TEST(StrengthGraph, OneDirectionSuffices) {
  auto const A = from_dense<double>({{1, 0, 1}, {0, 1, 0}, {0, 1, 1}}, 3);
  EXPECT_EQ(neighbours(strength_graph(Space(), A.on_device(), 0.02)), (NeighbourSets{{2}, {2}, {0, 1}}));
}

TEST(StrengthGraph, ZeroDiagonalsAndNonFiniteEntries) {
  auto const saddle = from_dense<double>({{4, 0.001, 0}, {0.001, 0, 0}, {0, 0, 1}}, 3);
  EXPECT_EQ(neighbours(strength_graph(Space(), saddle.on_device(), 0.5)), (NeighbourSets{{1}, {0}, {}}));
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const invalid = from_dense<double>({{nan, 1, 0}, {1, 1, nan}, {0, nan, 1}}, 3);
  EXPECT_EQ(neighbours(strength_graph(Space(), invalid.on_device(), 0.5)), (NeighbourSets{{}, {}, {}}));
}

TEST(StrengthGraph, EmptyAndSingle) {
  Csr<double, int, int, Device> const none;
  EXPECT_EQ(strength_graph(Space(), none, 0.02).num_nodes, 0);
  EXPECT_EQ(count_weak(Space(), none, 0.02), 0);
  EXPECT_EQ(neighbours(strength_graph(Space(), from_dense<double>({{2}}, 1).on_device(), 0.02)),
            NeighbourSets(1));
  HostMatrix<double> const no_entries{5, 5, {0, 0, 0, 0, 0, 0}, {}, {}};
  EXPECT_EQ(neighbours(strength_graph(Space(), no_entries.on_device(), 0)), NeighbourSets(5));
}

TEST(StrengthGraph, CountsWeakEntries) {
  auto const A = lattice(30, 20).A;
  EXPECT_EQ(count_weak(Space(), A.on_device(), 0.02), 0);
  EXPECT_EQ(count_weak(Space(), A.on_device(), 0.3), static_cast<std::int64_t>(A.nnz() - A.rows()));
  auto one = A;
  one.values[1] = 1e-9;
  EXPECT_EQ(count_weak(Space(), one.on_device(), 0.02), 1);
  EXPECT_EQ(count_weak(Space(), disordered(one).on_device(), 0.02), 1);
}

TEST(StrengthGraph, RejectsInvalidArguments) {
  auto const A = lattice(10).A.on_device();
  auto const rectangular = HostMatrix<double>{1, 2, {0, 1}, {1}, {1}}.on_device();
  EXPECT_TRUE(throws<DimensionMismatch>([&] { strength_graph(Space(), rectangular, 0.02); }, {"1 x 2"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { strength_graph(Space(), A, -0.5); }, {"threshold", "-0.5"}));
  EXPECT_TRUE(throws<InvalidArgument>(
      [&] { strength_graph(Space(), A, std::numeric_limits<double>::quiet_NaN()); }, {"threshold"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { strength_graph(Space(), A, 0.02, 0); }, {"block_size is 0", "16"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { strength_graph(Space(), A, 0.02, 17); }, {"17"}));
  EXPECT_TRUE(
      throws<DimensionMismatch>([&] { strength_graph(Space(), A, 0.02, 3); }, {"10 rows", "block_size = 3"}));
}

}  // namespace
}  // namespace einkorn::test
