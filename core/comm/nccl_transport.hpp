// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/comm/choose_transport.hpp>
#include <einkorn/core/comm/communicator.hpp>
#include <einkorn/core/comm/detail/device_event.hpp>
#include <einkorn/core/comm/detail/node.hpp>
#include <einkorn/core/comm/transport.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>

#include <Kokkos_Core.hpp>
#if __has_include(<nccl.h>)
#include <nccl.h>
#else
#include <rccl/rccl.h>
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace einkorn {

namespace detail {

/// @throws Error with the message of NCCL unless code is ncclSuccess
inline void check_nccl(ncclResult_t code, char const* call) {
  if (code == ncclSuccess) [[likely]]
    return;
  throw Error(std::string(call) + ": " + ncclGetErrorString(code));
}

/// A communicator of NCCL with the ranks of a Communicator. Its construction is collective.
class NcclCommunicator {
 public:
  template <class Exec>
  NcclCommunicator(Exec const& exec, Communicator const& comm) {
    auto const id = comm.collectively([&] {
      ncclUniqueId mine{};
      if (comm.rank() == 0) check_nccl(ncclGetUniqueId(&mine), "ncclGetUniqueId");
      return mine;
    });
    auto const ids = comm.all_gather(id);
    comm.collectively([&] {
      DeviceRuntime<Exec>::use(exec);
      check_nccl(ncclCommInitRank(&handle_, comm.size(), ids[0], comm.rank()), "ncclCommInitRank");
    });
  }
  NcclCommunicator(NcclCommunicator const&) = delete;
  NcclCommunicator& operator=(NcclCommunicator const&) = delete;
  ~NcclCommunicator() {
    if (handle_ == nullptr) return;
    // After an exception the other ranks may not destroy theirs, for which ncclCommDestroy() may wait.
    static_cast<void>(std::uncaught_exceptions() == 0 ? ncclCommDestroy(handle_) : ncclCommAbort(handle_));
  }
  [[nodiscard]] ncclComm_t handle() const { return handle_; }

 private:
  ncclComm_t handle_ = nullptr;
};

template <class Exec>
class NcclHalo final : public HaloChannel<Exec> {
 public:
  NcclHalo(Exec const& exec, std::shared_ptr<NcclCommunicator const> nccl, HaloMessages messages,
           std::size_t entry_bytes)
      : nccl_(std::move(nccl)),
        messages_(std::move(messages)),
        entry_bytes_(entry_bytes),
        send_(allocate<Bytes>(exec, "einkorn::NcclTransport::send", messages_.num_sent() * entry_bytes)),
        ghost_(allocate<Bytes>(exec, "einkorn::NcclTransport::ghost", messages_.num_received() * entry_bytes)),
        side_(exec) {}

  [[nodiscard]] void* send_buffer() const override { return send_.data(); }
  [[nodiscard]] void const* ghost_buffer() const override { return ghost_.data(); }
  [[nodiscard]] Exec pack_instance(Exec const& exec) override {
    if (is_empty()) return exec;
    side_.fork(exec);
    is_forked_ = true;
    return side_.instance();
  }
  void start(Exec const& exec) override {
    require<InvalidArgument>(!is_active_, "HaloChannel: start() before finish() of the last exchange");
    is_active_ = true;
    if (is_empty()) return;
    if (!is_forked_) side_.fork(exec);
    is_forked_ = false;
    auto const stream = DeviceRuntime<Exec>::stream_of(side_.instance());
    auto const for_each = [&](std::vector<int> const& ranks, std::vector<std::size_t> const& offsets,
                              auto const& body) {
      for (std::size_t m = 0; m < ranks.size(); ++m)
        body(ranks[m], offsets[m] * entry_bytes_, (offsets[m + 1] - offsets[m]) * entry_bytes_);
    };
    check_nccl(ncclGroupStart(), "ncclGroupStart");
    for_each(messages_.send_ranks, messages_.send_offsets, [&](int to, std::size_t at, std::size_t bytes) {
      check_nccl(ncclSend(send_.data() + at, bytes, ncclChar, to, nccl_->handle(), stream), "ncclSend");
    });
    for_each(
        messages_.receive_ranks, messages_.receive_offsets, [&](int from, std::size_t at, std::size_t bytes) {
          check_nccl(ncclRecv(ghost_.data() + at, bytes, ncclChar, from, nccl_->handle(), stream), "ncclRecv");
        });
    check_nccl(ncclGroupEnd(), "ncclGroupEnd");
    side_.mark_end();
  }
  void finish(Exec const& exec) override {
    require<InvalidArgument>(is_active_, "HaloChannel: finish() without start()");
    is_active_ = false;
    if (!is_empty()) side_.join(exec);
  }

 private:
  using Bytes = Kokkos::View<unsigned char*, typename Exec::memory_space>;
  [[nodiscard]] bool is_empty() const { return messages_.num_sent() + messages_.num_received() == 0; }

  std::shared_ptr<NcclCommunicator const> nccl_;
  HaloMessages messages_;
  std::size_t entry_bytes_;
  Bytes send_, ghost_;
  SideInstance<Exec> side_;
  bool is_active_ = false, is_forked_ = false;
};

template <class Exec>
class NcclGather final : public GatherChannel<Exec> {
 public:
  NcclGather(Exec const& exec, std::shared_ptr<NcclCommunicator const> nccl, int ranks, int max_count)
      : nccl_(std::move(nccl)),
        max_count_(max_count),
        mine_(allocate<Doubles>(exec, "einkorn::NcclTransport::mine", static_cast<std::size_t>(max_count))),
        all_(allocate<Doubles>(exec, "einkorn::NcclTransport::all",
                               static_cast<std::size_t>(ranks) * static_cast<std::size_t>(max_count))) {}

  [[nodiscard]] double* mine() const override { return mine_.data(); }
  [[nodiscard]] double const* all() const override { return all_.data(); }
  void gather(Exec const& exec, int first, int count) override {
    check_gather(first, count, max_count_);
    if (count == 0) return;
    check_nccl(ncclAllGather(mine_.data() + first, all_.data(), static_cast<std::size_t>(count), ncclDouble,
                             nccl_->handle(), DeviceRuntime<Exec>::stream_of(exec)),
               "ncclAllGather");
  }

 private:
  using Doubles = Kokkos::View<double*, typename Exec::memory_space>;

  std::shared_ptr<NcclCommunicator const> nccl_;
  int max_count_;
  Doubles mine_, all_;
};

/// @throws InvalidArgument on every rank if two ranks have one device
template <class Exec>
void require_one_device_per_rank(Exec const& exec, Communicator const& comm) {
  struct Place {
    std::array<char, 128> node;
    std::array<char, 64> device;
  };
  auto const all = comm.all_gather(
      comm.collectively([&] { return Place{node_name(), DeviceRuntime<Exec>::address(exec)}; }));
  for (std::size_t r = 0; r < all.size(); ++r)
    for (std::size_t q = 0; q < r; ++q)
      require<InvalidArgument>(all[r].node != all[q].node || all[r].device != all[q].device, [&] {
        return "NcclTransport: ranks " + std::to_string(q) + " and " + std::to_string(r) + " use one device (" +
               all[r].device.data() + "), expected one per rank";
      });
}

}  // namespace detail

/// Halo exchanges by ncclSend() and ncclRecv(), and gathered sums by ncclAllGather() (RCCL on HIP). start(), finish() and
/// gather() only enqueue work, and may be captured in a graph. Exchanges run on a stream of their own beside the work on
/// exec.
///
/// Errors of NCCL are thrown as Error. Its channels use two communicators of NCCL, made by the constructor. The transport
/// and its channels are destroyed on all ranks.
template <class Exec>
class NcclTransport final : public Transport<Exec> {
 public:
  /// Collective.
  /// @throws InvalidArgument if two ranks have one device, which NCCL refuses; Error of NCCL: on every rank
  NcclTransport(Exec const& exec, Communicator const& comm) : Transport<Exec>(comm) {
    detail::require_one_device_per_rank(exec, comm);
    exchanges_ = std::make_shared<detail::NcclCommunicator const>(exec, comm);
    gathers_ = std::make_shared<detail::NcclCommunicator const>(exec, comm);
  }

  [[nodiscard]] std::string name() const override { return "nccl"; }
  [[nodiscard]] bool is_stream_ordered() const override { return true; }
  [[nodiscard]] std::unique_ptr<HaloChannel<Exec>> open_halo(Exec const& exec, HaloMessages const& messages,
                                                             std::size_t entry_bytes) override {
    auto const& comm = this->communicator();
    detail::check_halo(comm, messages, entry_bytes);
    return comm.collectively([&]() -> std::unique_ptr<HaloChannel<Exec>> {
      return std::make_unique<detail::NcclHalo<Exec>>(exec, exchanges_, messages, entry_bytes);
    });
  }
  [[nodiscard]] std::unique_ptr<GatherChannel<Exec>> open_gather(Exec const& exec, int max_count) override {
    auto const& comm = this->communicator();
    return comm.collectively([&]() -> std::unique_ptr<GatherChannel<Exec>> {
      detail::check_gather(0, max_count, max_count);
      return std::make_unique<detail::NcclGather<Exec>>(exec, gathers_, comm.size(), max_count);
    });
  }

 private:
  std::shared_ptr<detail::NcclCommunicator const> exchanges_, gathers_;
};

/// NcclTransport as the candidate "nccl" of choose_transport() and make_transport().
template <ExecutionSpace Exec>
[[nodiscard]] TransportCandidate<Exec> nccl_candidate(Exec const& exec, Communicator const& comm) {
  return {"nccl", [exec, comm] { return std::make_shared<NcclTransport<Exec>>(exec, comm); }};
}

}  // namespace einkorn
