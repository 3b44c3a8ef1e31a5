// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "solve/run_time_operator.hpp"
#include "solve/settings.hpp"
#include "solve/types.hpp"

#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>

#include <string>

namespace einkorn::tools {

/// The input of a solve. x contains x0.
template <class Scalar>
struct Task {
  Exec exec;
  Matrix<Scalar> csr;  // for the preconditioner
  RunTimeOperator<Scalar> A;
  DenseVector<Scalar> b, x;
  PreconditionerChoice preconditioner;
  SolverOptions options;
};

struct TimedSolve {
  SolveReport report;
  std::string preconditioner = "none";  // its name()
  double setup_seconds = 0;             // preconditioner and workspace
  double solve_seconds = 0;
};

/// One source file per method, because each instantiates the fused passes of every format.
template <class Scalar>
TimedSolve solve_by_cg(Task<Scalar> const& task);
template <class Scalar>
TimedSolve solve_by_pcg(Task<Scalar> const& task);
template <class Scalar>
TimedSolve solve_by_bicgstab(Task<Scalar> const& task);

}  // namespace einkorn::tools
