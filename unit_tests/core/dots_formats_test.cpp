// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "dots_tests.hpp"

#include <einkorn/formats/bdia/from_csr.hpp>
#include <einkorn/formats/bdia/spmv.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
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
using ScalarsOfFormats = TestTypes<double, Complex>;
TYPED_TEST_SUITE(DotsOfFormats, ScalarsOfFormats);

TYPED_TEST(DotsOfFormats, ExactForIntegers) {
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

/// A matrix with the launch configuration of one with more rows than a test can have.
template <class Format>
struct OfManyRows {
  Format F;
};
template <class Format, class EpilogueOp, class X, class Y>
void spmv_fused(Space const& exec, OfManyRows<Format> const& many, EpilogueOp const& epilogue, X const& x,
                Y const& y) {
  auto const& F = many.F;
  if constexpr (!is_gpu<Space>) {
    spmv_fused(exec, make_spmv_plan(exec, F), epilogue, x, y);
  } else if constexpr (requires { F.offsets; }) {
    constexpr auto tuning = diagonal_rows_tunings(arch_of<Space>, sizeof(double)).large;
    if (F.num_diagonals() == 0 || F.num_cols == 0)
      return spmv_fused(exec, make_spmv_plan(exec, F), epilogue, x, y);
    detail::launch_diagonal_rows<tuning>(exec, "dia", epilogue, F, F.offsets, x, y);
  } else {
    constexpr int lanes = 2, unroll = 4;
    constexpr auto tuning = accumulating_row_team_tuning(arch_of<Space>, lanes, unroll, true);
    if (F.nnz() == 0) return spmv_fused(exec, make_spmv_plan(exec, F), epilogue, x, y);
    detail::launch_row_team<tuning, lanes, false>(exec, epilogue, F, x, y, detail::NaturalOrder{});
  }
}

TEST(DotsOfManyRows, ExactForIntegers) {
  for (auto const& pattern : vector_patterns()) {
    SCOPED_TRACE(pattern.name);
    auto const A = with_numbers<double>(pattern, Numbers::integers);
    auto const expect = [&](auto const& F) {
      OfManyRows<std::decay_t<decltype(F)>> const many{F};
      expect_dots<false>(A, many);
      expect_dots<true>(A, many);
    };
    expect(A.on_device());
    expect(from_csr<Dia>(Space(), A.on_device(), {.fill_limit = 1e9}));
  }
}

}  // namespace
}  // namespace einkorn::test
