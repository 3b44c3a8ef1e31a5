// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/comm/communicator.hpp>
#include <einkorn/core/comm/detail/comm_buffer.hpp>
#include <einkorn/core/comm/detail/device_event.hpp>
#include <einkorn/core/comm/mpi_communicator.hpp>
#include <einkorn/core/comm/transport.hpp>
#include <einkorn/core/error.hpp>

#include <Kokkos_Core.hpp>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace einkorn {

/// The buffers of halo messages that MPI accesses, if kernels do not run on the host.
enum class Staging {
  automatic,  ///< pinned; device if EINKORN_MPI_DEVICE_BUFFERS=1 on all ranks and device_buffers_work()
  pinned,     ///< pinned host memory
  device      ///< device memory, without a check that this MPI accepts it
};

/// Whether this MPI transfers device memory of Exec: sends one message from each rank to the next and compares.
/// Collective. An MPI without support for devices may crash: for callers that expect support.
template <class Exec>
[[nodiscard]] bool device_buffers_work(Exec const& exec, Communicator const& comm) {
  using Bytes = Kokkos::View<unsigned char*, typename Exec::memory_space>;
  int const bytes = 1 << 16;
  auto const pattern = [](int rank, std::size_t i) {
    return static_cast<unsigned char>(i * 31 + i / 256 + 7 * static_cast<std::size_t>(rank));
  };
  auto& backend = detail::mpi_backend(comm);
  int const tag = backend.next_tag(), rank = comm.rank(), ranks = comm.size();
  int const next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
  auto const sent = comm.collectively([&] { return allocate<Bytes>(exec, "einkorn::mpi::probe", bytes); });
  auto const received = comm.collectively([&] { return allocate<Bytes>(exec, "einkorn::mpi::probe", bytes); });
  auto const host = allocate_on_host("einkorn::mpi::probe", sent);
  for (std::size_t i = 0; i < host.size(); ++i) host(i) = pattern(rank, i);
  Kokkos::deep_copy(exec, sent, host);
  exec.fence("einkorn::device_buffers_work: message written");
  bool const arrived = MPI_Sendrecv(sent.data(), bytes, MPI_BYTE, next, tag, received.data(), bytes, MPI_BYTE,
                                    previous, tag, backend.handle(), MPI_STATUS_IGNORE) == MPI_SUCCESS;
  Kokkos::deep_copy(exec, host, received);
  exec.fence("einkorn::device_buffers_work: message read");
  bool is_equal = arrived;
  for (std::size_t i = 0; i < host.size(); ++i) is_equal = is_equal && host(i) == pattern(previous, i);
  auto const all = comm.all_gather(is_equal ? 1 : 0);
  return std::all_of(all.begin(), all.end(), [](int works) { return works == 1; });
}

namespace detail {

/// The buffers to use. Collective for Staging::automatic.
template <class Probe>
Staging choose_staging(Communicator const& comm, Staging staging, Probe const& device_buffers_work) {
  if (staging != Staging::automatic) return staging;
  char const* const value = std::getenv("EINKORN_MPI_DEVICE_BUFFERS");
  auto const requests = comm.all_gather(value != nullptr && std::string(value) == "1" ? 1 : 0);
  bool const is_requested = std::find(requests.begin(), requests.end(), 0) == requests.end();
  return is_requested && device_buffers_work() ? Staging::device : Staging::pinned;
}

template <class Exec>
class MpiHalo final : public HaloChannel<Exec> {
 public:
  MpiHalo(Exec const& exec, Communicator const& comm, int tag, HaloMessages const& messages,
          std::size_t entry_bytes, Staging staging)
      : comm_(comm),
        send_(exec, "einkorn::MpiTransport::send", messages.num_sent() * entry_bytes,
              staging == Staging::device ? CommMemory::device : CommMemory::pinned),
        ghost_(exec, "einkorn::MpiTransport::ghost", messages.num_received() * entry_bytes,
               staging == Staging::device ? CommMemory::device : CommMemory::mirrored),
        packed_(exec) {
    auto const receives = pieces_of(messages.receive_ranks, messages.receive_offsets, entry_bytes);
    auto const sends = pieces_of(messages.send_ranks, messages.send_offsets, entry_bytes);
    requests_.allocate(receives.size(), sends.size());
    auto const handle = mpi_handle(comm);
    for (std::size_t i = 0; i < receives.size(); ++i) {
      auto const& piece = receives[i];
      check_mpi(MPI_Recv_init(ghost_.transfer_data() + piece.at, piece.count, MPI_BYTE, piece.rank, tag, handle,
                              &requests_[i]),
                "MPI_Recv_init");
    }
    for (std::size_t i = 0; i < sends.size(); ++i) {
      auto const& piece = sends[i];
      check_mpi(MPI_Send_init(send_.transfer_data() + piece.at, piece.count, MPI_BYTE, piece.rank, tag, handle,
                              &requests_[receives.size() + i]),
                "MPI_Send_init");
    }
  }

  [[nodiscard]] void* send_buffer() const override { return send_.kernel_data(); }
  [[nodiscard]] void const* ghost_buffer() const override { return ghost_.kernel_data(); }
  void start(Exec const& exec) override {
    require<InvalidArgument>(!active_, "HaloChannel: start() before finish() of the last exchange");
    active_ = true;
    packed_.record(exec);
    if (CommBuffer<Exec>::is_host) requests_.start_all();  // the work on exec has ended
  }
  void finish(Exec const& exec) override {
    require<InvalidArgument>(active_, "HaloChannel: finish() without start()");
    active_ = false;
    packed_.wait();  // also for the copy of the last ghosts, which is earlier work on exec
    if (!CommBuffer<Exec>::is_host) requests_.start_all();
    requests_.wait_all();
    ghost_.to_kernels(exec, ghost_.bytes());
  }

 private:
  struct Piece {
    int rank, count;  // bytes
    std::size_t at;
  };
  std::vector<Piece> pieces_of(std::vector<int> const& ranks, std::vector<std::size_t> const& offsets,
                               std::size_t entry_bytes) const {
    int const max_bytes = mpi_backend(comm_).max_message_bytes();
    auto const bytes = [&](std::size_t i) { return (offsets[i + 1] - offsets[i]) * entry_bytes; };
    std::size_t count = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) count += num_pieces(bytes(i), max_bytes);
    std::vector<Piece> pieces;
    reserve(pieces, "einkorn::MpiTransport", count);
    for (std::size_t i = 0; i < ranks.size(); ++i)
      for_each_piece(bytes(i), max_bytes, [&](std::size_t at, int length) {
        pieces.push_back({ranks[i], length, offsets[i] * entry_bytes + at});
      });
    return pieces;
  }

  Communicator comm_;  // of the requests
  CommBuffer<Exec> send_, ghost_;
  DeviceEvent<Exec> packed_;
  bool active_ = false;
  MpiRequests requests_;  // ends first
};

/// In pinned memory: the values are few.
template <class Exec>
class MpiGather final : public GatherChannel<Exec> {
 public:
  MpiGather(Exec const& exec, Communicator const& comm, int max_count)
      : comm_(comm),
        max_count_(max_count),
        mine_(exec, "einkorn::MpiTransport::mine", bytes_of(1, max_count), CommMemory::pinned),
        all_(exec, "einkorn::MpiTransport::all", bytes_of(comm.size(), max_count), CommMemory::mirrored) {}

  [[nodiscard]] double* mine() const override { return reinterpret_cast<double*>(mine_.kernel_data()); }
  [[nodiscard]] double const* all() const override { return reinterpret_cast<double*>(all_.kernel_data()); }
  void gather(Exec const& exec, int first, int count) override {
    check_gather(first, count, max_count_);
    exec.fence("einkorn::MpiTransport: values to gather");
    check_mpi(MPI_Allgather(mine() + first, count, MPI_DOUBLE, all_.transfer_data(), count, MPI_DOUBLE,
                            mpi_handle(comm_)),
              "MPI_Allgather");
    all_.to_kernels(exec, bytes_of(comm_.size(), count));
  }

 private:
  static std::size_t bytes_of(int ranks, int count) {
    return static_cast<std::size_t>(ranks) * static_cast<std::size_t>(count) * sizeof(double);
  }

  Communicator comm_;
  int max_count_;
  CommBuffer<Exec> mine_, all_;
};

}  // namespace detail

/// Halo exchanges by persistent requests of MPI, and gathered sums by MPI_Allgather.
///
/// Host spaces: MPI accesses the buffers of the kernels; start() fences exec and starts the messages. Devices:
/// start() records an event on exec, and finish() waits for it on the host and starts the messages, so that
/// work launched between them overlaps with both. With Staging::pinned kernels write the send buffer in pinned
/// host memory, and finish() copies the ghosts to the device on exec. gather() fences exec.
///
/// Errors of MPI are thrown as Error by start(), finish() and gather(). Each channel has its own tag, and the
/// communicator is a duplicate, so messages of channels never mix with others. A channel may be destroyed after
/// MPI_Finalize(), but not used.
template <class Exec>
class MpiTransport final : public Transport<Exec> {
 public:
  /// Collective.
  /// @param comm  of make_mpi_communicator()
  /// @param staging  no effect on host spaces
  /// @throws InvalidArgument
  explicit MpiTransport(Communicator const& comm, Staging staging = Staging::automatic)
      : Transport<Exec>(comm), staging_(choose(comm, staging)) {}

  [[nodiscard]] std::string name() const override {
    if (detail::CommBuffer<Exec>::is_host) return "mpi";
    return staging_ == Staging::device ? "mpi, device buffers" : "mpi, pinned buffers";
  }
  [[nodiscard]] std::unique_ptr<HaloChannel<Exec>> open_halo(Exec const& exec, HaloMessages const& messages,
                                                             std::size_t entry_bytes) override {
    auto const& comm = this->communicator();
    int const tag = detail::mpi_backend(comm).next_tag();
    detail::check_halo(comm, messages, entry_bytes);
    return comm.collectively([&]() -> std::unique_ptr<HaloChannel<Exec>> {
      return std::make_unique<detail::MpiHalo<Exec>>(exec, comm, tag, messages, entry_bytes, staging_);
    });
  }
  [[nodiscard]] std::unique_ptr<GatherChannel<Exec>> open_gather(Exec const& exec, int max_count) override {
    auto const& comm = this->communicator();
    return comm.collectively([&]() -> std::unique_ptr<GatherChannel<Exec>> {
      detail::check_gather(0, max_count, max_count);
      return std::make_unique<detail::MpiGather<Exec>>(exec, comm, max_count);
    });
  }

 private:
  static Staging choose(Communicator const& comm, Staging staging) {
    detail::require_enumerator(staging, Staging::device, "MpiTransport: staging");
    (void)mpi_handle(comm);  // or throws
    if (detail::CommBuffer<Exec>::is_host) return Staging::pinned;
    return detail::choose_staging(comm, staging, [&] { return device_buffers_work(Exec(), comm); });
  }

  Staging staging_;
};

}  // namespace einkorn
