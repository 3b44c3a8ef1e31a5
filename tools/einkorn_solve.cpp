// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// einkorn-solve: a solve on one process. The solvers on the ranks of MPI, which double the compile time, are in
// einkorn-solve-ranks, which this program executes for them.
#include "program/execute.hpp"
#include "program/launcher.hpp"
#include "program/run_program.hpp"
#include "solve/command_line.hpp"
#include "solve/run.hpp"

int main(int argc, char* argv[]) {
  using namespace einkorn;
  return program::run_program("einkorn-solve", [&]() -> int {
    if (program::uses_mpi(argc, argv))
      return program::execute("einkorn-solve", argv[0], "einkorn-solve-ranks", {argv + 1, argv + argc},
                              "a solve on ranks needs it, with MPI; with --mpi off every process solves the "
                              "system alone");
    return tools::run_command_line(argc, argv, false, true, tools::run);
  });
}
