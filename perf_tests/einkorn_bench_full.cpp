// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// einkorn-bench-full: einkorn-bench with all options: peers, solvers, SpGEMM, SpMM, other scalars and ordinals,
// and tables of all rows.
#include "program/output.hpp"
#include "support/bench_matrix.hpp"
#include "support/bench_summary.hpp"
#include "support/program.hpp"
#include "support/solve.hpp"
#include "support/solve_output.hpp"
#include "support/spgemm.hpp"
#include "support/spmm.hpp"
#include "support/table.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <ostream>
#include <utility>

namespace {

using namespace einkorn::perf;

template <class Scalar, class Ordinal, class Offset>
bool summary(Run& run, NamedMatrix const& matrix) {
  auto const& settings = run.settings;
  auto const more = [](auto const& problem, Selection const& selection, Candidates& rows) {
    if (selection.names("coo")) add_coo(problem, selection, rows);
    if (selection.names("hyb")) add_hyb(problem, selection, rows);
    if (selection.names("column_blocks")) add_column_blocks(problem, selection, rows);
    if (!selection.peers) return;
    add_kokkos_kernels(problem, rows);
    add_kokkos_kernels_bsr(problem, rows);
    add_cusparse(problem, rows);
    add_cusparse_bsr(problem, rows);
    add_eigen(problem, rows);
  };
  return print_and_record(
      run,
      bench_summary<Scalar, Ordinal, Offset>(run.exec, run.bandwidth, matrix.name, settings.selection,
                                             settings.measuring, settings.verify, more),
      matrix);
}

template <class Scalar, class Ordinal, class Offset>
MatrixReport table(Run const& run, std::string const& name) {
  auto const& settings = run.settings;
  return bench_matrix<Scalar, Ordinal, Offset>(run.exec, run.bandwidth, name, settings.selection,
                                               settings.measuring, settings.verify);
}

template <class Scalar>
MatrixReport spmm(Run const& run, std::string const& name) {
  auto const& settings = run.settings;
  auto const with = [&](auto bench) {
    return bench(run.exec, run.bandwidth, name, settings.columns, settings.selection, settings.measuring,
                 settings.verify);
  };
  return settings.layout == "right" ? with(bench_spmm<Scalar, Kokkos::LayoutRight>)
                                    : with(bench_spmm<Scalar, Kokkos::LayoutLeft>);
}

template <class Report>
bool show(Run& run, Report report, NamedMatrix const& matrix) {
  report.suite = matrix.suite;
  einkorn::program::print_to_stdout([&](std::ostream& out) { print_table(out, report); });
  return record(run, report);
}

MatrixReport spmv_table(Run const& run, std::string const& name) {
  auto const& settings = run.settings;
  if (settings.columns > 0)
    return settings.scalar == "float" ? spmm<float>(run, name) : spmm<double>(run, name);
  if (settings.ordinal == "int64") return table<double, std::int64_t, std::size_t>(run, name);
  if (settings.scalar == "float") return table<float, int, int>(run, name);
  if (settings.scalar == "complex") return table<Kokkos::complex<double>, int, int>(run, name);
  return table<double, int, int>(run, name);
}

bool bench(Run& run, NamedMatrix const& matrix) {
  auto const& settings = run.settings;
  if (!settings.product.empty())
    return show(run,
                bench_spgemm(run.exec, matrix.name, settings.product == "AAT", settings.selection,
                             settings.measuring, settings.verify),
                matrix);
  if (!settings.solver.empty())
    return show(run,
                bench_solve(run.exec, run.bandwidth, matrix.name, settings.solve, settings.selection,
                            settings.measuring, settings.verify),
                matrix);
  if (!settings.wants_summary()) return show(run, spmv_table(run, matrix.name), matrix);
  if (settings.ordinal == "int64") return summary<double, std::int64_t, std::size_t>(run, matrix);
  if (settings.scalar == "float") return summary<float, int, int>(run, matrix);
  if (settings.scalar == "complex") return summary<Kokkos::complex<double>, int, int>(run, matrix);
  return summary<double, int, int>(run, matrix);
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_bench(argc, argv, bench, false);
}
