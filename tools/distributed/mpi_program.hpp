// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "program/transport.hpp"
#include "solve/types.hpp"

#include <einkorn/core/comm/communicator.hpp>

#include <functional>
#include <string>

namespace einkorn::tools {

/// Initializes MPI, calls body(ranks of MPI_COMM_WORLD) on every rank, agrees on the largest exit code, which
/// all ranks return, and finalizes MPI.
///
/// An exception becomes an exit code, and a line on stderr by the lowest rank that has one; FailedOnRank0 is
/// silent. A rank that failed waits up to 10 s for the others, because they may wait for its messages, and then
/// ends all by MPI_Abort.
int run_mpi_program(char const* name, int& argc, char**& argv,
                    std::function<int(Communicator const&)> const& body);

/// The transport of --transport (program/transport.hpp). Collective.
/// @pre Kokkos is initialized
/// @throws the exceptions of make_transport(), on all ranks
program::ChosenTransport<Exec> transport_of(Communicator const& comm, std::string const& value);

}  // namespace einkorn::tools
