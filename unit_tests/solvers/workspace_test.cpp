// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// A workspace with another operator, instance or options than it was made for: correct, or InvalidArgument.

#include "../support/throws.hpp"
#include "solved.hpp"
#include "systems.hpp"

#include <einkorn/core/cooperative.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/sell/from_csr.hpp>
#include <einkorn/formats/sell/spmv.hpp>
#include <einkorn/solvers/bicgstab.hpp>
#include <einkorn/solvers/cg.hpp>
#include <einkorn/solvers/scaled_system.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace einkorn::test {
namespace {

using Cg = CgWorkspace<double, Space>;
using Bicgstab = BicgstabWorkspace<double, Space>;

auto operator_by(Space const& exec, HostMatrix<double> const& A, SpmvAlgorithm algorithm) {
  return SpmvOperator(make_spmv_plan(exec, A.on_device(), {.algorithm = algorithm}));
}

/// A diagonal with one dense row and column, which the segmented sum splits.
System<double> arrow(std::size_t n) {
  System<double> system{"arrow", {static_cast<int>(n), static_cast<int>(n), {0}, {}, {}}, 0};
  auto& A = system.A;
  auto const add = [&A](std::size_t column, double value) {
    A.columns.push_back(static_cast<int>(column));
    A.values.push_back(value);
  };
  for (std::size_t i = 0; i < n; ++i) {
    if (i == 0) {
      add(0, 2.0);
      for (std::size_t j = 1; j < n; ++j) add(j, -1.0 / static_cast<double>(n));
    } else {
      add(0, -1.0 / static_cast<double>(n));
      add(i, 1.0 + static_cast<double>(i) / static_cast<double>(n));
    }
    A.offsets.push_back(static_cast<int>(A.columns.size()));
  }
  return system;
}

void expect_answer(System<double> const& system, Solved<double> const& solved, std::string const& what) {
  EXPECT_TRUE(solved.report.converged()) << what << ": " << name_of(solved.report.outcome);
  EXPECT_LE(true_residual(system.A, system.b(), solved.x), 1.001e-8 * norm(system.b())) << what;
}

/// solve() converges to the answer, or refuses a workspace whose memory is too small.
template <class Solve>
void expect_answer_or_refusal(System<double> const& system, Solve const& solve, std::string const& what) {
  try {
    expect_answer(system, solved(solve, system.b()), what);
  } catch (InvalidArgument const& error) {
    EXPECT_NE(std::string(error.what()).find("the workspace was made for an operator of"), std::string::npos)
        << error.what();
  }
}

TEST(SolverWorkspace, OperatorWithMoreLaunches) {
  for (auto const& system : {arrow(3000), lattice(40, 50)}) {
    auto const by_rows = operator_by(Space(), system.A, SpmvAlgorithm::row_team),
               by_parts = operator_by(Space(), system.A, SpmvAlgorithm::segmented_sum);
    Cg const of_rows(Space(), by_rows), of_parts(Space(), by_parts);
    Bicgstab const bicgstab_of_rows(Space(), by_rows), bicgstab_of_parts(Space(), by_parts);
    auto const with_cg = [](auto const& op, Cg const& workspace) {
      return [&](auto const& b, auto const& x, auto const& options) {
        return cg(Space(), op, b, x, options, workspace);
      };
    };
    auto const with_bicgstab = [](auto const& op, Bicgstab const& workspace) {
      return [&](auto const& b, auto const& x, auto const& options) {
        return bicgstab(Space(), op, b, x, options, workspace);
      };
    };

    expect_answer_or_refusal(system, with_cg(by_parts, of_rows), "cg by parts in a workspace of rows");
    expect_answer_or_refusal(system, with_cg(by_rows, of_parts), "cg by rows in a workspace of parts");
    expect_answer(system, solved(with_cg(by_rows, of_rows), system.b()), "cg by rows");
    expect_answer_or_refusal(system, with_bicgstab(by_parts, bicgstab_of_rows),
                             "bicgstab by parts, workspace of rows");
    expect_answer_or_refusal(system, with_bicgstab(by_rows, bicgstab_of_parts),
                             "bicgstab by rows, workspace of parts");
  }
}

/// On a GPU, resident rows have no scratch for longer ones: another loop solves the system.
TEST(SolverWorkspace, OperatorWithLongerRows) {
  auto const narrow = lattice(300), wide = lattice(15, 20);
  auto const with = [&](auto const& to_operator) {
    auto const of_narrow = to_operator(narrow.A), of_wide = to_operator(wide.A);
    Cg const workspace(Space(), of_narrow);
    return solved([&](auto const& b, auto const& x,
                      auto const& options) { return cg(Space(), of_wide, b, x, options, workspace); },
                  wide.b());
  };

  auto const of_csr = with([](HostMatrix<double> const& A) {
    return SpmvOperator(
        make_spmv_plan(Space(), A.on_device(), {.algorithm = SpmvAlgorithm::row_team, .lanes = 4}));
  });
  auto const of_sell = with([](HostMatrix<double> const& A) {
    return make_operator<double>(Space(), from_csr<Sell>(Space(), A.on_device()));
  });

  expect_answer(wide, of_csr, "CSR, whose longest row the host knows");
  expect_answer(wide, of_sell, "SELL, where the kernel finds it");
}

/// Exec: a host space whose instances have as many threads as they are made with.
template <class Exec>
void expect_refusal_of_more_threads() {
  if constexpr (std::is_constructible_v<Exec, int> && !is_gpu<Exec>) {
    if (Exec().concurrency() < 2) GTEST_SKIP() << "one thread";
    Exec const one(1), two(2);
    auto const system = lattice(40, 50);
    auto const op = operator_by(one, system.A, SpmvAlgorithm::row_team);
    Cg const workspace(one, op);
    Bicgstab const bicgstab_workspace(one, op);
    auto const b = to_device(system.b()), x = to_device(numbers<double>(Numbers::reals, b.extent(0), 1));
    auto const before = to_host(x);
    std::vector<std::string> const words{"the workspace was made for an operator of 2000 rows and ",
                                         "concurrency 1, this one has 2000 rows and ", "concurrency 2"};
    for (auto const execution : {Execution::automatic, Execution::launches}) {
      SolverOptions const options{.execution = execution};
      EXPECT_TRUE(throws<InvalidArgument>([&] { cg(two, op, b, x, options, workspace); }, words));
      EXPECT_TRUE(
          throws<InvalidArgument>([&] { bicgstab(two, op, b, x, options, bicgstab_workspace); }, words));
    }
    EXPECT_EQ(to_host(x), before);
    // The operator itself serves any instance.
    Cg const of_two(two, op);
    EXPECT_TRUE(cg(two, op, b, x, {}, of_two).converged());
    EXPECT_TRUE(cg(one, op, b, x, {}, of_two).converged());
  } else {
    GTEST_SKIP() << "instances of one size only";
  }
}

/// The number of partial sums is that of the parts of the instance.
TEST(SolverWorkspace, InstanceWithMoreThreads) {
  expect_refusal_of_more_threads<Space>();
}

TEST(SolverWorkspace, WithoutHistoryOrCallback) {
  auto const system = lattice(10, 10);
  auto const op = operator_by(Space(), system.A, SpmvAlgorithm::row_team);
  Cg const workspace(Space(), op);
  Bicgstab const bicgstab_workspace(Space(), op);
  auto const b = to_device(system.b()), x = to_device(std::vector<double>(b.extent(0)));
  SolverOptions with_history, with_callback;
  with_history.keep_history = true;
  with_callback.callback = [](std::int64_t, double) { return true; };
  for (auto const& options : {with_history, with_callback}) {
    std::vector<std::string> const words{"the workspace was made without", "callback"};
    EXPECT_TRUE(throws<InvalidArgument>([&] { cg(Space(), op, b, x, options, workspace); }, words));
    EXPECT_TRUE(
        throws<InvalidArgument>([&] { bicgstab(Space(), op, b, x, options, bicgstab_workspace); }, words));
    EXPECT_TRUE(cg(Space(), op, b, x, options, Cg(Space(), op, options)).converged());
  }
  EXPECT_TRUE(throws<InvalidArgument>(
      [&] { cg(Space(), op, b, x, with_callback, Cg(Space(), op, with_history)); }, {"without a callback"}));
}

/// In every iteration, and also while x is scaled.
TEST(SolverWorkspace, CallbackExceptionRestoresX) {
  auto const system = badly_scaled(lattice(12, 13));
  auto const scaled = [&](ScaledSides sides) {
    return make_jacobi_scaled(Space(), system.A.on_device(), sides, [](auto const& B) {
      return SpmvOperator(make_spmv_plan(Space(), B, {.algorithm = SpmvAlgorithm::row_team}));
    });
  };
  auto const both = scaled(ScaledSides::both), right = scaled(ScaledSides::right);
  auto const op = operator_by(Space(), system.A, SpmvAlgorithm::row_team);
  for (std::int64_t const at : {0, 1, 20}) {
    SolverOptions options;
    options.tolerance = 1e-12;
    options.callback = [at](std::int64_t iteration, double) {
      if (iteration >= at) throw std::domain_error("of the callback");
      return true;
    };
    std::vector<std::string> const words{"of the callback"};
    for (double const size : {1.0, 1e-200}) {
      auto on_host = system.b(), before = numbers<double>(Numbers::reals, on_host.size(), 1);
      for (auto* const v : {&on_host, &before})
        for (auto& entry : *v) entry *= size;
      auto const b = to_device(on_host), x = to_device(before);
      EXPECT_TRUE(throws<std::domain_error>([&] { cg(Space(), both, b, x, options); }, words));
      EXPECT_EQ(to_host(x), before) << "cg, scaled, " << at;
      EXPECT_TRUE(throws<std::domain_error>([&] { bicgstab(Space(), right, b, x, options); }, words));
      EXPECT_EQ(to_host(x), before) << "bicgstab, scaled, " << at;
      EXPECT_TRUE(throws<std::domain_error>([&] { cg(Space(), op, b, x, options); }, words));
      EXPECT_EQ(to_host(x), before) << "cg, " << at;
    }
  }
}

}  // namespace
}  // namespace einkorn::test
