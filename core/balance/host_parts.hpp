// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/function_ref.hpp>

#include <Kokkos_Core.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace einkorn {

/// The largest number of threads that share parts by work stealing (run_work_queues()). With at most this many
/// threads a host kernel has 16 parts per thread; with more, one part per thread, assigned statically, so that
/// a thread accesses the memory that it touched first.
///
/// Reason: cores of desktops and virtual machines differ in speed. 2 cores of a shared Xeon, 2026-11,
/// stencil27:80: 19.9 ms with one static part per thread, 13.8 ms with 16 parts and stealing.
inline constexpr int max_sharing_threads = 16;

/// The number of parts of equal work of a host kernel. Results depend on it, not on which thread runs a part.
constexpr int host_parts_of(int threads) {
  if (threads == 1) return 1;
  return threads <= max_sharing_threads ? 16 * threads : threads;
}

template <class Exec>
int host_parts(Exec const& exec) {
  return host_parts_of(static_cast<int>(exec.concurrency()));
}

/// The index of a part, which converts to the integer type of the function that it is passed to.
struct PartIndex {
  std::int64_t index;

  PartIndex(std::int64_t part) : index(part) {}
  template <std::integral Index>
  operator Index() const {
    return static_cast<Index>(index);
  }
};

namespace detail {

/// The queue of the parts of one thread: lower 32 bits: number of parts taken; upper 32 bits: the loop that the
/// number belongs to. One cache line.
struct alignas(64) WorkQueue {
  std::uint64_t count = 0;
};

/// Takes the next part of the loop from a queue of `parts` parts; returns `parts` if none is left. The counter
/// holds the number of its loop, so that loops follow each other without a barrier or reset: a thread advances
/// the counter to the next loop only after all parts of this loop are taken.
/// @param loop the number of the loop, ascending from 1
inline int pop_or_steal(WorkQueue& queue, std::uint32_t loop, int parts) {
  std::atomic_ref<std::uint64_t> counter(queue.count);
  auto seen = counter.load(std::memory_order_relaxed);
  for (;;) {
    auto const counted_loop = static_cast<std::uint32_t>(seen >> 32);
    int const count = counted_loop == loop ? static_cast<int>(seen & 0xffffffffu) : 0;
    if (static_cast<std::int32_t>(counted_loop - loop) > 0 || count == parts) return parts;
    auto const next = (static_cast<std::uint64_t>(loop) << 32) | static_cast<std::uint32_t>(count + 1);
    if (counter.compare_exchange_weak(seen, next, std::memory_order_relaxed)) return count;
  }
}

/// Runs body(part) for parts of 0 .. num_parts - 1 until all are taken: first the contiguous range of thread
/// `rank`, then remaining parts of the threads after it (work stealing). In consecutive passes a thread thus
/// accesses the same ranges of the vectors, which are in its caches.
/// @param queues [threads]
///
/// 16 cores of a Xeon (2 MB of L2 per core), 2026-11, one iteration of CG, with ranges per thread and with one
/// shared queue: 66 and 117 us on DIA of stencil27:40, 33 and 62 us on DIA of stencil7:30, 2.2 to 2.4 and 2.8
/// to 3.0 ms on CSR of stencil27:100, 4.1 and 4.6 ms on CSR of stencil7:160.
inline void run_work_queues(WorkQueue* queues, std::uint32_t loop, int rank, int threads, int num_parts,
                            FunctionRef<void(PartIndex)> body) {
  for (int step = 0; step < threads; ++step) {
    int const owner = rank + step < threads ? rank + step : rank + step - threads;
    auto const begin = [&](int thread) { return static_cast<int>(std::int64_t(num_parts) * thread / threads); };
    int const first = begin(owner), own = begin(owner + 1) - first;
    for (int part = pop_or_steal(queues[owner], loop, own); part < own;
         part = pop_or_steal(queues[owner], loop, own))
      body(first + part);
  }
}

/// What thread `rank` of a loop over parts does: one functor for all cases, so that for_each_part() is one launch in
/// the program.
struct RunParts {
  enum class Order {
    one_per_thread,  ///< part `rank`
    own_then_steal,  ///< run_work_queues()
    next_of_all      ///< the next part that no thread has taken
  };
  Order order;
  WorkQueue* queues;  // [threads]; next_of_all: the first counts the parts of all
  int threads;
  std::int64_t num_parts;
  FunctionRef<void(PartIndex)> body;

  void operator()(int rank) const {
    if (order == Order::one_per_thread) return body(rank);
    if (order == Order::own_then_steal)
      return run_work_queues(queues, 1, rank, threads, static_cast<int>(num_parts), body);
    std::atomic_ref<std::uint64_t> next(queues[0].count);
    auto const count = static_cast<std::uint64_t>(num_parts);
    for (auto part = next.fetch_add(1); part < count; part = next.fetch_add(1))
      body(static_cast<std::int64_t>(part));
  }
};

}  // namespace detail

/// Runs body(part) for part 0 .. num_parts - 1 on host threads. Compiled once per execution space. 1 launch,
/// synchronous.
/// @param body function of an integer of any type
template <class Exec>
void for_each_part(Exec const& exec, char const* label, std::int64_t num_parts,
                   FunctionRef<void(PartIndex)> body) {
  using Order = detail::RunParts::Order;
  using Threads = Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<int>>;
  auto const threads = static_cast<int>(exec.concurrency());
  bool const shares = threads <= max_sharing_threads && num_parts <= std::numeric_limits<int>::max();
  auto const order = num_parts <= threads ? Order::one_per_thread
                     : shares             ? Order::own_then_steal
                                          : Order::next_of_all;
  detail::WorkQueue queues[max_sharing_threads];
  auto const ranks = order == Order::one_per_thread ? static_cast<int>(num_parts) : threads;
  Kokkos::parallel_for(label, Threads(exec, 0, ranks, Kokkos::ChunkSize(1)),
                       detail::RunParts{order, queues, threads, num_parts, body});
}

}  // namespace einkorn
