// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// make_transport(), on the ranks of mpirun.

#include "transport_tests.hpp"

#include <einkorn/core/comm/make_transport.hpp>
#include <einkorn/core/comm/mpi_communicator.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

TEST(MakeTransport, AutomaticTriesPeerThenOthersThenMpi) {
  auto const comm = make_mpi_communicator();
  std::vector<TransportCandidate<Space>> const more{
      {"other", []() -> std::shared_ptr<Transport<Space>> { throw Error("not here"); }}};
  std::vector<TransportTime> times;

  auto const transport = make_transport(Space(), comm, "automatic", more, &times);

  ASSERT_NE(transport, nullptr);
  auto const found = transport->name().substr(0, transport->name().find(','));
  if (comm.size() == 1) {
    EXPECT_EQ(found, has_peer_memory<Space> ? "peer" : "mpi");
    return;
  }
  std::vector<std::string> names;
  for (auto const& time : times) names.push_back(time.name);
  std::vector<std::string> expected{"other", "mpi"};
  if (has_peer_memory<Space>) expected.insert(expected.begin(), "peer");
  EXPECT_EQ(names, expected);
  EXPECT_EQ(times[times.size() - 2].error, "not here");
  EXPECT_EQ(times.back().error, "");
  EXPECT_EQ(times.at(fastest_transport(times).value()).name, found);
}

TEST(MakeTransport, ByName) {
  auto const comm = make_mpi_communicator();
  EXPECT_EQ(make_transport(Space(), comm, "mpi")->name().substr(0, 3), "mpi");
  std::vector<TransportCandidate<Space>> const more{
      {"other", [&] { return std::make_shared<MpiTransport<Space>>(comm); }}};
  EXPECT_NE(make_transport(Space(), comm, "other", more), nullptr);
  if (!has_peer_memory<Space>) {
    EXPECT_TRUE(throws<InvalidArgument>([&] { (void)make_transport(Space(), comm, "peer"); },
                                        {"name is \"peer\", expected automatic, mpi"}));
    EXPECT_TRUE(throws<InvalidArgument>([&] { (void)make_transport(Space(), comm, "nccl", more); },
                                        {"name is \"nccl\", expected automatic, other, mpi"}));
  }
}

TEST(MakeTransport, Exchanges) {
  auto const make = [](Communicator const& comm) { return make_transport(Space(), comm); };
  halo_of_random_patterns(make_mpi_communicator(), make);
  gather_of_ranges(make_mpi_communicator(), make);
}

}  // namespace
}  // namespace einkorn::test
