// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// choose_transport(), on the ranks of run_ranks() or of mpirun. No test depends on the times measured.

#include "../support/ranks.hpp"
#include "../support/throws.hpp"
#include "../support/types.hpp"

#include <einkorn/core/comm/choose_transport.hpp>
#include <einkorn/core/comm/transport_time.hpp>
#ifdef EINKORN_TEST_MPI
#include <einkorn/core/comm/mpi_transport.hpp>
#endif

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

#ifdef EINKORN_TEST_MPI
using TestedTransport = MpiTransport<Space>;
#else
using TestedTransport = LoopbackTransport<Space>;
#endif
using Candidates = std::vector<TransportCandidate<Space>>;
using Times = std::vector<TransportTime>;

double const nan = std::numeric_limits<double>::quiet_NaN();
double const infinity = std::numeric_limits<double>::infinity();

TEST(FastestTransport, HasTheSmallestSum) {
  struct Case {
    Times times;
    int expected;  // -1: none
  };
  std::vector<Case> const cases{
      {{}, -1},
      {{{"a", 1, 2, ""}}, 0},
      {{{"a", 1, 2, ""}, {"b", 2, 0.5, ""}}, 1},
      {{{"a", 1, 2, ""}, {"b", 2, 1, ""}}, 0},  // equal: the first
      {{{"a", 3, 3, ""}, {"b", 1, 1, ""}, {"c", 2, 2, ""}}, 1},
      {{{"a", 1, 1, "not available"}, {"b", 2, 2, ""}}, 1},
      {{{"a", nan, nan, ""}, {"b", 2, 2, ""}}, 1},
      {{{"a", 2, 2, ""}, {"b", nan, 0, ""}, {"c", 1, infinity, ""}}, 0},
      {{{"a", nan, nan, "not available"}, {"b", infinity, 1, ""}}, -1},
      {{{"a", nan, nan, "x"}, {"b", nan, nan, "y"}}, -1},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    auto const fastest = fastest_transport(cases[i].times);
    EXPECT_EQ(fastest ? static_cast<int>(*fastest) : -1, cases[i].expected) << "case " << i;
  }
}

TEST(FastestTransport, TimeOfARoundIsThatOfTheSlowestRank) {
  detail::RoundTimes one{{5, 1, 7}, {3, 3, 3}}, other{{1, 6, 8}, {4, 1, 6}};
  EXPECT_EQ(detail::fastest_round({one, other}, &detail::RoundTimes::gather), 5);
  EXPECT_EQ(detail::fastest_round({one, other}, &detail::RoundTimes::exchange), 3);
  EXPECT_EQ(detail::fastest_round({one}, &detail::RoundTimes::gather), 1);
}

TEST(FastestTransport, RingHasOneMessagePerNeighbour) {
  struct Case {
    int rank, ranks;
    std::vector<int> neighbours;
  };
  for (auto const& c : std::vector<Case>{{0, 1, {}},
                                         {0, 2, {1}},
                                         {1, 2, {0}},
                                         {0, 3, {1, 2}},
                                         {1, 3, {0, 2}},
                                         {0, 4, {1, 3}},
                                         {3, 4, {0, 2}}}) {
    auto const messages = detail::ring_messages(c.rank, c.ranks, 8);
    EXPECT_EQ(messages.send_ranks, c.neighbours);
    EXPECT_EQ(messages.receive_ranks, c.neighbours);
    EXPECT_EQ(messages.num_sent(), 8 * c.neighbours.size());
    EXPECT_EQ(messages.num_received(), 8 * c.neighbours.size());
  }
}

/// How a FaultyTransport fails.
enum class Fault { none, open_halo, open_gather, gather_of_rank_0_is_wrong };

class WrongGather final : public GatherChannel<Space> {
 public:
  explicit WrongGather(std::unique_ptr<GatherChannel<Space>> channel) : channel_(std::move(channel)) {}
  double* mine() const override { return channel_->mine(); }
  double const* all() const override { return channel_->all(); }
  void gather(Space const& exec, int first, int count) override {
    channel_->gather(exec, first, count);
    Kokkos::deep_copy(
        exec,
        Kokkos::View<double*, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(const_cast<double*>(all()), 1),
        77.0);
  }

 private:
  std::unique_ptr<GatherChannel<Space>> channel_;
};

class FaultyTransport final : public Transport<Space> {
 public:
  FaultyTransport(Communicator const& comm, Fault fault)
      : Transport<Space>(comm), transport_(comm), fault_(fault) {}
  std::string name() const override { return "faulty"; }
  std::unique_ptr<HaloChannel<Space>> open_halo(Space const& exec, HaloMessages const& messages,
                                                std::size_t entry_bytes) override {
    if (fault_ == Fault::open_halo) throw Error("no access to the other device");
    return transport_.open_halo(exec, messages, entry_bytes);
  }
  std::unique_ptr<GatherChannel<Space>> open_gather(Space const& exec, int max_count) override {
    if (fault_ == Fault::open_gather) throw std::bad_alloc();
    auto channel = transport_.open_gather(exec, max_count);
    if (fault_ == Fault::gather_of_rank_0_is_wrong && communicator().rank() == 0)
      return std::make_unique<WrongGather>(std::move(channel));
    return channel;
  }

 private:
  TestedTransport transport_;
  Fault fault_;
};

TransportCandidate<Space> works(Communicator const& comm, std::string const& name, Fault fault = Fault::none) {
  return {name, [=] { return std::make_shared<FaultyTransport>(comm, fault); }};
}
TransportCandidate<Space> throws_at_once(std::string const& name, std::string const& message) {
  return {name, [=]() -> std::shared_ptr<Transport<Space>> { throw InvalidArgument(message); }};
}

/// The transport gathers.
void expect_usable(Transport<Space>& transport) {
  auto const& comm = transport.communicator();
  auto const gather = transport.open_gather(Space(), 1);
  using Values = Kokkos::View<double*, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(Space(), Values(gather->mine(), 1), comm.rank() + 1.0);
  gather->gather(Space(), 0, 1);
  auto const all = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace(), Values(const_cast<double*>(gather->all()), static_cast<std::size_t>(comm.size())));
  for (int r = 0; r < comm.size(); ++r) EXPECT_EQ(all(static_cast<std::size_t>(r)), r + 1.0);
}

TEST(ChooseTransport, AutomaticIsTheFastestOfTheTableOnAllRanks) {
  for_each_communicator([](Communicator const& comm) {
    std::vector<std::shared_ptr<Transport<Space>>> made;
    Candidates candidates{works(comm, "a"), works(comm, "b"), works(comm, "c")};
    for (auto& candidate : candidates)
      candidate.make = [&made, make = candidate.make] { return made.emplace_back(make()); };
    Times times;

    auto const transport = choose_transport(Space(), comm, candidates, "automatic", &times);

    if (comm.size() == 1) {
      ASSERT_EQ(times.size(), 1u);  // the first one, not measured
      EXPECT_TRUE(std::isnan(times[0].gather_seconds) && std::isnan(times[0].exchange_seconds));
      EXPECT_EQ(transport, made.at(0));
      return;
    }
    ASSERT_EQ(times.size(), 3u);
    for (std::size_t i = 0; i < times.size(); ++i) {
      EXPECT_EQ(times[i].name, candidates[i].name);
      EXPECT_EQ(times[i].error, "");
      EXPECT_GT(times[i].gather_seconds, 0);
      EXPECT_GT(times[i].exchange_seconds, 0);
    }
    auto const fastest = fastest_transport(times);
    ASSERT_TRUE(fastest);
    EXPECT_EQ(transport, made.at(*fastest));
    for (auto const other : comm.all_gather(*fastest)) EXPECT_EQ(other, *fastest);
    for (auto const other : comm.all_gather(times[0].gather_seconds)) EXPECT_EQ(other, times[0].gather_seconds);
    expect_usable(*transport);
  });
}

TEST(ChooseTransport, AutomaticSkipsWhatIsNotAvailable) {
  for_each_communicator([](Communicator const& comm) {
    Candidates const candidates{throws_at_once("a", "no device"), works(comm, "b", Fault::open_halo),
                                works(comm, "c", Fault::open_gather),
                                works(comm, "d", Fault::gather_of_rank_0_is_wrong), works(comm, "e")};
    Times times{{"old", 1, 1, ""}};

    auto const transport = choose_transport(Space(), comm, candidates, "automatic", &times);

    EXPECT_EQ(times.at(0).error, "no device");
    ASSERT_EQ(times.size(), 5u);
    EXPECT_EQ(times[1].error, "no access to the other device");
    EXPECT_NE(times[2].error, "");
    std::string const who = comm.size() > 1 ? "rank 0: " : "";
    EXPECT_EQ(times[3].error, who + "choose_transport: received 77.000000 from rank 0, which sent its number");
    EXPECT_EQ(times[4].error, "");
    if (comm.size() > 1) {
      EXPECT_EQ(fastest_transport(times), 4u);
    }
    expect_usable(*transport);
  });
}

/// A candidate that throws on one rank, after messages with the others, is not available on any.
TEST(ChooseTransport, FailureOfOneRank) {
  for_each_communicator([](Communicator const& comm) {
    int const last = comm.size() - 1;
    Candidates candidates{{"a",
                           [=]() -> std::shared_ptr<Transport<Space>> {
                             // Its construction is collective.
                             auto transport = std::make_shared<TestedTransport>(comm);
                             if (comm.rank() == last) throw IoError("of one rank");
                             return transport;
                           }},
                          works(comm, "b")};
    std::string const message =
        comm.size() > 1 ? "rank " + std::to_string(last) + ": of one rank" : "of one rank";
    Times times;
    expect_usable(*choose_transport(Space(), comm, candidates, "automatic", &times));
    EXPECT_EQ(times.at(0).error, message);
    EXPECT_TRUE(throws<IoError>([&] { (void)choose_transport(Space(), comm, candidates, "a"); }, {message}));
  });
}

TEST(ChooseTransport, NoneIsAvailable) {
  for_each_communicator([](Communicator const& comm) {
    Candidates const candidates{throws_at_once("a", "first"), throws_at_once("b", "second")};
    Times times;
    EXPECT_TRUE(throws<InvalidArgument>(
        [&] { (void)choose_transport(Space(), comm, candidates, "automatic", &times); }, {"second"}));
    ASSERT_EQ(times.size(), 2u);
    EXPECT_EQ(times[0].error, "first");
    EXPECT_TRUE(throws<InvalidArgument>([&] { (void)choose_transport(Space(), comm, Candidates{}); },
                                        {"choose_transport: no candidates"}));
    Candidates const empty{{"a", [] { return std::shared_ptr<Transport<Space>>(); }}};
    EXPECT_TRUE(throws<InvalidArgument>([&] { (void)choose_transport(Space(), comm, empty); },
                                        {"choose_transport: a is not a transport of"}));
  });
}

TEST(ChooseTransport, ByName) {
  for_each_communicator([](Communicator const& comm) {
    Candidates const candidates{throws_at_once("a", "no device"),
                                works(comm, "b"),
                                {"c", [=] { return std::make_shared<TestedTransport>(comm); }}};
    Times times{{"old", 1, 1, ""}};
    auto const transport = choose_transport(Space(), comm, candidates, "b", &times);
    EXPECT_EQ(transport->name(), "faulty");
    EXPECT_TRUE(times.empty());
    expect_usable(*transport);
    EXPECT_NE(choose_transport(Space(), comm, candidates, "c")->name(), "faulty");
    EXPECT_TRUE(throws<InvalidArgument>([&] { (void)choose_transport(Space(), comm, candidates, "a"); },
                                        {"no device"}));
    for (char const* const name : {"pigeon", "", "A", "b, c"})
      EXPECT_TRUE(throws<InvalidArgument>(
          [&] { (void)choose_transport(Space(), comm, candidates, name); },
          {"choose_transport: name is \"" + std::string(name) + "\", expected automatic, a, b, c"}));
  });
}

TEST(ChooseTransport, RanksDisagree) {
  for_each_communicator([](Communicator const& comm) {
    if (comm.size() == 1) return;
    int const last = comm.size() - 1;
    Candidates const candidates{works(comm, "a"), works(comm, "b")};
    EXPECT_TRUE(throws<InvalidArgument>(
        [&] { (void)choose_transport(Space(), comm, candidates, comm.rank() == last ? "b" : "automatic"); },
        {"choose_transport: name is \"automatic\" on rank 0 and \"b\" on rank " + std::to_string(last)}));
    Candidates const shorter{works(comm, "a")};
    EXPECT_TRUE(throws<InvalidArgument>(
        [&] { (void)choose_transport(Space(), comm, comm.rank() == last ? shorter : candidates); },
        {"choose_transport: the list of candidates is \"a, b\" on rank 0 and \"a\" on rank " +
         std::to_string(last)}));
    expect_usable(*choose_transport(Space(), comm, candidates));
  });
}

}  // namespace
}  // namespace einkorn::test
