// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/lanes/lanes.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn {

/// Launch parameters of fused passes over vectors. H200, 2026-11, the update of CG, against 15 other shapes on 3 10^5
/// to 10^8 entries in double: the fastest in the geometric mean. Teams of 256 threads with 4 entries per thread take
/// 2 % longer on 464^3 and 8 % on 256^3. AMD: analytical, not measured.
struct FusedPassTuning {
  int team_size, min_teams_per_sm;
  int entries_per_thread;  ///< all are loaded before the first is used
};
constexpr FusedPassTuning fused_pass_tuning(Arch arch) {
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      return {128, 8, 4};
    case Arch::hip:
    case Arch::mi300:
      return {256, 2, 4};
    default:
      return {1, 1, 1};
  }
}

/// A fused pass over vectors: one kernel that updates entries and accumulates sums, such as dot products with
/// the new entries. Body has
///   Sums                                  a PartialSums: how many sums, and where they are stored
///   Loaded                                the operands of one entry
///   Scalars begin()                       reads the scalars of the iteration, once per thread; converts to
///                                         bool; on false the thread does nothing
///   Loaded load(i, scalars)               reads the operands of entry i
///   void store(i, loaded, scalars, sums)  computes and writes entry i; adds to sums[0 .. Sums::count - 1]
/// Only one thread accesses entry i: in-place updates are safe.
template <class Exec, class Body>
struct FusedPass {
  static constexpr FusedPassTuning tuning = fused_pass_tuning(arch_of<Exec>);
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tuning.team_size, tuning.min_teams_per_sm>>;
  using L = Lanes<Exec>;
  using Sums = typename Body::Sums;
  using Accumulators = typename Sums::Accumulators;

  Body body;
  Sums epilogue;
  std::size_t size;
  std::size_t num_parts;  // host

  template <class Team>
  KOKKOS_FUNCTION void run(Team const& team, Accumulators& accumulators) const {
    constexpr int batch = tuning.entries_per_thread;
    auto const scalars = body.begin();
    if (!scalars) return;
    auto const first = static_cast<std::size_t>(team.league_rank()) * (tuning.team_size * batch) +
                       static_cast<std::size_t>(team.team_rank());
    typename Body::Loaded loaded[batch];
    for (int q = 0; q < batch; ++q)
      if (first + static_cast<std::size_t>(q) * tuning.team_size < size)
        loaded[q] = body.load(first + static_cast<std::size_t>(q) * tuning.team_size, scalars);
    for (int q = 0; q < batch; ++q)
      if (first + static_cast<std::size_t>(q) * tuning.team_size < size)
        body.store(first + static_cast<std::size_t>(q) * tuning.team_size, loaded[q], scalars,
                   accumulators.sums);
  }

  void run(std::size_t part, Accumulators& accumulators) const {
    auto const scalars = body.begin();
    if (!scalars) return;
    auto const begin = first_of_part(part), end = first_of_part(part + 1);
    double sums[Sums::count] = {};
    // simd: entries are independent, which the compiler cannot prove for the pointers.
#ifdef _OPENMP
#pragma omp simd reduction(+ : sums[ : Sums::count])
#endif
    for (std::size_t i = begin; i < end; ++i) body.store(i, body.load(i, scalars), scalars, sums);
    for (int j = 0; j < Sums::count; ++j) accumulators.sums[j] += sums[j];
  }

  static int league_for(std::size_t size) {
    constexpr auto entries_per_team = static_cast<std::size_t>(tuning.team_size * tuning.entries_per_thread);
    return static_cast<int>(ceil_div(size, entries_per_team));
  }

 private:
  /// Parts begin at multiples of 8 entries, to avoid false sharing of cache lines.
  [[nodiscard]] std::size_t first_of_part(std::size_t part) const {
    auto const groups = ceil_div(size, 8);  // of 8 entries
    auto const first = 8 * (groups / num_parts * part + groups % num_parts * part / num_parts);
    return first < size ? first : size;
  }
};

/// Applies the body to `size` entries; see FusedPass. 1 launch, none if size == 0; asynchronous on exec.
template <class Exec, class Body>
void fused_pass(Exec const& exec, char const* label, std::size_t size, typename Body::Sums const& sums,
                Body const& body) {
  using Pass = FusedPass<Exec, Body>;
  if (size == 0) return;
  if constexpr (is_gpu<Exec>) {
    sums.launch(label, typename Pass::Policy(exec, Pass::league_for(size), Pass::tuning.team_size),
                Pass{body, sums, size, 0});
  } else {
    auto const parts = static_cast<std::size_t>(host_parts(exec));
    sums.launch_parts(exec, label, parts, Pass{body, sums, size, parts});
  }
}

}  // namespace einkorn
