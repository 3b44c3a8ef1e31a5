// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// CG with CSR, by rows and by segmented sums, and with CSR5.

#include "../support/near.hpp"
#include "cg_tests.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>

#include <gtest/gtest.h>

namespace einkorn::test {
namespace {

TEST(CgCsr, EveryRowAlgorithm) {
  for (auto const algorithm :
       {SpmvAlgorithm::row_thread, SpmvAlgorithm::row_team, SpmvAlgorithm::row_bins, SpmvAlgorithm::sorted_rows,
        SpmvAlgorithm::segmented_sum, SpmvAlgorithm::nonzero_split})
    for (auto const& system : definite_systems<double>()) {
      SCOPED_TRACE(name_of(algorithm));
      bool const by_rows = algorithm == SpmvAlgorithm::row_thread || algorithm == SpmvAlgorithm::row_team;
      expect_cg(system, SpmvOperator(make_spmv_plan(Space(), system.A.on_device(), {.algorithm = algorithm})),
                by_rows, true);
    }
}

TEST(CgCsr5, MatchesTextbook) {
  for (auto const& system : definite_systems<double>())
    expect_cg(system, from_csr<Csr5>(Space(), system.A.on_device()), false, true);
}

/// On a GPU: vectors and columns fit on the chip; values do not, and are read from device memory.
TEST(CgCsr, PersistentWithValuesInDeviceMemory) {
  if (!is_gpu<Space>) GTEST_SKIP() << "host";
  auto const grid = lattice(72, 72, 72);
  for (auto const& system : {grid, shuffled(grid, 100003)}) {
    SCOPED_TRACE(system.name);
    auto const op = make_operator<double>(Space(), system.A.on_device());
    auto const b = system.b();
    auto const by = [&](Execution execution) {
      SolverOptions const options{.replace_every = 20, .keep_history = true, .execution = execution};
      return solved([&](auto const& given_b, auto const& x,
                        auto const& given) { return cg(Space(), op, given_b, x, given); },
                    b, options);
    };
    auto const launched = by(Execution::launches);
    try {
      auto const persistent = by(Execution::persistent), again = by(Execution::persistent);
      EXPECT_TRUE(persistent.report.converged());
      EXPECT_NEAR(static_cast<double>(persistent.report.iterations),
                  static_cast<double>(launched.report.iterations), 2);
      EXPECT_LE(true_residual(system.A, b, persistent.x), 1.0001e-8 * norm(b));
      EXPECT_TRUE(same_numbers(persistent.x, again.x));
      EXPECT_EQ(persistent.report.history, again.report.history);
    } catch (InvalidArgument const& error) {
      GTEST_SKIP() << error.what();  // less scratch than that of an H100
    }
  }
}

}  // namespace
}  // namespace einkorn::test
