// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/detail/cooperative_limits.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace einkorn::detail {

/// The state that the threads of one launch share, each member in its own cache lines.
struct HostBarrier {
  WorkQueue queues[max_sharing_threads];
  alignas(64) std::uint32_t arrived = 0;  // threads at the next barrier
  alignas(64) std::uint32_t epoch = 0;    // completed barriers
  alignas(64) double totals[max_cooperative_sums] = {};
  alignas(64) unsigned char state[max_cooperative_state] = {};
};

/// The sums of one thread, or of one chunk of parts.
struct alignas(64) HostSums {
  double sums[max_cooperative_sums];
};

class HostCooperativeSpace {
 public:
  HostCooperativeSpace(int threads, int max_blocks)
      : threads_(std::clamp(max_blocks, 1, threads)),
        barrier_(allocate<decltype(barrier_)>(Kokkos::DefaultHostExecutionSpace(), "einkorn::cooperative", 1)),
        sums_(allocate<decltype(sums_)>(Kokkos::DefaultHostExecutionSpace(), "einkorn::cooperative_sums",
                                        static_cast<std::size_t>(host_parts_of(threads_)))) {}

  [[nodiscard]] std::size_t bytes() const { return sizeof(HostBarrier) + sums_.size() * sizeof(HostSums); }
  [[nodiscard]] int threads() const { return threads_; }
  [[nodiscard]] HostBarrier* barrier() const { return barrier_.data(); }
  [[nodiscard]] HostSums* sums() const { return sums_.data(); }

 private:
  int threads_;
  Kokkos::View<HostBarrier*, Kokkos::HostSpace> barrier_;
  Kokkos::View<HostSums*, Kokkos::HostSpace> sums_;  // [host_parts_of(threads)]
};

/// A thread of a cooperative launch on the host. The last thread to arrive at a barrier adds the slots in their
/// order and releases the others.
///
/// One set of slots suffices: only the last thread to arrive reads them, while the others wait. The totals are
/// overwritten when all threads have arrived at the next barrier, hence have read them.
class HostCooperativeMember {
 public:
  HostCooperativeMember(HostBarrier* barrier, HostSums* slots, int rank, int size)
      : barrier_(barrier), slots_(slots), rank_(rank), size_(size) {}
  HostCooperativeMember(HostCooperativeMember const&) = delete;
  HostCooperativeMember& operator=(HostCooperativeMember const&) = delete;

  KOKKOS_FUNCTION int rank() const { return rank_; }
  KOKKOS_FUNCTION int size() const { return size_; }

  KOKKOS_FUNCTION static bool is_leader() { return true; }
  template <class T>
  KOKKOS_FUNCTION T& state() const {
    static_assert(sizeof(T) <= max_cooperative_state && alignof(T) <= 64);
    return *reinterpret_cast<T*>(barrier_->state);
  }

  KOKKOS_FUNCTION void sync() {
    KOKKOS_IF_ON_HOST((sync(0, 0, [](double const*) {});))
  }

  template <int k>
  KOKKOS_FUNCTION void sum_all([[maybe_unused]] double (&sums)[k]) {
    sum_all(sums, [](double const*) {});
  }
  template <int k, class Step>
  KOKKOS_FUNCTION void sum_all([[maybe_unused]] double (&sums)[k], [[maybe_unused]] Step const& step) {
    KOKKOS_IF_ON_HOST((store_sums(rank_, sums); sync_and_read(size_, sums, step);))
  }
  template <int k, class Index, class Body, class Step>
  KOKKOS_FUNCTION void sum_parts([[maybe_unused]] Index num_parts, [[maybe_unused]] Body const& body,
                                 [[maybe_unused]] double (&total)[k], [[maybe_unused]] Step const& step) {
    KOKKOS_IF_ON_HOST((add_parts(num_parts, body, total, step);))
  }

 private:
  /// sum_parts(). The number of chunks depends only on num_parts and the number of threads.
  template <int k, class Index, class Body, class Step>
  void add_parts(Index num_parts, Body const& body, double (&total)[k], Step const& step) {
    auto const count = static_cast<std::int64_t>(num_parts);
    int const chunks = static_cast<int>(std::min<std::int64_t>(count, host_parts_of(size_)));
    auto const add_chunk = [&](std::int64_t chunk) {
      double sums[k] = {};
      std::int64_t const end = count * (chunk + 1) / chunks;
      for (std::int64_t part = count * chunk / chunks; part < end; ++part) body(static_cast<Index>(part), sums);
      store_sums(static_cast<int>(chunk), sums);
    };
    if (chunks > size_)
      run_work_queues(barrier_->queues, ++loop_, rank_, size_, chunks, add_chunk);
    else if (rank_ < chunks)
      add_chunk(rank_);
    sync_and_read(chunks, total, step);
  }

  template <int k>
  void store_sums(int slot, double const (&sums)[k]) {
    static_assert(k >= 1 && k <= max_cooperative_sums, "einkorn: a barrier sums 1 to 8 numbers");
    std::copy_n(sums, k, slots_[slot].sums);
  }
  template <int k, class Step>
  void sync_and_read(int slots, double (&totals)[k], Step const& step) {
    sync(slots, k, step);
    std::copy_n(barrier_->totals, k, totals);
  }

  template <class Step>
  void sync(int slots, int k, Step const& step) {
    std::atomic_ref<std::uint32_t> arrived(barrier_->arrived), epoch(barrier_->epoch);
    ++epoch_;
    if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<std::uint32_t>(size_)) {
      for (int i = 0; i < k; ++i) {
        double total = 0;
        for (int slot = 0; slot < slots; ++slot) total += slots_[slot].sums[i];
        barrier_->totals[i] = total;
      }
      step(static_cast<double const*>(barrier_->totals));
      arrived.store(0, std::memory_order_relaxed);
      epoch.store(epoch_, std::memory_order_release);
      return;
    }
    constexpr int spins = 2000;  // a few microseconds, then yield the core. Analytical, not measured
    for (int spin = 0; epoch.load(std::memory_order_acquire) != epoch_; ++spin)
      if (spin >= spins) std::this_thread::yield();
  }

  HostBarrier* barrier_;
  HostSums* slots_;
  int rank_, size_;
  std::uint32_t epoch_ = 0;
  std::uint32_t loop_ = 0;
};

}  // namespace einkorn::detail
