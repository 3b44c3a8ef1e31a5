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

/// A system that is ready to be solved. x holds x0.
template <class Scalar>
struct Task {
  Exec exec;
  Matrix<Scalar> csr;  // for the preconditioner
  RunTimeOperator<Scalar> A;
  DenseVector<Scalar> b, x;
  PreconditionerChoice preconditioner;
  SolverOptions options;
};

struct Solved {
  SolveReport report;
  std::string preconditioner = "none";  // as it calls itself
  double setup_seconds = 0;             // of preconditioner and workspace
  double solve_seconds = 0;
};

/// One file a method: each compiles the products of every format into its sweeps.
template <class Scalar>
Solved solve_by_cg(Task<Scalar> const& task);
template <class Scalar>
Solved solve_by_pcg(Task<Scalar> const& task);
template <class Scalar>
Solved solve_by_bicgstab(Task<Scalar> const& task);

}  // namespace einkorn::tools
