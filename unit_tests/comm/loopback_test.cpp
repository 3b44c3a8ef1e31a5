// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// run_ranks() and LoopbackTransport.

#include "communicator_tests.hpp"
#include "transport_tests.hpp"

#include <einkorn/core/comm/loopback.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

constexpr int max_ranks = 4;

/// Calls test(comm) on 1 to 4 ranks.
template <class Test>
void on_ranks(Test const& test) {
  for (int ranks = 1; ranks <= max_ranks; ++ranks) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    run_ranks(ranks, test);
  }
}

TEST(RunRanks, EachRankOnce) {
  for (int ranks = 1; ranks <= max_ranks; ++ranks) {
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(ranks));
    run_ranks(ranks, [&](Communicator const& comm) {
      EXPECT_EQ(comm.size(), ranks);
      ++calls.at(static_cast<std::size_t>(comm.rank()));
    });
    for (auto const& count : calls) EXPECT_EQ(count, 1);
  }
}

TEST(RunRanks, RejectsNoRanks) {
  auto const nothing = [](Communicator const&) {};
  EXPECT_TRUE(throws<InvalidArgument>([&] { run_ranks(0, nothing); }, {"num_ranks is 0, expected at least 1"}));
}

TEST(RunRanks, Communicator) {
  on_ranks(all_gather_in_rank_order);
  on_ranks(exchange_asymmetric_lists);
  on_ranks(exchange_refuses_a_wrong_number_of_messages);
  on_ranks(collectively_agrees_on_exceptions);
}

TEST(RunRanks, ExceptionOfOneRankEndsTheOthers) {
  for (int failing = 0; failing < max_ranks; ++failing) {
    std::atomic<int> others = 0;
    EXPECT_TRUE(throws<IoError>(
        [&] {
          run_ranks(max_ranks, [&](Communicator const& comm) {
            try {
              (void)comm.all_gather(1);
              if (comm.rank() == failing) throw IoError("disk");
              for (;;) (void)comm.all_gather(2);
            } catch (Error const& error) {
              auto const expected = "rank " + std::to_string(failing) + " ended with an exception: disk";
              if (error.what() == expected) ++others;
              throw;
            }
          });
        },
        {"disk"}));
    EXPECT_EQ(others, max_ranks - 1);
  }
}

TEST(RunRanks, ExceptionOfTheLowestRank) {
  EXPECT_TRUE(throws<std::logic_error>(
      [] {
        run_ranks(max_ranks, [](Communicator const& comm) {
          (void)comm.all_gather(1);
          if (comm.rank() > 0) throw std::logic_error("of " + std::to_string(comm.rank()));
        });
      },
      {"of 1"}));
  EXPECT_THROW(run_ranks(2,
                         [](Communicator const& comm) {
                           if (comm.rank() == 1) throw 42;
                           (void)comm.all_gather(1);
                         }),
               int);
}

TEST(RunRanks, DeadlocksAreReported) {
  auto const stuck = [](auto const& body, char const* waiting) {
    return throws<Error>([&] { run_ranks(2, body); }, {"every rank has ended or waits", waiting});
  };
  EXPECT_TRUE(stuck(
      [](Communicator const& comm) {
        if (comm.rank() == 0) (void)comm.all_gather(1);
      },
      "rank 0 waits for rank 1"));
  EXPECT_TRUE(stuck(
      [](Communicator const& comm) {
        if (comm.rank() == 0)
          (void)comm.all_gather(1);  // received by the agreement on errors, with which exchange() begins
        else
          (void)comm.exchange(std::vector<std::vector<int>>(2));
      },
      "rank 1 waits for rank 0"));
}

TEST(RunRanks, MessagesOfOtherLengthsAndUnreceivedOnes) {
  EXPECT_TRUE(throws<Error>(
      [] {
        run_ranks(2, [](Communicator const& comm) {
          if (comm.rank() == 0)
            (void)comm.all_gather(1);
          else
            (void)comm.all_gather(1.0);
        });
      },
      {"rank 0: rank 1 sent 8 bytes, expected 4"}));
  EXPECT_TRUE(throws<Error>(
      [] {
        run_ranks(2, [](Communicator const& comm) {
          LoopbackTransport<Space> transport(comm);
          HaloMessages const messages{{1 - comm.rank()}, {1 - comm.rank()}, {0, 3}, {0, 3}};
          auto const halo = transport.open_halo(Space(), messages, sizeof(double));
          halo->start(Space());
        });
      },
      {"ended without receiving a message of rank"}));
}

/// Kernels of all ranks on the same instance at the same time.
TEST(RunRanks, KernelsOnOneInstance) {
  on_ranks([](Communicator const& comm) {
    Space const exec;
    for (int repetition = 0; repetition < 50; ++repetition) {
      Kokkos::View<double*, Device> const x("x", 1000), y("y", 1000);
      Kokkos::deep_copy(exec, x, comm.rank() + 1.0);
      CopyShifted<double>::run(exec, x.size(), x.data(), y.data(), 1);
      auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
      for (std::size_t i = 0; i < host.size(); ++i) ASSERT_EQ(host(i), comm.rank() + 2.0);
    }
  });
}

/// Calls test(comm, make) with plain, poisoning and delayed transports.
template <class Test>
void with_transports(Test const& test) {
  for (LoopbackOptions const options :
       {LoopbackOptions{}, LoopbackOptions{true, 0, 0}, LoopbackOptions{true, 30, 1}})
    on_ranks([&](Communicator const& comm) {
      test(comm,
           [&](Communicator const& of) { return std::make_unique<LoopbackTransport<Space>>(of, options); });
    });
}

TEST(LoopbackTransport, HaloOfRandomPatterns) {
  with_transports([](Communicator const& comm, auto const& make) { halo_of_random_patterns(comm, make); });
}

TEST(LoopbackTransport, SeveralHalosAtOnce) {
  with_transports([](Communicator const& comm, auto const& make) { several_halos_at_once(comm, make); });
}

TEST(LoopbackTransport, Lifetimes) {
  with_transports([](Communicator const& comm, auto const& make) { halo_lifetimes(comm, make); });
}

TEST(LoopbackTransport, GatherOfRanges) {
  with_transports([](Communicator const& comm, auto const& make) { gather_of_ranges(comm, make); });
}

TEST(LoopbackTransport, InvalidMessages) {
  with_transports([](Communicator const& comm, auto const& make) { invalid_messages(comm, make); });
}

TEST(LoopbackTransport, MismatchedMessages) {
  with_transports([](Communicator const& comm, auto const& make) { mismatched_messages(comm, make); });
}

TEST(LoopbackTransport, Name) {
  on_ranks([](Communicator const& comm) {
    LoopbackTransport<Space> const transport(comm);
    EXPECT_EQ(transport.name(), "loopback");
    EXPECT_FALSE(transport.is_stream_ordered());
  });
}

TEST(LoopbackTransport, PoisonsGhosts) {
  on_ranks([](Communicator const& comm) {
    LoopbackTransport<Space> transport(comm, {.poison_ghosts = true});
    HaloUnderTest<double> halo(comm, transport, HaloPattern(comm.size(), 2));
    for (int repetition = 0; repetition < 3; ++repetition) {
      halo.start(repetition);
      EXPECT_TRUE(halo.is_poisoned());
      EXPECT_TRUE(halo.finish());
    }
  });
}

TEST(LoopbackTransport, ReportsBuffersWrittenDuringTheExchange) {
  for (bool const is_ghost : {false, true})
    EXPECT_TRUE(throws<Error>(
        [&] {
          run_ranks(2, [&](Communicator const& comm) {
            LoopbackTransport<Space> transport(comm, {.poison_ghosts = true});
            HaloMessages const messages{{1 - comm.rank()}, {1 - comm.rank()}, {0, 3}, {0, 3}};
            auto const halo = transport.open_halo(Space(), messages, sizeof(double));
            auto* const sent = static_cast<double*>(halo->send_buffer());
            auto* const ghost = const_cast<double*>(static_cast<double const*>(halo->ghost_buffer()));
            Kokkos::View<double*, Device> const ones("ones", 3);
            Kokkos::deep_copy(ones, 1.0);
            CopyShifted<double>::run(Space(), 3, ones.data(), sent, 0);
            halo->start(Space());
            if (comm.rank() == 1) CopyShifted<double>::run(Space(), 1, ones.data(), is_ghost ? ghost : sent, 1);
            halo->finish(Space());
          });
        },
        {is_ghost ? "the ghost buffer was written between" : "the send buffer was written between"}));
}

TEST(LoopbackTransport, RejectsOtherCommunicators) {
  struct Alone : Communicator::Backend {
    [[nodiscard]] int rank() const override { return 0; }
    [[nodiscard]] int size() const override { return 1; }
    void all_gather(void const*, std::size_t, void*) override {}
    std::vector<std::vector<std::byte>> exchange(std::vector<std::vector<std::byte>> const& messages) override {
      return messages;
    }
  };
  Communicator const comm(std::make_shared<Alone>());
  EXPECT_TRUE(
      throws<InvalidArgument>([&] { LoopbackTransport<Space> transport(comm); }, {"not one of run_ranks()"}));
}

}  // namespace
}  // namespace einkorn::test
