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
HermitianFinding finding_of(std::vector<Scalar> const& diagonal, Scalar upper, Scalar lower) {
  Triplets<Scalar, int> const triplets{
      3, 3, {0, 1, 2, 0, 2}, {0, 1, 2, 2, 0}, {diagonal[0], diagonal[1], diagonal[2], upper, lower}};
  return look_for_symmetry(Exec(), csr_from_triplets<int, Device>(triplets));
}

TEST(Symmetry, OfAStencilIsFound) {
  auto const A = generate<double, int, int, Device>(Exec(), "gen:stencil7:8");
  auto const finding = look_for_symmetry(Exec(), A);
  EXPECT_TRUE(finding.suits_cg());
  EXPECT_EQ(finding.sentence(), "Hermitian with a positive diagonal");
}

TEST(Symmetry, MayLackInThePattern) {
  Triplets<double, int> const triplets{3, 3, {0, 1, 2, 0}, {0, 1, 2, 2}, {1, 1, 1, 0.5}};
  auto const finding = look_for_symmetry(Exec(), csr_from_triplets<int, Device>(triplets));
  EXPECT_FALSE(finding.suits_cg());
  EXPECT_EQ(finding.other_rows, 2);
  EXPECT_EQ(finding.sentence(), "not Hermitian: 2 rows have other columns in the transpose");
}

TEST(Symmetry, MayLackInValues) {
  auto const finding = finding_of<double>({4, 4, 4}, 1, -1);
  EXPECT_FALSE(finding.suits_cg());
  EXPECT_EQ(finding.other_entries, 2);
  EXPECT_EQ(finding.sentence(), "not Hermitian: 2 entries differ from the mirror image");
}

TEST(Symmetry, AllowsForRoundingWhateverTheScale) {
  for (double const scale : {1e-150, 1.0, 1e150}) {
    EXPECT_TRUE(
        finding_of<double>({4 * scale, 4, 4}, std::sqrt(scale), std::sqrt(scale) * (1 + 1e-14)).suits_cg())
        << scale;
    EXPECT_FALSE(
        finding_of<double>({4 * scale, 4, 4}, std::sqrt(scale), std::sqrt(scale) * (1 + 1e-10)).suits_cg())
        << scale;
  }
}

TEST(Symmetry, NeedsAPositiveDiagonal) {
  EXPECT_EQ(finding_of<double>({4, -4, 0}, 1, 1).other_diagonal, 2);
  EXPECT_EQ(finding_of<double>({4, 4, std::nan("")}, 1, 1).other_diagonal, 1);
  auto const finding = finding_of<double>({4, -4, 4}, 1, 1);
  EXPECT_FALSE(finding.suits_cg());
  EXPECT_EQ(finding.sentence(), "Hermitian, but 1 diagonal entry is not positive");
}

TEST(Symmetry, OfComplexValuesIsThatOfTheConjugates) {
  EXPECT_TRUE(finding_of<Complex>({4, 4, 4}, Complex(1, 1), Complex(1, -1)).suits_cg());
  EXPECT_FALSE(finding_of<Complex>({4, 4, 4}, Complex(1, 1), Complex(1, 1)).suits_cg());
  EXPECT_EQ(finding_of<Complex>({4, Complex(4, 1), 4}, Complex(1, 1), Complex(1, -1)).other_diagonal, 1);
}

TEST(Symmetry, NeedsASquareMatrix) {
  Triplets<double, int> const triplets{1, 2, {0}, {0}, {1}};
  auto const finding = look_for_symmetry(Exec(), csr_from_triplets<int, Device>(triplets));
  EXPECT_FALSE(finding.suits_cg());
  EXPECT_EQ(finding.sentence(), "not square");
}

TEST(Symmetry, OfNothingIsFound) {
  EXPECT_TRUE(look_for_symmetry(Exec(), Matrix<double>{}).suits_cg());
}

}  // namespace
}  // namespace einkorn::tools
