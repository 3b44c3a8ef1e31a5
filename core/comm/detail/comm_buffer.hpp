// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn::detail {

/// Memory of a CommBuffer on a device with its own memory.
enum class CommMemory {
  device,   ///< device memory, which the transfer accesses as well
  pinned,   ///< pinned host memory, which kernels access as well
  mirrored  ///< device memory for kernels and pinned host memory for the transfer
};

/// A buffer that kernels of Exec and a transfer between ranks access. On host spaces one allocation.
template <class Exec>
class CommBuffer {
 public:
  static constexpr bool is_host =
      bool(Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible);

  CommBuffer(Exec const& exec, char const* label, std::size_t bytes, CommMemory memory) : bytes_(bytes) {
    if (!is_host && memory != CommMemory::pinned)
      device_ = allocate<Kokkos::View<unsigned char*, typename Exec::memory_space>>(exec, label, bytes);
    if (is_host || memory != CommMemory::device)
      host_ = allocate<Kokkos::View<unsigned char*, PinnedSpace<Exec>>>(exec, label, bytes);
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// The address for kernels.
  [[nodiscard]] unsigned char* kernel_data() const {
    return device_.data() != nullptr ? device_.data() : host_.data();
  }
  /// The address for the transfer.
  [[nodiscard]] unsigned char* transfer_data() const {
    return host_.data() != nullptr ? host_.data() : device_.data();
  }
  /// Copies what kernels wrote to the memory of the transfer, on exec.
  void to_transfer([[maybe_unused]] Exec const& exec) const {
    if constexpr (!is_host)
      if (is_mirrored()) Kokkos::deep_copy(exec, host_, device_);
  }
  /// Copies the first `bytes` bytes of the memory of the transfer to that of the kernels, on exec.
  void to_kernels([[maybe_unused]] Exec const& exec, [[maybe_unused]] std::size_t bytes) const {
    if constexpr (!is_host)
      if (is_mirrored()) {
        Kokkos::pair<std::size_t, std::size_t> const part(0, bytes);
        Kokkos::deep_copy(exec, Kokkos::subview(device_, part), Kokkos::subview(host_, part));
      }
  }

 private:
  [[nodiscard]] bool is_mirrored() const { return device_.data() != nullptr && host_.data() != nullptr; }

  std::size_t bytes_;
  Kokkos::View<unsigned char*, typename Exec::memory_space> device_;
  Kokkos::View<unsigned char*, PinnedSpace<Exec>> host_;
};

}  // namespace einkorn::detail
