// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "dots_tests.hpp"

#include <einkorn/formats/bdia/from_csr.hpp>
#include <einkorn/formats/bdia/spmv.hpp>
#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>
#include <einkorn/formats/dia/from_csr.hpp>
#include <einkorn/formats/dia/spmv.hpp>
#include <einkorn/formats/ell/from_csr.hpp>
#include <einkorn/formats/ell/spmv.hpp>
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
    auto const A = with_numbers<S>(pattern, Numbers::integers);
    auto const expect = [&](char const* format, auto const& plan) {
      SCOPED_TRACE(pattern.name + ", " + format);
      expect_dots<false>(A, plan);
      expect_dots<true>(A, plan);
    };
    expect("csr5", make_spmv_plan(Space(), from_csr<Csr5>(Space(), A.on_device())));
    expect("sell", make_spmv_plan(Space(), from_csr<Sell>(Space(), A.on_device(), {.fill_limit = 1e9})));
    expect("ell", make_spmv_plan(Space(), from_csr<Ell>(Space(), A.on_device(), {.fill_limit = 1e9})));
    expect("dia", make_spmv_plan(Space(), from_csr<Dia>(Space(), A.on_device(), {.fill_limit = 1e9})));
    expect("bdia", make_spmv_plan(Space(), from_csr<Bdia>(Space(), A.on_device(), {.fill_limit = 1e9})));
  }
}

}  // namespace
}  // namespace einkorn::test
