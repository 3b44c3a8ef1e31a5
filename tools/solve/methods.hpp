// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "solve/progress.hpp"
#include "solve/run_time_operator.hpp"
#include "solve/settings.hpp"
#include "solve/types.hpp"

#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>

#include <string>

namespace einkorn::tools {

/// The input of a solve. x contains x0. Operator: that of one process, or of the rows of a rank.
template <class Scalar, class Operator = RunTimeOperator<Scalar>>
struct Task {
  Exec exec;
  Matrix<Scalar> csr;  // for the preconditioner; of a rank: the entries in its own columns
  Operator A;
  DenseVector<Scalar> b, x;
  PreconditionerChoice preconditioner;
  SolverOptions options;
  LevelCallback on_level = {};  // of MultigridOptions; may be empty
};

struct TimedSolve {
  SolveReport report;
  std::string preconditioner = "none";  // its name()
  std::string preconditioner_table;     // the levels of multigrid
  double setup_seconds = 0;             // preconditioner and workspace
  double solve_seconds = 0;
};

/// body(); if it throws on one rank of a distributed operator, all ranks throw.
template <class Operator, class Body>
auto on_all_ranks([[maybe_unused]] Operator const& A, Body const& body) {
  if constexpr (requires { A.communicator(); })
    return A.communicator().collectively(body);
  else
    return body();
}

/// One source file per method: each instantiates the fused passes of every format. Definitions: cg_method.hpp,
/// pcg_method.hpp, bicgstab_method.hpp, gmres_method.hpp, richardson_method.hpp.
template <class Scalar, class Operator>
TimedSolve solve_by_cg(Task<Scalar, Operator> const& task);
template <class Scalar, class Operator>
TimedSolve solve_by_pcg(Task<Scalar, Operator> const& task);
template <class Scalar, class Operator>
TimedSolve solve_by_bicgstab(Task<Scalar, Operator> const& task);

template <class Scalar, class Operator>
TimedSolve solve_by_gmres(Task<Scalar, Operator> const& task);
template <class Scalar, class Operator>
TimedSolve solve_by_fgmres(Task<Scalar, Operator> const& task);
template <class Scalar, class Operator>
TimedSolve solve_by_richardson(Task<Scalar, Operator> const& task);

template <class Scalar, class Operator>
TimedSolve solve_by(SolverKind solver, Task<Scalar, Operator> const& task) {
  switch (solver) {
    case SolverKind::bicgstab:
      return solve_by_bicgstab(task);
    case SolverKind::pcg:
      return solve_by_pcg(task);
    case SolverKind::gmres:
      return solve_by_gmres(task);
    case SolverKind::fgmres:
      return solve_by_fgmres(task);
    case SolverKind::richardson:
      return solve_by_richardson(task);
    default:
      return solve_by_cg(task);
  }
}

}  // namespace einkorn::tools
