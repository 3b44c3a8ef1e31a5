// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Iterations of BiCGStab against those of Eigen and SciPy, on systems on most of which r0.r or r0.Ap is zero to
// rounding.

#include "../support/host_matrix.hpp"
#include "nonsymmetric_set.hpp"
#include "solved.hpp"
#include "systems.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/solvers/bicgstab.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

class BicgstabIterations : public testing::TestWithParam<std::size_t> {
 protected:
  static std::vector<nonsymmetric::System> const& set() {
    static std::vector<nonsymmetric::System> const systems = nonsymmetric::systems();
    return systems;
  }
  static HostMatrix<double> matrix_of(nonsymmetric::System const& system) {
    return {system.size(), system.size(), system.offsets, system.columns, system.values};
  }

  /// At most 1.3 times the larger of their two counts, give or take two; the true residual is below the target.
  static void expect_no_more(Solved<double> const& result, nonsymmetric::System const& system, int eigen,
                             int scipy) {
    auto const& report = result.report;
    EXPECT_TRUE(report.converged()) << name_of(report.outcome) << ", " << name_of(report.quantity);
    EXPECT_LE(true_residual(matrix_of(system), system.b, result.x), 1.0001e-8 * norm(system.b));
    EXPECT_LE(static_cast<double>(report.iterations), 1.3 * std::max(eigen, scipy) + 2);
    EXPECT_LE(report.restarts, 10);
  }
};

TEST_P(BicgstabIterations, AtMostAThirdMoreThanOthers) {
  auto const& system = set()[GetParam()];
  SCOPED_TRACE(system.name);
  auto const A = matrix_of(system).on_device();
  auto const result = solved(
      [&](auto const& b, auto const& x, auto const& options) { return bicgstab(Space(), A, b, x, options); },
      system.b);
  expect_no_more(result, system, system.eigen, system.scipy);
}

TEST_P(BicgstabIterations, AtMostAThirdMoreThanOthersWithJacobi) {
  auto const& system = set()[GetParam()];
  SCOPED_TRACE(system.name);
  auto const A = matrix_of(system).on_device();
  auto const M = make_jacobi(Space(), A);
  auto const result = solved(
      [&](auto const& b, auto const& x, auto const& options) { return bicgstab(Space(), A, M, b, x, options); },
      system.b);
  expect_no_more(result, system, system.eigen_jacobi, system.scipy_jacobi);
}

std::string name_in_test(testing::TestParamInfo<std::size_t> const& info) {
  auto const systems = nonsymmetric::systems();
  std::string name;
  for (char const c : systems[info.param].name)
    if (std::isalnum(static_cast<unsigned char>(c))) name += c;
  return name;
}
INSTANTIATE_TEST_SUITE_P(Nonsymmetric, BicgstabIterations,
                         testing::Range(std::size_t(0), nonsymmetric::systems().size()), name_in_test);

/// Without a restart this one ends at 31 iterations, with x = 0.
TEST(BicgstabRestarts, AreCounted) {
  auto const set = nonsymmetric::systems();
  auto const& system = set[2];
  HostMatrix<double> const A{system.size(), system.size(), system.offsets, system.columns, system.values};

  auto const result =
      solved([&](auto const& b, auto const& x,
                 auto const& options) { return bicgstab(Space(), A.on_device(), b, x, options); },
             system.b);

  EXPECT_TRUE(result.report.converged());
  EXPECT_GE(result.report.restarts, 1);
  EXPECT_LE(result.report.restarts, 10);
}

}  // namespace
}  // namespace einkorn::test
