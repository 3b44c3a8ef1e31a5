// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// CG with a diagonal preconditioner against the textbook: applied within the passes, by apply(), and Jacobi.

#include "cg_tests.hpp"
#include "user_preconditioners.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/solvers/pcg.hpp>
#include <einkorn/solvers/precond/identity.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <type_traits>
#include <vector>

namespace einkorn::test {
namespace {

template <class S, class M>
void expect_pcg(System<S> const& system, M const& preconditioner, std::vector<S> const& inverse) {
  using Double = std::conditional_t<is_complex<S>, std::complex<double>, double>;
  SCOPED_TRACE(system.name);
  auto const b = system.b();
  auto const A = system.A.on_device();
  auto const solve = [&](auto const& given_b, auto const& x, SolverOptions const& options) {
    return pcg(Space(), A, preconditioner, given_b, x, options);
  };
  SolverOptions options;

  expect_iterates(system, solve, options, Textbook<Wide<S>>::cg(system.A, b, 10, 0.0, inverse, 10));
  options.tolerance = tolerance_of<S>();
  expect_count(system, solve, options, Textbook<Double>::cg(system.A, b, 10000, options.tolerance, inverse), 1);
}

template <class S>
class Pcg : public testing::Test {};
using Scalars = TestTypes<double, float, Complex>;
TYPED_TEST_SUITE(Pcg, Scalars);

TYPED_TEST(Pcg, MatchesTextbook) {
  using S = TypeParam;
  for (auto const& plain : {as<S>(lattice(100)), as<S>(lattice(25, 30)), as<S>(lattice(9, 10, 11))})
    for (auto const& system : {plain, badly_scaled(plain)}) {
      auto const inverse = inverse_diagonal(system.A);
      {
        SCOPED_TRACE("apply() of the user's");
        expect_pcg(system, UserDiagonal<S>(inverse), inverse);
      }
      SCOPED_TRACE("a diagonal of the user's");
      expect_pcg(system, FusableUserDiagonal<S>(inverse), inverse);
    }
}

TEST(PcgPreconditioners, JacobiAndIdentity) {
  auto const system = badly_scaled(lattice(9, 10, 11));
  expect_pcg(system, make_jacobi(Space(), system.A.on_device()), inverse_diagonal(system.A));
  auto const plain = lattice(25, 30);
  expect_pcg(plain, Identity{}, {});
}

/// Scaling A and M^-1 apart changes nothing but x.
TEST(PcgPreconditioners, InvariantUnderScalingOfM) {
  auto const system = badly_scaled(lattice(25, 30));
  auto inverse = inverse_diagonal(system.A);
  auto const A = system.A.on_device();
  auto const count = [&](auto const& M) {
    return solved([&](auto const& b, auto const& x,
                      auto const& options) { return pcg(Space(), A, M, b, x, options); },
                  system.b())
        .report.iterations;
  };
  auto const expected = count(UserDiagonal<double>(inverse));
  for (auto& entry : inverse) entry *= 0x1p+60;
  EXPECT_EQ(count(UserDiagonal<double>(inverse)), expected);
  EXPECT_EQ(count(FusableUserDiagonal<double>(inverse)), expected);
}

}  // namespace
}  // namespace einkorn::test
