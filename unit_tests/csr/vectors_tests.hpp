// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// Multivectors, strides and offsets, for some scalars per source file.

#include "../support/vectors.hpp"
#include "approaches.hpp"

#include <gtest/gtest.h>

namespace einkorn::test {

template <class S>
class CsrSpmvVectors : public testing::Test {};
TYPED_TEST_SUITE_P(CsrSpmvVectors);

TYPED_TEST_P(CsrSpmvVectors, OfEveryForm) {
  for (auto const& pattern : vector_patterns()) {
    auto const host = with_numbers<TypeParam>(pattern, Numbers::integers);
    auto const A = host.on_device();
    for (auto const& approach : all_approaches()) {
      SCOPED_TRACE(pattern.name + ", " + approach.name);
      expect_every_form_of_vector<TypeParam>(host, Multiply<decltype(A), TypeParam>(A, approach));
    }
  }
}

TYPED_TEST_P(CsrSpmvVectors, OfATranspose) {
  auto const host = with_numbers<TypeParam>(random_pattern(150, 130, 11), Numbers::integers);
  auto const A = host.on_device();
  for (auto const& approach : approaches_to(Op::transpose)) {
    SCOPED_TRACE(approach.name);
    expect_every_form_of_vector<TypeParam>(transposed(host), Multiply<decltype(A), TypeParam>(A, approach));
  }
}

REGISTER_TYPED_TEST_SUITE_P(CsrSpmvVectors, OfEveryForm, OfATranspose);

}  // namespace einkorn::test
