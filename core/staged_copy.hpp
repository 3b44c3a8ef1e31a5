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

/// Whether what goes to the memory of Exec goes through pinned memory, by threads. (A test of a host space says
/// so too.)
template <class Exec>
inline constexpr bool stages_copies = is_gpu<Exec>;

/// That run beside each other, and beside exec, on a GPU; on a host space, which has one set of threads, exec.
template <class Exec>
std::vector<Exec> instances_of(Exec const& exec, std::size_t count) {
  if constexpr (is_gpu<Exec>)
    return Kokkos::Experimental::partition_space(exec, std::vector<int>(count, 1));
  else
    return std::vector<Exec>(count, exec);
}

/// An array of the host and its place on the device.
struct HostToDevice {
  std::byte* to = nullptr;
  std::byte const* from = nullptr;
  std::size_t bytes = 0;
};

/// What one thread stages through: a chunk of pinned memory, and an instance of its own, so that a fence of
/// that instance waits for the chunk and for nothing else.
template <class Exec>
class PinnedBuffer {
 public:
  PinnedBuffer(Exec exec, std::size_t bytes)
      : exec_(std::move(exec)),
        chunk_(allocate<decltype(chunk_)>(exec_, "einkorn::PinnedBuffer::chunk", bytes)) {}

  [[nodiscard]] std::byte* chunk() const { return reinterpret_cast<std::byte*>(chunk_.data()); }
  [[nodiscard]] std::size_t bytes() const { return chunk_.extent(0); }
  /// The first `bytes` of the chunk, which stays as it is until wait().
  void send(std::byte* to, std::size_t bytes) const {
    using Target = Kokkos::View<char*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::deep_copy(exec_, Target(reinterpret_cast<char*>(to), bytes),
                      Kokkos::subview(chunk_, std::pair<std::size_t, std::size_t>(0, bytes)));
  }
  void wait() const { exec_.fence("einkorn::PinnedBuffer: the chunk is there"); }

 private:
  Exec exec_;
  Kokkos::View<char*, Kokkos::SharedHostPinnedSpace> chunk_;
};

/// Copies arrays to the device, one after another, by a thread a lane: each takes the next chunk that nobody
/// has taken, copies it to its lane, sends it, and waits for it before it takes another. The copies of some
/// lanes so run while the chunks of others are on their way. Kokkos has no events to wait for a single copy by;
/// hence a thread and an instance a lane, and no wait in the thread that asks for the copy.
///
/// Both ends stay valid while an object lives; its end stops the copy after the chunks that are taken.
template <class Lane>
class StagedCopy {
 public:
  /// before(): called by every thread before it sends.
  StagedCopy(std::vector<Lane> const& lanes, std::vector<HostToDevice> const& arrays,
             std::function<void()> before = {})
      : pieces_left_(arrays.size(), 0), before_(std::move(before)) {
    cut(arrays, lanes.front().bytes());
    threads_.reserve(lanes.size());
    try {
      for (std::size_t i = 0; i < std::min(lanes.size(), pieces_.size()); ++i)
        threads_.emplace_back([this, &lane = lanes[i]] { run(lane); });
    } catch (std::system_error const&) {  // no more threads
      if (threads_.empty()) run(lanes.front());
    }
  }
  StagedCopy(StagedCopy const&) = delete;
  StagedCopy& operator=(StagedCopy const&) = delete;
  ~StagedCopy() {
    stop();
    for (auto& thread : threads_) thread.join();
  }

  /// No chunk is taken from here on; those that are taken still arrive.
  void stop() { stopped_ = true; }

  /// Until the first `count` arrays are on the device. Throws what a thread threw.
  void wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    progress_.wait(lock, [&] {
      return failure_ ||
             std::all_of(pieces_left_.begin(), pieces_left_.begin() + static_cast<std::ptrdiff_t>(count),
                         [](std::size_t left) { return left == 0; });
    });
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  struct Piece {
    HostToDevice part;
    std::size_t array;
  };

  void cut(std::vector<HostToDevice> const& arrays, std::size_t chunk) {
    std::size_t count = 0;
    for (auto const& array : arrays) count += array.bytes / chunk + (array.bytes % chunk != 0 ? 1 : 0);
    reserve(pieces_, "einkorn::StagedCopy::pieces", count);
    for (std::size_t a = 0; a < arrays.size(); ++a)
      for (std::size_t at = 0; at < arrays[a].bytes; at += chunk) {
        pieces_.push_back({{arrays[a].to + at, arrays[a].from + at, std::min(chunk, arrays[a].bytes - at)}, a});
        ++pieces_left_[a];
      }
  }

  void run(Lane const& lane) {
    try {
      if (before_) before_();
      for (std::size_t i = 0; !stopped_ && (i = next_++) < pieces_.size();) {
        auto const& part = pieces_[i].part;
        std::memcpy(lane.chunk(), part.from, part.bytes);
        lane.send(part.to, part.bytes);
        lane.wait();
        arrived(pieces_[i].array);
      }
    } catch (...) {
      fail(std::current_exception());
    }
  }
  void arrived(std::size_t array) {
    std::lock_guard const lock(mutex_);
    if (--pieces_left_[array] == 0) progress_.notify_all();
  }
  void fail(std::exception_ptr const& failure) {
    std::lock_guard const lock(mutex_);
    if (!failure_) failure_ = failure;
    stop();
    progress_.notify_all();
  }

  std::vector<Piece> pieces_;             // in the order of the arrays
  std::vector<std::size_t> pieces_left_;  // of each array, that are not there yet
  std::function<void()> before_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::condition_variable progress_;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace einkorn::detail
