// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The smoothed prolongator against (I - omega D^-1 A_F) T in long double; truncation; new values.

#include "../../support/throws.hpp"
#include "hand_made_levels.hpp"

#include <einkorn/solvers/precond/multigrid/prolongator.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

constexpr double omega = 0.625;

/// Blocks of b x b on and near the diagonal, not symmetric, columns in no order; the diagonal is not zero.
HostMatrix<double> scattered_blocks(int nodes, int b) {
  HostMatrix<double> A{nodes * b, nodes * b, {0}, {}, {}};
  for (int v = 0; v < nodes; ++v)
    for (int i = 0; i < b; ++i) {
      for (int step = 0; step < 9; ++step) {
        int const u = v + step * 4 % 9 - 4;
        if (u < 0 || u >= nodes || (u != v && noise(static_cast<std::uint64_t>(v * 9 + step), 3) % 3 == 0))
          continue;
        for (int j = 0; j < b; ++j) {
          A.columns.push_back(u * b + j);
          A.values.push_back(u == v && i == j ? 3 : number<double>(Numbers::reals, A.values.size(), 11));
        }
      }
      A.offsets.push_back(static_cast<int>(A.values.size()));
    }
  return A;
}

bool is_weak_by_noise(int v, int u) {
  return noise(static_cast<std::uint64_t>(v * 1000 + u), 5) % 4 == 0;
}

/// The moduli of the terms of P's entries, and P.
struct DenseProlongator {
  Dense value, bound;
};

/// (I - omega D^-1 A_F) T, where A_F has the weak entries in the diagonal blocks.
template <class IsWeak>
DenseProlongator dense_prolongator(HostMatrix<double> const& A, int b, Dense const& T,
                                   std::vector<int> const& of_node, IsWeak const& is_weak) {
  DenseProlongator P{T, moduli(T)};
  auto const inverse = to_host(inverse_diagonal_of(A));
  for (std::size_t i = 0; i < A.rows(); ++i) {
    int const v = static_cast<int>(i) / b;
    if (of_node[static_cast<std::size_t>(v)] < 0) continue;
    for (auto k = A.begin(i); k < A.end(i); ++k) {
      int const column = A.columns[k], u = column / b;
      auto const source = static_cast<std::size_t>(u != v && is_weak(v, u) ? v * b + column % b : column);
      long double const weight = static_cast<long double>(omega) * inverse[i] * A.values[k];
      for (std::size_t c = 0; c < T[i].size(); ++c) {
        P.value[i][c] -= weight * T[source][c];
        P.bound[i][c] += std::abs(weight * T[source][c]);
      }
    }
  }
  return P;
}

/// Aggregates of up to 4 consecutive nodes; every eleventh node is in none.
std::vector<int> consecutive_aggregates(std::size_t nodes, std::size_t size = 4) {
  std::vector<int> of_node(nodes);
  for (std::size_t v = 0; v < nodes; ++v) of_node[v] = v % 11 == 7 ? -1 : static_cast<int>(v / size);
  return of_node;
}

template <class P>
void expect_sorted_groups(P const& matrix, int b, int k) {
  auto const host = to_host(matrix);
  for (std::size_t i = 0; i < host.rows(); ++i) {
    ASSERT_EQ((host.end(i) - host.begin(i)) % static_cast<std::size_t>(k), 0u);
    for (auto e = host.begin(i) + 1; e < host.end(i); ++e) EXPECT_LT(host.columns[e - 1], host.columns[e]);
    auto const first = i / static_cast<std::size_t>(b) * static_cast<std::size_t>(b);  // row of the node
    for (auto e = host.begin(i); e < host.end(i); ++e)
      EXPECT_EQ(host.columns[e], host.columns[host.begin(first) + e - host.begin(i)]);
  }
}

TEST(MultigridProlongator, EqualsDenseProduct) {
  struct Case {
    int b;
    std::size_t k;
  };
  for (auto const [b, k] : {Case{1, 1}, Case{1, 2}, Case{2, 3}, Case{3, 6}}) {
    SCOPED_TRACE("block_size " + std::to_string(b) + ", vectors " + std::to_string(k));
    auto const A = scattered_blocks(60, b);
    auto const of_node = consecutive_aggregates(60);
    auto const T = tentative_of(of_node, random_vectors(A.rows(), k, 2), b);

    auto const P = detail::smoothed_prolongator(Space(), A.on_device(), graph_of(A, b, is_weak_by_noise), T,
                                                inverse_diagonal_of(A), omega);

    auto const want = dense_prolongator(A, b, dense_of(to_host(T.matrix)), of_node, is_weak_by_noise);
    EXPECT_TRUE(is_near(dense_of(to_host(P)), want.value, want.bound, 9 * static_cast<std::size_t>(b) + 4));
    expect_sorted_groups(P, b, static_cast<int>(k));
    for (std::size_t i = 0; i < A.rows(); ++i)
      if (of_node[i / static_cast<std::size_t>(b)] < 0) {
        EXPECT_EQ(to_host(P).begin(i), to_host(P).end(i));
      }
  }
}

/// |P coarse_near_null - B| within rounding in the rows of the aggregates; P keeps at most `limit` aggregates.
template <class T>
void expect_reproduces(HostMatrix<double> const& A, T const& tentative, HandMadeGraph const& graph,
                       Dense const& B, detail::Truncation const& truncation) {
  auto const P = to_host(detail::smoothed_prolongator(Space(), A.on_device(), graph, tentative,
                                                      inverse_diagonal_of(A), omega, truncation));
  auto const untruncated = to_host(
      detail::smoothed_prolongator(Space(), A.on_device(), graph, tentative, inverse_diagonal_of(A), omega));
  auto const coarse = dense_of(tentative.coarse_near_null);
  // 81 terms per row; dropped blocks are multiplied by the inverse of an R of condition below 100.
  Dense const ones(B.size(), std::vector<long double>(B[0].size(), 1));
  EXPECT_TRUE(is_near(times(dense_of(P), coarse), B, ones, 100 * 81));
  EXPECT_LE(P.nnz(), untruncated.nnz());
  auto const k = static_cast<std::size_t>(tentative.num_vectors);
  for (std::size_t i = 0; i < P.rows() && truncation.max_aggregates > 0; ++i)
    EXPECT_LE(P.end(i) - P.begin(i), k * static_cast<std::size_t>(truncation.max_aggregates));
  if (truncation.max_aggregates > 0) {
    EXPECT_LT(P.nnz(), untruncated.nnz());
  }
}

TEST(MultigridProlongator, ReproducesRigidBodyModes) {
  for (int const d : {2, 3}) {
    auto const points = grid_points(6, 4, d == 2 ? 1 : 4);
    auto const A = springs(points, d);
    auto const modes = detail::rigid_body_modes<double, Device>(Space(), coordinates_of(points, d));
    std::vector<int> of_node;  // boxes of 2 points a side
    for (auto const& x : points) of_node.push_back(x[0] / 2 + 3 * (x[1] / 2) + 6 * (x[2] / 2));
    auto const T = tentative_of(of_node, modes, d);
    auto const graph = graph_of(A, d);
    for (auto const& truncation : {detail::Truncation{}, detail::Truncation{0.3, 0}, detail::Truncation{0, 3}})
      expect_reproduces(A, T, graph, dense_of(modes), truncation);
  }
}

/// The graph Laplacian of springs in one direction: row sums are 0.
HostMatrix<double> laplacian(std::vector<std::vector<int>> const& points) {
  std::vector<std::vector<double>> A(points.size(), std::vector<double>(points.size()));
  for (std::size_t v = 0; v < points.size(); ++v)
    for (std::size_t u = 0; u < points.size(); ++u) {
      int distance = 0;
      for (std::size_t c = 0; c < 3; ++c) distance = std::max(distance, std::abs(points[u][c] - points[v][c]));
      if (distance != 1) continue;
      A[v][u] = -1.0 - static_cast<double>((u + v) % 3);
      A[v][v] -= A[v][u];
    }
  return from_dense(A, points.size());
}

TEST(MultigridProlongator, ReproducesConstants) {
  auto const points = grid_points(7, 6, 5);
  auto const A = laplacian(points);
  auto const B = detail::constant_near_null<double, Device>(Space(), A.rows(), 1);
  std::vector<int> of_node;
  for (auto const& x : points) of_node.push_back(x[0] / 3 + 3 * (x[1] / 3) + 6 * (x[2] / 3));
  auto const T = tentative_of(of_node, B, 1);
  auto const symmetric_weak = [](int v, int u) { return (v + u) % 5 == 0; };
  for (auto const& graph : {graph_of(A, 1), graph_of(A, 1, symmetric_weak)})
    for (auto const& truncation :
         {detail::Truncation{}, detail::Truncation{0.5, 0}, detail::Truncation{0, 2}, detail::Truncation{0, 1}})
      expect_reproduces(A, T, graph, dense_of(B), truncation);
}

TEST(MultigridProlongator, TruncationKeepsTheLargestAndScales) {
  // Row 0: own aggregate 1/2, then 1/4, 1/8, 1/8 of the others after smoothing by -1/2 a_0j.
  std::vector<std::vector<double>> dense(4, std::vector<double>(4));
  for (std::size_t i = 0; i < 4; ++i) dense[i][i] = 1;
  dense[0] = {1, -0.25, -0.5, -0.25};
  auto const A = from_dense(dense, 4);
  auto const T = tentative_of({0, 1, 2, 3}, detail::constant_near_null<double, Device>(Space(), 4, 1), 1);
  auto const row_of = [&](detail::Truncation const& truncation) {
    auto const P = to_host(detail::smoothed_prolongator(Space(), A.on_device(), graph_of(A, 1), T,
                                                        inverse_diagonal_of(A), 0.5, truncation));
    return std::pair(std::vector<int>(P.columns.begin(), P.columns.begin() + P.offsets[1]),
                     std::vector<double>(P.values.begin(), P.values.begin() + P.offsets[1]));
  };
  using Row = std::pair<std::vector<int>, std::vector<double>>;

  EXPECT_EQ(row_of({}), (Row{{0, 1, 2, 3}, {.5, .125, .25, .125}}));
  EXPECT_EQ(row_of({0.3, 0}), (Row{{0, 2}, {.5 * (1 / .75), .25 * (1 / .75)}}));
  EXPECT_EQ(row_of({0, 3}), (Row{{0, 1, 2}, {.5 * (1 / .875), .125 * (1 / .875), .25 * (1 / .875)}}));
  EXPECT_EQ(row_of({1, 0}), (Row{{0}, {1}}));
  EXPECT_EQ(row_of({0, 1}), (Row{{0}, {1}}));
}

TEST(MultigridProlongator, DoesNotSmoothNodesOfManyAggregates) {
  int const n = detail::max_aggregates_of_row + 6;
  std::vector<std::vector<double>> dense(static_cast<std::size_t>(n),
                                         std::vector<double>(static_cast<std::size_t>(n)));
  for (std::size_t i = 1; i < static_cast<std::size_t>(n); ++i) {
    dense[0][i] = dense[i][0] = -1;
    dense[i][i] = 1;
    dense[0][0] += 1;
  }
  auto const A = from_dense(dense, static_cast<std::size_t>(n));
  std::vector<int> of_node(static_cast<std::size_t>(n));
  for (int v = 0; v < n; ++v) of_node[static_cast<std::size_t>(v)] = n - 1 - v;
  auto const B = detail::constant_near_null<double, Device>(Space(), A.rows(), 1);
  auto const T = tentative_of(of_node, B, 1);

  auto const P = to_host(
      detail::smoothed_prolongator(Space(), A.on_device(), graph_of(A, 1), T, inverse_diagonal_of(A), omega));

  EXPECT_EQ(P.end(0), 1u);
  EXPECT_EQ(P.end(1) - P.begin(1), 2u);
  EXPECT_NEAR(P.values[0], 1, 1e-14);
}

TEST(MultigridProlongator, UpdateGivesTheBitsOfANewOne) {
  for (int const b : {1, 3}) {
    auto const A = scattered_blocks(80, b);
    auto scaled = A;
    for (std::size_t k = 0; k < scaled.nnz(); ++k) scaled.values[k] *= 1 + 0.125 * static_cast<double>(k % 5);
    auto const T = tentative_of(consecutive_aggregates(80), random_vectors(A.rows(), 3, 4), b);
    auto const graph = graph_of(A, b, is_weak_by_noise);
    for (auto const& truncation : {detail::Truncation{}, detail::Truncation{0, 64}}) {
      auto const make = [&](HostMatrix<double> const& from) {
        return detail::smoothed_prolongator(Space(), from.on_device(), graph, T, inverse_diagonal_of(from),
                                            omega, truncation);
      };
      auto const P = make(A), fresh = make(scaled);
      EXPECT_NE(to_host(P.values), to_host(fresh.values));

      detail::update_prolongator(Space(), scaled.on_device(), graph, T, inverse_diagonal_of(scaled), omega, P);

      EXPECT_EQ(to_host(P.columns), to_host(fresh.columns));
      EXPECT_EQ(to_host(P.values), to_host(fresh.values));
    }
  }
}

TEST(MultigridProlongator, RejectsBadInput) {
  auto const A = scattered_blocks(8, 1);
  auto const B = detail::constant_near_null<double, Device>(Space(), 8, 1);
  auto const T = tentative_of({0, 0, 0, 0, 1, 1, 1, 1}, B, 1);
  auto const make = [&](HostMatrix<double> const& from, double factor, detail::Truncation const& truncation) {
    return [&, factor, truncation] {
      detail::smoothed_prolongator(Space(), from.on_device(), graph_of(A, 1), T, inverse_diagonal_of(A), factor,
                                   truncation);
    };
  };
  auto const nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(throws<InvalidArgument>(make(A, nan, {}), {"omega is", "expected a finite number"}));
  EXPECT_TRUE(throws<InvalidArgument>(make(A, -1, {}), {"omega is -1"}));
  EXPECT_TRUE(throws<InvalidArgument>(make(A, 1, {1.5, 0}), {"truncation.relative is 1.5", "0 .. 1"}));
  EXPECT_TRUE(throws<InvalidArgument>(make(A, 1, {nan, 0}), {"truncation.relative"}));
  EXPECT_TRUE(throws<InvalidArgument>(make(A, 1, {0, -1}), {"truncation.max_aggregates is -1"}));
  auto const other = scattered_blocks(9, 1);
  EXPECT_TRUE(throws<DimensionMismatch>(make(other, 1, {}), {"the number of rows of T is 8, expected 9"}));
}

}  // namespace
}  // namespace einkorn::test
