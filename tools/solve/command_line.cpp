// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "program/arguments.hpp"
#include "program/exit_code.hpp"
#include "solve/command_line.hpp"

#include <einkorn/core/version.hpp>

#include <CLI/CLI.hpp>

#include <iostream>
#include <sstream>
#include <string>

namespace einkorn::tools {

int run_command_line(int argc, char* argv[], bool with_mpi, bool prints,
                     std::function<int(Settings const&)> const& solve) {
  Settings settings;
  CLI::App app("Solves A x = b by CG, preconditioned CG, BiCGStab, GMRES or Richardson.", "einkorn-solve");
  declare_options(app, settings);
  app.set_version_flag("--version", std::string(einkorn::version()));
  program::Arguments arguments(argc, argv);
  std::ostringstream unseen;
  try {
    app.parse(arguments.count(), arguments.own.data());
  } catch (CLI::ParseError const& error) {
    return app.exit(error, prints ? std::cout : unseen, prints ? std::cerr : unseen) == 0 ? program::done
                                                                                          : program::usage;
  }
  if (auto const conflict = option_conflict(settings, with_mpi); !conflict.empty()) {
    (prints ? std::cerr : unseen) << "einkorn-solve: " << conflict << '\n';
    return program::usage;
  }
  std::string no_warnings = "--kokkos-disable-warnings";  // rank 0 prints them
  if (!prints) arguments.kokkos.push_back(no_warnings.data());
  auto const kokkos = program::initialize_kokkos(arguments.kokkos);
  return solve(settings);
}

}  // namespace einkorn::tools
