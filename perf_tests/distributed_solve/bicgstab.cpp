// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "distributed_solve/problem.hpp"

#include <einkorn/solvers/bicgstab.hpp>

namespace einkorn::perf::distributed {

namespace {

template <class Operator>
std::function<SolveReport(SolverOptions const&)> bicgstab_of(Exec const& exec, Operator const& op,
                                                             Vector const& b, SolverOptions const& options) {
  BicgstabWorkspace<double, Exec> const workspace(exec, op, options);
  return from_zero(exec, b.extent(0), [exec, op, b, workspace](Vector const& x, SolverOptions const& with) {
    return bicgstab(exec, op, b, x, with, workspace);
  });
}

}  // namespace

Solver make_bicgstab(Problem const& problem, SolverOptions const& options) {
  Solver solver{"bicgstab", "bicgstab", "fused", 2, 17, {}, {}};
  solver.on_ranks = bicgstab_of(problem.exec, problem.op, problem.b, options);
  if (problem.alone) {
    auto automatic = options;
    automatic.execution = Execution::automatic;
    solver.alone = bicgstab_of(problem.exec, problem.alone->op, problem.alone->b, automatic);
  }
  return solver;
}

}  // namespace einkorn::perf::distributed
