// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace einkorn::detail {

/// True if uploads to the memory of Exec are staged through pinned memory by several threads. Tests specialize
/// it for host spaces.
template <class Exec>
inline constexpr bool stages_copies = is_gpu<Exec>;

/// `count` execution space instances that run concurrently with each other and with exec. On a host space,
/// which has one set of threads, all are exec.
template <class Exec>
std::vector<Exec> instances_of(Exec const& exec, std::size_t count) {
  if constexpr (is_gpu<Exec>)
    return Kokkos::Experimental::partition_space(exec, std::vector<int>(count, 1));
  else
    return std::vector<Exec>(count, exec);
}

/// A copy of `bytes` bytes from host memory to device memory.
struct HostToDevice {
  std::byte* to = nullptr;
  std::byte const* from = nullptr;
  std::size_t bytes = 0;
};

/// The staging buffer of one thread: a chunk of pinned memory and an execution space instance of its own, so
/// that a fence waits only for the copy of this chunk.
template <class Exec>
class PinnedBuffer {
 public:
  PinnedBuffer(Exec exec, std::size_t bytes)
      : exec_(std::move(exec)),
        chunk_(allocate<decltype(chunk_)>(exec_, "einkorn::PinnedBuffer::chunk", bytes)) {}

  [[nodiscard]] std::byte* chunk() const { return reinterpret_cast<std::byte*>(chunk_.data()); }
  [[nodiscard]] std::size_t bytes() const { return chunk_.extent(0); }
  /// Starts the copy of the first `bytes` of the chunk, which must not change before wait() returns.
  void send(std::byte* to, std::size_t bytes) const {
    using Target = Kokkos::View<char*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::deep_copy(exec_, Target(reinterpret_cast<char*>(to), bytes),
                      Kokkos::subview(chunk_, std::pair<std::size_t, std::size_t>(0, bytes)));
  }
  void wait() const { exec_.fence("einkorn::PinnedBuffer: chunk copied"); }

 private:
  Exec exec_;
  Kokkos::View<char*, Kokkos::SharedHostPinnedSpace> chunk_;
};

/// Copies arrays to the device asynchronously, in order, with one thread per staging buffer: each thread claims
/// the next chunk, copies it to its buffer, sends it and waits for it. Host copies of some buffers overlap with
/// transfers of others. (Kokkos has no events for a single copy; hence one thread and one instance per buffer.)
///
/// @tparam Buffer PinnedBuffer or a type with its members
/// @pre Arrays, targets and buffers outlive the object. The destructor stops the copy after the claimed chunks.
template <class Buffer>
class StagedCopy {
 public:
  /// @param before called by every thread before its first chunk
  StagedCopy(std::vector<Buffer> const& buffers, std::vector<HostToDevice> const& arrays,
             std::function<void()> before = {})
      : chunks_left_(arrays.size(), 0), before_(std::move(before)) {
    split(arrays, buffers.front().bytes());
    threads_.reserve(buffers.size());
    try {
      for (std::size_t i = 0; i < std::min(buffers.size(), chunks_.size()); ++i)
        threads_.emplace_back([this, &buffer = buffers[i]] { run(buffer); });
    } catch (std::system_error const&) {  // go on with fewer threads
      if (threads_.empty()) run(buffers.front());
    }
  }
  StagedCopy(StagedCopy const&) = delete;
  StagedCopy& operator=(StagedCopy const&) = delete;
  ~StagedCopy() {
    stop();
    for (auto& thread : threads_) thread.join();
  }

  /// No further chunk is claimed; claimed chunks still arrive.
  void stop() { stopped_ = true; }

  /// Waits until the first `count` arrays are on the device. Rethrows the first exception of a thread.
  void wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    progress_.wait(lock, [&] {
      return failure_ ||
             std::all_of(chunks_left_.begin(), chunks_left_.begin() + static_cast<std::ptrdiff_t>(count),
                         [](std::size_t left) { return left == 0; });
    });
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  struct Chunk {
    HostToDevice part;
    std::size_t array;
  };

  void split(std::vector<HostToDevice> const& arrays, std::size_t chunk_bytes) {
    std::size_t count = 0;
    for (auto const& array : arrays)
      count += array.bytes / chunk_bytes + (array.bytes % chunk_bytes != 0 ? 1 : 0);
    reserve(chunks_, "einkorn::StagedCopy::chunks", count);
    for (std::size_t a = 0; a < arrays.size(); ++a)
      for (std::size_t at = 0; at < arrays[a].bytes; at += chunk_bytes) {
        chunks_.push_back(
            {{arrays[a].to + at, arrays[a].from + at, std::min(chunk_bytes, arrays[a].bytes - at)}, a});
        ++chunks_left_[a];
      }
  }

  void run(Buffer const& buffer) {
    try {
      if (before_) before_();
      for (std::size_t i = 0; !stopped_ && (i = next_++) < chunks_.size();) {
        auto const& part = chunks_[i].part;
        std::memcpy(buffer.chunk(), part.from, part.bytes);
        buffer.send(part.to, part.bytes);
        buffer.wait();
        arrived(chunks_[i].array);
      }
    } catch (...) {
      fail(std::current_exception());
    }
  }
  void arrived(std::size_t array) {
    std::lock_guard const lock(mutex_);
    if (--chunks_left_[array] == 0) progress_.notify_all();
  }
  void fail(std::exception_ptr const& failure) {
    std::lock_guard const lock(mutex_);
    if (!failure_) failure_ = failure;
    stop();
    progress_.notify_all();
  }

  std::vector<Chunk> chunks_;             // in the order of the arrays
  std::vector<std::size_t> chunks_left_;  // of each array, not copied yet
  std::function<void()> before_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::condition_variable progress_;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace einkorn::detail
