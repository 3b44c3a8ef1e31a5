// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The diagonal of a CSR, and CSRs scaled by diagonal matrices from the left and the right.

#include "../support/battery.hpp"
#include "../support/near.hpp"
#include "../support/throws.hpp"
#include "../support/watch.hpp"

#include <einkorn/formats/csr/diagonal.hpp>
#include <einkorn/formats/csr/scale.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

using Vector = Kokkos::View<double*, Device>;
using Nothing = Kokkos::View<double const*, Device>;

template <class Host>
std::vector<typename Host::Scalar> diagonal_of(Host const& A) {
  std::vector<typename Host::Scalar> d(A.rows(), typename Host::Scalar(0));
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (auto k = A.begin(i); k < A.end(i); ++k)
      if (A.column(k) == i) d[i] += A.values[k];
  return d;
}

/// Every position of a row of 7, 1000 times over, in a row between two others.
HostMatrix<double> with_repeats() {
  HostMatrix<double> A{7, 7, {0}, {}, {}};
  for (int i = 0; i < 7; ++i) {
    for (int k = 0; k < (i == 3 ? 7000 : i); ++k) A.columns.push_back((k * 3) % 7);
    A.offsets.push_back(static_cast<int>(A.columns.size()));
  }
  A.values = numbers<double>(Numbers::integers, A.columns.size(), 5);
  return A;
}

template <class C>
class Diagonal : public testing::Test {};
using DiagonalTypes =
    TestTypes<Config<double, int, std::size_t>, Config<float, int, int>,
              Config<Kokkos::complex<float>, std::int64_t, std::size_t>, Config<Complex, int, int>>;
TYPED_TEST_SUITE(Diagonal, DiagonalTypes);

/// Padded to a square with empty rows or columns.
Pattern made_square(Pattern pattern) {
  pattern.num_rows = pattern.num_cols = std::max(pattern.num_rows, pattern.num_cols);
  pattern.offsets.resize(static_cast<std::size_t>(pattern.num_rows) + 1, pattern.offsets.back());
  return pattern;
}

TYPED_TEST(Diagonal, OfTheBatteryMadeSquare) {
  using S = typename TypeParam::Scalar;
  std::size_t entries = 0;
  for (auto const& pattern : battery()) {
    auto const A = with_numbers_of<TypeParam>(made_square(pattern), Numbers::integers);
    auto const d = to_device(std::vector<S>(A.rows(), not_a_number<S>()));

    extract_diagonal(Space(), A.on_device(), d);

    auto const want = diagonal_of(A);
    EXPECT_TRUE(same_numbers(to_host(d), want)) << pattern.name;
    for (auto const& value : want) entries += value != S(0);
  }
  EXPECT_GT(entries, 500u);
}

TEST(ExtractDiagonal, RepeatedPositionsAreAdded) {
  auto const A = with_repeats();
  auto const want = diagonal_of(A);
  ASSERT_NE(want[3], 0);
  auto const d = to_device(std::vector<double>(7, not_a_number<double>()));

  extract_diagonal(Space(), A.on_device(), d);

  EXPECT_TRUE(same_numbers(to_host(d), want));
}

TEST(ExtractDiagonal, IntoAWiderTypeAndAColumnOfAMultivector) {
  HostMatrix<float> const A{2, 2, {0, 2, 4}, {0, 0, 1, 0}, {1.0f, 0x1p-30f, 3.0f, 7.0f}};
  Kokkos::View<double**, Kokkos::LayoutRight, Device> const D("D", 2, 3);

  extract_diagonal(Space(), A.on_device(), Kokkos::subview(D, Kokkos::ALL, 1));

  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), D);
  EXPECT_EQ(host(0, 1), 1 + 0x1p-30);
  EXPECT_EQ(host(1, 1), 3);
  EXPECT_EQ(host(0, 0) + host(0, 2) + host(1, 0) + host(1, 2), 0);
}

TEST(ExtractDiagonal, OnlyLaunches) {
  auto const A = with_repeats().on_device();
  Vector const d("d", 7);
  Kokkos::fence();
  Watch const watch;
  extract_diagonal(Space(), A, d);
  EXPECT_EQ(watch.seen().launches.size(), 1u);
  EXPECT_TRUE(watch.seen().fences.empty() && watch.seen().allocations.empty() && watch.seen().copies.empty());
}

TEST(ExtractDiagonal, InvalidArguments) {
  auto const A = with_repeats().on_device();
  auto const wide = HostMatrix<double>{2, 3, {0, 0, 0}, {}, {}}.on_device();
  EXPECT_TRUE(
      throws<DimensionMismatch>([&] { extract_diagonal(Space(), wide, Vector("d", 2)); }, {"2 x 3", "square"}));
  EXPECT_TRUE(throws<DimensionMismatch>([&] { extract_diagonal(Space(), A, Vector("d", 8)); },
                                        {"extent(0) = 8", "expected 7"}));
  auto const inside = Kokkos::subview(A.values, std::pair(1, 8));
  EXPECT_TRUE(throws<InvalidArgument>([&] { extract_diagonal(Space(), A, inside); }, {"overlaps"}));
}

Pattern square_pattern() {
  return random_pattern(200, 200, 4);
}
Vector factors(std::size_t n, std::uint64_t seed) {
  auto values = numbers<double>(Numbers::reals, n, seed);
  for (auto& value : values) value = 1.5 + value;
  return to_device(values);
}

TYPED_TEST(Diagonal, ScalesRowsAndColumns) {
  using S = typename TypeParam::Scalar;
  auto const A = with_numbers_of<TypeParam>(random_pattern(150, 170, 2), Numbers::reals);
  auto const left = factors(150, 1), right = factors(170, 2);
  auto const l = to_host(left), r = to_host(right);
  auto const device = A.on_device();
  for (bool const has_left : {false, true})
    for (bool const has_right : {false, true}) {
      auto const B = scale_rows_and_columns(Space(), has_left ? Nothing(left) : Nothing(), device,
                                            has_right ? Nothing(right) : Nothing());

      EXPECT_EQ(B.row_offsets.data(), device.row_offsets.data());
      EXPECT_EQ(B.columns.data(), device.columns.data());
      auto const got = to_host(B.values);
      ASSERT_EQ(got.size(), A.nnz());
      for (std::size_t i = 0; i < A.rows(); ++i)
        for (auto k = A.begin(i); k < A.end(i); ++k) {
          long double const factor = (has_left ? static_cast<long double>(l[i]) : 1) *
                                     (has_right ? static_cast<long double>(r[A.column(k)]) : 1);
          auto const want = widen<S>(A.values[k]) * factor;
          EXPECT_LE(modulus(widen<S>(got[k]) - want),
                    2 * std::numeric_limits<real_type<S>>::epsilon() * modulus(want))
              << i;
        }
    }
}

TEST(Scale, HermitianStaysExactlyHermitian) {
  std::size_t const n = 40;
  std::vector<std::vector<Complex>> dense(n, std::vector<Complex>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      dense[i][j] = number<Complex>(Numbers::reals, i * n + j, 3);
      dense[j][i] = conjugate(dense[i][j]);
    }
  auto const A = from_dense(dense, n);
  ASSERT_EQ(A.nnz(), n * n);
  auto s = numbers<double>(Numbers::reals, n, 6);
  for (auto& value : s) value = 1 / (3 + value);
  auto const values =
      to_host(scale_rows_and_columns(Space(), to_device(s), A.on_device(), to_device(s)).values);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(values[i * n + j], conjugate(values[j * n + i]));
}

TEST(Scale, ProductsOfFloatFactorsMayExceedFloat) {
  HostMatrix<float> const A{1, 1, {0, 1}, {0}, {0x1p-120f}};
  auto const s = to_device(std::vector<float>{0x1p100f});
  EXPECT_EQ(to_host(scale_rows_and_columns(Space(), s, A.on_device(), s).values)[0], 0x1p80f);
}

TEST(Scale, UpdateDoesNotAllocate) {
  auto const A = with_numbers<double>(square_pattern(), Numbers::reals, 1).on_device();
  auto const other = with_numbers<double>(square_pattern(), Numbers::reals, 2);
  auto const left = factors(200, 1), right = factors(200, 2);
  auto const want = to_host(scale_rows_and_columns(Space(), left, other.on_device(), right).values);
  auto const B = scale_rows_and_columns(Space(), left, A, right);
  auto const new_values = other.on_device(),
             same_arrays = Csr<double, int, int, Device>{A.num_rows, A.num_cols, A.row_offsets, A.columns,
                                                         to_device(other.values)};
  update_scaled_values(Space(), left, new_values, right, B);
  EXPECT_TRUE(same_numbers(to_host(B.values), want));

  update_scaled_values(Space(), left, A, right, B);
  EXPECT_FALSE(same_numbers(to_host(B.values), want));
  Kokkos::fence();
  {
    Watch const watch;
    update_scaled_values(Space(), left, same_arrays, right, B);
    EXPECT_EQ(watch.seen().launches.size(), 1u);
    EXPECT_TRUE(watch.seen().fences.empty() && watch.seen().allocations.empty());
  }
  EXPECT_TRUE(same_numbers(to_host(B.values), want));

  update_scaled_values(Space(), left, new_values, right, new_values);
  EXPECT_TRUE(same_numbers(to_host(new_values.values), want)) << "in place";
}

TEST(Scale, AllocatesTheValuesOnly) {
  auto const A = with_numbers<double>(square_pattern(), Numbers::reals).on_device();
  auto const s = factors(200, 1);
  Kokkos::fence();
  Watch const watch;
  auto const B = scale_rows_and_columns(Space(), s, A, s);
  EXPECT_EQ(watch.seen().launches.size(), 1u);
  EXPECT_EQ(watch.seen().allocations.size(), 1u);
  EXPECT_TRUE(watch.seen().copies.empty());
}

TEST(Scale, EmptyMatrix) {
  EXPECT_EQ(scale_rows_and_columns(Space(), Nothing(), Csr<double, int, int, Device>{}, Nothing()).nnz(), 0);
}

TEST(Scale, InvalidArguments) {
  auto const pattern = random_pattern(20, 30, 1);
  auto const A = with_numbers<double>(pattern, Numbers::reals).on_device();
  auto const left = factors(20, 1), right = factors(30, 1);
  EXPECT_TRUE(throws<DimensionMismatch>([&] { (void)scale_rows_and_columns(Space(), right, A, right); },
                                        {"left has extent(0) = 30", "expected 20"}));
  EXPECT_TRUE(throws<DimensionMismatch>([&] { (void)scale_rows_and_columns(Space(), left, A, left); },
                                        {"right has extent(0) = 20", "expected 30"}));
  auto const B = scale_rows_and_columns(Space(), left, A, right);
  auto moved = with_numbers<double>(pattern, Numbers::reals);
  moved.columns[0] = moved.columns[0] == 0 ? 1 : 0;
  EXPECT_TRUE(throws<StalePlan>([&] { update_scaled_values(Space(), left, moved.on_device(), right, B); },
                                {"elsewhere"}));
  EXPECT_TRUE(throws<StalePlan>(
      [&] {
        auto const longer = with_numbers<double>(random_pattern(20, 30, 9), Numbers::reals).on_device();
        update_scaled_values(Space(), left, longer, right, B, Checks::off);
      },
      {"20 x 30"}));
  auto const inside = Kokkos::subview(B.values, std::pair(0, 20));
  EXPECT_TRUE(
      throws<InvalidArgument>([&] { update_scaled_values(Space(), inside, A, right, B); }, {"scaling vector"}));
}

}  // namespace
}  // namespace einkorn::test
