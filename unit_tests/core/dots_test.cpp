// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "dots_tests.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>

#include <gtest/gtest.h>

namespace einkorn::test {
namespace {

template <class S>
class Dots : public testing::Test {};
using Scalars = TestTypes<double, float, Complex>;
TYPED_TEST_SUITE(Dots, Scalars);

TYPED_TEST(Dots, ExactForIntegers) {
  using S = TypeParam;
  for (auto const& pattern : vector_patterns()) {
    SCOPED_TRACE(pattern.name);
    auto const A = with_numbers<S>(pattern, Numbers::integers);
    for (auto const algorithm : {SpmvAlgorithm::row_thread, SpmvAlgorithm::row_team, SpmvAlgorithm::row_bins,
                                 SpmvAlgorithm::segmented_sum, SpmvAlgorithm::nonzero_split}) {
      SCOPED_TRACE(name_of(algorithm));
      auto const plan = make_spmv_plan(Space(), A.on_device(), {.algorithm = algorithm});
      expect_dots<false>(A, plan);
      expect_dots<true>(A, plan);
    }
  }
}

/// conj(u) v.
TEST(AddProduct, ConjugatesTheFirstFactor) {
  double sums[2] = {10, 20};
  add_product(sums, Complex(1, 2), Complex(3, 5));
  EXPECT_EQ(sums[0], 10 + 1 * 3 + 2 * 5);
  EXPECT_EQ(sums[1], 20 + 1 * 5 - 2 * 3);
  EXPECT_EQ(squared(Complex(3, 4)), 25);
  EXPECT_EQ(squared(0x1p-70f), 0x1p-140) << "in double";
}

}  // namespace
}  // namespace einkorn::test
