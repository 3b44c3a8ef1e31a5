// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// einkorn-solve-ranks: einkorn-solve on the ranks of MPI, which executes it.
#include "distributed/mpi_program.hpp"
#include "distributed/run.hpp"
#include "program/exit_code.hpp"
#include "program/launcher.hpp"
#include "solve/command_line.hpp"

#include <iostream>

int main(int argc, char* argv[]) {
  using namespace einkorn::tools;
  if (einkorn::program::mpi_option(argc, argv) == einkorn::program::UseMpi::off) {
    std::cerr << "einkorn-solve-ranks: --mpi off: use einkorn-solve\n";
    return einkorn::program::usage;
  }
  return run_mpi_program("einkorn-solve", argc, argv, [&](einkorn::Communicator const& comm) {
    return run_command_line(argc, argv, true, comm.rank() == 0, [&](Settings const& settings) {
      return run_on_ranks(settings, transport_of(comm, settings.transport));
    });
  });
}
