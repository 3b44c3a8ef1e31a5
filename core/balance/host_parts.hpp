// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

namespace einkorn {

/// Into how many parts of equal work a host kernel cuts a matrix.
///
/// One a thread where threads are many: the assignment is then static and a thread meets the memory that it
/// touched first. Up to 16 threads, which share one memory, 16 parts a thread that are handed out as threads
/// become free: on a desktop or a virtual machine no two cores are equally fast all the time (2 cores of a
/// shared Xeon, 2026-11, stencil27:80: 19.9 ms with one static part a thread, 13.8 with 16 parts handed out).
/// Results depend on the number of parts, not on who takes which.
constexpr int host_parts_of(int threads) {
  if (threads == 1) return 1;
  return threads <= 16 ? 16 * threads : threads;
}

template <class Exec>
int host_parts(Exec const& exec) {
  return host_parts_of(static_cast<int>(exec.concurrency()));
}

/// body(part) for every part, on host threads. Asynchronous on exec as far as host spaces are; 1 launch.
template <class Exec, class Index, class Body>
void for_each_part(Exec const& exec, std::string const& label, Index num_parts, Body const& body) {
  using Static = Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<Index>>;
  using Dynamic = Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<Index>>;
  if (num_parts > static_cast<Index>(exec.concurrency()))
    Kokkos::parallel_for(label, Dynamic(exec, 0, num_parts, Kokkos::ChunkSize(1)), body);
  else
    Kokkos::parallel_for(label, Static(exec, 0, num_parts), body);
}

/// A sweep on the host (see core/launch.hpp), as Kokkos runs it.
template <class Kernel>
struct PartSweep {
  Kernel kernel;

  template <class Index>
  void operator()(Index part) const {
    typename decltype(Kernel::update)::Gathered gathered{};
    kernel.run(part, gathered);
    if constexpr (decltype(Kernel::update)::gathers)
      kernel.update.hand_over(gathered, static_cast<std::size_t>(part));
  }
};

/// One launch of kernel.run(part, gathered) for part 0 .. num_parts - 1, on host threads.
template <class Exec, class Index, class Kernel>
void launch_parts(Exec const& exec, std::string const& label, Index num_parts, Kernel const& kernel) {
  for_each_part(exec, label, num_parts, PartSweep<Kernel>{kernel});
}

}  // namespace einkorn
