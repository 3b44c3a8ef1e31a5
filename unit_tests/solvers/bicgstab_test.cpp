// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// BiCGStab against the textbook, for every scalar, with CSR and with an operator of the user's: first iterates,
// counts, and how far the residual falls.

#include "bicgstab_tests.hpp"
#include "user_operator.hpp"
#include "user_preconditioners.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>

#include <gtest/gtest.h>

namespace einkorn::test {
namespace {

template <class S>
class Bicgstab : public testing::Test {};
using Scalars = TestTypes<double, float, Complex>;
TYPED_TEST_SUITE(Bicgstab, Scalars);

TYPED_TEST(Bicgstab, MatchesTextbook) {
  for (auto const& system : nonsymmetric_systems<TypeParam>()) {
    auto const A = system.A.on_device();
    expect_bicgstab(system, [&](auto const& b, auto const& x, SolverOptions const& options) {
      return bicgstab(Space(), A, b, x, options);
    });
  }
}

TYPED_TEST(Bicgstab, UserOperator) {
  for (auto const& system : nonsymmetric_systems<TypeParam>()) {
    UserOperator<TypeParam> const A{system.A.on_device()};
    expect_bicgstab(system, [&](auto const& b, auto const& x, SolverOptions const& options) {
      return bicgstab(Space(), A, b, x, options);
    });
  }
}

/// With rho from -omega r0.t alone these residuals stop at 1e-16 to 3e-11 |b|, in float at 1e-8 to 3e-5.
TYPED_TEST(Bicgstab, AccuracyWithoutReplacement) {
  auto systems = nonsymmetric_systems<TypeParam>();
  systems.push_back(as<TypeParam>(lattice(9, 10, 11)));
  for (auto const& system : systems) {
    auto const A = system.A.on_device();
    auto const inverse = inverse_diagonal(system.A);
    UserDiagonal<TypeParam> const M(inverse);
    UserOperator<TypeParam> const user{A};
    expect_least_residual(system, [&](auto const& b, auto const& x, SolverOptions const& options) {
      return bicgstab(Space(), A, b, x, options);
    });
    expect_least_residual(system, [&](auto const& b, auto const& x, SolverOptions const& options) {
      return bicgstab(Space(), user, b, x, options);
    });
    expect_least_residual(
        system,
        [&](auto const& b, auto const& x, SolverOptions const& options) {
          return bicgstab(Space(), A, M, b, x, options);
        },
        inverse);
  }
}

}  // namespace
}  // namespace einkorn::test
