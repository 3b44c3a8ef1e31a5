// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/core/launch.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace einkorn::detail {

/// GPU: an array for results of kernels that the host reads later, so that it can allocate and launch in the meantime. Kokkos'
/// reductions to several results wait for the kernel, and an allocation takes 70 to 90 us (H200): arrays are kept and reused
/// until Kokkos::finalize(), one per device and concurrent caller.
template <class Exec>
class ResultMemory {
 public:
  static constexpr std::size_t capacity = 2048;  // words
  using Words = Kokkos::View<std::uint64_t*, typename Exec::memory_space>;

  /// Fills the first `size` words with zeros, asynchronously on exec.
  /// @throws OutOfMemory
  ResultMemory(Exec const& exec, std::size_t size) : exec_(exec), words_(take(exec)) {
    if (size > 0)
      fill_vector(exec_, Kokkos::subview(words_, std::pair(std::size_t(0), size)), std::uint64_t(0));
  }
  ResultMemory(ResultMemory const&) = delete;
  ResultMemory& operator=(ResultMemory const&) = delete;
  ~ResultMemory() {
    if (!is_read_) fence(exec_, "einkorn::ResultMemory: kernels write to it no longer");
    std::scoped_lock const lock(pool().mutex);
    pool().free.emplace_back(device_of(exec_), words_);
  }

  [[nodiscard]] std::uint64_t* data() const { return words_.data(); }

  /// The first `size` words, when the kernels that were launched before have finished. Fences exec.
  template <std::size_t size>
  std::array<std::uint64_t, size> read() {
    static_assert(size <= capacity);
    std::array<std::uint64_t, size> result{};
    copy_vector(exec_,
                Kokkos::View<std::uint64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(result.data(), size),
                Kokkos::subview(words_, std::pair(std::size_t(0), size)));
    fence(exec_, "einkorn::ResultMemory: results are read");
    is_read_ = true;
    return result;
  }

 private:
  struct Pool {
    std::mutex mutex;
    std::vector<std::pair<int, Words>> free;  // with the number of the device
    bool is_released_at_finalize = false;
  };
  static Pool& pool() {
    static Pool pool;
    return pool;
  }

  static int device_of(Exec const& exec) {
    if constexpr (requires { exec.cuda_device(); })
      return exec.cuda_device();
    else if constexpr (requires { exec.hip_device(); })
      return exec.hip_device();
    else
      return 0;
  }

  static Words take(Exec const& exec) {
    {
      std::scoped_lock const lock(pool().mutex);
      auto& free = pool().free;
      for (auto it = free.begin(); it != free.end(); ++it) {
        if (it->first != device_of(exec)) continue;
        Words const words = it->second;
        free.erase(it);
        return words;
      }
      if (!std::exchange(pool().is_released_at_finalize, true))
        Kokkos::push_finalize_hook([] {
          std::scoped_lock const finalizing(pool().mutex);
          pool().free.clear();
        });
    }
    return allocate<Words>(exec, "einkorn::ResultMemory", capacity);
  }

  Exec exec_;
  Words words_;
  bool is_read_ = false;
};

}  // namespace einkorn::detail
