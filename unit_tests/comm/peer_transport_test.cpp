// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// PeerTransport, on the ranks of mpirun, which may share a GPU.

#include "transport_tests.hpp"

#include <einkorn/core/captured_graph.hpp>
#include <einkorn/core/comm/mpi_communicator.hpp>
#include <einkorn/core/comm/peer_transport.hpp>
#include <einkorn/core/launch.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <memory>
#include <vector>

namespace einkorn::test {
namespace {

std::unique_ptr<Transport<Space>> make_peer_transport(Communicator const& comm) {
  return std::make_unique<PeerTransport<Space>>(comm);
}

TEST(PeerTransport, HaloOfRandomPatterns) {
  halo_of_random_patterns(make_mpi_communicator(), make_peer_transport);
}

TEST(PeerTransport, SeveralHalosAtOnce) {
  several_halos_at_once(make_mpi_communicator(), make_peer_transport);
}

TEST(PeerTransport, Lifetimes) {
  halo_lifetimes(make_mpi_communicator(), make_peer_transport);
}

TEST(PeerTransport, GatherOfRanges) {
  gather_of_ranges(make_mpi_communicator(), make_peer_transport);
}

TEST(PeerTransport, InvalidMessages) {
  invalid_messages(make_mpi_communicator(), make_peer_transport);
}

TEST(PeerTransport, MismatchedMessages) {
  mismatched_messages(make_mpi_communicator(), make_peer_transport);
}

TEST(PeerTransport, Name) {
  PeerTransport<Space> const transport(make_mpi_communicator());
  EXPECT_EQ(transport.name(), "peer");
  EXPECT_TRUE(transport.is_stream_ordered());
}

/// Messages of several teams, of each unit of the copies.
template <class Entry>
void expect_long_messages(Communicator const& comm) {
  int const other = comm.rank() ^ 1;
  if (comm.size() < 2) return;
  auto const transport = make_peer_transport(comm);
  Space const exec;
  for (std::size_t const entries : {std::size_t(1), std::size_t(4096), std::size_t(1000003)}) {
    HaloMessages messages;
    if (other < comm.size()) messages = {{other}, {other}, {0, entries}, {0, entries}};
    auto const halo = transport->open_halo(exec, messages, sizeof(Entry));
    Kokkos::View<Entry*, Device> const sent("sent", messages.num_sent());
    auto const host = Kokkos::create_mirror_view(sent);
    for (int repetition = 0; repetition < 3; ++repetition) {
      auto const value = [&](int rank, std::size_t i) {
        return static_cast<Entry>(i * 7 + static_cast<std::size_t>(rank + 3 * repetition));
      };
      for (std::size_t i = 0; i < host.size(); ++i) host(i) = value(comm.rank(), i);
      Kokkos::deep_copy(sent, host);
      auto const pack = halo->pack_instance(exec);
      CopyShifted<Entry>::run(pack, host.size(), sent.data(), static_cast<Entry*>(halo->send_buffer()), 0);
      halo->start(exec);
      halo->finish(exec);
      Kokkos::View<Entry*, Device> const received("received", messages.num_received());
      CopyShifted<Entry>::run(exec, received.size(), static_cast<Entry const*>(halo->ghost_buffer()),
                              received.data(), 0);
      auto const got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), received);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < got.size(); ++i) wrong += got(i) != value(other, i);
      EXPECT_EQ(wrong, 0u) << entries << " entries of " << sizeof(Entry) << " bytes";
    }
  }
}
TEST(PeerTransport, LongMessages) {
  auto const comm = make_mpi_communicator();
  expect_long_messages<double>(comm);
  expect_long_messages<float>(comm);
  expect_long_messages<unsigned char>(comm);
}

/// Step 0: counter += 1, and its value to be gathered. Step 1: its value to be sent. Step 2: sum += what was received.
struct CountAndAdd {
  Kokkos::View<double, Device> counter, sum;
  double *mine, *sent;
  double const *ghosts, *all;
  std::size_t num_sent, num_received, num_gathered;
  int step;

  KOKKOS_FUNCTION void operator()(int) const {
    if (step == 0) *mine = ++counter();
    if (step == 1)
      for (std::size_t i = 0; i < num_sent; ++i) sent[i] = counter();
    if (step == 2) {
      for (std::size_t i = 0; i < num_received; ++i) sum() += ghosts[i];
      for (std::size_t i = 0; i < num_gathered; ++i) sum() += all[i];
    }
  }
  void launch(Space const& exec, int of) const {
    auto kernel = *this;
    kernel.step = of;
    Kokkos::parallel_for("step", light_weight(Kokkos::RangePolicy<Space>(exec, 0, 1)), kernel);
  }
};

/// An exchange and a gather in a graph, submitted many times.
TEST(PeerTransport, CapturedInAGraph) {
  auto const comm = make_mpi_communicator();
  auto const transport = make_peer_transport(comm);
  Space const exec;
  auto const messages = HaloPattern(comm.size(), 0).messages(comm.rank());
  auto const halo = transport->open_halo(exec, messages, sizeof(double));
  auto const gather = transport->open_gather(exec, 1);
  auto const ranks = static_cast<std::size_t>(comm.size());
  CountAndAdd const kernel{Kokkos::View<double, Device>("counter"),
                           Kokkos::View<double, Device>("sum"),
                           gather->mine(),
                           static_cast<double*>(halo->send_buffer()),
                           static_cast<double const*>(halo->ghost_buffer()),
                           gather->all(),
                           messages.num_sent(),
                           messages.num_received(),
                           ranks,
                           0};
  auto const iteration = [&] {
    kernel.launch(exec, 0);
    kernel.launch(halo->pack_instance(exec), 1);
    halo->start(exec);
    halo->finish(exec);
    gather->gather(exec, 0, 1);
    kernel.launch(exec, 2);
  };
  iteration();
  CapturedGraph<Space> graph(exec, iteration);
  int const submissions = 200;
  for (int i = 0; i < submissions; ++i) graph.submit(exec);
  exec.fence();
  double result = 0;
  Kokkos::deep_copy(result, kernel.sum);
  double const counts = (submissions + 1) * (submissions + 2) / 2.0;  // 1 + 2 + ...
  EXPECT_EQ(result, counts * static_cast<double>(messages.num_received() + ranks));
}

/// Memory is unmapped and freed.
TEST(PeerTransport, ManyChannels) {
  auto const comm = make_mpi_communicator();
  auto const transport = make_peer_transport(comm);
  HaloPattern const pattern(comm.size(), 0);
  for (int i = 0; i < 50; ++i) {
    HaloUnderTest<double> halo(comm, *transport, pattern);
    halo.start(i);
    EXPECT_TRUE(halo.finish());
  }
}

}  // namespace
}  // namespace einkorn::test
