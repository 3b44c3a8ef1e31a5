// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/cooperative.hpp>
#include <einkorn/core/epilogue_with_dots.hpp>
#include <einkorn/core/fused_pass.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace einkorn::detail {

/// Kernels that complete the work of another launch have no member x.
template <class Kernel>
inline constexpr bool has_x = requires(Kernel const& kernel) { kernel.x; };

/// The captured kernel of a product within a cooperative launch of a GPU, run by virtual teams.
template <class Kernel>
struct CapturedProduct {
  using Accumulators = typename decltype(Kernel::epilogue)::Accumulators;
  static constexpr int count = decltype(Kernel::epilogue)::count;

  Kernel kernel;
  int league_size, team_size;

  /// y <- A x, then `step` with its sums. Called by all threads.
  template <class Member, class Step>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Member& member, Step const& step) const {
    double sums[count];
    Accumulators accumulators{};
    member.for_each_team(league_size, team_size, [&](auto const& team) { kernel.run(team, accumulators); });
    for (int j = 0; j < count; ++j) sums[j] = accumulators.sums[j];
    member.sum_all(sums, step);
  }
  /// The same product of another x.
  template <class X>
  [[nodiscard]] CapturedProduct with(X const& x) const {
    CapturedProduct other = *this;
    other.kernel.x = x;
    return other;
  }
};

/// The captured host kernel of a product within a cooperative launch, without its type: the loop of a solver is
/// compiled once for all formats.
template <int count>
struct HostProduct {
  HostParts const& kernel;

  template <class Member, class Step>
  KOKKOS_FUNCTION void operator()(Member& member, Step const& step) const {
    double sums[count];
    member.sum_parts(
        kernel.num_parts,
        [&](std::int64_t part, double(&part_sums)[count]) { kernel.add_part(part, part_sums); }, sums, step);
  }
};

/// fused_pass() within a cooperative launch, then `step` with its sums.
template <class Exec, class Member, class Body, class Step>
KOKKOS_FORCEINLINE_FUNCTION void cooperative_pass(Member& member, std::size_t size, Body const& body,
                                                  Step const& step) {
  constexpr int count = Body::Sums::count, batch = 4;
  double sums[count] = {};
  if constexpr (is_gpu<Exec>) {
    if (auto const scalars = body.begin(); scalars) {
      auto const stride = static_cast<std::size_t>(member.size());
      for (auto first = static_cast<std::size_t>(member.rank()); first < size; first += batch * stride) {
        typename Body::Loaded loaded[batch];
        for (int u = 0; u < batch; ++u)
          if (first + static_cast<std::size_t>(u) * stride < size)
            loaded[u] = body.load(first + static_cast<std::size_t>(u) * stride, scalars);
        for (int u = 0; u < batch; ++u)
          if (first + static_cast<std::size_t>(u) * stride < size)
            body.store(first + static_cast<std::size_t>(u) * stride, loaded[u], scalars, sums);
      }
    }
    member.sum_all(sums, step);
  } else {
    auto const parts = static_cast<std::size_t>(host_parts_of(member.size()));
    FusedPass<Exec, Body> const pass{body, {}, size, parts};
    member.sum_parts(
        static_cast<int>(parts),
        [&](int part, double(&part_sums)[count]) {
          typename Body::Sums::Accumulators accumulators{};
          pass.run(static_cast<std::size_t>(part), accumulators);
          for (int j = 0; j < count; ++j) part_sums[j] += accumulators.sums[j];
        },
        sums, step);
  }
}

inline constexpr CooperativeShape persistent_shape{512, 1};

/// GPU: receives the captured kernel of a product and launches the loop around it.
template <class Exec, class MakeLoop>
struct PersistentLaunch {
  Exec const& exec;
  char const* label;
  CooperativeSpace<Exec>& space;
  MakeLoop make_loop;

  template <class Kernel>
  void operator()(Kernel const& kernel, int league_size, int team_size) const {
    if constexpr (is_run_by_virtual_teams<Kernel> && has_x<Kernel>) {
      CapturedProduct<Kernel> const multiply_p{kernel, league_size, team_size};
      launch_cooperative<persistent_shape>(exec, label, space,
                                           make_loop(multiply_p, multiply_p.with(make_loop.v.x)));
    }
  }
};

}  // namespace einkorn::detail
