// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve/run.hpp"
#include "solve/settings.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/core/version.hpp>

#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>

#include <exception>
#include <iostream>
#include <string>
#include <vector>

int main(int argc, char* argv[]) {
  using namespace einkorn::tools;
  Settings settings;
  CLI::App app("Solves A x = b by CG, preconditioned CG or BiCGStab.", "einkorn-solve");
  declare(app, settings);
  app.set_version_flag("--version", std::string(einkorn::version()));
  std::vector<char*> ours, for_kokkos{argv[0]};
  for (int i = 0; i < argc; ++i)
    (std::string(argv[i]).rfind("--kokkos-", 0) == 0 ? for_kokkos : ours).push_back(argv[i]);
  try {
    app.parse(static_cast<int>(ours.size()), ours.data());
  } catch (CLI::ParseError const& error) {
    return app.exit(error, std::cout, std::cerr) == 0 ? done : usage;
  }
  auto const complain = [](std::string const& what, Exit code) {
    std::cerr << "einkorn-solve: " << what << '\n';
    return code;
  };
  if (auto const wrong = contradiction(settings); !wrong.empty()) return complain(wrong, usage);
  try {
    int count = static_cast<int>(for_kokkos.size());
    for_kokkos.push_back(nullptr);
    Kokkos::ScopeGuard const kokkos(count, for_kokkos.data());
    return run(settings);
  } catch (einkorn::OutOfMemory const& error) {
    return complain(error.what(), no_memory_or_device);
  } catch (einkorn::Error const& error) {
    return complain(error.what(), bad_input);
  } catch (std::exception const& error) {
    return complain(error.what(), no_memory_or_device);
  }
}
