// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "solve/settings.hpp"

#include <functional>

namespace einkorn::tools {

/// Parses the command line of einkorn-solve, initializes Kokkos and calls solve(settings). Returns its exit code, or that of
/// the command line: done for --help and --version, usage for an error.
/// @param with_mpi  whether the ranks of MPI solve one system
/// @param prints  false on ranks other than 0
int run_command_line(int argc, char* argv[], bool with_mpi, bool prints,
                     std::function<int(Settings const&)> const& solve);

}  // namespace einkorn::tools
