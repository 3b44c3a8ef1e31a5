// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "program/output.hpp"
#include "solve/convert.hpp"
#include "solve/hermitian.hpp"
#include "solve/input.hpp"
#include "solve/methods.hpp"
#include "solve/progress.hpp"
#include "solve/result.hpp"
#include "solve/run.hpp"
#include "solve/stopwatch.hpp"
#include "solve/system.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/core/io/matrix_market.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iostream>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <unistd.h>
#include <utility>

namespace einkorn::tools {

namespace {

struct Method {
  SolverKind solver;
  PreconditionerChoice preconditioner;
  std::string reason;
};

/// The requested method; `auto` depends on check_hermitian(A).
template <class Scalar>
Method method_for(Exec const& exec, Settings const& settings, Matrix<Scalar> const& A) {
  Method method{settings.solver, {}, name_of(settings.solver)};
  if (!settings.preconditioner.empty()) method.preconditioner = *preconditioner_of(settings.preconditioner);
  if (settings.solver == SolverKind::pcg && settings.preconditioner.empty())
    method.preconditioner.kind = PreconditionerKind::jacobi;
  if (settings.solver != SolverKind::automatic) return method;
  auto const check = check_hermitian(exec, A);
  bool const preconditioned = method.preconditioner.kind != PreconditionerKind::none;
  method.solver = !check.allows_cg() ? SolverKind::bicgstab : preconditioned ? SolverKind::pcg : SolverKind::cg;
  method.reason = std::string(name_of(method.solver)) + ": A is " + check.sentence();
  return method;
}

template <class Scalar>
TimedSolve solve(Task<Scalar> const& task, SolverKind solver) {
  switch (solver) {
    case SolverKind::bicgstab:
      return solve_by_bicgstab(task);
    case SolverKind::pcg:
      return solve_by_pcg(task);
    default:
      return solve_by_cg(task);
  }
}

template <class X>
struct DistanceFromOne {
  X x;
  KOKKOS_FUNCTION void operator()(std::size_t i, double& largest) const {
    largest = Kokkos::fmax(largest, Kokkos::abs(x(i) - typename X::non_const_value_type(1)));
  }
};

template <class Scalar>
double largest_error(Exec const& exec, DenseVector<Scalar> const& x) {
  double largest = 0;
  Kokkos::parallel_reduce("einkorn::tools::largest_error",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, x.extent(0)),
                          DistanceFromOne<DenseVector<Scalar>>{x}, Kokkos::Max<double>(largest));
  exec.fence("einkorn-solve: error");
  return largest;
}

template <class Scalar>
void write_solution(std::string const& path, DenseVector<Scalar> const& x) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  MatrixMarketWriteOptions options;
  options.allow_nonfinite = true;
  write_matrix_market_array(path, std::span<Scalar const>(host.data(), host.extent(0)), 1, options);
}

template <class Scalar>
Exit run_with(Settings const& settings, Exec const& exec, Stopwatch& watch, InputFiles&& files,
              std::string& step) {
  auto const system = load_system<Scalar>(exec, settings.matrix, std::move(files));
  Result result;
  result.matrix = system.matrix;
  result.right_hand_side = system.right_hand_side;
  result.tolerance = settings.tolerance;
  result.machine = std::string(Exec::name()) + ", concurrency " + std::to_string(exec.concurrency());
  result.read_seconds = watch.lap();

  step = "choosing a method";
  auto const method = method_for(exec, settings, system.A);
  // The number of iterations is unknown: a conversion must pay within this number of products.
  auto const products = std::clamp<std::int64_t>(settings.max_iterations, 1, 1000);
  step = "converting the matrix to the format of the solve";
  auto const converted = convert(exec, system.A, settings.format, products);
  DenseVector<Scalar> const x("einkorn::tools::x", static_cast<std::size_t>(system.A.num_rows));
  result.setup_seconds = watch.lap();

  SolverOptions options;
  options.tolerance = settings.tolerance;
  options.max_iterations = settings.max_iterations;
  options.keep_history = !settings.history.empty();
  Progress progress(std::cerr);
  if (settings.progress || (!settings.quiet && isatty(STDERR_FILENO) != 0))
    options.callback = std::ref(progress);
  step = "solving";
  auto const solved = solve(
      Task<Scalar>{exec, system.A, converted.A, system.b, x, method.preconditioner, options}, method.solver);
  step = "writing the results";
  result.format = converted.reason;
  result.solver = method.reason;
  result.method = method.solver;
  result.is_preconditioned = method.preconditioner.kind != PreconditionerKind::none;
  result.preconditioner = solved.preconditioner;
  result.report = solved.report;
  result.setup_seconds += solved.setup_seconds;
  result.solve_seconds = solved.solve_seconds;
  if (system.solution_is_ones) result.error = largest_error<Scalar>(exec, x);

  if (!settings.quiet) program::print_to_stdout([&](std::ostream& out) { print_table(out, result); });
  if (!settings.history.empty()) write_history(settings.history, result.report);
  if (!settings.output.empty()) write_solution<Scalar>(settings.output, x);
  return result.report.converged() ? done : not_converged;
}

}  // namespace

Exit run(Settings const& settings) {
  std::string step = "reading " + settings.matrix;
  try {
    Exec const exec;
    Stopwatch watch(exec);
    auto files = read_input(settings.matrix, settings.right_hand_side);
    if (files.is_complex())
      return run_with<Kokkos::complex<double>>(settings, exec, watch, std::move(files), step);
    return run_with<double>(settings, exec, watch, std::move(files), step);
  } catch (std::bad_alloc const& failure) {  // from Kokkos or the standard library, without a purpose
    throw OutOfMemory("no memory while " + step + " (" + failure.what() + ")");
  }
}

}  // namespace einkorn::tools
