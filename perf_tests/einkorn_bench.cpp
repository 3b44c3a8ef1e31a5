// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// einkorn-bench: the summary of matrices in double with 32-bit indices. Peers, solvers, other scalars and
// tables of all rows take long to compile; they are in einkorn-bench-full, which this program executes for
// them.
#include "support/bench_summary.hpp"
#include "support/program.hpp"

int main(int argc, char* argv[]) {
  using namespace einkorn::perf;
  auto const summary = [](Run& run, NamedMatrix const& matrix) {
    auto const& settings = run.settings;
    return print_and_record(
        run,
        bench_summary<double, int, int>(run.exec, run.bandwidth, matrix.name, settings.selection,
                                        settings.measuring, settings.verify, {}),
        matrix);
  };
  return run_bench(argc, argv, summary, true);
}
