// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The communicator of MPI, on the ranks of mpirun.

#include "communicator_tests.hpp"

#include <einkorn/core/comm/mpi_communicator.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace einkorn::test {
namespace {

TEST(MpiCommunicator, RanksOfTheWorld) {
  int rank = -1, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  auto const comm = make_mpi_communicator();

  EXPECT_EQ(comm.rank(), rank);
  EXPECT_EQ(comm.size(), size);
  EXPECT_NE(mpi_handle(comm), MPI_COMM_WORLD);
}

TEST(MpiCommunicator, Collectives) {
  auto const comm = make_mpi_communicator();
  all_gather_in_rank_order(comm);
  exchange_asymmetric_lists(comm);
  exchange_refuses_a_wrong_number_of_messages(comm);
  collectively_agrees_on_exceptions(comm);
}

TEST(MpiCommunicator, SplitsLongMessages) {
  for (int const max_bytes : {1, 7, 8, 1000}) {
    auto const comm = make_mpi_communicator(MPI_COMM_WORLD, max_bytes);
    exchange_of_lengths(comm,
                        [](int from, int to) { return static_cast<std::size_t>((from + 2 * to) % 4 * 25); });
  }
  std::vector<std::size_t> pieces;
  detail::for_each_piece(std::size_t(5) << 30, (1 << 30) + 1, [&](std::size_t at, int count) {
    EXPECT_EQ(at, pieces.size() * ((std::size_t(1) << 30) + 1));
    pieces.push_back(static_cast<std::size_t>(count));
  });
  EXPECT_EQ(pieces, (std::vector<std::size_t>{(1u << 30) + 1, (1u << 30) + 1, (1u << 30) + 1, (1u << 30) + 1,
                                              (1u << 30) - 4}));
  EXPECT_EQ(detail::num_pieces(std::size_t(5) << 30, (1 << 30) + 1), pieces.size());
  EXPECT_EQ(detail::num_pieces(0, 8), 0u);
}

/// Two communicators at once; a part of the world; copies that outlive the first one.
TEST(MpiCommunicator, SeveralAtOnce) {
  MPI_Comm half = MPI_COMM_NULL;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
  auto const world = make_mpi_communicator();
  std::optional<Communicator> first = make_mpi_communicator(half);
  MPI_Comm_free(&half);
  auto const copy = *first;
  first.reset();

  all_gather_in_rank_order(copy);
  EXPECT_EQ(world.all_gather(rank).size(), static_cast<std::size_t>(world.size()));
  EXPECT_EQ(copy.rank(), rank / 2);
}

TEST(MpiCommunicator, ErrorsOfMpiAreThrown) {
  auto const comm = make_mpi_communicator();
  int const value = 0;
  EXPECT_TRUE(throws<Error>(
      [&] { detail::check_mpi(MPI_Send(&value, 1, MPI_INT, comm.size(), 0, mpi_handle(comm)), "MPI_Send"); },
      {"MPI_Send: ", "rank"}));
}

TEST(MpiCommunicator, RejectsInvalidArguments) {
  EXPECT_TRUE(throws<InvalidArgument>([] { (void)make_mpi_communicator(MPI_COMM_NULL); }, {"MPI_COMM_NULL"}));
  EXPECT_TRUE(throws<InvalidArgument>([] { (void)make_mpi_communicator(MPI_COMM_WORLD, 0); },
                                      {"max_message_bytes is 0, expected at least 1"}));
}

}  // namespace
}  // namespace einkorn::test
