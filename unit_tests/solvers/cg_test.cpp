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

TYPED_TEST(Cg, HasTheIteratesAndCountsOfTheTextbook) {
  for (auto const& system : definite_systems<TypeParam>()) expect_cg(system, system.A.on_device(), true, true);
}

TYPED_TEST(Cg, TakesAnOperatorOfTheUsers) {
  for (auto const& system : definite_systems<TypeParam>())
    expect_cg(system, UserOperator<TypeParam>{system.A.on_device()}, false, false);
}

}  // namespace
}  // namespace einkorn::test
