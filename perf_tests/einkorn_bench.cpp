// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// einkorn-bench: the answer for matrices in double with 32-bit indices. What takes long to compile, the peers,
// the solvers, other scalars and the tables of all rows, is in einkorn-bench-full, which it starts where it is
// asked for that.
#include "support/bench_answer.hpp"
#include "support/program.hpp"

int main(int argc, char* argv[]) {
  using namespace einkorn::perf;
  auto const answer = [](Run& run, NamedMatrix const& matrix) {
    auto const& settings = run.settings;
    return give_answer(run,
                       bench_answer<double, int, int>(run.exec, run.bandwidth, matrix.name, settings.selection,
                                                      settings.rule, settings.verify, {}),
                       matrix);
  };
  return run_bench(argc, argv, answer, true);
}
