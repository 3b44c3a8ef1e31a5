// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "distributed_solve/problem.hpp"

#include <einkorn/solvers/pcg.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>

namespace einkorn::perf::distributed {

namespace {

template <class Operator, class Preconditioner>
std::function<SolveReport(SolverOptions const&)> pcg_of(Exec const& exec, Operator const& op,
                                                        Preconditioner const& M, Vector const& b,
                                                        SolverOptions const& options) {
  CgWorkspace<double, Exec> const workspace(exec, op, M, options);
  return from_zero(exec, b.extent(0), [exec, op, M, b, workspace](Vector const& x, SolverOptions const& with) {
    return pcg(exec, op, M, b, x, with, workspace);
  });
}

}  // namespace

Solver make_jacobi_pcg(Problem const& problem, SolverOptions const& options) {
  Solver solver{"jacobi-pcg", "jacobi-pcg", "classical", 1, 12, {}, {}};
  auto const& exec = problem.exec;
  auto const M = problem.comm().collectively([&] { return make_jacobi(exec, problem.A.local); });
  solver.on_ranks = pcg_of(exec, problem.op, M, problem.b, options);
  if (problem.alone) {
    auto automatic = options;
    automatic.execution = Execution::automatic;
    solver.alone =
        pcg_of(exec, problem.alone->op, make_jacobi(exec, problem.alone->A), problem.alone->b, automatic);
  }
  return solver;
}

}  // namespace einkorn::perf::distributed
