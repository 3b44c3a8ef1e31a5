// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Block-Jacobi against dense solves of its blocks; status of singular blocks; invalid arguments.

#include "../support/throws.hpp"
#include "dense_blocks.hpp"
#include "preconditioned.hpp"

#include <einkorn/formats/csr/diagonal.hpp>
#include <einkorn/formats/csr/scale.hpp>
#include <einkorn/solvers/precond/block_jacobi.hpp>
#include <einkorn/solvers/precond/identity.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>

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

/// n rows with most of the columns within 40 of the diagonal, in no order, some twice; the diagonal is positive
/// but not dominant.
template <class S>
HostMatrix<S> random_band(std::size_t n, std::uint64_t seed) {
  HostMatrix<S> A{static_cast<int>(n), static_cast<int>(n), {0}, {}, {}};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t step = 0; step < 81; ++step) {
      auto const column = static_cast<std::int64_t>(i) + static_cast<std::int64_t>(step * 37 % 81) - 40;
      auto const draw = noise(i * 81 + step, seed) % 10;
      if (column < 0 || column >= static_cast<std::int64_t>(n)) continue;
      if (static_cast<std::size_t>(column) == i) {
        A.columns.push_back(static_cast<int>(i));
        A.values.push_back(S(1.25));
        continue;
      }
      for (int copies = draw < 3 ? 0 : draw < 9 ? 1 : 2; copies > 0; --copies) {
        A.columns.push_back(static_cast<int>(column));
        A.values.push_back(number<S>(Numbers::reals, A.values.size(), seed));
      }
    }
    A.offsets.push_back(static_cast<int>(A.values.size()));
  }
  return A;
}

template <class S, class M>
void expect_block_solves(HostMatrix<S> const& A, M const& preconditioner, std::vector<int> const& offsets) {
  ASSERT_EQ(preconditioner.status(), SetupStatus());
  auto const r = numbers<S>(Numbers::reals, A.rows(), 77);
  auto const z = applied(preconditioner, r);
  for (std::size_t k = 0; k + 1 < offsets.size(); ++k) {
    auto const begin = static_cast<std::size_t>(offsets[k]);
    EXPECT_TRUE(solves(block_of(A, begin, static_cast<std::size_t>(offsets[k + 1]) - begin), r, z, begin));
  }
}

template <class S>
class BlockJacobiScalars : public testing::Test {};
using Scalars = TestTypes<double, float, Kokkos::complex<float>, Complex>;
TYPED_TEST_SUITE(BlockJacobiScalars, Scalars);

TYPED_TEST(BlockJacobiScalars, SolvesWithUniformBlocks) {
  using S = TypeParam;
  for (std::size_t const n : {0u, 1u, 31u, 32u, 33u, 100u})
    for (int const size : {1, 2, 3, 4, 7, 8, 31, 32}) {
      auto const A = random_band<S>(n, n + 1);
      std::vector<int> offsets{0};
      while (offsets.back() < A.num_rows) offsets.push_back(std::min(offsets.back() + size, A.num_rows));

      auto const M = make_block_jacobi(Space(), A.on_device(), {.block_size = size});

      SCOPED_TRACE("n " + std::to_string(n) + ", " + M.name());
      expect_block_solves(A, M, offsets);
      std::size_t values = 0;
      for (std::size_t k = 0; k + 1 < offsets.size(); ++k) {
        auto const rows = static_cast<std::size_t>(offsets[k + 1] - offsets[k]);
        values += rows * rows;
      }
      EXPECT_EQ(M.num_blocks(), static_cast<std::int64_t>(offsets.size()) - 1);
      EXPECT_EQ(M.bytes(), n == 0 ? 0 : values * sizeof(S) + 8);
    }
}

TYPED_TEST(BlockJacobiScalars, SolvesWithListedBlocks) {
  using S = TypeParam;
  auto const A = random_band<S>(120, 3);
  std::vector<int> const offsets{0, 1, 1, 1, 33, 35, 42, 74, 74, 90, 120, 120};

  auto const M = make_block_jacobi(Space(), A.on_device(), to_device(offsets));

  expect_block_solves(A, M, offsets);
  EXPECT_EQ(M.num_blocks(), 11);
  EXPECT_EQ(M.name(), "block_jacobi(listed)");
  std::size_t const values = 1 + 32 * 32 + 4 + 49 + 32 * 32 + 256 + 900;
  EXPECT_EQ(M.bytes(), values * sizeof(S) + 8 + (12 + 120) * sizeof(int) + 12 * sizeof(std::size_t));
  std::vector<std::size_t> const uniform{0, 32, 64, 96, 120};
  auto const r = numbers<S>(Numbers::reals, 120, 5);
  EXPECT_TRUE(same_numbers(applied(make_block_jacobi(Space(), A.on_device(), to_device(uniform)), r),
                           applied(make_block_jacobi(Space(), A.on_device(), {.block_size = 32}), r)));
}

template <class S>
HostMatrix<S> dense(std::vector<std::vector<S>> const& rows) {
  return from_dense(rows, rows.size());
}

TEST(BlockJacobi, PivotsOnZeroOrTinyDiagonal) {
  std::vector<std::vector<double>> reversed(8, std::vector<double>(8));
  for (std::size_t i = 0; i < 8; ++i) reversed[i][(i * 3 + 2) % 8] = static_cast<double>(std::size_t(1) << i);
  auto const M = make_block_jacobi(Space(), dense(reversed).on_device(), {.block_size = 8});
  EXPECT_EQ(M.status(), (SetupStatus{Outcome::indefinite_preconditioner, 0}));
  std::vector<double> r(8), want(8);
  for (std::size_t i = 0; i < 8; ++i) {
    r[i] = static_cast<double>(i + 1);
    want[(i * 3 + 2) % 8] = r[i] / static_cast<double>(std::size_t(1) << i);
  }
  EXPECT_EQ(applied(M, r), want);

  auto const A = dense<double>({{1e-20, 1, 0}, {1, 1, 1}, {0, 1, 2}});
  auto const tiny = make_block_jacobi(Space(), A.on_device(), {.block_size = 3});
  EXPECT_EQ(tiny.status(), SetupStatus());
  EXPECT_TRUE(solves(block_of(A, 0, 3), {1, 2, 3}, applied(tiny, std::vector<double>{1, 2, 3}), 0));
}

/// diag(s) B diag(t): what is tiny is so by its unit only, and the inverse is exact up to rounding.
template <class S>
void expect_units_do_not_matter(std::vector<S> const& s, std::vector<S> const& t) {
  std::vector<std::vector<S>> const B{{4, 1, 0, 1}, {1, 5, 2, 0}, {0, 2, 6, 1}, {1, 0, 1, 3}};
  auto scaled = B;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) scaled[i][j] = B[i][j] * s[i] * t[j];
  auto const M = make_block_jacobi(Space(), dense(scaled).on_device());
  ASSERT_EQ(M.status(), SetupStatus());
  auto const z = applied(M, s);
  auto const E = inverse_of(block_of(dense(B), 0, 4));
  for (std::size_t i = 0; i < 4; ++i) {
    auto const want = (E(i, 0) + E(i, 1) + E(i, 2) + E(i, 3)) / static_cast<long double>(t[i]);
    EXPECT_LE(std::abs(static_cast<long double>(z[i]) - want),
              32 * std::numeric_limits<S>::epsilon() * std::abs(want))
        << i;
  }
}

TEST(BlockJacobi, InvariantUnderDiagonalScaling) {
  std::vector<double> const s{0x1p330, 0x1p-330, 1, 0x1p200};  // entries of 1e199 and of 1e-199
  std::vector<float> const of_floats{0x1p50f, 0x1p-50f, 1, 0x1p9f};
  expect_units_do_not_matter(s, s);
  expect_units_do_not_matter(of_floats, of_floats);
  expect_units_do_not_matter<double>({0x1p9, 1, 0x1p-9, 8}, {0x1p-7, 0x1p5, 0x1p9, 1});
  for (double const d : {1e200, 1e-200}) {
    auto const M = make_block_jacobi(Space(), dense<double>({{2 * d, d}, {d, 2 * d}}).on_device());
    EXPECT_EQ(M.status(), SetupStatus());
    auto const z = applied(M, std::vector<double>{3 * d, 3 * d});
    EXPECT_NEAR(z[0], 1, 1e-15);
    EXPECT_NEAR(z[1], 1, 1e-15);
  }
  auto const mixed = make_block_jacobi(Space(), dense<double>({{1e200, 0}, {0, 1e-200}}).on_device());
  EXPECT_EQ(mixed.status(), SetupStatus()) << "a diagonal block is never singular";
}

TEST(BlockJacobi, ReportsTheRowWithoutPivot) {
  auto const status = [](HostMatrix<double> const& A, int size) {
    return make_block_jacobi(Space(), A.on_device(), {.block_size = size}).status();
  };
  for (int const empty : {0, 1, 30, 31, 32, 57, 99})
    for (int const size : {1, 2, 7, 32}) {
      auto const row = static_cast<std::size_t>(empty);
      auto A = random_band<double>(100, 9);
      for (auto k = A.begin(row); k < A.end(row); ++k) A.values[k] = 0;
      EXPECT_EQ(status(A, size), (SetupStatus{Outcome::zero_pivot, empty})) << "zeros, size " << size;
      auto const first = static_cast<std::ptrdiff_t>(A.begin(row)),
                 last = static_cast<std::ptrdiff_t>(A.end(row));
      A.values.erase(A.values.begin() + first, A.values.begin() + last);
      A.columns.erase(A.columns.begin() + first, A.columns.begin() + last);
      for (std::size_t i = row + 1; i < A.offsets.size(); ++i) A.offsets[i] -= static_cast<int>(last - first);
      EXPECT_EQ(status(A, size), (SetupStatus{Outcome::zero_pivot, empty})) << "nothing, size " << size;
    }
  EXPECT_EQ(status(dense<double>({{1, 1}, {1, 1}}), 2), (SetupStatus{Outcome::zero_pivot, 1}));
  EXPECT_EQ(status(dense<double>({{1, 0, 0}, {0, 2, 0}, {1, 1, 0}}), 3), (SetupStatus{Outcome::zero_pivot, 2}))
      << "a column of zeros";
  EXPECT_EQ(status(dense<double>({{1e-320}}), 1), (SetupStatus{Outcome::zero_pivot, 0}))
      << "its inverse is infinite";
  EXPECT_EQ(status(dense<double>({{1e-320, 0}, {0, 1}}), 2), (SetupStatus{Outcome::zero_pivot, 0}));
}

TEST(BlockJacobi, DetectsRankDeficientBlocks) {
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    std::size_t const n = 8 + seed % 25;
    std::vector<std::vector<double>> rows(2 * n, std::vector<double>(2 * n));
    for (std::size_t i = 0; i < n; ++i) {
      rows[i][i] = 1;
      for (std::size_t j = 0; j < n; ++j)
        rows[n + i][n + j] = number<double>(Numbers::integers, i * n + j, seed);
    }
    auto& dependent = rows[n + seed % n];
    std::fill(dependent.begin(), dependent.end(), 0);
    for (std::size_t i = n; i < 2 * n; ++i)
      if (i != n + seed % n)
        for (std::size_t j = n; j < 2 * n; ++j) dependent[j] += rows[i][j];
    auto const M = make_block_jacobi(Space(), dense(rows).on_device(), {.block_size = static_cast<int>(n)});
    EXPECT_EQ(M.status().outcome, Outcome::zero_pivot) << seed;
    EXPECT_GE(M.status().row, static_cast<std::int64_t>(n)) << seed;
    auto const r = numbers<double>(Numbers::reals, 2 * n, seed);
    EXPECT_EQ(applied(M, r), r) << "the identity both by its values and in place of an inverse";
  }
}

TYPED_TEST(BlockJacobiScalars, ReportsTheFirstFault) {
  using S = TypeParam;
  std::vector<std::vector<S>> rows(40, std::vector<S>(40));
  for (std::size_t i = 0; i < 40; ++i) rows[i][i] = S(2);
  auto const with = [&](std::size_t i, std::size_t j, S value) {
    rows[i][j] = value;
    return make_block_jacobi(Space(), dense(rows).on_device()).status();
  };
  EXPECT_EQ(with(0, 1, S(1)), SetupStatus());
  EXPECT_EQ(with(30, 20, not_a_number<S>()), SetupStatus()) << "outside the blocks";
  EXPECT_EQ(with(2, 2, -S(2)), (SetupStatus{Outcome::indefinite_preconditioner, 2}));
  EXPECT_EQ(with(27, 27, S(0)), (SetupStatus{Outcome::zero_pivot, 27}));
  EXPECT_EQ(with(22, 20, not_a_number<S>()), (SetupStatus{Outcome::non_finite, 22}));
  EXPECT_EQ(with(19, 18, S(std::numeric_limits<real_type<S>>::infinity())),
            (SetupStatus{Outcome::non_finite, 19}));
  auto const z = applied(make_block_jacobi(Space(), dense(rows).on_device()), std::vector<S>(40, S(8)));
  for (std::size_t i = 0; i < 40; ++i) {
    bool const kept = (i >= 16 && i < 24) || (i >= 24 && i < 28);
    EXPECT_EQ(z[i], kept ? S(8) : i == 0 ? S(2) : i == 2 ? S(-4) : S(4)) << i;
  }
}

TEST(BlockJacobi, Update) {
  auto const A = random_band<double>(100, 4);
  auto singular = A;
  for (auto k = A.begin(50); k < A.end(50); ++k) singular.values[k] = 0;
  std::vector<int> const offsets{0, 10, 40, 72, 100};
  auto uniform = make_block_jacobi(Space(), singular.on_device(), {.block_size = 5});
  auto listed = make_block_jacobi(Space(), singular.on_device(), to_device(offsets));
  EXPECT_EQ(uniform.status(), (SetupStatus{Outcome::zero_pivot, 50}));
  EXPECT_EQ(listed.status(), (SetupStatus{Outcome::zero_pivot, 50}));

  uniform.update(Space(), A.on_device());
  listed.update(Space(), A.on_device());

  expect_block_solves(A, listed, offsets);
  auto const r = numbers<double>(Numbers::reals, 100, 6);
  EXPECT_EQ(applied(uniform, r), applied(make_block_jacobi(Space(), A.on_device(), {.block_size = 5}), r));
  expect_update_allocates_nothing(uniform, A.on_device());
  expect_update_allocates_nothing(listed, A.on_device());
  expect_apply_only_launches<double>(uniform);
  expect_apply_only_launches<double>(listed);
}

TEST(BlockJacobi, MixedVectorAndIndexTypes) {
  HostMatrix<float, std::int64_t, std::size_t> const A{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {2, 1, 1, 1}};
  auto const M = make_block_jacobi(Space(), A.on_device(), {.block_size = 2});
  EXPECT_EQ(applied(M, std::vector<double>{3 + 0x1p-40, 2}), (std::vector<double>{1 + 0x1p-40, 1 - 0x1p-40}));
  EXPECT_EQ(applied(M, std::vector<Complex>{Complex(3, 2), Complex(2, 1)})[0], Complex(1, 1));
}

/// The shape of a KokkosSparse::CrsMatrix.
struct CrsShape {
  using value_type = double;
  using ordinal_type = int;
  using size_type = int;
  using device_type = Device;
  struct Graph {
    Kokkos::View<int const*, Device> row_map, entries;
  };

  Csr<double, int, int, Device> A;
  Graph graph{A.row_offsets, A.columns};
  Kokkos::View<double*, Device> values = A.values;

  [[nodiscard]] int numRows() const { return A.num_rows; }
  [[nodiscard]] int numCols() const { return A.num_cols; }
};

TEST(BlockJacobi, CrsMatrix) {
  CrsShape const crs{random_band<double>(50, 8).on_device()};
  auto const r = numbers<double>(Numbers::reals, 50, 1);
  auto const offsets = to_device(std::vector<int>{0, 20, 50});
  auto const same = [&](auto M, auto const& of_csr) {
    EXPECT_EQ(applied(M, r), applied(of_csr, r)) << M.name();
    M.update(Space(), crs);
    EXPECT_EQ(applied(M, r), applied(of_csr, r)) << M.name();
  };
  same(make_identity(Space(), crs), make_identity(Space(), crs.A));
  same(make_jacobi(Space(), crs), make_jacobi(Space(), crs.A));
  same(make_block_jacobi(Space(), crs), make_block_jacobi(Space(), crs.A));
  same(make_block_jacobi(Space(), crs, {.block_size = 9}),
       make_block_jacobi(Space(), crs.A, {.block_size = 9}));
  same(make_block_jacobi(Space(), crs, offsets), make_block_jacobi(Space(), crs.A, offsets));
  auto const d = to_device(r), e = to_device(r);
  extract_diagonal(Space(), crs, d);
  extract_diagonal(Space(), crs.A, e);
  Kokkos::fence();
  EXPECT_EQ(to_host(d), to_host(e));
  EXPECT_EQ(to_host(scale_rows_and_columns(Space(), d, crs, d).values),
            to_host(scale_rows_and_columns(Space(), d, crs.A, d).values));
}

TEST(BlockJacobi, InvalidArguments) {
  auto const A = random_band<double>(100, 4).on_device();
  auto const wide = HostMatrix<double>{2, 3, {0, 0, 0}, {}, {}}.on_device();
  auto const vector = [](std::size_t n) { return Kokkos::View<double*, Device>("vector", n); };
  EXPECT_TRUE(throws<DimensionMismatch>([&] { (void)make_block_jacobi(Space(), wide); }, {"2 x 3", "square"}));
  for (int const size : {-1, 0, 33})
    EXPECT_TRUE(throws<InvalidArgument>([&] { (void)make_block_jacobi(Space(), A, {.block_size = size}); },
                                        {"block_size is " + std::to_string(size), "1 .. 32"}));
  auto const refused = [&](std::vector<std::int64_t> const& offsets, std::vector<std::string> const& parts) {
    return throws<InvalidArgument>([&] { (void)make_block_jacobi(Space(), A, to_device(offsets)); }, parts);
  };
  EXPECT_TRUE(refused({}, {"is empty", "100 rows"}));
  EXPECT_TRUE(refused({1, 30, 60, 80, 100}, {"(0) is 1", "expected 0"}));
  EXPECT_TRUE(refused({0, 30, 60, 80, 99}, {"(4) is 99", "expected 100"}));
  EXPECT_TRUE(refused({0, 30, 63, 96, 100}, {"block 1", "30 .. 63", "0 to 32"}));
  EXPECT_TRUE(refused({0, 30, 20, 52, 100}, {"block 1", "30 .. 20"}));
  EXPECT_TRUE(refused({0, 30, 60, -1, 100}, {"block 2", "60 .. -1"}));
  auto M = make_block_jacobi(Space(), A);
  EXPECT_TRUE(throws<DimensionMismatch>([&] { M.apply(Space(), vector(99), vector(100)); }, {"r has", "99"}));
  EXPECT_TRUE(throws<DimensionMismatch>([&] { M.apply(Space(), vector(100), vector(99)); }, {"z has", "99"}));
  auto const same = vector(100);
  EXPECT_TRUE(throws<InvalidArgument>([&] { M.apply(Space(), same, same); }, {"overlap"}));
  EXPECT_TRUE(throws<DimensionMismatch>([&] { M.update(Space(), random_band<double>(99, 1).on_device()); },
                                        {"100 rows", "99"}));
}

}  // namespace
}  // namespace einkorn::test
