// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Tests of a communicator, called by every rank: those of MPI and of run_ranks() must pass the same.
#pragma once

#include "../support/throws.hpp"

#include <einkorn/core/comm/communicator.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace einkorn::test {

inline void all_gather_in_rank_order(Communicator const& comm) {
  struct Three {
    std::int64_t a;
    std::array<char, 3> b;
  };
  for (int round = 0; round < 3; ++round) {
    auto const ints = comm.all_gather(10 * comm.rank() + round);
    auto const threes = comm.all_gather(Three{comm.rank() - (std::int64_t(1) << 40), {'x', 'y', 'z'}});

    ASSERT_EQ(ints.size(), static_cast<std::size_t>(comm.size()));
    ASSERT_EQ(threes.size(), ints.size());
    for (int r = 0; r < comm.size(); ++r) {
      auto const at = static_cast<std::size_t>(r);
      EXPECT_EQ(ints[at], 10 * r + round);
      EXPECT_EQ(threes[at].a, r - (std::int64_t(1) << 40));
      EXPECT_EQ(threes[at].b[2], 'z');
    }
  }
}

/// Message r -> s has length(r, s) values.
template <class Length>
void exchange_of_lengths(Communicator const& comm, Length const& length) {
  auto const value = [](int from, int to, std::size_t i) {
    return 1000000LL * from + 1000 * to + static_cast<long long>(i);
  };
  std::vector<std::vector<long long>> messages(static_cast<std::size_t>(comm.size()));
  for (int to = 0; to < comm.size(); ++to)
    for (std::size_t i = 0; i < length(comm.rank(), to); ++i)
      messages[static_cast<std::size_t>(to)].push_back(value(comm.rank(), to, i));

  auto const received = comm.exchange(messages);

  ASSERT_EQ(received.size(), messages.size());
  for (int from = 0; from < comm.size(); ++from) {
    auto const& message = received[static_cast<std::size_t>(from)];
    ASSERT_EQ(message.size(), length(from, comm.rank())) << "from " << from << " to " << comm.rank();
    for (std::size_t i = 0; i < message.size(); ++i) EXPECT_EQ(message[i], value(from, comm.rank(), i));
  }
}

inline void exchange_asymmetric_lists(Communicator const& comm) {
  // Asymmetric, with messages to itself and empty ones.
  exchange_of_lengths(comm, [](int from, int to) { return static_cast<std::size_t>((7 * from + 3 * to) % 5); });
  exchange_of_lengths(comm, [](int, int) { return std::size_t(0); });
  // One rank sends to all, one to none.
  exchange_of_lengths(comm, [](int from, int) { return std::size_t(from == 0 ? 100 : 0); });
  exchange_of_lengths(comm, [&](int, int to) { return std::size_t(to == comm.size() - 1 ? 1 : 0); });
  exchange_of_lengths(comm, [](int from, int to) { return std::size_t(from == to ? 20000 : 3); });
}

inline void exchange_refuses_a_wrong_number_of_messages(Communicator const& comm) {
  std::vector<std::vector<int>> const messages(static_cast<std::size_t>(comm.size()) + 1);
  EXPECT_TRUE(throws<DimensionMismatch>([&] { (void)comm.exchange(messages); },
                                        {std::to_string(comm.size() + 1) + " messages", "one per rank"}));
}

/// The exception of the last rank is thrown by all, as exactly this type.
template <class Kind, class Thrown = Kind>
void collectively_throws(Communicator const& comm, Thrown const& thrown, std::string const& what) {
  int const last = comm.size() - 1;
  auto const call = [&] {
    comm.collectively([&] {
      if (comm.rank() == last) throw thrown;
    });
  };
  try {
    call();
    ADD_FAILURE() << "nothing was thrown on rank " << comm.rank();
  } catch (Kind const& error) {
    auto const expected = comm.size() == 1 ? what : "rank " + std::to_string(last) + ": " + what;
    EXPECT_EQ(std::string(error.what()), expected);
    EXPECT_TRUE(comm.size() == 1 || typeid(error) == typeid(Kind)) << typeid(error).name();
  }
}

inline void collectively_agrees_on_exceptions(Communicator const& comm) {
  EXPECT_EQ(comm.collectively([&] { return comm.rank() + 5; }), comm.rank() + 5);
  collectively_throws<Error>(comm, Error("a"), "a");
  collectively_throws<DimensionMismatch>(comm, DimensionMismatch("b"), "b");
  collectively_throws<InvalidArgument>(comm, InvalidArgument("c"), "c");
  collectively_throws<InvalidStructure>(comm, InvalidStructure("d"), "d");
  collectively_throws<IoError>(comm, IoError("e"), "e");
  collectively_throws<OverflowError>(comm, OverflowError("f"), "f");
  collectively_throws<FillLimit>(comm, FillLimit("g"), "g");
  collectively_throws<OutOfMemory>(comm, OutOfMemory("h"), "h");
  collectively_throws<StalePlan>(comm, StalePlan("i"), "i");
  collectively_throws<Error>(comm, ParseError("file", 3, "j"), "file:3: j");
  if (comm.size() > 1) {  // one rank throws its own type
    collectively_throws<Error>(comm, std::runtime_error("k"), "k");
    collectively_throws<Error>(comm, 42, "an exception that is not derived from std::exception");
  }
  collectively_throws<Error>(comm, Error(std::string(500, 'l')), std::string(500, 'l'));

  // Several ranks throw: the lowest counts. Afterwards the communicator still works.
  EXPECT_TRUE(throws<InvalidArgument>(
      [&] { comm.collectively([&]() -> int { throw InvalidArgument("of " + std::to_string(comm.rank())); }); },
      {"of 0"}));
  EXPECT_EQ(comm.collectively([&] { return std::string("result"); }), "result");
}

}  // namespace einkorn::test
