// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <functional>
#include <string>

namespace einkorn::program {

enum class UseMpi { automatic, on, off };

/// The value of --mpi on a command line, before it is parsed: parsing prints, which only rank 0 does.
UseMpi mpi_option(int argc, char const* const* argv);

/// Whether an MPI launcher started this process as one of several, from the variables that Open MPI, MPICH,
/// Intel MPI, MVAPICH and Slurm set. If the number is unknown but PMIX_RANK is set, true.
/// @param variable  the value of an environment variable, empty if it is not set
bool is_one_of_several(std::function<std::string(char const*)> const& variable);

/// The same with the environment of this process.
bool is_one_of_several();

/// The rank of this process in MPI_COMM_WORLD, before MPI is initialized, from the same launchers. 0 if unknown.
int rank_by_launcher(std::function<std::string(char const*)> const& variable);
int rank_by_launcher();

/// Whether this run uses MPI.
inline bool uses_mpi(int argc, char const* const* argv) {
  auto const option = mpi_option(argc, argv);
  return option == UseMpi::on || (option == UseMpi::automatic && is_one_of_several());
}

}  // namespace einkorn::program
