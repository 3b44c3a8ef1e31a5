// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/comm/communicator.hpp>
#include <einkorn/core/comm/detail/device_runtime.hpp>
#include <einkorn/core/comm/detail/node.hpp>
#include <einkorn/core/comm/transport.hpp>
#include <einkorn/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace einkorn::detail {

/// @throws InvalidArgument on every rank unless all are processes of one node. Collective.
inline void require_processes_of_one_node(Communicator const& comm) {
  struct Place {
    std::int64_t process;
    std::array<char, 128> node;
  };
  auto const all = comm.all_gather(Place{getpid(), node_name()});
  for (std::size_t r = 1; r < all.size(); ++r)
    require<InvalidArgument>(all[r].node == all[0].node, [&] {
      return "PeerTransport: rank " + std::to_string(r) + " runs on another node than rank 0 (" +
             all[r].node.data() + " and " + all[0].node.data() + "); peer memory exists within a node";
    });
  for (std::size_t r = 0; r < all.size(); ++r)
    for (std::size_t q = 0; q < r; ++q)
      require<InvalidArgument>(all[r].process != all[q].process, [&] {
        return "PeerTransport: ranks " + std::to_string(q) + " and " + std::to_string(r) +
               " are threads of one process, expected one process per rank";
      });
}

/// Device memory of each rank, mapped into every other: zeros at first. Its construction and destruction are
/// collective.
template <class Exec>
class PeerMemory final : public RankMemory {
  using Runtime = DeviceRuntime<Exec>;

 public:
  /// @param bytes  of this rank
  /// @throws OutOfMemory, Error (the device of a rank cannot access that of another), on every rank
  PeerMemory(Exec const& exec, Communicator const& comm, std::size_t bytes) : exec_(exec), comm_(comm) {
    struct Exported {
      typename Runtime::MemoryHandle handle;
    };
    try {
      auto const exported = comm_.collectively([&] {
        mapped_ =
            allocate_vector<unsigned char*>("einkorn::PeerMemory", static_cast<std::size_t>(comm_.size()));
        Runtime::use(exec);
        mine() = Runtime::allocate_shared(bytes > 0 ? bytes : 1);
        return Exported{Runtime::handle_of(mine())};
      });
      auto const all = comm_.all_gather(exported);
      comm_.collectively([&] {
        for (int r = 0; r < comm_.size(); ++r)
          if (r != comm_.rank()) at(r) = Runtime::map(all[static_cast<std::size_t>(r)].handle);
      });
    } catch (...) {  // of all ranks
      unmap();
      release();
      throw;
    }
  }
  PeerMemory(PeerMemory const&) = delete;
  PeerMemory& operator=(PeerMemory const&) = delete;
  /// Waits for the kernels of this rank. The other ranks unmap the memory before it is freed, unless one of them
  /// ends with an exception.
  ~PeerMemory() override {
    try {
      if (Kokkos::is_initialized()) exec_.fence("einkorn::PeerMemory: the end of its use");
      unmap();
      if (std::uncaught_exceptions() == 0 && comm_.is_usable()) static_cast<void>(comm_.all_gather(0));
    } catch (...) {  // a kernel or a message failed, which was reported where it was used
    }
    release();
  }
  [[nodiscard]] unsigned char* of(int rank) const override { return mapped_[static_cast<std::size_t>(rank)]; }

 private:
  [[nodiscard]] unsigned char*& at(int rank) { return mapped_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] unsigned char*& mine() { return at(comm_.rank()); }
  void unmap() {
    for (int r = 0; r < static_cast<int>(mapped_.size()); ++r)
      if (r != comm_.rank() && at(r) != nullptr) Runtime::unmap(std::exchange(at(r), nullptr));
  }
  void release() {
    if (!mapped_.empty() && mine() != nullptr) Runtime::free_shared(std::exchange(mine(), nullptr));
  }

  Exec exec_;
  Communicator comm_;
  std::vector<unsigned char*> mapped_;
};

}  // namespace einkorn::detail
