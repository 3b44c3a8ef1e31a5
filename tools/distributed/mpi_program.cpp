// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "distributed/mpi_program.hpp"
#include "distributed/on_rank_0.hpp"
#include "program/run_program.hpp"

#include <einkorn/core/comm/mpi_communicator.hpp>

#include <Kokkos_Core.hpp>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace einkorn::tools {

namespace {

constexpr double max_wait_seconds = 10;

/// How the program ended on one rank.
struct End {
  int code = program::done;
  std::optional<std::string> message;
};

End run_body(Communicator const& comm, std::function<int(Communicator const&)> const& body) {
  try {
    int const code = body(comm);
    program::flush_stdout();
    return {code, {}};
  } catch (FailedOnRank0 const&) {
    return {};
  } catch (...) {
    auto const failure = program::current_failure();
    return {failure.code, failure.what};
  }
}

void print_error(char const* name, int rank, std::string const& message) {
  std::string text = name;
  if (rank != 0 && message.rfind("rank ", 0) != 0) text += ": rank " + std::to_string(rank);
  std::cerr << text << ": " << message << std::endl;
}

/// The largest code of all ranks.
int agree(char const* name, MPI_Comm comm, int rank, int size, End const& end) {
  int const mine[2] = {end.code, end.message ? 1 : 0};
  std::vector<int> all(2 * static_cast<std::size_t>(size));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(mine, 2, MPI_INT, all.data(), 2, MPI_INT, comm, &request);
  Kokkos::Timer const timer;
  for (int arrived = 0;;) {
    MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
    if (arrived != 0) break;
    if (end.code >= program::usage && timer.seconds() > max_wait_seconds) {
      print_error(name, rank,
                  end.message.value_or("exit code " + std::to_string(end.code) + " of this rank only"));
      MPI_Abort(MPI_COMM_WORLD, end.code);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  int code = program::done, speaker = -1;
  for (int r = size; r-- > 0;) {
    code = std::max(code, all[2 * static_cast<std::size_t>(r)]);
    if (all[2 * static_cast<std::size_t>(r) + 1] != 0) speaker = r;
  }
  if (speaker == rank) print_error(name, rank, *end.message);
  return code;
}

}  // namespace

int run_mpi_program(char const* name, int& argc, char**& argv,
                    std::function<int(Communicator const&)> const& body) {
  int level = MPI_THREAD_SINGLE;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) {
    std::cerr << name << ": MPI_Init_thread failed\n";
    return program::no_memory_or_device;
  }
  int code = program::no_memory_or_device;
  try {
    MPI_Comm ending = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &ending);
    auto const comm = make_mpi_communicator();  // freed after all ranks have ended
    code = agree(name, ending, comm.rank(), comm.size(), run_body(comm, body));
    MPI_Comm_free(&ending);
  } catch (...) {
    std::cerr << name << ": " << program::current_failure().what << std::endl;
    MPI_Abort(MPI_COMM_WORLD, code);
  }
  MPI_Finalize();
  return code;
}

program::ChosenTransport<Exec> transport_of(Communicator const& comm, std::string const& value) {
  return program::transport_of(Exec(), comm, value);
}

}  // namespace einkorn::tools
