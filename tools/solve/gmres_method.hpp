// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "solve/any_preconditioner.hpp"
#include "solve/methods.hpp"
#include "solve/stopwatch.hpp"

#include <einkorn/solvers/gmres.hpp>

namespace einkorn::tools {

/// solve(M, workspace) after the setup, with its times.
template <class Scalar, class Operator, class Solve>
TimedSolve time_gmres(Task<Scalar, Operator> const& task, GmresKind kind, Solve const& solve) {
  TimedSolve result;
  Stopwatch watch(task.exec);
  bool const preconditioned = task.preconditioner.kind != PreconditionerKind::none;
  auto const M = on_all_ranks(task.A, [&] {
    return preconditioned ? make_preconditioner(task.exec, task.csr, task.preconditioner, task.on_level)
                          : AnyPreconditioner<Scalar>();
  });
  GmresWorkspace<Scalar, Exec> const workspace(task.exec, task.A, task.options, kind);
  result.setup_seconds = watch.lap();
  if (preconditioned) result.preconditioner = M.name();
  result.preconditioner_table = M.table();
  result.report = solve(M, workspace);
  result.solve_seconds = watch.lap();
  return result;
}

template <class Scalar, class Operator>
TimedSolve solve_by_gmres(Task<Scalar, Operator> const& task) {
  bool const preconditioned = task.preconditioner.kind != PreconditionerKind::none;
  return time_gmres(task, preconditioned ? GmresKind::preconditioned : GmresKind::plain,
                    [&](auto const& M, auto const& workspace) {
                      return preconditioned
                                 ? gmres(task.exec, task.A, M, task.b, task.x, task.options, workspace)
                                 : gmres(task.exec, task.A, task.b, task.x, task.options, workspace);
                    });
}

template <class Scalar, class Operator>
TimedSolve solve_by_fgmres(Task<Scalar, Operator> const& task) {
  return time_gmres(task, GmresKind::flexible, [&](auto const& M, auto const& workspace) {
    return fgmres(task.exec, task.A, M, task.b, task.x, task.options, workspace);
  });
}

}  // namespace einkorn::tools
