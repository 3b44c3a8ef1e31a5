// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "solve/settings.hpp"
#include "solve/types.hpp"

#include <einkorn/solvers/options.hpp>

#include <cstdint>
#include <string>

namespace einkorn::tools {

/// The solver and the preconditioner of a solve.
struct Method {
  SolverKind solver = SolverKind::automatic;
  PreconditionerChoice preconditioner;
  std::string reason;                 // text with the solver and the reason
  std::string preconditioner_reason;  // if it is automatic
};

/// The requested method; `auto` depends on check_hermitian(A), and the preconditioner then on multigrid_rule(A).
/// with_multigrid: whether multigrid can be chosen: on one process.
template <class Scalar>
Method method_for(Exec const& exec, Settings const& settings, Matrix<Scalar> const& A, bool with_multigrid);

/// The options of a solve, without a callback.
SolverOptions solver_options(Settings const& settings);

/// Whether progress goes to stderr: requested, or stderr is a terminal.
bool shows_progress(Settings const& settings);

/// The products of which a conversion must pay. The number of iterations is unknown: at most 1000.
std::int64_t expected_products(Settings const& settings);

}  // namespace einkorn::tools
