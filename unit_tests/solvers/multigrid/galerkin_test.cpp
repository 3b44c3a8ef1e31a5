// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Galerkin products against P^T A P in long double; new values; the same bits for fewer threads.

#include "../../support/throws.hpp"
#include "hand_made_levels.hpp"

#include <einkorn/solvers/precond/multigrid/galerkin.hpp>
#include <einkorn/solvers/precond/multigrid/prolongator.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

using Galerkin = detail::GalerkinProduct<double, int, int, Device>;

/// Springs in boxes of 2 points a side, the first of which is a line: its rotation about x is dependent.
struct SpringLevel {
  std::vector<std::vector<int>> points;
  HostMatrix<double> A;
  std::vector<int> of_node;

  SpringLevel() {
    for (int x = 0; x < 3; ++x) points.push_back({x - 2, 0, 0});
    for (auto const& point : grid_points(4, 4, 2)) points.push_back({point[0] + 1, point[1], point[2]});
    A = springs(points, 3);
    for (int i = 0; i < A.num_rows; ++i)  // definite
      for (auto k = A.begin(static_cast<std::size_t>(i)); k < A.end(static_cast<std::size_t>(i)); ++k)
        if (A.columns[k] == i) A.values[k] += 0.25;
    for (auto const& x : points) of_node.push_back(x[0] < 1 ? 0 : 1 + (x[0] - 1) / 2 + 2 * (x[1] / 2));
  }
  [[nodiscard]] auto tentative(Space const& exec = Space()) const {
    return tentative_of(of_node, detail::rigid_body_modes<double, Device>(exec, coordinates_of(points, 3)), 3,
                        exec);
  }
  template <class T>
  [[nodiscard]] auto prolongator(T const& tentative, HostMatrix<double> const& from,
                                 Space const& exec = Space()) const {
    return detail::smoothed_prolongator(exec, from.on_device(), graph_of(A, 3), tentative,
                                        inverse_diagonal_of(from), 0.5);
  }
};

/// coarse() is P^T A P, with unit rows and columns for zero columns of P.
void expect_product(Galerkin const& product, HostMatrix<double> const& A,
                    std::vector<std::uint8_t> const& zero) {
  auto const P = dense_of(to_host(product.prolongator())), dense = dense_of(A), R = transposed(P);
  EXPECT_EQ(dense_of(to_host(product.restriction())), R);
  auto want = times(R, times(dense, P));
  auto bound = times(moduli(R), times(moduli(dense), moduli(P)));
  for (std::size_t i = 0; i < want.size(); ++i)
    if (zero[i]) {
      want[i][i] = 1;
      for (std::size_t j = 0; j < want.size(); ++j) bound[i][j] = bound[j][i] = 0;
    }
  auto const coarse = to_host(product.coarse());
  EXPECT_TRUE(is_near(dense_of(coarse), want, bound, 2 * A.rows()));
  for (std::size_t i = 0; i < coarse.rows(); ++i)
    for (auto k = coarse.begin(i) + 1; k < coarse.end(i); ++k)
      EXPECT_LT(coarse.columns[k - 1], coarse.columns[k]);
}

TEST(MultigridGalerkin, EqualsDenseProduct) {
  SpringLevel const level;
  auto const T = level.tentative();
  auto const zero = to_host(T.zero_columns);
  ASSERT_EQ(std::vector<std::uint8_t>(zero.begin(), zero.begin() + 6),
            (std::vector<std::uint8_t>{0, 0, 0, 1, 0, 0}));

  expect_product(Galerkin(Space(), level.A.on_device(), level.prolongator(T, level.A), T.zero_columns), level.A,
                 zero);
  expect_product(Galerkin(Space(), level.A.on_device(), T.matrix, T.zero_columns), level.A, zero);
  expect_product(Galerkin(Space(), level.A.on_device(), T.matrix), level.A,
                 std::vector<std::uint8_t>(zero.size()));
}

TEST(MultigridGalerkin, UpdateGivesTheBitsOfANewProduct) {
  SpringLevel const level;
  auto const T = level.tentative();
  auto scaled = level.A;
  for (std::size_t k = 0; k < scaled.nnz(); ++k) scaled.values[k] *= 1 + 0.0625 * static_cast<double>(k % 3);
  auto const P = level.prolongator(T, level.A), scaled_P = level.prolongator(T, scaled);
  Galerkin product(Space(), level.A.on_device(), P, T.zero_columns);
  auto const values = [](Galerkin const& of) { return to_host(of.coarse().values); };
  auto const before = values(product);

  product.update(Space(), scaled.on_device());
  EXPECT_EQ(values(product), values(Galerkin(Space(), scaled.on_device(), P, T.zero_columns)));
  EXPECT_NE(values(product), before);

  product.update(Space(), scaled.on_device(), scaled_P);
  EXPECT_EQ(values(product), values(Galerkin(Space(), scaled.on_device(), scaled_P, T.zero_columns)));
  expect_product(product, scaled, to_host(T.zero_columns));

  product.update(Space(), level.A.on_device(), P);
  EXPECT_EQ(values(product), before);

  Galerkin later(Space(), level.A.on_device(), P, T.zero_columns, detail::GalerkinValues::later);
  EXPECT_EQ(later.coarse_nnz(), before.size());
  EXPECT_EQ(later.coarse().values.extent(0), 0u);
  later.update(Space(), level.A.on_device());
  EXPECT_EQ(values(later), before);
  EXPECT_GT(detail::distinct_bytes(product), product.coarse().values.extent(0) * sizeof(double));
}

TEST(MultigridGalerkin, BitsDoNotDependOnTheNumberOfThreads) {
  SpringLevel const level;
  auto const values_on = [&](Space const& exec) {
    auto const T = level.tentative(exec);
    auto const P = level.prolongator(T, level.A, exec);
    Galerkin const product(exec, level.A.on_device(), P, T.zero_columns);
    exec.fence();
    std::vector<double> values = to_host(P.values);
    for (auto const& more : {to_host(T.matrix.values), to_host(product.coarse().values)})
      values.insert(values.end(), more.begin(), more.end());
    return values;
  };
  auto const values = values_on(Space());
  EXPECT_EQ(values_on(Space()), values);
  if (Space().concurrency() > 1) {
    for (auto const& part : Kokkos::Experimental::partition_space(Space(), std::vector<int>{1, 1}))
      EXPECT_EQ(values_on(part), values);
  }
}

TEST(MultigridGalerkin, RejectsBadInput) {
  SpringLevel const level;
  auto const T = level.tentative();
  auto const A = level.A.on_device();
  auto const other = from_dense<double>({{1, 0}, {0, 1}}, 2).on_device();
  EXPECT_TRUE(
      throws<DimensionMismatch>([&] { Galerkin(Space(), other, T.matrix); }, {"P is 105 x 30", "A is 2 x 2"}));
  EXPECT_TRUE(throws<DimensionMismatch>([&] { Galerkin(Space(), T.matrix, T.matrix); }, {"A is 105 x 30"}));
  EXPECT_TRUE(throws<DimensionMismatch>(
      [&] { Galerkin(Space(), A, T.matrix, Kokkos::View<std::uint8_t*, Device>("zero_columns", 3)); },
      {"zero_columns has extent(0) = 3, expected 30"}));
  Galerkin product(Space(), A, T.matrix);
  EXPECT_TRUE(throws<StalePlan>([&] { product.update(Space(), A, level.prolongator(T, level.A)); },
                                {"made for a P of 105 x 30 with 630 entries"}));
  EXPECT_TRUE(throws<StalePlan>([&] { product.update(Space(), other); }, {"105 x 105", "2 x 2"}));
}

}  // namespace
}  // namespace einkorn::test
