// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// CG against the textbook, for every scalar, with CSR and with an operator of the user's.

#include "cg_tests.hpp"
#include "user_operator.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace einkorn::test {
namespace {

template <class S>
class Cg : public testing::Test {};
using Scalars = TestTypes<double, float, Complex>;
TYPED_TEST_SUITE(Cg, Scalars);

TYPED_TEST(Cg, MatchesTextbook) {
  for (auto const& system : definite_systems<TypeParam>()) expect_cg(system, system.A.on_device(), true, true);
}

TYPED_TEST(Cg, UserOperator) {
  for (auto const& system : definite_systems<TypeParam>())
    expect_cg(system, UserOperator<TypeParam>{system.A.on_device()}, false, false);
}

/// q.q and p.q of a direction with |p| = |r| = 1.
detail::CgState after_product(detail::CgState state, double qq, double pq, bool may_defer_x) {
  state.rho = state.pp = 1;
  double const sums[] = {qq, pq};
  using Publisher = detail::ProgressFlag<Space>::Publisher;
  detail::CgAfterProduct<Publisher>{&state, Publisher{}, may_defer_x}(sums);
  return state;
}

TEST(CgAfterProduct, DefersXEverySecondTime) {
  auto const first = after_product({}, 6, 2, true);  // alpha = 1/2, beta = 1/2
  EXPECT_TRUE(first.in_iteration && first.defers_x);
  EXPECT_EQ(first.deferred_alpha, 1.0);
  EXPECT_EQ(first.flushed_alpha, 0.0);
  auto const second = after_product(first, 6, 2, true);
  EXPECT_TRUE(second.in_iteration && !second.defers_x);
  EXPECT_EQ(second.deferred_alpha, 0.0);
  EXPECT_EQ(second.flushed_alpha, 1.0);
  EXPECT_TRUE(after_product(second, 6, 2, true).defers_x);
}

TEST(CgAfterProduct, DoesNotDeferXForSmallBeta) {
  EXPECT_TRUE(after_product({}, 4.25, 2, true).defers_x);  // beta = 1/16
  for (double const qq : {4.2, 4.0}) {
    auto const state = after_product({}, qq, 2, true);
    EXPECT_TRUE(state.in_iteration && !state.defers_x);
    EXPECT_EQ(state.deferred_alpha, 0.0);
  }
  EXPECT_FALSE(after_product({}, 6, 2, false).defers_x);
}

}  // namespace
}  // namespace einkorn::test
