// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// MpiTransport, on the ranks of mpirun.

#include "transport_tests.hpp"

#include <einkorn/core/comm/mpi_transport.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <memory>
#include <vector>

namespace einkorn::test {
namespace {

std::unique_ptr<Transport<Space>> make_mpi_transport(Communicator const& comm) {
  return std::make_unique<MpiTransport<Space>>(comm);
}

TEST(MpiTransport, HaloOfRandomPatterns) {
  halo_of_random_patterns(make_mpi_communicator(), make_mpi_transport);
}

TEST(MpiTransport, HaloOfSplitMessages) {
  for (int const max_bytes : {8, 24, 100})
    halo_of_random_patterns(make_mpi_communicator(MPI_COMM_WORLD, max_bytes), make_mpi_transport);
}

TEST(MpiTransport, SeveralHalosAtOnce) {
  several_halos_at_once(make_mpi_communicator(), make_mpi_transport);
}

TEST(MpiTransport, Lifetimes) {
  halo_lifetimes(make_mpi_communicator(), make_mpi_transport);
}

TEST(MpiTransport, GatherOfRanges) {
  gather_of_ranges(make_mpi_communicator(), make_mpi_transport);
}

TEST(MpiTransport, InvalidMessages) {
  invalid_messages(make_mpi_communicator(), make_mpi_transport);
}

TEST(MpiTransport, MismatchedMessages) {
  mismatched_messages(make_mpi_communicator(), make_mpi_transport);
}

TEST(MpiTransport, Name) {
  MpiTransport<Space> const transport(make_mpi_communicator());
  EXPECT_EQ(transport.name().substr(0, 3), "mpi");
  EXPECT_EQ(transport.name() == "mpi", detail::CommBuffer<Space>::is_host);
  EXPECT_FALSE(transport.is_stream_ordered());
}

/// An exchange that only the receivers start: their requests are freed while they are active.
TEST(MpiTransport, ChannelEndsBeforeFinish) {
  auto const comm = make_mpi_communicator();
  MpiTransport<Space> transport(comm);
  int const other = comm.rank() ^ 1;  // pairs of ranks
  bool const receives = comm.rank() % 2 == 0;
  HaloMessages messages;
  if (other < comm.size() && receives) messages = {{}, {other}, {0}, {0, 1000}};
  if (other < comm.size() && !receives) messages = {{other}, {}, {0, 1000}, {0}};
  {
    auto const halo = transport.open_halo(Space(), messages, 8);
    if (receives) halo->start(Space());
  }
  several_halos_at_once(comm, make_mpi_transport);
}

TEST(MpiTransport, ChoosesStaging) {
  auto const comm = make_mpi_communicator();
  int probes = 0;
  bool works = true;
  auto const choose = [&](Staging staging) {
    return detail::choose_staging(comm, staging, [&] {
      ++probes;
      return works;
    });
  };
  char const* const name = "EINKORN_MPI_DEVICE_BUFFERS";
  unsetenv(name);
  EXPECT_EQ(choose(Staging::automatic), Staging::pinned);
  EXPECT_EQ(choose(Staging::device), Staging::device);
  setenv(name, comm.rank() == 0 ? "0" : "1", 1);  // not by every rank
  EXPECT_EQ(choose(Staging::automatic), Staging::pinned);
  EXPECT_EQ(probes, 0);
  setenv(name, "1", 1);
  EXPECT_EQ(choose(Staging::pinned), Staging::pinned);
  EXPECT_EQ(probes, 0);
  EXPECT_EQ(choose(Staging::automatic), Staging::device);
  works = false;
  EXPECT_EQ(choose(Staging::automatic), Staging::pinned);
  EXPECT_EQ(probes, 2);
  unsetenv(name);
}

TEST(MpiTransport, ProbeOfBuffers) {
  if (!detail::CommBuffer<Space>::is_host) GTEST_SKIP() << "an MPI without support for devices may crash";
  EXPECT_TRUE(device_buffers_work(Space(), make_mpi_communicator()));
}

TEST(MpiTransport, RejectsInvalidArguments) {
  auto const comm = make_mpi_communicator();
  EXPECT_TRUE(throws<InvalidArgument>([&] { MpiTransport<Space> transport(comm, static_cast<Staging>(3)); },
                                      {"MpiTransport: staging is 3", "0 to 2"}));
}

}  // namespace
}  // namespace einkorn::test
