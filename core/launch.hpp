// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

namespace einkorn {

/// The policy of a kernel that is launched often. Kokkos then passes a functor of up to 4 KB as kernel
/// arguments; otherwise CUDA functors above 512 bytes (a format's Views reach that) go through one buffer in
/// constant memory, and each such launch makes the host wait for the one before.
template <class Policy>
auto light_weight(Policy const& policy) {
  return Kokkos::Experimental::require(policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight);
}

/// A kernel over the rows of a matrix or a vector that may gather sums on its way. It has
///   update                       what it does with a row's result, and what it gathers (Update,
///   EpilogueWithDots) Policy, L                    on a GPU: its team policy, and the lanes that exchange
///   values run(team, gathered)          the work of one team (GPU); may return early, thread by thread
///   has_independent_warps               on a GPU: true when teams need neither scratch nor a barrier
///   run(part, gathered)          the work of one part (host)
/// The same kernel is launched by Kokkos, recorded into a graph, or run inside a cooperative launch, where
/// `team` is any type with league_rank() and team_rank(); one with scratch or barriers is only for Kokkos.
///
/// A unit is what hands one set of gathered sums over: a team, a part on the host.
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

/// One launch of kernel.run(team, gathered) on every team of the policy. Asynchronous.
template <class Policy, class Kernel>
void launch_teams(std::string const& label, Policy const& policy, Kernel const& kernel) {
  Kokkos::parallel_for(label, light_weight(policy), TeamKernel<Kernel>{kernel});
}

}  // namespace einkorn
