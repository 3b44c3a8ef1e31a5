// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "program/run_program.hpp"
#include "solve/run.hpp"
#include "solve/settings.hpp"

#include <einkorn/core/version.hpp>

#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>

#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace einkorn::tools;

int solve(int argc, char* argv[]) {
  Settings settings;
  CLI::App app("Solves A x = b by CG, preconditioned CG or BiCGStab.", "einkorn-solve");
  declare_options(app, settings);
  app.set_version_flag("--version", std::string(einkorn::version()));
  std::vector<char*> arguments, kokkos_arguments{argv[0]};
  for (int i = 0; i < argc; ++i)
    (std::string(argv[i]).rfind("--kokkos-", 0) == 0 ? kokkos_arguments : arguments).push_back(argv[i]);
  try {
    app.parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (CLI::ParseError const& error) {
    return app.exit(error, std::cout, std::cerr) == 0 ? done : usage;
  }
  if (auto const conflict = option_conflict(settings); !conflict.empty()) {
    std::cerr << "einkorn-solve: " << conflict << '\n';
    return usage;
  }
  int count = static_cast<int>(kokkos_arguments.size());
  kokkos_arguments.push_back(nullptr);
  Kokkos::ScopeGuard const kokkos(count, kokkos_arguments.data());
  return run(settings);
}

}  // namespace

int main(int argc, char* argv[]) {
  return einkorn::program::run_program("einkorn-solve", [&] { return solve(argc, argv); });
}
