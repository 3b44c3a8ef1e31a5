// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve/hermitian.hpp"
#include "solve/method.hpp"
#include "solve/multigrid_rule.hpp"

#include <algorithm>
#include <unistd.h>

namespace einkorn::tools {

template <class Scalar>
Method method_for(Exec const& exec, Settings const& settings, Matrix<Scalar> const& A, bool with_multigrid) {
  Method method{settings.solver, {}, name_of(settings.solver), {}};
  if (!settings.preconditioner.empty()) method.preconditioner = *preconditioner_of(settings.preconditioner);
  bool const requires_preconditioner = settings.solver == SolverKind::pcg ||
                                       settings.solver == SolverKind::fgmres ||
                                       settings.solver == SolverKind::richardson;
  if (requires_preconditioner && settings.preconditioner.empty())
    method.preconditioner.kind = PreconditionerKind::jacobi;
  if (settings.solver != SolverKind::automatic) return method;
  auto const check = check_hermitian(exec, A);
  if (with_multigrid && settings.preconditioner.empty() && check.allows_cg()) {
    auto const rule = multigrid_rule(exec, A);
    if (rule.recommends()) {
      method.preconditioner = {PreconditionerKind::multigrid, 4, true};
      method.preconditioner_reason = rule.sentence();
    }
  }
  bool const preconditioned = method.preconditioner.kind != PreconditionerKind::none;
  method.solver = !check.allows_cg() ? SolverKind::bicgstab : preconditioned ? SolverKind::pcg : SolverKind::cg;
  method.reason = std::string(name_of(method.solver)) + ": A is " + check.sentence();
  return method;
}

SolverOptions solver_options(Settings const& settings) {
  SolverOptions options;
  options.tolerance = settings.tolerance;
  options.max_iterations = settings.max_iterations;
  options.restart = settings.restart;
  options.keep_history = !settings.history.empty();
  return options;
}

bool shows_progress(Settings const& settings) {
  return settings.progress || (!settings.quiet && isatty(STDERR_FILENO) != 0);
}

std::int64_t expected_products(Settings const& settings) {
  return std::clamp<std::int64_t>(settings.max_iterations, 1, 1000);
}

template Method method_for(Exec const&, Settings const&, Matrix<double> const&, bool);
template Method method_for(Exec const&, Settings const&, Matrix<Kokkos::complex<double>> const&, bool);

}  // namespace einkorn::tools
