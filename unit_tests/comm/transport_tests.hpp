// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Tests of a transport, called by every rank. make(comm) returns a std::unique_ptr<Transport<Space>>.
#pragma once

#include "../support/throws.hpp"
#include "../support/types.hpp"

#include <einkorn/core/comm/transport.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace einkorn::test {

/// Entries sent from one rank to another.
class HaloPattern {
 public:
  explicit HaloPattern(int ranks) : ranks_(ranks), entries_(index(ranks, 0)) {}
  /// Messages of 1 to 40 entries between half of the pairs of ranks, or between all pairs if seed % 3 == 0. If the
  /// seed is odd, the last of more than two ranks has none.
  HaloPattern(int ranks, unsigned seed) : HaloPattern(ranks) {
    std::mt19937 random(seed);
    for (int from = 0; from < ranks; ++from)
      for (int to = 0; to < ranks; ++to) {
        auto const entries = random() % 40 + 1;
        bool const is_silent = ranks > 2 && seed % 2 == 1 && (from == ranks - 1 || to == ranks - 1);
        bool const is_sent = random() % 2 == 0 || seed % 3 == 0;
        if (from != to && !is_silent && is_sent) entries_[index(from, to)] = entries;
      }
  }
  [[nodiscard]] std::size_t operator()(int from, int to) const { return entries_[index(from, to)]; }

  [[nodiscard]] HaloMessages messages(int rank) const {
    HaloMessages result;
    for (int other = 0; other < ranks_; ++other) {
      if (auto const entries = (*this)(rank, other); entries > 0) {
        result.send_ranks.push_back(other);
        result.send_offsets.push_back(result.send_offsets.back() + entries);
      }
      if (auto const entries = (*this)(other, rank); entries > 0) {
        result.receive_ranks.push_back(other);
        result.receive_offsets.push_back(result.receive_offsets.back() + entries);
      }
    }
    return result;
  }

 private:
  [[nodiscard]] std::size_t index(int from, int to) const {
    return static_cast<std::size_t>(from) * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(to);
  }
  int ranks_;
  std::vector<std::size_t> entries_;
};

/// to[i] = from[i] + shift, on exec.
template <class Scalar>
struct CopyShifted {
  Scalar const* from;
  Scalar* to;
  double shift;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { to[i] = from[i] + Scalar(shift); }

  static void run(Space const& exec, std::size_t count, Scalar const* from, Scalar* to, double shift) {
    Kokkos::parallel_for("copy", Kokkos::RangePolicy<Space, std::size_t>(exec, 0, count),
                         CopyShifted{from, to, shift});
  }
};

/// A channel with a pattern whose values differ per exchange.
template <class Scalar>
class HaloUnderTest {
 public:
  HaloUnderTest(Communicator const& comm, Transport<Space>& transport, HaloPattern const& pattern)
      : messages_(pattern.messages(comm.rank())),
        channel_(transport.open_halo(exec_, messages_, sizeof(Scalar))),
        sent_("sent", messages_.num_sent()),
        received_("received", messages_.num_received()) {
    auto const sent = Kokkos::create_mirror_view(sent_);
    std::size_t at = 0;
    for (int const to : messages_.send_ranks)
      for (std::size_t i = 0; i < pattern(comm.rank(), to); ++i) sent(at++) = value(comm.rank(), to, i);
    Kokkos::deep_copy(sent_, sent);
    for (int const from : messages_.receive_ranks)
      for (std::size_t i = 0; i < pattern(from, comm.rank()); ++i)
        expected_.push_back(value(from, comm.rank(), i));
  }
  void start(double shift) {
    shift_ = shift;
    CopyShifted<Scalar>::run(exec_, sent_.size(), sent_.data(), static_cast<Scalar*>(channel_->send_buffer()),
                             shift);
    channel_->start(exec_);
  }
  /// Whether kernels find NaNs in the ghost buffer.
  [[nodiscard]] bool is_poisoned() {
    for (auto const& entry : read())
      if (entry == entry) return false;
    return true;
  }
  [[nodiscard]] testing::AssertionResult finish() {
    channel_->finish(exec_);
    auto const received = read();
    if (received.size() != expected_.size()) return testing::AssertionFailure() << "wrong length";
    for (std::size_t i = 0; i < received.size(); ++i)
      if (received[i] != expected_[i] + Scalar(shift_))
        return testing::AssertionFailure()
               << "entry " << i << " of " << received.size() << ", shift " << shift_;
    return testing::AssertionSuccess();
  }
  [[nodiscard]] HaloChannel<Space>& channel() { return *channel_; }

 private:
  static Scalar value(int from, int to, std::size_t i) {
    return Scalar(static_cast<double>(from * 4096 + to * 64) + static_cast<double>(i));
  }
  std::vector<Scalar> read() {
    CopyShifted<Scalar>::run(exec_, received_.size(), static_cast<Scalar const*>(channel_->ghost_buffer()),
                             received_.data(), 0);
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), received_);
    return {host.data(), host.data() + host.size()};
  }

  Space exec_;
  HaloMessages messages_;
  std::unique_ptr<HaloChannel<Space>> channel_;
  Kokkos::View<Scalar*, Device> sent_, received_;
  std::vector<Scalar> expected_;
  double shift_ = 0;
};

template <class Make>
void halo_of_random_patterns(Communicator const& comm, Make const& make) {
  auto const transport = make(comm);
  EXPECT_EQ(transport->communicator().rank(), comm.rank());
  for (unsigned seed = 0; seed < 6; ++seed) {
    HaloUnderTest<double> halo(comm, *transport, HaloPattern(comm.size(), seed));
    for (int repetition = 0; repetition < 100; ++repetition) {
      halo.start(1e6 * repetition);
      ASSERT_TRUE(halo.finish()) << "rank " << comm.rank() << ", seed " << seed;
    }
  }
}

/// Channels of several entry types with exchanges that overlap, and no message at all.
template <class Make>
void several_halos_at_once(Communicator const& comm, Make const& make) {
  auto const transport = make(comm), other_transport = make(comm);
  HaloPattern const pattern(comm.size(), 2);
  HaloUnderTest<double> first(comm, *transport, pattern), second(comm, *transport, pattern);
  HaloUnderTest<float> third(comm, *other_transport, HaloPattern(comm.size(), 3));
  HaloUnderTest<Complex> fourth(comm, *transport, HaloPattern(comm.size(), 4));
  HaloUnderTest<double> empty(comm, *other_transport, HaloPattern(comm.size()));
  for (int repetition = 0; repetition < 20; ++repetition) {
    first.start(3 * repetition);
    second.start(5 * repetition + 1);
    third.start(7 * repetition);
    fourth.start(11 * repetition);
    empty.start(0);
    EXPECT_TRUE(fourth.finish());
    EXPECT_TRUE(second.finish());
    EXPECT_TRUE(third.finish());
    EXPECT_TRUE(first.finish());
    EXPECT_TRUE(empty.finish());
  }
}

/// An exchange that is never finished; a channel that outlives its transport.
template <class Make>
void halo_lifetimes(Communicator const& comm, Make const& make) {
  HaloPattern const pattern(comm.size(), 0);
  auto transport = make(comm);
  HaloUnderTest<double> halo(comm, *transport, pattern);
  transport.reset();
  halo.start(1);
  EXPECT_TRUE(throws<InvalidArgument>([&] { halo.channel().start(Space()); }, {"start() before finish()"}));
  EXPECT_TRUE(halo.finish());
  EXPECT_TRUE(throws<InvalidArgument>([&] { halo.channel().finish(Space()); }, {"finish() without start()"}));
  halo.start(2);
  EXPECT_TRUE(halo.finish());
}

template <class Make>
void gather_of_ranges(Communicator const& comm, Make const& make) {
  auto const transport = make(comm);
  Space const exec;
  int const max_count = 7;
  auto const gather = transport->open_gather(exec, max_count), other = transport->open_gather(exec, 1);
  Kokkos::View<double*, Device> const values("values", max_count), all("all", 7 * comm.size());
  auto const host = Kokkos::create_mirror_view(values);
  for (int i = 0; i < max_count; ++i) host(i) = 100 * comm.rank() + i;
  Kokkos::deep_copy(values, host);
  auto const check = [&](GatherChannel<Space>& channel, int first, int count, double shift) {
    CopyShifted<double>::run(exec, static_cast<std::size_t>(first + count), values.data(), channel.mine(),
                             shift);
    channel.gather(exec, first, count);
    // Later work may write the values again.
    CopyShifted<double>::run(exec, static_cast<std::size_t>(first + count), values.data(), channel.mine(),
                             -1e9);
    CopyShifted<double>::run(exec, static_cast<std::size_t>(count * comm.size()), channel.all(), all.data(), 0);
    auto const gathered = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), all);
    for (int r = 0; r < comm.size(); ++r)
      for (int j = 0; j < count; ++j)
        ASSERT_EQ(gathered(static_cast<std::size_t>(r * count + j)), 100 * r + first + j + shift)
            << "rank " << comm.rank() << ": value " << j << " of rank " << r << ", first " << first;
  };
  for (int repetition = 0; repetition < 10; ++repetition)
    for (int first = 0; first < max_count; ++first)
      for (int count = 0; first + count <= max_count; ++count) check(*gather, first, count, 1000 * repetition);
  check(*other, 0, 1, 5);

  EXPECT_TRUE(throws<InvalidArgument>([&] { gather->gather(exec, 3, 5); }, {"gather:", "3", "5", "7 values"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { gather->gather(exec, -1, 1); }, {"-1"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { gather->gather(exec, 0, -1); }, {"-1"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { (void)transport->open_gather(exec, -1); }, {"-1"}));
}

/// A rank with invalid messages: every rank throws.
template <class Make>
void invalid_messages(Communicator const& comm, Make const& make) {
  auto const transport = make(comm);
  int const last = comm.size() - 1;
  auto const refuses = [&](HaloMessages const& messages, std::size_t bytes, std::vector<std::string> parts) {
    if (comm.size() > 1) parts.push_back("rank " + std::to_string(last) + ": ");
    bool const is_last = comm.rank() == last;
    return throws<InvalidArgument>(
        [&] { (void)transport->open_halo(Space(), is_last ? messages : HaloMessages(), is_last ? bytes : 8); },
        parts);
  };
  auto const sends = [](std::vector<int> ranks, std::vector<std::size_t> offsets) {
    HaloMessages messages;
    messages.send_ranks = std::move(ranks);
    messages.send_offsets = std::move(offsets);
    return messages;
  };
  EXPECT_TRUE(refuses(HaloMessages(), 0, {"entry_bytes is 0"}));
  EXPECT_TRUE(refuses(sends({}, {}), 8, {"send_offsets has 0 entries, expected 1"}));
  EXPECT_TRUE(refuses(sends({}, {1}), 8, {"send_offsets[0] is 1, expected 0"}));
  EXPECT_TRUE(refuses(sends({last}, {0, 1}), 8, {"send_ranks[0] is " + std::to_string(last), "another rank"}));
  EXPECT_TRUE(refuses(sends({comm.size()}, {0, 1}), 8, {"send_ranks[0]"}));
  EXPECT_TRUE(refuses(sends({-1}, {0, 1}), 8, {"send_ranks[0] is -1"}));
  if (comm.size() > 1) {
    EXPECT_TRUE(refuses(sends({0}, {0, 0}), 8, {"send_offsets[1] is 0", "no message is empty"}));
  }
  if (comm.size() > 2) {
    EXPECT_TRUE(refuses(sends({1, 0}, {0, 1, 2}), 8, {"send_ranks[1] is 0", "ascending"}));
  }
  HaloMessages receives;
  receives.receive_ranks = {last};
  EXPECT_TRUE(refuses(receives, 8, {"receive_offsets has 1 entries, expected 2"}));
}

/// Ranks that disagree about a message: every rank throws.
template <class Make>
void mismatched_messages(Communicator const& comm, Make const& make) {
  if (comm.size() < 2) return;
  auto const transport = make(comm);
  // Rank 0 sends `sent` entries to rank 1, which expects `expected`.
  auto const refuses = [&](std::size_t sent, std::size_t expected, std::vector<std::string> const& parts) {
    HaloMessages messages;
    if (comm.rank() == 0 && sent > 0) messages = {{1}, {}, {0, sent}, {0}};
    if (comm.rank() == 1 && expected > 0) messages = {{}, {0}, {0}, {0, expected}};
    return throws<InvalidArgument>([&] { (void)transport->open_halo(Space(), messages, 8); }, parts);
  };
  EXPECT_TRUE(refuses(2, 3, {"rank 1: ", "24 bytes to receive from rank 0, which sends 16"}));
  EXPECT_TRUE(refuses(4, 3, {"rank 1: ", "24 bytes", "sends 32"}));
  EXPECT_TRUE(refuses(0, 3, {"rank 1: ", "24 bytes", "sends 0"}));
  EXPECT_TRUE(refuses(2, 0, {"rank 1: ", "0 bytes", "sends 16"}));
}

}  // namespace einkorn::test
