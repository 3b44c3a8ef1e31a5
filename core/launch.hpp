// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

namespace einkorn {

/// The policy with the hint that a launch is light-weight: Kokkos then passes functors of up to 4 KB as kernel
/// arguments. Without it CUDA functors above 512 bytes (the Views of a format reach that) go through one buffer
/// in constant memory, and the host waits for the previous such launch.
template <class Policy>
auto light_weight(Policy const& policy) {
  return Kokkos::Experimental::require(policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight);
}

/// The functor that Kokkos launches for a kernel over the rows of a matrix or the entries of a vector. The
/// kernel may accumulate sums, such as dot products, in the same pass (a fused pass). It has
///   epilogue                   what to do with the result of a row: Epilogue, EpilogueWithDots, PartialSums
///   Policy                     GPU: its team policy
///   L                          GPU: the lockstep lanes (lanes/lanes.hpp)
///   run(team, accumulators)    GPU: the work of one team; threads may return early
///   run(part, accumulators)    host: the work of one part
/// One kernel serves launches by Kokkos, captured graphs and, on the host, cooperative launches
/// (PartialsLayout::capture).
///
/// A block is what stores one set of partial sums: a team on a GPU, a part on the host (partial_sums.hpp).
template <class Kernel>
struct TeamKernel {
  using Policy = typename Kernel::Policy;
  using L = typename Kernel::L;

  Kernel kernel;

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    typename decltype(Kernel::epilogue)::Accumulators accumulators{};
    kernel.run(team, accumulators);
    if constexpr (decltype(Kernel::epilogue)::accumulates)
      kernel.epilogue.template store_partials<L>(team, accumulators);
  }
};

}  // namespace einkorn
