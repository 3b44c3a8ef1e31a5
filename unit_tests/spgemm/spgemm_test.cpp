// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// C = A B by both algorithms: A A^T and A A of the battery, R A P, the identity, special rows, types.

#include "../support/battery.hpp"
#include "../support/near.hpp"
#include "spgemm_oracle.hpp"

#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/spgemm/spgemm.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

constexpr std::size_t max_products = 2000000;  // about one second of the oracle

template <class HostA, class HostB>
void expect_product(HostA const& A, HostB const& B, bool exact, SpgemmTeamOptions options = {}) {
  auto const on_device_A = A.on_device();
  auto const on_device_B = B.on_device();
  for (auto const algorithm : algorithms()) {
    SCOPED_TRACE(algorithm == SpgemmAlgorithm::row_teams ? "row_teams" : "host_rows");
    options.algorithm = algorithm;

    auto const C = spgemm(Space(), on_device_A, on_device_B, options);

    Space().fence();
    validate(Space(), C);
    EXPECT_TRUE(is_product(to_host(C), A, B, exact));
  }
}

template <class C>
class CsrSpgemm : public testing::Test {};
using Types = TestTypes<Config<double, int, int>, Config<float, int, std::size_t>,
                        Config<Complex, std::int64_t, std::size_t>>;
TYPED_TEST_SUITE(CsrSpgemm, Types);

TYPED_TEST(CsrSpgemm, AATransposeIsExactForIntegers) {
  std::size_t tried = 0;
  for (auto const& pattern : battery()) {
    SCOPED_TRACE(pattern.name);
    auto const A = with_numbers_of<TypeParam>(pattern, Numbers::integers);
    auto const T = transposed(A);
    if (count_products(A, T) > max_products) continue;
    ++tried;
    expect_product(A, T, true);
  }
  EXPECT_GT(3 * tried, 2 * battery().size());
}

TYPED_TEST(CsrSpgemm, SquareIsWithinTheErrorBound) {
  std::size_t tried = 0;
  for (auto const& pattern : battery()) {
    if (pattern.num_rows != pattern.num_cols) continue;
    SCOPED_TRACE(pattern.name);
    auto const A = with_numbers_of<TypeParam>(pattern, Numbers::reals);
    if (count_products(A, A) > max_products) continue;
    ++tried;
    expect_product(A, A, false);
  }
  EXPECT_GE(tried, 4u);
}

TYPED_TEST(CsrSpgemm, GalerkinProductIsExactForIntegers) {
  auto const A = with_numbers_of<TypeParam>(random_pattern(400, 400, 3), Numbers::integers);
  auto const P = with_numbers_of<TypeParam>(random_pattern(400, 57, 4), Numbers::integers);
  auto const R = transposed(P);

  auto const AP = spgemm(Space(), A.on_device(), P.on_device());
  auto const RAP = spgemm(Space(), R.on_device(), AP);

  EXPECT_TRUE(is_product(to_host(RAP), R, to_host(AP), true));
  EXPECT_EQ(RAP.num_rows, 57);
}

TYPED_TEST(CsrSpgemm, IdentityGivesSortedRows) {
  using HostM = HostMatrixOf<TypeParam>;
  auto const A = with_numbers_of<TypeParam>(random_pattern(130, 130, 5), Numbers::reals);
  HostM I{A.num_rows, A.num_rows, {}, {}, {}};
  for (std::size_t i = 0; i < A.rows(); ++i) {
    I.offsets.push_back(static_cast<typename HostM::Offset>(i));
    I.columns.push_back(static_cast<typename HostM::Ordinal>(i));
    I.values.push_back(typename HostM::Scalar(1));
  }
  I.offsets.push_back(static_cast<typename HostM::Offset>(A.rows()));

  expect_product(I, A, true);
  expect_product(A, I, true);
}

/// Repeated columns in unsorted rows.
TYPED_TEST(CsrSpgemm, RepeatedColumns) {
  using HostM = HostMatrixOf<TypeParam>;
  using S = typename HostM::Scalar;
  HostM A = with_numbers_of<TypeParam>(random_pattern(90, 90, 6), Numbers::integers);
  for (std::size_t i = 0; i < A.rows(); ++i)
    if (A.end(i) - A.begin(i) > 3) {
      A.columns[A.begin(i)] = A.columns[A.end(i) - 1];
      std::swap(A.columns[A.begin(i) + 1], A.columns[A.begin(i) + 2]);
    }
  HostM const sorted_repeats{2, 90, {0, 3, 4}, {5, 5, 7, 5}, {S(1), S(2), S(3), S(4)}};

  expect_product(A, A, true);
  expect_product(sorted_repeats, A, true);
  expect_product(transposed(A), transposed(sorted_repeats), true);
}

/// Distinct columns in unsorted rows: no binary search is possible.
TYPED_TEST(CsrSpgemm, UnsortedRows) {
  auto A = with_numbers_of<TypeParam>(random_pattern(300, 300, 7), Numbers::integers);
  for (std::size_t i = 0; i < A.rows(); ++i)
    std::reverse(A.columns.begin() + static_cast<std::ptrdiff_t>(A.begin(i)),
                 A.columns.begin() + static_cast<std::ptrdiff_t>(A.end(i)));

  expect_product(A, A, true);
}

TYPED_TEST(CsrSpgemm, CancelledEntryIsKept) {
  using HostM = HostMatrixOf<TypeParam>;
  using S = typename HostM::Scalar;
  HostM const A{1, 2, {0, 2}, {0, 1}, {S(1), S(-1)}};
  HostM const B{2, 3, {0, 1, 3}, {2, 0, 2}, {S(5), S(1), S(5)}};

  auto const C = to_host(spgemm(Space(), A.on_device(), B.on_device()));

  EXPECT_EQ(C.nnz(), 2u);
  EXPECT_TRUE(is_product(C, A, B, true));
}

TYPED_TEST(CsrSpgemm, DenseRowAndDenseColumn) {
  std::vector<std::int64_t> lengths(700, 1);
  lengths[350] = 700;
  auto const A = with_numbers_of<TypeParam>(from_lengths("one dense row", lengths, 700), Numbers::integers);

  expect_product(A, transposed(A), true);
  expect_product(transposed(A), A, true);
}

TYPED_TEST(CsrSpgemm, EmptyMatrices) {
  using HostM = HostMatrixOf<TypeParam>;
  HostM const none, wide{0, 7, {0}, {}, {}}, tall{5, 0, {0, 0, 0, 0, 0, 0}, {}, {}},
      empty{3, 5, {0, 0, 0, 0}, {}, {}};

  expect_product(none, none, true);
  expect_product(tall, wide, true);
  expect_product(empty, tall, true);
  expect_product(wide, transposed(wide), true);
  EXPECT_EQ(spgemm(Space(), tall.on_device(), wide.on_device()).num_cols, 7);
}

}  // namespace
}  // namespace einkorn::test
