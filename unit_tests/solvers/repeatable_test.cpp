// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The same system, solved again, gives the same bits: x, history, counts.

#include "../support/near.hpp"
#include "every_solver.hpp"
#include "solved.hpp"
#include "systems.hpp"

#include <einkorn/core/arch.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace einkorn::test {
namespace {

TEST(Determinism, BitwiseEqualSolves) {
  constexpr int repetitions = is_gpu<Space> ? 4 : 2, max_iterations = is_gpu<Space> ? 120 : 30;
  for (auto const& system :
       {lattice(25, 30), lattice(40, 30, 20, 1e-3), dominant<double>(is_gpu<Space> ? 5000 : 2000, 1.2)})
    for (auto const& solver : every_solver()) {
      SCOPED_TRACE(system.name + ", " + solver.name);
      auto const A = system.A.on_device();
      auto const b = system.b();
      auto const once = [&] {
        SolverOptions const options{.max_iterations = max_iterations, .keep_history = true};
        return solved([&](auto const& given_b, auto const& x,
                          auto const& given) { return solver.solve(A, given_b, x, given); },
                      b, options);
      };

      auto const first = once();

      EXPECT_GT(first.report.iterations, 0);
      for (int run = 0; run < repetitions; ++run) {
        auto const again = once();
        EXPECT_TRUE(same_numbers(again.x, first.x));
        EXPECT_EQ(again.report.history, first.report.history);
        EXPECT_EQ(again.report.iterations, first.report.iterations);
        EXPECT_EQ(again.report.residual, first.report.residual);
        EXPECT_EQ(again.report.outcome, first.report.outcome);
      }
    }
}

}  // namespace
}  // namespace einkorn::test
