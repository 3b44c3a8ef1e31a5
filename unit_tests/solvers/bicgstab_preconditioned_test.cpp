// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "bicgstab_tests.hpp"
#include "user_preconditioners.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>

#include <gtest/gtest.h>

#include <cstddef>

namespace einkorn::test {
namespace {

/// Its rows times 1, 2, 4, ... 64 in turn (float: 1 and 2).
template <class S>
System<S> rows_scaled(System<S> system) {
  std::size_t const powers = sizeof(real_type<S>) == sizeof(double) ? 7 : 2;
  for (std::size_t i = 0; i < system.A.rows(); ++i)
    for (auto k = system.A.begin(i); k < system.A.end(i); ++k)
      system.A.values[k] = system.A.values[k] * static_cast<real_type<S>>(1 << i % powers);
  system.name += ", rows scaled";
  return system;
}

template <class S>
class PreconditionedBicgstab : public testing::Test {};
using Scalars = TestTypes<double, float, Complex>;
TYPED_TEST_SUITE(PreconditionedBicgstab, Scalars);

TYPED_TEST(PreconditionedBicgstab, MatchesTextbookFromTheRight) {
  using S = TypeParam;
  for (auto const& plain : nonsymmetric_systems<S>()) {
    auto const system = rows_scaled(plain);
    auto const inverse = inverse_diagonal(system.A);
    UserDiagonal<S> const M(inverse);
    auto const A = system.A.on_device();
    expect_bicgstab(
        system,
        [&](auto const& b, auto const& x, SolverOptions const& options) {
          return bicgstab(Space(), A, M, b, x, options);
        },
        inverse);
  }
}

}  // namespace
}  // namespace einkorn::test
