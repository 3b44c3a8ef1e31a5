// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// GMRES with Jacobi on a set of nonsymmetric systems of thousands of steps.

#include "../support/near.hpp"
#include "nonsymmetric_set.hpp"
#include "solved.hpp"
#include "systems.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/solvers/gmres.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace einkorn::test {
namespace {

/// Restart 100, at most 5000 steps. Systems on which restarted GMRES stagnates would say so.
TEST(GmresSet, NonsymmetricSystems) {
  for (auto const& system : nonsymmetric::systems()) {
    SCOPED_TRACE(system.name);
    HostMatrix<double> const host{system.size(), system.size(), system.offsets, system.columns, system.values};
    auto const A = host.on_device();
    auto const M = make_jacobi(Space(), A);
    auto const [report, x] =
        solved([&](auto const& b, auto const& given_x,
                   auto const& options) { return gmres(Space(), A, M, b, given_x, options); },
               system.b, {.tolerance = 1e-8, .max_iterations = 5000, .restart = 100});
    EXPECT_TRUE(report.converged()) << name_of(report.outcome) << " after " << report.iterations;
    EXPECT_LE(true_residual(host, system.b, x), 1.0001e-8 * norm(system.b));
    RecordProperty(system.name, static_cast<int>(report.iterations));
    if (std::getenv("EINKORN_PRINT_ITERATIONS") != nullptr)
      std::printf("%s;%lld\n", system.name.c_str(), static_cast<long long>(report.iterations));
  }
}

}  // namespace
}  // namespace einkorn::test
