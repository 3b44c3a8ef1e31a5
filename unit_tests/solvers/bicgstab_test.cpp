// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// BiCGStab against the textbook, for every scalar, with CSR and with an operator of the user's.

#include "bicgstab_tests.hpp"
#include "user_operator.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>

#include <gtest/gtest.h>

namespace einkorn::test {
namespace {

template <class S>
class Bicgstab : public testing::Test {};
using Scalars = TestTypes<double, float, Complex>;
TYPED_TEST_SUITE(Bicgstab, Scalars);

TYPED_TEST(Bicgstab, HasTheIteratesAndCountsOfTheTextbook) {
  for (auto const& system : nonsymmetric_systems<TypeParam>()) {
    auto const A = system.A.on_device();
    expect_bicgstab(system, [&](auto const& b, auto const& x, SolverOptions const& options) {
      return bicgstab(Space(), A, b, x, options);
    });
  }
}

TYPED_TEST(Bicgstab, TakesAnOperatorOfTheUsers) {
  for (auto const& system : nonsymmetric_systems<TypeParam>()) {
    UserOperator<TypeParam> const A{system.A.on_device()};
    expect_bicgstab(system, [&](auto const& b, auto const& x, SolverOptions const& options) {
      return bicgstab(Space(), A, b, x, options);
    });
  }
}

}  // namespace
}  // namespace einkorn::test
