// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Multivectors, strides, offsets.

#include "../support/vectors.hpp"
#include "approaches.hpp"

#include <gtest/gtest.h>

namespace einkorn::test {
namespace {

template <class S>
class CsrSpmvVectors : public testing::Test {};
using Scalars = testing::Types<float, double, Complex>;
TYPED_TEST_SUITE(CsrSpmvVectors, Scalars);

TYPED_TEST(CsrSpmvVectors, OfEveryForm) {
  for (auto const& pattern : vector_patterns()) {
    auto const host = with_numbers<TypeParam>(pattern, Numbers::integers);
    auto const A = host.on_device();
    for (auto const& approach : all_approaches()) {
      SCOPED_TRACE(pattern.name + ", " + approach.name);
      expect_every_form_of_vector<TypeParam>(host, Multiply<decltype(A), TypeParam>(A, approach));
    }
  }
}

TYPED_TEST(CsrSpmvVectors, OfATranspose) {
  auto const host = with_numbers<TypeParam>(random_pattern(150, 130, 11), Numbers::integers);
  auto const A = host.on_device();
  for (auto const& approach : approaches_to(Op::transpose)) {
    SCOPED_TRACE(approach.name);
    expect_every_form_of_vector<TypeParam>(transposed(host), Multiply<decltype(A), TypeParam>(A, approach));
  }
}

}  // namespace
}  // namespace einkorn::test
