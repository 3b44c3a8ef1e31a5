// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Kokkos Tools events of a solve with a workspace: no allocation, and between the first and the last iteration
// launches only.

#include "../support/watch.hpp"
#include "systems.hpp"
#include "user_preconditioners.hpp"

#include <einkorn/core/cooperative.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>
#include <einkorn/solvers/bicgstab.hpp>
#include <einkorn/solvers/cg.hpp>
#include <einkorn/solvers/pcg.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

using Vector = Kokkos::View<double*, Device>;
using Events = std::vector<std::string>;

std::string listed(Events const& events) {
  std::string text;
  for (auto const& event : events) text += "\n  " + event;
  return text;
}

bool is_launch(std::string const& event) {
  return event.starts_with("launch ") || event.starts_with("region ");
}

/// Events of a second solve of 30 iterations, with the workspace of the first.
class SolveLaunches : public testing::Test {
 protected:
  System<double> const system = lattice(20, 20, 20);
  Vector const b = to_device(system.b()), x = to_device(std::vector<double>(system.b().size()));

  /// once: solves. starts: the label of the first pass; iterates: that of the last pass of each iteration.
  void expect_launches_only(std::function<SolveReport()> const& once, std::string const& starts,
                            std::string const& iterates, std::size_t times) const {
    EXPECT_EQ(once().iterations, 30);
    Kokkos::deep_copy(x, 0.0);
    Kokkos::fence();
    Events events;
    SolveReport report;
    {
      Watch const watch;
      report = once();
      Kokkos::fence("the end of the solve");
      EXPECT_TRUE(watch.seen().allocations.empty());
      events = watch.seen().events;
    }
    EXPECT_EQ(report.iterations, 30);
    EXPECT_EQ(report.outcome, Outcome::iteration_limit);
    auto const first = std::find(events.begin(), events.end(), "launch " + starts);
    auto const is_iteration = [&](std::string const& event) {
      return is_launch(event) && event.substr(7) == iterates;
    };
    ASSERT_TRUE(first != events.end()) << listed(events);
    auto const last = std::find_if(events.rbegin(), events.rend(), is_iteration).base();
    EXPECT_EQ(static_cast<std::size_t>(std::count_if(first, last, is_iteration)), times) << listed(events);
    EXPECT_TRUE(std::all_of(first, last, is_launch)) << listed(Events(first, last));
    EXPECT_TRUE(std::all_of(events.begin(), first, is_launch)) << listed(Events(events.begin(), first));
    auto const fences =
        std::count_if(last, events.end(), [](auto const& event) { return event.starts_with("fence"); });
    EXPECT_GE(fences, 2) << "at the end, and this test's own";
  }
  static SolverOptions options(Execution execution) {
    SolverOptions options;
    options.tolerance = 0;
    options.max_iterations = 30;
    options.replace_every = 10;
    options.keep_history = true;
    options.execution = execution;
    return options;
  }
};

TEST_F(SolveLaunches, CgOnlyLaunches) {
  auto const a = make_operator<double>(Space(), system.A.on_device());
  auto solve_options = options(Execution::launches);
  CgWorkspace<double, Space> const workspace(Space(), a, solve_options);
  expect_launches_only([&] { return cg(Space(), a, b, x, solve_options, workspace); }, "einkorn::cg[start]",
                       "einkorn::cg[update]", 30);
  solve_options.recurrence = Recurrence::classical;
  expect_launches_only([&] { return cg(Space(), a, b, x, solve_options, workspace); }, "einkorn::pcg[start]",
                       "einkorn::pcg[direction]", 30);
}

/// One launch: a parallel_for on the host, a region on a GPU, which Kokkos does not launch itself.
TEST_F(SolveLaunches, PersistentCgLaunchesOnce) {
  if (!is_cooperative<Space>) GTEST_SKIP() << "threads of this space cannot meet";
  SpmvOperator const a(make_spmv_plan(Space(), system.A.on_device(), {.algorithm = SpmvAlgorithm::row_team}));
  auto const solve_options = options(Execution::persistent);
  CgWorkspace<double, Space> const workspace(Space(), a, solve_options);
  expect_launches_only([&] { return cg(Space(), a, b, x, solve_options, workspace); }, "einkorn::cg[start]",
                       "einkorn::cg[persistent]", is_gpu<Space> ? 1 : 2);
}

TEST_F(SolveLaunches, PcgOnlyLaunches) {
  auto const a = make_operator<double>(Space(), system.A.on_device());
  auto const solve_options = options(Execution::launches);
  UserDiagonal<double> const M(inverse_diagonal(system.A));
  FusableUserDiagonal<double> const open(inverse_diagonal(system.A));
  CgWorkspace<double, Space> const workspace(Space(), a, M, solve_options);
  expect_launches_only([&] { return pcg(Space(), a, M, b, x, solve_options, workspace); },
                       "einkorn::pcg[start]", "einkorn::pcg[direction]", 30);
  expect_launches_only([&] { return pcg(Space(), a, open, b, x, solve_options, workspace); },
                       "einkorn::pcg[start]", "einkorn::pcg[direction]", 30);
}

TEST_F(SolveLaunches, BicgstabOnlyLaunches) {
  auto const a = make_operator<double>(Space(), system.A.on_device());
  auto const csr5 = make_operator<double>(Space(), from_csr<Csr5>(Space(), system.A.on_device()));
  auto const solve_options = options(Execution::launches);
  UserDiagonal<double> const M(inverse_diagonal(system.A));
  BicgstabWorkspace<double, Space> const workspace(Space(), a, solve_options),
      csr5_workspace(Space(), csr5, solve_options), second_workspace(Space(), a, solve_options, true);
  expect_launches_only([&] { return bicgstab(Space(), a, b, x, solve_options, workspace); },
                       "einkorn::bicgstab[start]", "einkorn::bicgstab[x]", 30);
  expect_launches_only([&] { return bicgstab(Space(), csr5, b, x, solve_options, csr5_workspace); },
                       "einkorn::bicgstab[start]", "einkorn::bicgstab[x]", 30);
  expect_launches_only([&] { return bicgstab(Space(), a, M, b, x, solve_options, second_workspace); },
                       "einkorn::bicgstab[start]", "einkorn::bicgstab[x]", 30);
}

/// Fused: product, sum, update, sum; on a GPU the update of a small system reduces both sums in its prologue.
TEST_F(SolveLaunches, CgLaunchesPerIteration) {
  SpmvOperator const a(make_spmv_plan(Space(), system.A.on_device(), {.algorithm = SpmvAlgorithm::row_team}));
  auto solve_options = options(Execution::launches);
  solve_options.replace_every = 0;
  CgWorkspace<double, Space> const workspace(Space(), a, solve_options);
  auto const launches = [&](std::int64_t iterations) {
    solve_options.max_iterations = iterations;
    Kokkos::deep_copy(x, 0.0);
    Kokkos::fence();
    Watch const watch;
    cg(Space(), a, b, x, solve_options, workspace);
    return watch.seen().launches.size();
  };
  EXPECT_EQ(launches(30) - launches(10), (is_gpu<Space> ? 2 : 4) * 20u);
}

}  // namespace
}  // namespace einkorn::test
