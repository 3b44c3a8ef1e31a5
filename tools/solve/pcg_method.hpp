// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "solve/methods.hpp"
#include "solve/multigrid.hpp"
#include "solve/stopwatch.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/solvers/pcg.hpp>
#include <einkorn/solvers/precond/block_jacobi.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>
#include <einkorn/solvers/report.hpp>

#include <optional>

namespace einkorn::tools {

template <class Scalar, class Operator, class M>
TimedSolve solve_with(Task<Scalar, Operator> const& task, Stopwatch& watch, M const& preconditioner) {
  TimedSolve result;
  result.preconditioner = preconditioner.name();
  CgWorkspace<Scalar, Exec> const workspace(task.exec, task.A, preconditioner, task.options);
  result.setup_seconds = watch.lap();
  result.report = pcg(task.exec, task.A, preconditioner, task.b, task.x, task.options, workspace);
  result.solve_seconds = watch.lap();
  return result;
}

/// Empty if multigrid was chosen automatically and cannot be set up: values beyond float, no memory, or a status.
template <class Scalar, class Operator>
std::optional<MultigridPreconditioner> make_multigrid_for(Task<Scalar, Operator> const& task) {
  if (!task.preconditioner.is_automatic) return MultigridPreconditioner(task.exec, task.csr, task.on_level);
  try {
    MultigridPreconditioner const M(task.exec, task.csr, task.on_level);
    if (M.status().outcome == Outcome::converged) return M;
  } catch (OverflowError const&) {
  } catch (OutOfMemory const&) {
  }
  return {};
}

template <class Scalar, class Operator>
TimedSolve solve_by_pcg(Task<Scalar, Operator> const& task) {
  Stopwatch watch(task.exec);
  auto const& choice = task.preconditioner;
  if (choice.kind == PreconditionerKind::block_jacobi)
    return solve_with(task, watch, on_all_ranks(task.A, [&] {
                        return make_block_jacobi(task.exec, task.csr, {choice.block_size});
                      }));
  if (choice.kind == PreconditionerKind::multigrid) {
    if (auto const M = make_multigrid_for(task)) {
      auto result = solve_with(task, watch, *M);
      result.preconditioner_table = M->table();
      return result;
    }
  }
  return solve_with(task, watch, on_all_ranks(task.A, [&] { return make_jacobi(task.exec, task.csr); }));
}

}  // namespace einkorn::tools
