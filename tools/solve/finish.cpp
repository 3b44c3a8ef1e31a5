// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "program/output.hpp"
#include "solve/finish.hpp"

#include <einkorn/core/io/matrix_market.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <ostream>
#include <span>
#include <string>

namespace einkorn::tools {

namespace {

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

}  // namespace

template <class Scalar>
Exit finish(Settings const& settings, Exec const& exec, Result result, Method const& method,
            TimedSolve const& solved, DenseVector<Scalar> const& x, bool solution_is_ones) {
  result.solver = method.reason;
  result.method = method.solver;
  result.matrix_name = settings.matrix;
  result.is_preconditioned = method.preconditioner.kind != PreconditionerKind::none;
  result.preconditioner = solved.preconditioner;
  if (method.preconditioner.is_automatic)
    result.preconditioner += solved.preconditioner_table.empty() ? ", because the set-up of multigrid failed"
                                                                 : ", because " + method.preconditioner_reason;
  result.preconditioner_table = solved.preconditioner_table;
  result.report = solved.report;
  result.setup_seconds += solved.setup_seconds;
  result.solve_seconds = solved.solve_seconds;
  if (solution_is_ones) result.error = largest_error<Scalar>(exec, x);

  if (!settings.quiet) program::print_to_stdout([&](std::ostream& out) { print_table(out, result); });
  if (!settings.json.empty()) write_json(settings.json, result);
  if (!settings.history.empty()) write_history(settings.history, result.report);
  if (!settings.output.empty()) write_solution<Scalar>(settings.output, x);
  return result.report.converged() ? done : not_converged;
}

template Exit finish(Settings const&, Exec const&, Result, Method const&, TimedSolve const&,
                     DenseVector<double> const&, bool);
template Exit finish(Settings const&, Exec const&, Result, Method const&, TimedSolve const&,
                     DenseVector<Kokkos::complex<double>> const&, bool);

}  // namespace einkorn::tools
