// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The identity and Jacobi: results, status, invalid arguments.

#include "../support/throws.hpp"
#include "preconditioned.hpp"

#include <einkorn/solvers/precond/identity.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A square matrix with this diagonal, each entry in two halves that lie apart in the row, and entries of 7 in
/// the two columns after the diagonal, where there are so many.
template <class S>
HostMatrix<S> with_diagonal(std::vector<S> const& d) {
  auto const n = static_cast<int>(d.size());
  HostMatrix<S> A{n, n, {0}, {}, {}};
  auto const add = [&](int column, S value) {
    A.columns.push_back(column);
    A.values.push_back(value);
  };
  for (int i = 0; i < n; ++i) {
    S const half = d[static_cast<std::size_t>(i)] * real_type<S>(0.5);
    if (n > 2) add((i + 2) % n, S(7));
    add(i, half);
    if (n > 1) add((i + 1) % n, S(7));
    add(i, half);
    A.offsets.push_back(static_cast<int>(A.values.size()));
  }
  return A;
}

template <class S>
SetupStatus status_of(std::vector<S> const& d) {
  return make_jacobi(Space(), with_diagonal(d).on_device()).status();
}

template <class S>
class Precond : public testing::Test {};
using Scalars = TestTypes<double, float, Kokkos::complex<float>, Complex>;
TYPED_TEST_SUITE(Precond, Scalars);

TYPED_TEST(Precond, JacobiDividesByTheDiagonal) {
  using S = TypeParam;
  for (std::size_t const n : {0u, 1u, 2u, 31u, 32u, 33u, 100u, 1000u}) {
    auto d = numbers<S>(Numbers::reals, n, n);
    for (auto& value : d) value += S(2);
    auto const r = numbers<S>(Numbers::reals, n, 7);

    auto const M = make_jacobi(Space(), with_diagonal(d).on_device());

    EXPECT_EQ(M.num_rows(), static_cast<std::int64_t>(n));
    EXPECT_EQ(M.bytes(), n == 0 ? 0 : n * sizeof(S) + 8);
    EXPECT_TRUE(M.status().usable());
    auto const z = applied(M, r);
    auto const inverse = to_host(M.inverse());
    for (std::size_t i = 0; i < n; ++i) {
      auto const want = widen<S>(r[i]) / widen<S>(d[i]);
      EXPECT_LE(modulus(widen<S>(z[i]) - want),
                8 * std::numeric_limits<real_type<S>>::epsilon() * modulus(want));
      EXPECT_LE(modulus(product(widen<S>(inverse[i]), widen<S>(d[i])) - Wide<S>(1)),
                4 * std::numeric_limits<real_type<S>>::epsilon());
    }
    auto const in_place = to_device(r);
    M.apply(Space(), in_place, in_place);
    Kokkos::fence();
    EXPECT_TRUE(same_numbers(to_host(in_place), z));
    EXPECT_TRUE(same_numbers(applied(make_identity(Space(), with_diagonal(d).on_device()), r), r));
  }
}

TYPED_TEST(Precond, JacobiReportsTheFirstFault) {
  using S = TypeParam;
  std::vector<S> d(100, S(2));
  EXPECT_EQ(status_of(d), SetupStatus());

  d[90] = -S(1);
  EXPECT_EQ(status_of(d), (SetupStatus{Outcome::indefinite_preconditioner, 90}));
  d[40] = -S(1);
  EXPECT_EQ(status_of(d), (SetupStatus{Outcome::indefinite_preconditioner, 40}));
  EXPECT_TRUE(status_of(d).usable());
  d[70] = S(0);
  EXPECT_EQ(status_of(d), (SetupStatus{Outcome::zero_pivot, 70})) << "outweighs a negative entry before it";
  d[60] = not_a_number<S>();
  EXPECT_EQ(status_of(d), (SetupStatus{Outcome::non_finite, 60}));
  d[50] = S(std::numeric_limits<real_type<S>>::infinity());
  EXPECT_EQ(status_of(d), (SetupStatus{Outcome::non_finite, 50}));
  d[45] = S(0);
  EXPECT_EQ(status_of(d), (SetupStatus{Outcome::zero_pivot, 45}));
  EXPECT_FALSE(status_of(d).usable());

  auto const z = applied(make_jacobi(Space(), with_diagonal(d).on_device()), std::vector<S>(100, S(6)));
  EXPECT_EQ(z[0], S(3));
  EXPECT_EQ(z[40], S(-6));
  for (std::size_t const i : {45u, 50u, 60u, 70u}) EXPECT_EQ(z[i], S(6)) << "left as it is";
}

TEST(Jacobi, ComplexEntryMustBeRealAndPositive) {
  EXPECT_EQ(status_of(std::vector<Complex>{1, Complex(2, 1e-17), Complex(1, 1e-3)}),
            (SetupStatus{Outcome::indefinite_preconditioner, 2}));
  EXPECT_EQ(status_of(std::vector<Complex>{1, 1, 1, Complex(0, infinity)}),
            (SetupStatus{Outcome::non_finite, 3}));
  auto const M = make_jacobi(Space(), with_diagonal(std::vector<Complex>{Complex(0, 2)}).on_device());
  EXPECT_EQ(applied(M, std::vector<Complex>{Complex(4, 0)})[0], Complex(0, -2));
}

TEST(Jacobi, MissingEntriesAreZeroPivots) {
  HostMatrix<double> const A{4, 4, {0, 1, 2, 2, 4}, {0, 0, 0, 3}, {1, 1, 5, 1}};
  EXPECT_EQ(make_jacobi(Space(), A.on_device()).status(), (SetupStatus{Outcome::zero_pivot, 1}));
}

TEST(Jacobi, HasNoAbsoluteThreshold) {
  std::vector<double> const d{1e200, 1e-200, 3e-308, 1e308};
  auto const M = make_jacobi(Space(), with_diagonal(d).on_device());
  EXPECT_EQ(M.status(), SetupStatus());
  auto const z = applied(M, d);
  for (auto const value : z) EXPECT_NEAR(value, 1, 4e-16);
  EXPECT_EQ(status_of(std::vector<double>{1, 1, 1e-310}), (SetupStatus{Outcome::zero_pivot, 2}))
      << "1 / 1e-310 is infinite";
  EXPECT_EQ(status_of(std::vector<Complex>{Complex(1e200), Complex(1e-200), Complex(1)}), SetupStatus());
  EXPECT_EQ(status_of(std::vector<float>{1e30f, 1e-30f, 1}), SetupStatus());
}

TEST(Jacobi, Update) {
  std::vector<double> d{1, 2, 4, 8};
  auto const good = with_diagonal(d).on_device();
  d[2] = 0;
  auto M = make_jacobi(Space(), with_diagonal(d).on_device());
  EXPECT_EQ(M.status().outcome, Outcome::zero_pivot);

  M.update(Space(), good);

  EXPECT_EQ(M.status(), SetupStatus());
  EXPECT_EQ(applied(M, std::vector<double>(4, 8)), (std::vector<double>{8, 4, 2, 1}));
  expect_update_allocates_nothing(M, good);
}

TEST(Jacobi, MixedVectorTypes) {
  auto const M = make_jacobi(Space(), with_diagonal(std::vector<float>{4, 4, 4}).on_device());
  EXPECT_EQ(applied(M, std::vector<double>(3, 1 + 0x1p-40))[1], (1 + 0x1p-40) / 4);
  EXPECT_EQ(applied(M, std::vector<Complex>(3, Complex(4, -8)))[2], Complex(1, -2));
  auto const strided = Kokkos::View<double**, Kokkos::LayoutRight, Device>("Z", 3, 2);
  M.apply(Space(), to_device(std::vector<double>(3, 2)), Kokkos::subview(strided, Kokkos::ALL, 1));
  Kokkos::fence();
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), strided);
  EXPECT_EQ(host(2, 1), 0.5);
  EXPECT_EQ(host(2, 0), 0);
}

TEST(Preconditioners, ApplyOnlyLaunches) {
  auto const A = with_diagonal(std::vector<double>(1000, 2)).on_device();
  expect_apply_only_launches<double>(make_jacobi(Space(), A));
  auto const I = make_identity(Space(), A);
  expect_apply_only_launches<double>(I);
  Kokkos::View<double*, Device> const r("r", 1000);
  Watch const watch;
  I.apply(Space(), r, r);
  EXPECT_TRUE(watch.seen().launches.empty()) << "nothing to do";
}

TEST(Preconditioners, NamesAndSizes) {
  auto const A = with_diagonal(std::vector<double>(4, 2)).on_device();
  EXPECT_EQ(make_identity(Space(), A).name(), "identity");
  EXPECT_EQ(make_identity(Space(), A).bytes(), 0u);
  EXPECT_EQ(make_identity(Space(), A).num_rows(), 4);
  EXPECT_EQ(make_identity(Space(), A).status(), SetupStatus());
  EXPECT_EQ(make_jacobi(Space(), A).name(), "jacobi");
  EXPECT_STREQ(name_of(Outcome::indefinite_preconditioner), "indefinite preconditioner");
  EXPECT_STREQ(name_of(Quantity::shadow_curvature), "r0.Ap");
}

template <class Preconditioner>
void expect_refusals(Preconditioner M) {
  auto const vector = [](std::size_t n) { return Kokkos::View<double*, Device>("vector", n); };
  EXPECT_TRUE(throws<DimensionMismatch>([&] { M.apply(Space(), vector(4), vector(3)); },
                                        {"r has extent(0) = 4", "expected 3"}));
  EXPECT_TRUE(throws<DimensionMismatch>([&] { M.apply(Space(), vector(3), vector(2)); },
                                        {"z has extent(0) = 2", "expected 3"}));
  auto const four = vector(4);
  EXPECT_TRUE(throws<InvalidArgument>(
      [&] { M.apply(Space(), Kokkos::subview(four, std::pair(0, 3)), Kokkos::subview(four, std::pair(1, 4))); },
      {"overlap", "not the same vector"}));
  auto const other = with_diagonal(std::vector<double>(4, 2)).on_device();
  EXPECT_TRUE(throws<DimensionMismatch>([&] { M.update(Space(), other); }, {"3 rows", "4"}));
}

TEST(Preconditioners, InvalidArguments) {
  auto const A = with_diagonal(std::vector<double>(3, 2)).on_device();
  expect_refusals(make_identity(Space(), A));
  expect_refusals(make_jacobi(Space(), A));
  auto const wide = HostMatrix<double>{2, 3, {0, 0, 0}, {}, {}}.on_device();
  EXPECT_TRUE(throws<DimensionMismatch>([&] { (void)make_jacobi(Space(), wide); }, {"2 x 3", "square"}));
  EXPECT_TRUE(throws<DimensionMismatch>([&] { (void)make_identity(Space(), wide); }, {"2 x 3", "square"}));
}

}  // namespace
}  // namespace einkorn::test
