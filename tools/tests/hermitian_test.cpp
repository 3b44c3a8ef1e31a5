// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve/hermitian.hpp"

#include <einkorn/core/io/triplets.hpp>
#include <einkorn/formats/csr/from_triplets.hpp>
#include <einkorn/formats/generate/generate.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace einkorn::tools {
namespace {

using Complex = Kokkos::complex<double>;

/// 3 x 3 with a diagonal and the entries (0, 2) and (2, 0).
template <class Scalar>
HermitianCheck check_of(std::vector<Scalar> const& diagonal, Scalar upper, Scalar lower) {
  Triplets<Scalar, int> const triplets{
      3, 3, {0, 1, 2, 0, 2}, {0, 1, 2, 2, 0}, {diagonal[0], diagonal[1], diagonal[2], upper, lower}};
  return check_hermitian(Exec(), csr_from_triplets<int, Device>(triplets));
}

TEST(Hermitian, Stencil) {
  auto const A = generate<double, int, int, Device>(Exec(), "gen:stencil7:8");
  auto const check = check_hermitian(Exec(), A);
  EXPECT_TRUE(check.allows_cg());
  EXPECT_EQ(check.sentence(), "Hermitian with a positive diagonal");
}

TEST(Hermitian, UnsymmetricPattern) {
  Triplets<double, int> const triplets{3, 3, {0, 1, 2, 0}, {0, 1, 2, 2}, {1, 1, 1, 0.5}};
  auto const check = check_hermitian(Exec(), csr_from_triplets<int, Device>(triplets));
  EXPECT_FALSE(check.allows_cg());
  EXPECT_EQ(check.mismatched_rows, 2);
  EXPECT_EQ(check.sentence(), "not Hermitian: 2 rows have other columns in the transpose");
}

TEST(Hermitian, UnsymmetricValues) {
  auto const check = check_of<double>({4, 4, 4}, 1, -1);
  EXPECT_FALSE(check.allows_cg());
  EXPECT_EQ(check.mismatched_entries, 2);
  EXPECT_EQ(check.sentence(), "not Hermitian: 2 entries differ from the conjugate transpose");
}

TEST(Hermitian, ToleranceIsIndependentOfScaling) {
  for (double const scale : {1e-150, 1.0, 1e150}) {
    EXPECT_TRUE(
        check_of<double>({4 * scale, 4, 4}, std::sqrt(scale), std::sqrt(scale) * (1 + 1e-14)).allows_cg())
        << scale;
    EXPECT_FALSE(
        check_of<double>({4 * scale, 4, 4}, std::sqrt(scale), std::sqrt(scale) * (1 + 1e-10)).allows_cg())
        << scale;
  }
}

TEST(Hermitian, NeedsAPositiveDiagonal) {
  EXPECT_EQ(check_of<double>({4, -4, 0}, 1, 1).nonpositive_diagonal, 2);
  EXPECT_EQ(check_of<double>({4, 4, std::nan("")}, 1, 1).nonpositive_diagonal, 1);
  auto const check = check_of<double>({4, -4, 4}, 1, 1);
  EXPECT_FALSE(check.allows_cg());
  EXPECT_EQ(check.sentence(), "Hermitian, but 1 diagonal entry is not positive");
}

TEST(Hermitian, ComplexValuesAreConjugated) {
  EXPECT_TRUE(check_of<Complex>({4, 4, 4}, Complex(1, 1), Complex(1, -1)).allows_cg());
  EXPECT_FALSE(check_of<Complex>({4, 4, 4}, Complex(1, 1), Complex(1, 1)).allows_cg());
  EXPECT_EQ(check_of<Complex>({4, Complex(4, 1), 4}, Complex(1, 1), Complex(1, -1)).nonpositive_diagonal, 1);
}

TEST(Hermitian, NeedsASquareMatrix) {
  Triplets<double, int> const triplets{1, 2, {0}, {0}, {1}};
  auto const check = check_hermitian(Exec(), csr_from_triplets<int, Device>(triplets));
  EXPECT_FALSE(check.allows_cg());
  EXPECT_EQ(check.sentence(), "not square");
}

TEST(Hermitian, EmptyMatrix) {
  EXPECT_TRUE(check_hermitian(Exec(), Matrix<double>{}).allows_cg());
}

}  // namespace
}  // namespace einkorn::tools
