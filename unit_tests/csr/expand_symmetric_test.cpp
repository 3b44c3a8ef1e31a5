// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// expand_symmetric() against a sequential reference, for halves of every matrix of the battery.

#include "../support/battery.hpp"
#include "../support/throws.hpp"
#include "../support/watch.hpp"

#include <einkorn/formats/csr/expand_symmetric.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

enum class Diagonals { inside, apart, none };

/// The entries of A on one side of the diagonal, in A's order; columns beyond the square left out.
template <class Host>
Host half_of(Host const& A, bool above, Diagonals diagonals) {
  Host half{A.num_rows, A.num_rows, {typename Host::Offset(0)}, {}, {}};
  for (std::size_t i = 0; i < A.rows(); ++i) {
    for (auto k = A.begin(i); k < A.end(i); ++k) {
      auto const j = A.column(k);
      bool const is_in = j == i ? diagonals == Diagonals::inside : above ? j > i && j < A.rows() : j < i;
      if (!is_in) continue;
      half.columns.push_back(A.columns[k]);
      half.values.push_back(A.values[k]);
    }
    half.offsets.push_back(static_cast<typename Host::Offset>(half.values.size()));
  }
  return half;
}

/// Sequential reference: entries of one position in the order of the half.
template <class Host>
Host full_of(Host const& half, std::vector<typename Host::Scalar> const& diagonal, bool hermitian) {
  using S = typename Host::Scalar;
  std::vector<std::map<std::size_t, std::vector<S>>> rows(half.rows());
  for (std::size_t i = 0; i < half.rows(); ++i) {
    if (!diagonal.empty()) rows[i][i].push_back(diagonal[i]);
    for (auto k = half.begin(i); k < half.end(i); ++k) {
      auto const j = half.column(k);
      rows[i][j].push_back(half.values[k]);
      if (j != i) rows[j][i].push_back(hermitian ? conjugate(half.values[k]) : half.values[k]);
    }
  }
  Host full{half.num_rows, half.num_rows, {typename Host::Offset(0)}, {}, {}};
  for (auto const& row : rows) {
    for (auto const& [column, values] : row)
      for (auto const& value : values) {
        full.columns.push_back(static_cast<typename Host::Ordinal>(column));
        full.values.push_back(value);
      }
    full.offsets.push_back(static_cast<typename Host::Offset>(full.values.size()));
  }
  return full;
}

template <class C>
class ExpandSymmetric : public testing::Test {};
using ExpandedTypes = TestTypes<Config<double, int, int>, Config<float, int, std::size_t>,
                                Config<Complex, std::int64_t, std::size_t>>;
TYPED_TEST_SUITE(ExpandSymmetric, ExpandedTypes);

TYPED_TEST(ExpandSymmetric, EqualsASequentialReference) {
  using S = typename TypeParam::Scalar;
  for (auto const& pattern : battery())
    for (bool const above : {true, false})
      for (auto const diagonals : {Diagonals::inside, Diagonals::apart, Diagonals::none})
        for (bool const hermitian : {false, true}) {
          SCOPED_TRACE(pattern.name + (above ? ", upper" : ", lower") + (hermitian ? ", hermitian" : "") +
                       ", diagonal " + std::to_string(static_cast<int>(diagonals)));
          auto const half = half_of(with_numbers_of<TypeParam>(pattern, Numbers::reals), above, diagonals);
          bool const apart = diagonals == Diagonals::apart;
          auto const diagonal = numbers<S>(Numbers::integers, apart ? half.rows() : 0, 7);  // zeros among them
          auto const H = half.on_device();
          ExpandSymmetricOptions const options{.hermitian = hermitian};

          auto const A = apart ? expand_symmetric(Space(), H, to_device(diagonal), options)
                               : expand_symmetric(Space(), H, options);

          auto const got = to_host(A), want = full_of(half, diagonal, hermitian);
          EXPECT_EQ(got.num_rows, want.num_rows);
          EXPECT_EQ(got.num_cols, want.num_cols);
          EXPECT_TRUE(got.offsets == want.offsets);
          EXPECT_TRUE(got.columns == want.columns);
          EXPECT_TRUE(got.values == want.values);
          EXPECT_TRUE(to_host(H).values == half.values);
        }
}

TEST(ExpandSymmetricByHand, UpperWithAStoredZeroOnTheDiagonal) {
  //  0 1 2      H: 0 is stored, (1, 1) is not
  //    . 3
  //      4
  HostMatrix<double> const half{3, 3, {0, 3, 4, 5}, {2, 0, 1, 2, 2}, {2, 0, 1, 3, 4}};

  auto const A = to_host(expand_symmetric(Space(), half.on_device()));

  EXPECT_EQ(A.offsets, (std::vector<int>{0, 3, 5, 8}));
  EXPECT_EQ(A.columns, (std::vector<int>{0, 1, 2, 0, 2, 0, 1, 2}));
  EXPECT_EQ(A.values, (std::vector<double>{0, 1, 2, 1, 3, 2, 3, 4}));
}

TEST(ExpandSymmetricByHand, HermitianLowerWithASeparateDiagonal) {
  HostMatrix<Complex> const half{2, 2, {0, 0, 1}, {0}, {Complex(1, 2)}};
  auto const diagonal = to_device(std::vector<double>{5, 6});  // real, with complex entries

  auto const A = to_host(expand_symmetric(Space(), half.on_device(), diagonal, {.hermitian = true}));

  EXPECT_EQ(A.columns, (std::vector<int>{0, 1, 0, 1}));
  EXPECT_EQ(A.values, (std::vector<Complex>{Complex(5), Complex(1, -2), Complex(1, 2), Complex(6)}));
}

TEST(ExpandSymmetricByHand, EmptyHalf) {
  auto const A = expand_symmetric(Space(), Csr<double, int, int, Device>{});
  EXPECT_EQ(A.num_rows, 0);
  EXPECT_NO_THROW(validate(Space(), A));
}

TEST(ExpandSymmetricErrors, NotSquare) {
  auto const H = from_dense<double>({{1, 2, 0}, {0, 3, 0}}, 3).on_device();
  EXPECT_TRUE(throws<DimensionMismatch>([&] { (void)expand_symmetric(Space(), H); }, {"2 x 3", "square"}));
}

TEST(ExpandSymmetricErrors, EntriesInBothTriangles) {
  auto const H = from_dense<double>({{1, 0, 0, 0}, {0, 0, 0, 2}, {0, 3, 0, 0}, {4, 0, 0, 0}}, 4).on_device();
  for (auto const checks : {Checks::on, Checks::off})
    EXPECT_TRUE(throws<InvalidStructure>([&] { (void)expand_symmetric(Space(), H, {.checks = checks}); },
                                         {"both triangles", "entry 2 at (2, 1)", "entry 1 at (1, 3)"}));
}

TEST(ExpandSymmetricErrors, IncludedAndSeparateDiagonal) {
  auto const H = from_dense<double>({{0, 2, 1}, {0, 7, 0}, {0, 0, 0}}, 3).on_device();
  auto const diagonal = to_device(std::vector<double>{1, 2, 3});
  EXPECT_TRUE(throws<InvalidStructure>([&] { (void)expand_symmetric(Space(), H, diagonal); },
                                       {"diagonal is given separately", "entry 2 at (1, 1)"}));
}

TEST(ExpandSymmetricErrors, WrongDiagonalExtent) {
  auto const H = from_dense<double>({{0, 2}, {0, 0}}, 2).on_device();
  for (std::size_t const size : {0u, 1u, 3u})
    EXPECT_TRUE(throws<DimensionMismatch>(
        [&] { (void)expand_symmetric(Space(), H, to_device(std::vector<double>(size))); },
        {"diagonal has extent(0) = " + std::to_string(size), "expected 2"}));
}

TEST(ExpandSymmetricErrors, InvalidArrays) {
  auto half = from_dense<double>({{1, 2}, {0, 3}}, 2);
  half.columns[1] = 2;
  EXPECT_TRUE(throws<InvalidStructure>([&] { (void)expand_symmetric(Space(), half.on_device()); },
                                       {"entry 1 has column 2"}));
}

TEST(ExpandSymmetricErrors, MoreEntriesThanOffsetCounts) {
  constexpr std::uint64_t most = 2147483647;
  EXPECT_NO_THROW(detail::require_full_fits<int>((most - 5) / 2, 5));
  EXPECT_TRUE(throws<OverflowError>([] { detail::require_full_fits<int>((most - 5) / 2 + 1, 5); },
                                    {"2 * 1073741822 + 5", "2147483647", "int64_t"}));
  EXPECT_TRUE(throws<OverflowError>([] { detail::require_full_fits<int>(0, most + 1); }, {"2147483648"}));
  EXPECT_NO_THROW(detail::require_full_fits<std::int64_t>(most, most));
}

TEST(ExpandSymmetricByHand, CopiesNothingToTheHost) {
  auto const half =
      half_of(with_numbers<double>(random_pattern(3000, 3000, 1), Numbers::reals), true, Diagonals::inside);
  auto const H = half.on_device();
  Kokkos::fence();
  Watch const watch;
  (void)expand_symmetric(Space(), H);
  EXPECT_LE(watch.copied_bytes(), 256u);
}

}  // namespace
}  // namespace einkorn::test
