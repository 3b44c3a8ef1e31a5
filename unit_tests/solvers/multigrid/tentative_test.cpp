// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Near-null vectors and the tentative prolongator.

#include "../../support/throws.hpp"
#include "hand_made_levels.hpp"

#include <einkorn/solvers/precond/multigrid/tentative.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

/// T's pattern; orthonormal or zero columns; B = T coarse_near_null in the rows of the aggregates.
template <class T>
void expect_qr(T const& tentative, std::vector<int> const& of_node, detail::NearNull<double, Device> const& B,
               int block_size) {
  auto const matrix = to_host(tentative.matrix);
  auto const zero = to_host(tentative.zero_columns);
  auto const k = B.extent(1), b = static_cast<std::size_t>(block_size);
  ASSERT_EQ(matrix.rows(), B.extent(0));
  ASSERT_EQ(zero.size(), matrix.cols());
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    int const aggregate = of_node[i / b];
    ASSERT_EQ(matrix.end(i) - matrix.begin(i), aggregate < 0 ? 0 : k);
    for (auto e = matrix.begin(i); e < matrix.end(i); ++e)
      EXPECT_EQ(matrix.column(e), static_cast<std::size_t>(aggregate) * k + e - matrix.begin(i));
  }
  auto const Q = dense_of(matrix), R = dense_of(tentative.coarse_near_null), gram = times(transposed(Q), Q);
  auto identity = zeros(Q[0].size(), Q[0].size());
  for (std::size_t j = 0; j < identity.size(); ++j) identity[j][j] = zero[j] ? 0 : 1;
  Dense const ones(identity.size(), std::vector<long double>(identity.size(), 1));
  EXPECT_TRUE(is_near(gram, identity, ones, 8 * k * matrix.rows()));
  for (std::size_t j = 0; j < R.size(); ++j)
    for (std::size_t c = 0; c < k; ++c)
      if (zero[j] || c < j % k) {
        EXPECT_EQ(R[j][c], 0);
      }
  auto want = dense_of(B);
  auto bound = zeros(want.size(), k);
  for (std::size_t i = 0; i < want.size(); ++i)
    for (std::size_t c = 0; c < k; ++c) {
      if (of_node[i / b] < 0) want[i][c] = 0;
      for (std::size_t u = 0; u < want.size(); ++u)  // the norm of the column in the aggregate
        if (of_node[u / b] == of_node[i / b]) bound[i][c] += std::abs(want[u][c]);
    }
  EXPECT_TRUE(is_near(times(Q, R), want, bound, 16 * k));
}

/// 11 aggregates of nodes that lie apart; some nodes are in none.
std::vector<int> scattered_aggregates(std::size_t nodes) {
  std::vector<int> of_node(nodes);
  for (std::size_t v = 0; v < nodes; ++v) of_node[v] = v % 13 == 5 ? -1 : static_cast<int>(v * 7 % 11);
  return of_node;
}

TEST(MultigridTentative, IsOrthonormalAndReproducesNearNullVectors) {
  for (int const b : {1, 2, 3})
    for (std::size_t const k : {1u, 3u, 6u}) {
      SCOPED_TRACE("block_size " + std::to_string(b) + ", vectors " + std::to_string(k));
      auto const of_node = scattered_aggregates(100);
      auto const B = random_vectors(100 * static_cast<std::size_t>(b), k, 7);

      auto const T = tentative_of(of_node, B, b);

      expect_qr(T, of_node, B, b);
      EXPECT_EQ(T.num_vectors, static_cast<int>(k));
      auto const zero = to_host(T.zero_columns);
      EXPECT_EQ(std::count(zero.begin(), zero.end(), 1), 0);
    }
}

TEST(MultigridTentative, OfConstantVector) {
  auto const B = detail::constant_near_null<double, Device>(Space(), 6, 1);
  auto const T = tentative_of({0, 1, 0, 0, -1, 0}, B, 1);

  EXPECT_EQ(to_host(T.matrix).columns, (std::vector<int>{0, 1, 0, 0, 0}));
  EXPECT_EQ(to_host(T.matrix).values, (std::vector<double>{.5, 1, .5, .5, .5}));
  EXPECT_EQ(dense_of(T.coarse_near_null), (Dense{{2}, {1}}));
}

TEST(MultigridTentative, DependentVectorsGiveZeroColumns) {
  std::size_t const n = 40, k = 4;
  auto const B = random_vectors(n, k, 3);
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), B);
  std::vector<int> of_node(n, 0);
  of_node[39] = 2;  // one row, four vectors
  for (std::size_t i = 20; i < 39; ++i) of_node[i] = 1;
  for (std::size_t i = 0; i < 20; ++i) host(i, 2) = host(i, 0) - 3 * host(i, 1);
  for (std::size_t i = 20; i < 39; ++i) host(i, 1) = 0;
  Kokkos::deep_copy(B, host);

  auto const T = tentative_of(of_node, B, 1);

  EXPECT_EQ(to_host(T.zero_columns), (std::vector<std::uint8_t>{0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 1, 1}));
  expect_qr(T, of_node, B, 1);
}

TEST(MultigridTentative, NearlyDependentVectorsStayOrthogonal) {
  std::size_t const n = 30;
  auto const B = random_vectors(n, 2, 5);
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), B);
  for (std::size_t i = 0; i < n; ++i) host(i, 1) = host(i, 0) + 1e-8 * host(i, 1);
  Kokkos::deep_copy(B, host);
  std::vector<int> const of_node(n, 0);

  auto const T = tentative_of(of_node, B, 1);

  EXPECT_EQ(to_host(T.zero_columns), (std::vector<std::uint8_t>{0, 0}));
  expect_qr(T, of_node, B, 1);
}

TEST(MultigridTentative, WithoutAggregatesOrRows) {
  auto const none = tentative_of({-1, -1}, detail::constant_near_null<double, Device>(Space(), 2, 1), 1);
  EXPECT_EQ(none.matrix.nnz(), 0);
  EXPECT_EQ(none.matrix.num_cols, 0);
  HandMadeAggregates const empty{0, to_device(std::vector<int>())};
  auto const T = detail::tentative<int>(Space(), empty, members_of({}, 0),
                                        detail::constant_near_null<double, Device>(Space(), 0, 1), 1);
  EXPECT_EQ(T.matrix.num_rows, 0);
}

TEST(MultigridNearNull, RigidBodyModesAreInTheNullSpaceOfSprings) {
  for (int const d : {2, 3}) {
    auto const points = grid_points(4, 3, d == 2 ? 1 : 5);
    auto const A = springs(points, d);
    auto const modes = detail::rigid_body_modes<double, Device>(Space(), coordinates_of(points, d));

    ASSERT_EQ(modes.extent(0), A.rows());
    ASSERT_EQ(modes.extent(1), d == 2 ? 3u : 6u);
    EXPECT_EQ(times(dense_of(A), dense_of(modes)), zeros(A.rows(), modes.extent(1)));  // exact: small integers
    auto const gram = times(transposed(dense_of(modes)), dense_of(modes));
    for (std::size_t j = 0; j < gram.size(); ++j) EXPECT_GE(gram[j][j], 1) << j;
    for (auto const& row : dense_of(modes))
      for (auto const value : row) EXPECT_LE(std::abs(value), 1);
    std::vector<int> const one_aggregate(points.size(), 0);  // independent: no zero column
    EXPECT_EQ(to_host(tentative_of(one_aggregate, modes, d).zero_columns),
              std::vector<std::uint8_t>(modes.extent(1), 0));
    EXPECT_EQ(dense_of(detail::rigid_body_modes<double, Device>(Space(), coordinates_of(points, d, 1024))),
              dense_of(modes));
  }
}

TEST(MultigridNearNull, RigidBodyModesOfCollinearNodesAreDependent) {
  auto const modes = detail::rigid_body_modes<double, Device>(Space(), coordinates_of(grid_points(5, 1, 1), 3));
  auto const T = tentative_of(std::vector<int>(5, 0), modes, 3);
  EXPECT_EQ(to_host(T.zero_columns), (std::vector<std::uint8_t>{0, 0, 0, 1, 0, 0}));  // rotation about x
  expect_qr(T, std::vector<int>(5, 0), modes, 3);
}

TEST(MultigridNearNull, ConstantVectorsPerUnknown) {
  EXPECT_EQ(dense_of(detail::constant_near_null<double, Device>(Space(), 4, 2)),
            (Dense{{1, 0}, {0, 1}, {1, 0}, {0, 1}}));
}

TEST(MultigridNearNull, RejectsBadInput) {
  using detail::check_near_null;
  auto const B = random_vectors(6, 2, 1);
  EXPECT_NO_THROW(check_near_null(Space(), B, 6, 3));
  EXPECT_TRUE(throws<DimensionMismatch>([&] { check_near_null(Space(), B, 7, 1); },
                                        {"near_null has extent(0) = 6, expected 7"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { check_near_null(Space(), B, 6, 4); },
                                      {"block_size is 4", "does not divide the 6 rows"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { check_near_null(Space(), B, 6, 0); },
                                      {"block_size is 0, expected 1 .. 16"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { check_near_null(Space(), random_vectors(6, 17, 1), 6, 1); },
                                      {"near_null has 17 vectors, expected 1 .. 16"}));
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), B);
  host(5, 0) = std::numeric_limits<double>::infinity();
  host(4, 1) = std::numeric_limits<double>::quiet_NaN();
  Kokkos::deep_copy(B, host);
  EXPECT_TRUE(
      throws<InvalidArgument>([&] { check_near_null(Space(), B, 6, 1); }, {"near_null(4, 1) is not finite"}));

  auto const modes = [](auto const& coordinates) {
    return [coordinates] { detail::rigid_body_modes<double, Device>(Space(), coordinates); };
  };
  EXPECT_TRUE(throws<InvalidArgument>(modes(Kokkos::View<double**, Device>("coordinates", 4, 1)),
                                      {"coordinates has extent(1) = 1, expected 2 or 3"}));
  auto const points = coordinates_of(grid_points(2, 2, 1), 2);
  auto const host_points = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), points);
  host_points(3, 1) = std::numeric_limits<double>::quiet_NaN();
  Kokkos::deep_copy(points, host_points);
  EXPECT_TRUE(throws<InvalidArgument>(modes(points), {"coordinates(3, 1) is not finite"}));
  EXPECT_TRUE(throws<DimensionMismatch>([&] { tentative_of({0, 0}, random_vectors(3, 1, 1), 1); },
                                        {"near_null has extent(0) = 3", "2 nodes times 1"}));
}

}  // namespace
}  // namespace einkorn::test
