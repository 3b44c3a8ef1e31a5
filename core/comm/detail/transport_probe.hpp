// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/comm/communicator.hpp>
#include <einkorn/core/comm/transport.hpp>
#include <einkorn/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace einkorn::detail {

/// Messages of `entries` entries to and from the next and the previous rank. One message if these are one rank, none on
/// one rank.
inline HaloMessages ring_messages(int rank, int ranks, std::size_t entries) {
  int const next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
  HaloMessages messages;
  reserve(messages.send_ranks, "einkorn::choose_transport", 2);
  reserve(messages.send_offsets, "einkorn::choose_transport", 3);
  for (int const other : {std::min(next, previous), std::max(next, previous)}) {
    if (other == rank || (messages.num_sent() > 0 && messages.send_ranks.back() == other)) continue;
    messages.send_ranks.push_back(other);
    messages.send_offsets.push_back(messages.num_sent() + entries);
  }
  messages.receive_ranks = messages.send_ranks;
  messages.receive_offsets = messages.send_offsets;
  return messages;
}

/// Seconds per call of one rank, in each round.
struct RoundTimes {
  static constexpr std::size_t rounds = 3;
  std::array<double, rounds> gather, exchange;
};

/// The fastest round; the time of a round is that of the slowest rank.
inline double fastest_round(std::vector<RoundTimes> const& ranks,
                            std::array<double, RoundTimes::rounds> RoundTimes::* times) {
  auto fastest = std::numeric_limits<double>::infinity();
  for (std::size_t round = 0; round < RoundTimes::rounds; ++round) {
    double slowest = 0;
    for (auto const& rank : ranks) slowest = std::max(slowest, (rank.*times)[round]);
    fastest = std::min(fastest, slowest);
  }
  return fastest;
}

/// Checks and measures a gather of 5 doubles and an exchange of 64 KiB with the next and the previous rank. Its
/// construction, destruction and functions are collective.
template <class Exec>
class TransportProbe {
 public:
  TransportProbe(Exec const& exec, Transport<Exec>& transport)
      : exec_(exec), rank_(transport.communicator().rank()), ranks_(transport.communicator().size()) {
    messages_ = transport.communicator().collectively([&] { return ring_messages(rank_, ranks_, entries); });
    halo_ = transport.open_halo(exec, messages_, sizeof(double));
    gather_ = transport.open_gather(exec, count);
  }
  /// Sends the number of each rank. Also the warm-up.
  /// @throws Error on a rank that receives anything else
  void check() const {
    auto const mine = static_cast<double>(rank_);
    Kokkos::deep_copy(exec_, Values(static_cast<double*>(halo_->send_buffer()), messages_.num_sent()), mine);
    Kokkos::deep_copy(exec_, Values(gather_->mine(), count), mine);
    exchange();
    gather();
    auto const& from = messages_.receive_ranks;
    auto const& offsets = messages_.receive_offsets;
    auto const ghosts = on_host(static_cast<double const*>(halo_->ghost_buffer()), messages_.num_received());
    for (std::size_t m = 0; m < from.size(); ++m)
      for (auto i = offsets[m]; i < offsets[m + 1]; ++i) expect(from[m], ghosts(i));
    auto const all = on_host(gather_->all(), static_cast<std::size_t>(ranks_) * count);
    for (std::size_t i = 0; i < all.size(); ++i) expect(static_cast<int>(i / count), all(i));
  }
  [[nodiscard]] RoundTimes measure() const {
    RoundTimes times;
    for (std::size_t round = 0; round < RoundTimes::rounds; ++round) {
      times.gather[round] = seconds_per_call([this] { gather(); });
      times.exchange[round] = seconds_per_call([this] { exchange(); });
    }
    return times;
  }

 private:
  using Memory = typename Exec::memory_space;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  using Values = Kokkos::View<double*, Memory, Unmanaged>;
  static constexpr int count = 5, calls = 20;
  static constexpr std::size_t entries = 65536 / sizeof(double);

  void gather() const { gather_->gather(exec_, 0, count); }
  void exchange() const {
    halo_->start(exec_);
    halo_->finish(exec_);
  }
  template <class Call>
  [[nodiscard]] double seconds_per_call(Call const& call) const {
    Kokkos::Timer const timer;
    for (int i = 0; i < calls; ++i) call();
    exec_.fence("einkorn::choose_transport: end of a round");
    return timer.seconds() / calls;
  }
  [[nodiscard]] auto on_host(double const* data, std::size_t size) const {
    Kokkos::View<double const*, Memory, Unmanaged> const values(data, size);
    auto const copy = allocate_on_host("einkorn::choose_transport", values);
    Kokkos::deep_copy(exec_, copy, values);
    exec_.fence("einkorn::choose_transport: values received");
    return copy;
  }
  static void expect(int from, double value) {
    require<Error>(value == from, [&] {
      return "choose_transport: received " + std::to_string(value) + " from rank " + std::to_string(from) +
             ", which sent its number";
    });
  }

  Exec exec_;
  int rank_, ranks_;
  HaloMessages messages_;
  std::unique_ptr<HaloChannel<Exec>> halo_;
  std::unique_ptr<GatherChannel<Exec>> gather_;
};

}  // namespace einkorn::detail
