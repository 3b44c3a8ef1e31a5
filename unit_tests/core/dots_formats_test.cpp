// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "dots_tests.hpp"

#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>
#include <einkorn/formats/sell/from_csr.hpp>
#include <einkorn/formats/sell/spmv.hpp>

#include <gtest/gtest.h>

namespace einkorn::test {
namespace {

template <class S>
class DotsOfFormats : public testing::Test {};
using Scalars = TestTypes<double, Complex>;
TYPED_TEST_SUITE(DotsOfFormats, Scalars);

TYPED_TEST(DotsOfFormats, AreExactForWholeNumbers) {
  using S = TypeParam;
  for (auto const& pattern : vector_patterns()) {
    SCOPED_TRACE(pattern.name);
    auto const A = with_numbers<S>(pattern, Numbers::integers);
    auto const csr5 = make_spmv_plan(Space(), from_csr<Csr5>(Space(), A.on_device()));
    expect_dots<false>(A, csr5);
    expect_dots<true>(A, csr5);
    auto const sell = make_spmv_plan(Space(), from_csr<Sell>(Space(), A.on_device(), {.fill_limit = 1e9}));
    expect_dots<false>(A, sell);
    expect_dots<true>(A, sell);
  }
}

}  // namespace
}  // namespace einkorn::test
