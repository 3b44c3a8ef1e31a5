// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/function_ref.hpp>

#include <Kokkos_Core.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace einkorn {

/// Into how many parts of equal work a host kernel cuts a matrix.
///
/// One a thread where threads are many: the assignment is then static and a thread meets the memory that it
/// touched first. Up to 16 threads, which share one memory, 16 parts a thread, of which each takes its own
/// before it helps others (see run_work_queues()): on a desktop or a virtual machine no two cores are equally
/// fast all the time (2 cores of a shared Xeon, 2026-11, stencil27:80: 19.9 ms with one static part a
/// thread, 13.8 with 16 parts handed out). Results depend on the number of parts, not on who takes which.
inline constexpr int max_sharing_threads = 16;
constexpr int host_parts_of(int threads) {
  if (threads == 1) return 1;
  return threads <= max_sharing_threads ? 16 * threads : threads;
}

template <class Exec>
int host_parts(Exec const& exec) {
  return host_parts_of(static_cast<int>(exec.concurrency()));
}

namespace detail {

/// How many of a thread's own parts are taken, beside the number of the loop that they belong to (in the upper
/// 32 bits), in a cache line of its own.
struct alignas(64) WorkQueue {
  std::uint64_t count = 0;
};

/// The number of a part of the loop that nobody has taken yet, of `parts`; `parts` when there is none. The
/// counter knows which loop it counts, so that loops may follow each other without a barrier and nobody has to
/// reset it: a thread moves it to the next loop only after it has found this one exhausted. loop: not 0 in the
/// first one.
inline int pop_or_steal(WorkQueue& queues, std::uint32_t loop, int parts) {
  std::atomic_ref<std::uint64_t> counter(queues.count);
  auto seen = counter.load(std::memory_order_relaxed);
  for (;;) {
    auto const counted = static_cast<std::uint32_t>(seen >> 32);
    int const count = counted == loop ? static_cast<int>(seen & 0xffffffffu) : 0;
    if (static_cast<std::int32_t>(counted - loop) > 0 || count == parts) return parts;
    auto const next = (static_cast<std::uint64_t>(loop) << 32) | static_cast<std::uint32_t>(count + 1);
    if (counter.compare_exchange_weak(seen, next, std::memory_order_relaxed)) return count;
  }
}

/// body(part) for parts of 0 .. num_parts - 1 that no other thread takes, until none is left: first those of
/// thread `rank`, its share of the range, then what the threads after it have not done. A thread so meets in
/// one sweep the pieces of vectors that the sweep before has left in its caches. taken: [threads].
///
/// 16 cores of a Xeon (L2 2 MB a core), 2026-11, an iteration of CG, where the next free part used to be
/// anybody's: 66 us and 117 on DIA of stencil27:40, 33 and 62 on DIA of stencil7:30, 2.2 to 2.4 ms and 2.8 to
/// 3.0 on CSR of stencil27:100, 4.1 and 4.6 on CSR of stencil7:160.
inline void run_work_queues(WorkQueue* queues, std::uint32_t loop, int rank, int threads, int num_parts,
                            FunctionRef<void(int)> body) {
  for (int step = 0; step < threads; ++step) {
    int const owner = rank + step < threads ? rank + step : rank + step - threads;
    auto const begin = [&](int of) { return static_cast<int>(std::int64_t(num_parts) * of / threads); };
    int const first = begin(owner), own = begin(owner + 1) - first;
    for (int part = pop_or_steal(queues[owner], loop, own); part < own;
         part = pop_or_steal(queues[owner], loop, own))
      body(first + part);
  }
}

struct RunWorkQueues {
  WorkQueue* queues;
  int threads, num_parts;
  FunctionRef<void(std::int64_t)> body;

  void operator()(int rank) const { run_work_queues(queues, 1, rank, threads, num_parts, body); }
};

/// for_each_part() without the body's type: compiled once per execution space.
template <class Exec>
void run_parts(Exec const& exec, std::string const& label, std::int64_t num_parts,
               FunctionRef<void(std::int64_t)> body) {
  using Static = Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<std::int64_t>>;
  auto const threads = static_cast<int>(exec.concurrency());
  if (num_parts <= threads) {
    Kokkos::parallel_for(label, Static(exec, 0, num_parts), body);
  } else if (threads <= max_sharing_threads && num_parts <= std::numeric_limits<int>::max()) {
    using Threads = Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<int>>;
    WorkQueue queues[max_sharing_threads];
    Kokkos::parallel_for(label, Threads(exec, 0, threads, Kokkos::ChunkSize(1)),
                         RunWorkQueues{queues, threads, static_cast<int>(num_parts), body});
  } else {
    using Dynamic =
        Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for(label, Dynamic(exec, 0, num_parts, Kokkos::ChunkSize(1)), body);
  }
}

}  // namespace detail

/// body(part) for every part, on host threads, which Kokkos waits for. 1 launch.
template <class Exec, class Index, class Body>
void for_each_part(Exec const& exec, std::string const& label, Index num_parts, Body const& body) {
  detail::run_parts(exec, label, static_cast<std::int64_t>(num_parts),
                    [&body](std::int64_t part) { body(static_cast<Index>(part)); });
}

/// One launch of kernel.run(part, gathered) for part 0 .. num_parts - 1, on host threads, of a kernel that
/// gathers nothing.
template <class Exec, class Index, class Kernel>
void launch_parts(Exec const& exec, std::string const& label, Index num_parts, Kernel const& kernel) {
  for_each_part(exec, label, num_parts, [&kernel](Index part) {
    typename decltype(Kernel::epilogue)::Accumulators nothing{};
    kernel.run(part, nothing);
  });
}

}  // namespace einkorn
