// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "solve/methods.hpp"
#include "solve/stopwatch.hpp"

#include <einkorn/solvers/cg.hpp>

namespace einkorn::tools {

template <class Scalar, class Operator>
TimedSolve solve_by_cg(Task<Scalar, Operator> const& task) {
  TimedSolve result;
  Stopwatch watch(task.exec);
  CgWorkspace<Scalar, Exec> const workspace(task.exec, task.A, task.options);
  result.setup_seconds = watch.lap();
  result.report = cg(task.exec, task.A, task.b, task.x, task.options, workspace);
  result.solve_seconds = watch.lap();
  return result;
}

}  // namespace einkorn::tools
