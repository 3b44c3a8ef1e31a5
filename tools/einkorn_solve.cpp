// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "program/arguments.hpp"
#include "program/launcher.hpp"
#include "program/run_program.hpp"
#include "solve/run.hpp"
#include "solve/settings.hpp"
#ifdef EINKORN_SOLVE_WITH_MPI
#include "distributed/mpi_program.hpp"
#include "distributed/run.hpp"
#endif

#include <einkorn/core/version.hpp>

#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>

#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace einkorn::tools;

/// Parses the command line and calls run_settings. prints: false on ranks other than 0.
int solve(int argc, char* argv[], bool with_mpi, bool prints,
          std::function<int(Settings const&)> const& run_settings) {
  Settings settings;
  CLI::App app("Solves A x = b by CG, preconditioned CG, BiCGStab, GMRES or Richardson.", "einkorn-solve");
  declare_options(app, settings);
  app.set_version_flag("--version", std::string(einkorn::version()));
  einkorn::program::Arguments arguments(argc, argv);
  std::ostringstream unseen;
  try {
    app.parse(arguments.count(), arguments.own.data());
  } catch (CLI::ParseError const& error) {
    return app.exit(error, prints ? std::cout : unseen, prints ? std::cerr : unseen) == 0 ? done : usage;
  }
  if (auto const conflict = option_conflict(settings, with_mpi); !conflict.empty()) {
    (prints ? std::cerr : unseen) << "einkorn-solve: " << conflict << '\n';
    return usage;
  }
  std::string no_warnings = "--kokkos-disable-warnings";  // rank 0 prints them
  if (!prints) arguments.kokkos.push_back(no_warnings.data());
  auto const kokkos = einkorn::program::initialize_kokkos(arguments.kokkos);
  return run_settings(settings);
}

}  // namespace

int main(int argc, char* argv[]) {
#ifdef EINKORN_SOLVE_WITH_MPI
  if (einkorn::program::uses_mpi(argc, argv))
    return run_mpi_program("einkorn-solve", argc, argv, [&](einkorn::Communicator const& comm) {
      return solve(argc, argv, true, comm.rank() == 0, [&](Settings const& settings) {
        return run_on_ranks(settings, transport_of(comm, settings.transport));
      });
    });
#else
  if (einkorn::program::uses_mpi(argc, argv)) {
    std::cerr << "einkorn-solve: built without MPI; with --mpi off every process solves the system alone\n";
    return usage;
  }
#endif
  return einkorn::program::run_program("einkorn-solve", [&] { return solve(argc, argv, false, true, run); });
}
