// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "solve/any_preconditioner.hpp"
#include "solve/methods.hpp"
#include "solve/stopwatch.hpp"

#include <einkorn/solvers/richardson.hpp>

namespace einkorn::tools {

template <class Scalar, class Operator>
TimedSolve solve_by_richardson(Task<Scalar, Operator> const& task) {
  TimedSolve result;
  Stopwatch watch(task.exec);
  auto const M = on_all_ranks(
      task.A, [&] { return make_preconditioner(task.exec, task.csr, task.preconditioner, task.on_level); });
  RichardsonWorkspace<Scalar, Exec> const workspace(task.exec, task.A, task.options);
  result.setup_seconds = watch.lap();
  result.preconditioner = M.name();
  result.preconditioner_table = M.table();
  result.report = richardson(task.exec, task.A, M, task.b, task.x, task.options, workspace);
  result.solve_seconds = watch.lap();
  return result;
}

}  // namespace einkorn::tools
