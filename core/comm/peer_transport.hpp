// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/comm/communicator.hpp>
#include <einkorn/core/comm/detail/device_event.hpp>
#include <einkorn/core/comm/detail/kernel_gather.hpp>
#include <einkorn/core/comm/detail/kernel_halo.hpp>
#include <einkorn/core/comm/detail/peer_memory.hpp>
#include <einkorn/core/comm/transport.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace einkorn {

/// True if ranks can access the device memory of each other: CUDA and HIP.
template <class Exec>
inline constexpr bool has_peer_memory = detail::DeviceRuntime<Exec>::exists;

namespace detail {

/// Copies a list of the host into device memory.
template <class Exec, class T>
Kokkos::View<T*, typename Exec::memory_space> list_on_device(Exec const& exec, char const* label,
                                                             std::vector<T> const& list) {
  auto const view = allocate<Kokkos::View<T*, typename Exec::memory_space>>(exec, label, list.size());
  Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const host(list.data(),
                                                                                                list.size());
  Kokkos::deep_copy(exec, view, host);
  exec.fence("einkorn::PeerTransport: a list on the device");
  return view;
}

/// A message to send whose receiver sends nothing to this rank needs a token of the receiver, and the reverse.
struct PeerNeighbours {
  explicit PeerNeighbours(HaloMessages const& messages) {
    auto const contains = [](std::vector<int> const& ranks, int rank) {
      return std::binary_search(ranks.begin(), ranks.end(), rank);
    };
    reserve(sends_token_to, "einkorn::PeerTransport", messages.receive_ranks.size());
    reserve(token_from, "einkorn::PeerTransport", messages.send_ranks.size());
    for (int const rank : messages.receive_ranks)
      if (!contains(messages.send_ranks, rank)) sends_token_to.push_back(rank);
    for (int const rank : messages.send_ranks)
      if (!contains(messages.receive_ranks, rank)) token_from.push_back(rank);
  }
  std::vector<int> sends_token_to, token_from;
};

/// Words of the memory of one rank of a PeerHalo: twice the entries received, then twice the tokens.
struct PeerHaloLayout {
  std::size_t received_words, tokens;

  [[nodiscard]] std::size_t entry_word(unsigned set, std::size_t word) const {
    return set * received_words + word;
  }
  [[nodiscard]] std::size_t token(unsigned set, std::size_t number) const {
    return 2 * received_words + set * tokens + number;
  }
  [[nodiscard]] std::size_t bytes() const { return 2 * (received_words + tokens) * sizeof(std::uint64_t); }
};

/// Entries of the send buffer, in units of their copies.
template <class Unit>
struct PackedUnits {
  Unit const* from;
  KOKKOS_FUNCTION Unit operator()(std::size_t i) const { return from[i]; }
};

template <class Exec>
class PeerHalo final : public HaloChannel<Exec> {
 public:
  using typename HaloChannel<Exec>::LaunchExchange;

  /// Collective.
  PeerHalo(Exec const& exec, Communicator const& comm, HaloMessages const& messages, std::size_t entry_bytes)
      : comm_(comm),
        neighbours_(comm.collectively([&] { return PeerNeighbours(messages); })),
        num_sent_(messages.num_sent()),
        num_received_(messages.num_received()),
        entry_bytes_(entry_bytes),
        words_per_entry_(ceil_div(unit_bytes(), 4) * (entry_bytes / unit_bytes())),
        layout_{num_received_ * words_per_entry_, neighbours_.token_from.size()},
        memory_(exec, comm, layout_.bytes()) {
    comm.collectively([&] {
      side_ = std::make_unique<SideInstance<Exec>>(exec);
      send_ = allocate<Bytes>(exec, "einkorn::PeerTransport::send", num_sent_ * entry_bytes);
      ghost_ = allocate<Bytes>(exec, "einkorn::PeerTransport::ghost", num_received_ * entry_bytes);
      counters_ = allocate_zeros<Kokkos::View<std::uint32_t*, Memory>>("einkorn::PeerTransport::counters", 64);
    });
    connect(exec, messages);
  }

  [[nodiscard]] void* send_buffer() const override { return send_.data(); }
  [[nodiscard]] void const* ghost_buffer() const override { return ghost_.data(); }
  [[nodiscard]] Exec pack_instance(Exec const& exec) override {
    if (is_empty()) return exec;
    side_->fork(exec);
    is_forked_ = true;
    return side_->instance();
  }
  void start(Exec const& exec) override {
    static_cast<void>(start_in_kernel(exec, [this](Exec const& side, KernelHalo const&) {
      switch (unit_bytes()) {
        case sizeof(std::uint64_t):
          return launch<std::uint64_t>(side);
        case sizeof(std::uint32_t):
          return launch<std::uint32_t>(side);
        default:
          return launch<unsigned char>(side);
      }
    }));
  }
  [[nodiscard]] bool start_in_kernel(Exec const& exec, LaunchExchange const& launch_exchange) override {
    require<InvalidArgument>(!is_active_, "HaloChannel: start() before finish() of the last exchange");
    is_active_ = true;
    if (is_empty()) return true;
    if (!is_forked_) side_->fork(exec);
    is_forked_ = false;
    launch_exchange(side_->instance(), handle(1));
    side_->mark_end();
    return true;
  }
  void finish(Exec const& exec) override {
    require<InvalidArgument>(is_active_, "HaloChannel: finish() without start()");
    is_active_ = false;
    if (!is_empty()) side_->join(exec);
  }

 private:
  using Memory = typename Exec::memory_space;
  using Bytes = Kokkos::View<unsigned char*, Memory>;
  /// Where a rank expects the entries, or the token, of another one: word numbers in its memory.
  struct Position {
    std::uint64_t words[2];
  };

  [[nodiscard]] bool is_empty() const { return num_sent_ + num_received_ == 0; }
  /// The unit in which start() copies entries.
  [[nodiscard]] std::size_t unit_bytes() const {
    return entry_bytes_ % 8 == 0 ? 8 : entry_bytes_ % 4 == 0 ? 4 : 1;
  }
  [[nodiscard]] std::uint64_t* word_of(int rank, std::uint64_t number) const {
    return reinterpret_cast<std::uint64_t*>(memory_.of(rank)) + number;
  }

  void connect(Exec const& exec, HaloMessages const& messages) {
    using Positions = std::vector<std::vector<Position>>;
    Positions for_entries, for_tokens;
    auto const positions = [&](Positions& of_rank, int rank, auto const& word) {
      of_rank[static_cast<std::size_t>(rank)].push_back({{word(0u), word(1u)}});
    };
    comm_.collectively([&] {
      for_entries = allocate_vector<std::vector<Position>>("einkorn::PeerTransport",
                                                           static_cast<std::size_t>(comm_.size()));
      for_tokens = for_entries;
      for (std::size_t m = 0; m < messages.receive_ranks.size(); ++m)
        positions(for_entries, messages.receive_ranks[m], [&](unsigned set) {
          return layout_.entry_word(set, messages.receive_offsets[m] * words_per_entry_);
        });
      for (std::size_t t = 0; t < neighbours_.token_from.size(); ++t)
        positions(for_tokens, neighbours_.token_from[t], [&](unsigned set) { return layout_.token(set, t); });
    });
    auto const entries_of = comm_.exchange(for_entries), tokens_of = comm_.exchange(for_tokens);
    comm_.collectively([&] {
      std::vector<KernelSend> sends;
      std::vector<KernelToken> tokens;
      reserve(sends, "einkorn::PeerTransport", messages.send_ranks.size());
      reserve(tokens, "einkorn::PeerTransport", neighbours_.sends_token_to.size());
      for (std::size_t m = 0; m < messages.send_ranks.size(); ++m) {
        int const to = messages.send_ranks[m];
        auto const& position = entries_of.at(static_cast<std::size_t>(to)).at(0);
        sends.push_back({{word_of(to, position.words[0]), word_of(to, position.words[1])},
                         messages.send_offsets[m],
                         messages.send_offsets[m + 1] - messages.send_offsets[m]});
      }
      for (int const to : neighbours_.sends_token_to) {
        auto const& position = tokens_of.at(static_cast<std::size_t>(to)).at(0);
        tokens.push_back({{word_of(to, position.words[0]), word_of(to, position.words[1])}});
      }
      sends_ = list_on_device(exec, "einkorn::PeerTransport::sends", sends);
      for (auto& send : sends) {
        send.first *= entry_bytes_ / unit_bytes();
        send.count *= entry_bytes_ / unit_bytes();
      }
      units_ = list_on_device(exec, "einkorn::PeerTransport::sends", sends);
      tokens_ = list_on_device(exec, "einkorn::PeerTransport::tokens", tokens);
    });
  }
  /// For kernels that send entries, of units_per_entry units each.
  [[nodiscard]] KernelHalo handle(std::size_t units_per_entry) const {
    int const rank = comm_.rank();
    return {units_per_entry == 1 ? sends_.data() : units_.data(),
            tokens_.data(),
            {word_of(rank, layout_.entry_word(0, 0)), word_of(rank, layout_.entry_word(1, 0))},
            {word_of(rank, layout_.token(0, 0)), word_of(rank, layout_.token(1, 0))},
            static_cast<int>(sends_.extent(0)),
            static_cast<int>(tokens_.extent(0)),
            static_cast<int>(layout_.tokens),
            ghost_.data(),
            num_received_ * units_per_entry,
            counters_.data(),
            counters_.data() + 32};
  }
  template <class Unit>
  void launch(Exec const& side) const {
    using Kernel = ExchangeKernel<Exec, Unit, PackedUnits<Unit>>;
    auto const units = entry_bytes_ / sizeof(Unit);
    auto const teams = Kernel::league_for(std::max(num_sent_, num_received_) * units);
    Kokkos::parallel_for("einkorn::PeerTransport[exchange]",
                         light_weight(typename Kernel::Policy(side, teams, Kernel::team_size)),
                         Kernel{handle(units), {reinterpret_cast<Unit const*>(send_.data())}});
  }

  Communicator comm_;
  PeerNeighbours neighbours_;
  std::size_t num_sent_, num_received_, entry_bytes_, words_per_entry_;
  PeerHaloLayout layout_;
  Bytes send_, ghost_;
  Kokkos::View<std::uint32_t*, Memory> counters_;  // exchanges, at 32: teams that have arrived
  Kokkos::View<KernelSend*, Memory> sends_, units_;
  Kokkos::View<KernelToken*, Memory> tokens_;
  std::unique_ptr<SideInstance<Exec>> side_;
  PeerMemory<Exec> memory_;  // ends first
  bool is_active_ = false, is_forked_ = false;
};

/// GatherChannel::gather() by a kernel.
template <class Exec>
struct PeerGatherKernel {
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<256, 1>>;
  KernelGather gather;
  double const* mine;
  double* all;
  int count;

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    gather.template operator()<Lanes<Exec>>(team, mine, all, count);
  }
};

template <class Exec>
class PeerGather final : public GatherChannel<Exec> {
 public:
  /// Collective.
  PeerGather(Exec const& exec, Communicator const& comm, int max_count)
      : max_count_(max_count),
        memory_(exec, comm, KernelGather::num_words(comm.size(), max_count) * sizeof(std::uint64_t)) {
    comm.collectively([&] {
      auto const count = static_cast<std::size_t>(max_count), ranks = static_cast<std::size_t>(comm.size());
      mine_ = allocate_zeros<Doubles>("einkorn::PeerTransport::mine", count);
      all_ = allocate_zeros<Doubles>("einkorn::PeerTransport::all", ranks * count);
      num_gathers_ = allocate_zeros<Kokkos::View<std::uint32_t, Memory>>("einkorn::PeerTransport::num_gathers");
      for (int r = 0; r < comm.size(); ++r) handle_.slots[r] = reinterpret_cast<std::uint64_t*>(memory_.of(r));
      handle_.num_gathers = num_gathers_.data();
      handle_.rank = comm.rank();
      handle_.ranks = comm.size();
      handle_.max_count = max_count;
    });
  }

  [[nodiscard]] double* mine() const override { return mine_.data(); }
  [[nodiscard]] double const* all() const override { return all_.data(); }
  [[nodiscard]] KernelGather const* in_kernel() const override { return &handle_; }
  void gather(Exec const& exec, int first, int count) override {
    check_gather(first, count, max_count_);
    using Kernel = PeerGatherKernel<Exec>;
    Kokkos::parallel_for("einkorn::PeerTransport[gather]", light_weight(typename Kernel::Policy(exec, 1, 256)),
                         Kernel{handle_, mine_.data() + first, all_.data(), count});
  }

 private:
  using Memory = typename Exec::memory_space;
  using Doubles = Kokkos::View<double*, Memory>;

  int max_count_;
  Doubles mine_, all_;
  Kokkos::View<std::uint32_t, Memory> num_gathers_;
  KernelGather handle_{};
  PeerMemory<Exec> memory_;  // ends first
};

}  // namespace detail

/// Halo exchanges and gathered sums by kernels that store into the device memory of other ranks of the node (CUDA IPC,
/// HIP IPC). start(), finish() and gather() only enqueue work and may be captured in a graph.
///
/// A kernel of at most 32 teams beside the work on exec stores the entries, as tagged words of twice their bytes, into
/// buffers of the receivers, and writes the words that arrive into its ghost buffer. A gather is one kernel of one team,
/// or a part of another kernel (GatherChannel::in_kernel()). Latency: that of one store between devices.
///
/// At most 16 ranks, processes of one node with one device each: kernels wait for each other, so ranks that share a
/// device take turns and are slow. If a rank ends in the middle of a solve, the kernels of the others do not end: end all
/// processes (MPI_Abort).
template <class Exec>
class PeerTransport final : public Transport<Exec> {
  static_assert(has_peer_memory<Exec>, "einkorn::PeerTransport: needs an execution space of CUDA or HIP");

 public:
  /// Collective.
  /// @throws InvalidArgument unless the ranks are at most 16 processes of one node
  explicit PeerTransport(Communicator const& comm) : Transport<Exec>(comm) {
    require<InvalidArgument>(comm.size() <= detail::KernelGather::max_ranks, [&] {
      return "PeerTransport: " + std::to_string(comm.size()) + " ranks, expected at most " +
             std::to_string(detail::KernelGather::max_ranks);
    });
    detail::require_processes_of_one_node(comm);
  }

  [[nodiscard]] std::string name() const override { return "peer"; }
  [[nodiscard]] bool is_stream_ordered() const override { return true; }
  /// @throws Error (the devices have no access to each other) on every rank
  [[nodiscard]] std::unique_ptr<HaloChannel<Exec>> open_halo(Exec const& exec, HaloMessages const& messages,
                                                             std::size_t entry_bytes) override {
    auto const& comm = this->communicator();
    detail::check_halo(comm, messages, entry_bytes);
    return std::make_unique<detail::PeerHalo<Exec>>(exec, comm, messages, entry_bytes);
  }
  [[nodiscard]] std::unique_ptr<GatherChannel<Exec>> open_gather(Exec const& exec, int max_count) override {
    auto const& comm = this->communicator();
    comm.collectively([&] { detail::check_gather(0, max_count, max_count); });
    return std::make_unique<detail::PeerGather<Exec>>(exec, comm, max_count);
  }
  [[nodiscard]] std::unique_ptr<RankMemory> share_memory(Exec const& exec, std::size_t bytes) const override {
    return std::make_unique<detail::PeerMemory<Exec>>(exec, this->communicator(), bytes);
  }
};

}  // namespace einkorn
