// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/comm/communicator.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/function_ref.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace einkorn {

/// The messages of a halo exchange of one rank, in entries of two buffers. Message i to rank send_ranks[i] is
/// entries send_offsets[i] ... send_offsets[i + 1] - 1 of the send buffer; likewise for the ghost buffer. Ranks
/// ascend; no message is empty; no rank sends to itself.
struct HaloMessages {
  std::vector<int> send_ranks, receive_ranks;
  std::vector<std::size_t> send_offsets = {0}, receive_offsets = {0};  ///< one more than messages

  [[nodiscard]] std::size_t num_sent() const { return send_offsets.back(); }
  [[nodiscard]] std::size_t num_received() const { return receive_offsets.back(); }
};

namespace detail {

struct KernelGather;  // core/comm/detail/kernel_gather.hpp
struct KernelHalo;    // core/comm/detail/kernel_halo.hpp

/// @throws InvalidArgument if one direction of the messages of a rank is not as HaloMessages says
inline void check_messages(char const* direction, std::vector<int> const& ranks,
                           std::vector<std::size_t> const& offsets, int rank, int num_ranks) {
  auto const check = [&](bool is_valid, std::size_t i, char const* member, auto value,
                         std::string const& expected) {
    require<InvalidArgument>(is_valid, [&] {
      return std::string("HaloMessages: ") + direction + member + "[" + std::to_string(i) + "] is " +
             std::to_string(value) + ", expected " + expected;
    });
  };
  require<InvalidArgument>(offsets.size() == ranks.size() + 1, [&] {
    return std::string("HaloMessages: ") + direction + "_offsets has " + std::to_string(offsets.size()) +
           " entries, expected " + std::to_string(ranks.size() + 1) + ", one more than messages";
  });
  check(offsets[0] == 0, 0, "_offsets", offsets[0], "0");
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    check(0 <= ranks[i] && ranks[i] < num_ranks && ranks[i] != rank, i, "_ranks", ranks[i],
          "another rank than " + std::to_string(rank) + " of 0 to " + std::to_string(num_ranks - 1));
    check(i == 0 || ranks[i - 1] < ranks[i], i, "_ranks", ranks[i], "ascending ranks");
    check(offsets[i] < offsets[i + 1], i + 1, "_offsets", offsets[i + 1],
          "more than " + std::to_string(offsets[i]) + ": no message is empty");
  }
}

/// Collective: also checks that each message has one length on both ranks, because transports would wait for
/// ever.
/// @throws InvalidArgument on every rank
inline void check_halo(Communicator const& comm, HaloMessages const& messages, std::size_t entry_bytes) {
  std::vector<std::vector<std::size_t>> lengths;
  std::vector<std::size_t> expected;
  comm.collectively([&] {
    require<InvalidArgument>(entry_bytes > 0, "open_halo: entry_bytes is 0, expected the size of an entry");
    check_messages("send", messages.send_ranks, messages.send_offsets, comm.rank(), comm.size());
    check_messages("receive", messages.receive_ranks, messages.receive_offsets, comm.rank(), comm.size());
    auto const ranks = static_cast<std::size_t>(comm.size());
    lengths = allocate_vector<std::vector<std::size_t>>("einkorn::open_halo", ranks);
    expected = allocate_vector<std::size_t>("einkorn::open_halo", ranks);
    for (std::size_t i = 0; i < messages.send_ranks.size(); ++i)
      lengths[static_cast<std::size_t>(messages.send_ranks[i])] = allocate_vector<std::size_t>(
          "einkorn::open_halo", 1, (messages.send_offsets[i + 1] - messages.send_offsets[i]) * entry_bytes);
    for (std::size_t i = 0; i < messages.receive_ranks.size(); ++i)
      expected[static_cast<std::size_t>(messages.receive_ranks[i])] =
          (messages.receive_offsets[i + 1] - messages.receive_offsets[i]) * entry_bytes;
  });
  auto const sent = comm.exchange(lengths);
  comm.collectively([&] {
    for (std::size_t r = 0; r < sent.size(); ++r) {
      auto const bytes = sent[r].empty() ? 0 : sent[r][0];
      require<InvalidArgument>(bytes == expected[r], [&] {
        return "HaloMessages: " + std::to_string(expected[r]) + " bytes to receive from rank " +
               std::to_string(r) + ", which sends " + std::to_string(bytes);
      });
    }
  });
}

/// @throws InvalidArgument
inline void check_gather(int first, int count, int max_count) {
  require<InvalidArgument>(0 <= first && 0 <= count && first <= max_count - count, [&] {
    return "gather: values " + std::to_string(first) + " to " + std::to_string(first) + " + " +
           std::to_string(count) + " - 1 of a channel of " + std::to_string(max_count) + " values";
  });
}

}  // namespace detail

/// A halo exchange with fixed messages, repeated. Owns its buffers. For one execution-space instance at a time.
template <class Exec>
class HaloChannel {
 public:
  virtual ~HaloChannel() = default;
  /// Kernels of Exec write the entries to send here, in the order of HaloMessages.
  [[nodiscard]] virtual void* send_buffer() const = 0;
  /// Kernels of Exec read the received entries here, between finish() and the next start().
  [[nodiscard]] virtual void const* ghost_buffer() const = 0;
  /// The instance for the kernels that write the send buffer, before start(): exec, or one that runs them after the
  /// work on exec so far and beside later work on exec.
  [[nodiscard]] virtual Exec pack_instance(Exec const& exec) { return exec; }
  /// Begins the exchange after the work on exec and on pack_instance() so far. Later work on exec may run during the exchange; it
  /// accesses neither buffer.
  virtual void start(Exec const& exec) = 0;
  /// Launches a kernel that does an exchange (KernelHalo::run() or ExchangeKernel) on an instance.
  using LaunchExchange = FunctionRef<void(Exec const&, detail::KernelHalo const&)>;
  /// start() with a kernel of the caller, which needs no send buffer. Returns false, and does nothing, if the transport
  /// cannot exchange in kernels.
  [[nodiscard]] virtual bool start_in_kernel(Exec const&, LaunchExchange const&) { return false; }
  /// Later work on exec finds the received entries in the ghost buffer and may write the send buffer.
  virtual void finish(Exec const& exec) = 0;
};

/// Gathers a few doubles of every rank on every rank, repeated. Owns its buffers, which kernels of Exec access.
template <class Exec>
class GatherChannel {
 public:
  virtual ~GatherChannel() = default;
  /// This rank's values, written by kernels.
  [[nodiscard]] virtual double* mine() const = 0;
  /// The values of all ranks: value j of rank r at r * count + j. Valid for work on exec after gather().
  [[nodiscard]] virtual double const* all() const = 0;
  /// Gathers the values first ... first + count - 1 of every rank. All ranks call it in the same order with the
  /// same numbers. The work on exec so far has written mine(); later work may write it again.
  virtual void gather(Exec const& exec, int first, int count) = 0;
  /// The gather as a part of a kernel of one team, which then needs no mine() and no all(); nullptr: not supported.
  /// Such kernels and gather() may alternate.
  [[nodiscard]] virtual detail::KernelGather const* in_kernel() const { return nullptr; }
};

/// Device memory of every rank that the kernels of all ranks access. Its destruction is collective.
class RankMemory {
 public:
  virtual ~RankMemory() = default;
  /// The memory of a rank: zeros at first.
  [[nodiscard]] virtual unsigned char* of(int rank) const = 0;
};

/// How ranks exchange data during products and solves. Its functions are collective.
template <class Exec>
class Transport {
 public:
  explicit Transport(Communicator comm) : comm_(std::move(comm)) {}
  virtual ~Transport() = default;

  [[nodiscard]] Communicator const& communicator() const { return comm_; }
  [[nodiscard]] virtual std::string name() const = 0;
  /// Whether start(), finish() and gather() only enqueue work on exec. Otherwise they wait on the host.
  [[nodiscard]] virtual bool is_stream_ordered() const { return false; }
  /// @param entry_bytes  size of an entry of the buffers
  /// @throws InvalidArgument, OutOfMemory on every rank
  [[nodiscard]] virtual std::unique_ptr<HaloChannel<Exec>> open_halo(Exec const& exec,
                                                                     HaloMessages const& messages,
                                                                     std::size_t entry_bytes) = 0;
  /// @param max_count  doubles of one rank
  /// @throws InvalidArgument, OutOfMemory on every rank
  [[nodiscard]] virtual std::unique_ptr<GatherChannel<Exec>> open_gather(Exec const& exec, int max_count) = 0;
  /// Memory for kernels of all ranks that run at the same time; empty: not supported.
  /// @param bytes  of this rank
  /// @throws OutOfMemory on every rank
  [[nodiscard]] virtual std::unique_ptr<RankMemory> share_memory(Exec const&, std::size_t) const { return {}; }

 private:
  Communicator comm_;
};

}  // namespace einkorn
