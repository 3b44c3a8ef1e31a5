// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/comm/communicator.hpp>
#include <einkorn/core/comm/detail/comm_buffer.hpp>
#include <einkorn/core/comm/detail/loopback_world.hpp>
#include <einkorn/core/comm/transport.hpp>
#include <einkorn/core/detail/caller_device.hpp>
#include <einkorn/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace einkorn {

/// Calls body(communicator) for each of `num_ranks` ranks, each on a host thread of this process, and waits for
/// all of them. For tests and sanitizers, without MPI.
///
/// A rank uses Kokkos as a process does, on the current device of the caller. Ranks may use the same execution space
/// instance, such as Exec(), which then runs their kernels one after another in any order; but on a GPU an instance each for
/// set-up and solves, whose reductions share memory of the instance. A kernel must not wait for another rank. Data that
/// several ranks access needs a lock. The communicator is not used after the rank has ended.
///
/// A rank that ends with an exception ends the waiting of the others, which throw Error("rank 2 ended with an
/// exception: ..."). So does a deadlock: every rank has ended or waits for a message.
/// @throws InvalidArgument unless num_ranks >= 1
/// @throws the exception of body(); if several ranks threw, that of the lowest rank that did not throw because
/// of another one; Error if a rank ended without receiving a message
template <class Body>
requires std::invocable<Body const&, Communicator const&>
void run_ranks(int num_ranks, Body const& body) {
  require<InvalidArgument>(num_ranks >= 1, [&] {
    return "run_ranks: num_ranks is " + std::to_string(num_ranks) + ", expected at least 1";
  });
  auto const world = std::make_shared<detail::LoopbackWorld>(num_ranks);
  std::vector<std::thread> threads;
  reserve(threads, "einkorn::run_ranks", static_cast<std::size_t>(num_ranks));
  detail::CallerDevice const device;
  auto const run = [&](int rank) {
    device.use();
    try {
      body(Communicator(std::make_shared<detail::LoopbackBackend>(world, rank)));
      world->end(rank);
    } catch (...) {
      world->end_with_exception(rank);
    }
  };
  auto const join = [&] {
    for (auto& thread : threads) thread.join();
  };
  try {
    for (int rank = 0; rank < num_ranks; ++rank) threads.emplace_back(run, rank);
  } catch (std::system_error const&) {
    world->fail_to_start(static_cast<int>(threads.size()));
    join();
    throw;
  }
  join();
  world->rethrow();
}

struct LoopbackOptions {
  /// Halo channels: start() fills the ghost buffer with bytes 0xff, which are NaNs. finish() throws Error if
  /// the send buffer or the ghost buffer was written since.
  bool poison_ghosts = false;
  /// Waits up to so many microseconds before each message, at random.
  int max_delay_us = 0;
  std::uint64_t seed = 0;  ///< of the delays; ranks have different ones
};

namespace detail {

/// A rank of run_ranks() that delays its messages.
class LoopbackSender {
 public:
  LoopbackSender(Communicator const& comm, LoopbackOptions const& options)
      : comm_(comm),
        backend_(dynamic_cast<LoopbackBackend*>(&comm.backend())),
        delay_(0, std::max(0, options.max_delay_us)),
        random_(options.seed * 1009 + static_cast<std::uint64_t>(comm.rank())) {
    require<InvalidArgument>(backend_ != nullptr,
                             "LoopbackTransport: the communicator is not one of run_ranks()");
  }
  [[nodiscard]] LoopbackBackend& backend() const { return *backend_; }
  void send(int to, int tag, void const* data, std::size_t bytes) {
    if (delay_.max() > 0) std::this_thread::sleep_for(std::chrono::microseconds(delay_(random_)));
    backend_->send(to, tag, data, bytes);
  }

 private:
  Communicator comm_;
  LoopbackBackend* backend_;
  std::uniform_int_distribution<int> delay_;
  std::mt19937_64 random_;
};

template <class Exec>
class LoopbackHalo final : public HaloChannel<Exec> {
 public:
  LoopbackHalo(Exec const& exec, LoopbackSender const& sender, int tag, HaloMessages const& messages,
               std::size_t entry_bytes, bool poison)
      : sender_(sender),
        tag_(tag),
        messages_(messages),
        entry_bytes_(entry_bytes),
        send_(exec, "einkorn::LoopbackTransport::send", messages.num_sent() * entry_bytes,
              CommMemory::mirrored),
        ghost_(exec, "einkorn::LoopbackTransport::ghost", messages.num_received() * entry_bytes,
               CommMemory::mirrored),
        poison_(poison),
        sent_(allocate_vector<unsigned char>("einkorn::LoopbackTransport::sent", poison ? send_.bytes() : 0)) {}

  [[nodiscard]] void* send_buffer() const override { return send_.kernel_data(); }
  [[nodiscard]] void const* ghost_buffer() const override { return ghost_.kernel_data(); }
  void start(Exec const& exec) override {
    require<InvalidArgument>(!active_, "HaloChannel: start() before finish() of the last exchange");
    active_ = true;
    send_.to_transfer(exec);
    exec.fence("einkorn::LoopbackTransport: packed");
    if (poison_ && send_.bytes() > 0) std::memcpy(sent_.data(), send_.transfer_data(), send_.bytes());
    if (poison_ && ghost_.bytes() > 0) {
      std::memset(ghost_.transfer_data(), 0xff, ghost_.bytes());
      ghost_.to_kernels(exec, ghost_.bytes());
    }
    auto const& offsets = messages_.send_offsets;
    for (std::size_t i = 0; i < messages_.send_ranks.size(); ++i)
      sender_.send(messages_.send_ranks[i], tag_, send_.transfer_data() + offsets[i] * entry_bytes_,
                   (offsets[i + 1] - offsets[i]) * entry_bytes_);
  }
  void finish(Exec const& exec) override {
    require<InvalidArgument>(active_, "HaloChannel: finish() without start()");
    active_ = false;
    if (poison_) check_unchanged(exec);
    auto const& offsets = messages_.receive_offsets;
    for (std::size_t i = 0; i < messages_.receive_ranks.size(); ++i)
      sender_.backend().receive(messages_.receive_ranks[i], tag_,
                                ghost_.transfer_data() + offsets[i] * entry_bytes_,
                                (offsets[i + 1] - offsets[i]) * entry_bytes_);
    ghost_.to_kernels(exec, ghost_.bytes());
  }

 private:
  void check_unchanged(Exec const& exec) {
    send_.to_transfer(exec);
    ghost_.to_transfer(exec);
    exec.fence("einkorn::LoopbackTransport: check of the buffers");
    require<Error>(std::equal(sent_.begin(), sent_.end(), send_.transfer_data()),
                   "HaloChannel: the send buffer was written between start() and finish()");
    require<Error>(std::all_of(ghost_.transfer_data(), ghost_.transfer_data() + ghost_.bytes(),
                               [](unsigned char byte) { return byte == 0xff; }),
                   "HaloChannel: the ghost buffer was written between start() and finish()");
  }

  LoopbackSender sender_;
  int tag_;
  HaloMessages messages_;
  std::size_t entry_bytes_;
  CommBuffer<Exec> send_, ghost_;
  bool poison_, active_ = false;
  std::vector<unsigned char> sent_;
};

template <class Exec>
class LoopbackGather final : public GatherChannel<Exec> {
 public:
  LoopbackGather(Exec const& exec, LoopbackSender const& sender, int tag, int num_ranks, int max_count)
      : sender_(sender),
        tag_(tag),
        num_ranks_(num_ranks),
        max_count_(max_count),
        mine_(exec, "einkorn::LoopbackTransport::mine", bytes_of(1, max_count), CommMemory::mirrored),
        all_(exec, "einkorn::LoopbackTransport::all", bytes_of(num_ranks, max_count), CommMemory::mirrored) {}

  [[nodiscard]] double* mine() const override { return reinterpret_cast<double*>(mine_.kernel_data()); }
  [[nodiscard]] double const* all() const override { return reinterpret_cast<double*>(all_.kernel_data()); }
  void gather(Exec const& exec, int first, int count) override {
    check_gather(first, count, max_count_);
    mine_.to_transfer(exec);
    exec.fence("einkorn::LoopbackTransport: values to gather");
    auto const bytes = bytes_of(1, count);
    auto const* const from = mine_.transfer_data() + bytes_of(1, first);
    auto const rank = sender_.backend().rank();
    for (int r = 0; r < num_ranks_; ++r)
      if (r != rank) sender_.send(r, tag_, from, bytes);
    for (int r = 0; r < num_ranks_; ++r) {
      auto* const to = all_.transfer_data() + bytes_of(r, count);
      if (r != rank)
        sender_.backend().receive(r, tag_, to, bytes);
      else if (bytes > 0)
        std::memcpy(to, from, bytes);
    }
    all_.to_kernels(exec, bytes_of(num_ranks_, count));
  }

 private:
  static std::size_t bytes_of(int ranks, int count) {
    return static_cast<std::size_t>(ranks) * static_cast<std::size_t>(count) * sizeof(double);
  }

  LoopbackSender sender_;
  int tag_, num_ranks_, max_count_;
  CommBuffer<Exec> mine_, all_;
};

}  // namespace detail

/// Messages through the memory of the process, between the ranks of run_ranks(). start(), finish() and gather()
/// fence exec and copy on the host.
template <class Exec>
class LoopbackTransport final : public Transport<Exec> {
 public:
  /// @throws InvalidArgument if `comm` is not a communicator of run_ranks()
  explicit LoopbackTransport(Communicator const& comm, LoopbackOptions const& options = {})
      : Transport<Exec>(comm), sender_(comm, options), poison_(options.poison_ghosts) {}

  [[nodiscard]] std::string name() const override { return "loopback"; }
  [[nodiscard]] std::unique_ptr<HaloChannel<Exec>> open_halo(Exec const& exec, HaloMessages const& messages,
                                                             std::size_t entry_bytes) override {
    auto const& comm = this->communicator();
    auto const tag = sender_.backend().next_tag();
    detail::check_halo(comm, messages, entry_bytes);
    return comm.collectively([&]() -> std::unique_ptr<HaloChannel<Exec>> {
      return std::make_unique<detail::LoopbackHalo<Exec>>(exec, sender_, tag, messages, entry_bytes, poison_);
    });
  }
  [[nodiscard]] std::unique_ptr<GatherChannel<Exec>> open_gather(Exec const& exec, int max_count) override {
    auto const& comm = this->communicator();
    auto const tag = sender_.backend().next_tag();
    return comm.collectively([&]() -> std::unique_ptr<GatherChannel<Exec>> {
      detail::check_gather(0, max_count, max_count);
      return std::make_unique<detail::LoopbackGather<Exec>>(exec, sender_, tag, comm.size(), max_count);
    });
  }

 private:
  detail::LoopbackSender sender_;
  bool poison_;
};

}  // namespace einkorn
