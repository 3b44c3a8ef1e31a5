// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "distributed_solve/problem.hpp"

#include <einkorn/solvers/cg.hpp>
#include <einkorn/solvers/distributed/scaled_system.hpp>
#include <einkorn/solvers/scaled_system.hpp>

namespace einkorn::perf::distributed {

namespace {

/// CG of an operator of ranks or of one process.
template <class Operator>
std::function<SolveReport(SolverOptions const&)> cg_of(Exec const& exec, Operator const& op, Vector const& b,
                                                       SolverOptions const& options) {
  CgWorkspace<double, Exec> const workspace(exec, op, options);
  return from_zero(exec, b.extent(0), [exec, op, b, workspace](Vector const& x, SolverOptions const& with) {
    return cg(exec, op, b, x, with, workspace);
  });
}

SolverOptions without_execution(SolverOptions options) {
  options.execution = Execution::automatic;
  return options;
}

}  // namespace

Solver make_cg(Problem const& problem, SolverOptions const& options) {
  Solver solver{"cg", "cg", "fused", 1, 8, {}, {}};
  solver.on_ranks = cg_of(problem.exec, problem.op, problem.b, options);
  if (problem.alone)
    solver.alone = cg_of(problem.exec, problem.alone->op, problem.alone->b, without_execution(options));
  return solver;
}

Solver make_jacobi_scaled_cg(Problem const& problem, SolverOptions const& options) {
  Solver solver{"jacobi-scaled-cg", "jacobi-pcg", "scaled", 1, 8, {}, {}};
  auto const& exec = problem.exec;
  auto const convert = [&](Matrix const& scaled) { return to_local(exec, scaled, problem.format); };
  solver.on_ranks =
      cg_of(exec, make_jacobi_scaled<double>(exec, problem.A, problem.transport, ScaledSides::both, convert),
            problem.b, options);
  if (problem.alone)
    solver.alone = cg_of(exec, make_jacobi_scaled(exec, problem.alone->A, ScaledSides::both, convert),
                         problem.alone->b, without_execution(options));
  return solver;
}

}  // namespace einkorn::perf::distributed
