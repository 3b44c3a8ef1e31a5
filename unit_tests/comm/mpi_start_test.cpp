// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// make_mpi_communicator() before, during and after the use of MPI, in programs without mpirun.

#include "../support/throws.hpp"

#include <einkorn/core/comm/loopback.hpp>
#include <einkorn/core/comm/mpi_communicator.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <optional>

namespace einkorn::test {
namespace {

TEST(MpiStart, NotInitialised) {
  EXPECT_TRUE(throws<InvalidArgument>([] { (void)make_mpi_communicator(); },
                                      {"make_mpi_communicator: MPI is not initialised", "MPI_Init_thread"}));
}

TEST(MpiStart, HandleOfOtherCommunicators) {
  run_ranks(1, [](Communicator const& comm) {
    EXPECT_TRUE(
        throws<InvalidArgument>([&] { (void)mpi_handle(comm); }, {"not one of MPI", "make_mpi_communicator"}));
  });
}

/// In a child process each: MPI is initialised once per process.
int exit_code_without_threads() {
  MPI_Init(nullptr, nullptr);
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level > MPI_THREAD_SINGLE) return EXIT_SUCCESS;  // this MPI gives more
  auto const refused = throws<InvalidArgument>([] { (void)make_mpi_communicator(); },
                                               {"MPI_THREAD_SINGLE, expected at least MPI_THREAD_FUNNELED"});
  MPI_Finalize();
  return refused ? EXIT_SUCCESS : EXIT_FAILURE;
}

int exit_code_after_finalize() {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  {
    auto const comm = make_mpi_communicator();
    if (comm.size() != 1 || comm.all_gather(7).front() != 7) return EXIT_FAILURE;
    std::optional<Communicator> copy = comm;
    MPI_Finalize();
  }  // frees nothing
  auto const refused =
      throws<InvalidArgument>([] { (void)make_mpi_communicator(); }, {"MPI is already finalised"});
  return refused ? EXIT_SUCCESS : EXIT_FAILURE;
}

TEST(MpiStart, WithoutThreads) {
  EXPECT_EXIT(std::_Exit(exit_code_without_threads()), testing::ExitedWithCode(EXIT_SUCCESS), "");
}

TEST(MpiStart, AfterFinalize) {
  EXPECT_EXIT(std::_Exit(exit_code_after_finalize()), testing::ExitedWithCode(EXIT_SUCCESS), "");
}

}  // namespace
}  // namespace einkorn::test
