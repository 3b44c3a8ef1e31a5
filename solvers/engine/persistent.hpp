// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/cooperative.hpp>
#include <einkorn/core/epilogue_with_dots.hpp>
#include <einkorn/core/fused_pass.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace einkorn::detail {

struct NoCooperativeSpace {
  [[nodiscard]] static std::size_t bytes() { return 0; }
};
/// CooperativeSpace, where the execution space has cooperative launches.
template <class Exec>
using CooperativeSpaceIfAny =
    typename std::conditional_t<is_cooperative<Exec>, std::type_identity<CooperativeSpace<Exec>>,
                                std::type_identity<NoCooperativeSpace>>::type;

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

/// fused_pass() within a cooperative launch on the host, then `step` with its sums.
template <class Exec, class Member, class Body, class Step>
void cooperative_pass(Member& member, std::size_t size, Body const& body, Step const& step) {
  constexpr int count = Body::Sums::count;
  double sums[count] = {};
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

/// What the product of an operator needs on one execution-space instance: one dry run of its launches.
struct ProductRequirements {
  std::size_t rows = 0;
  std::size_t partials = 0;    // doubles for its partial sums, or for those of a vector pass
  std::size_t num_blocks = 0;  // of its partial sums
  std::size_t deferred = 0;    // doubles for the partial sums of run_pass_deferred()
  int concurrency = 0;         // of the instance
  bool is_one_kernel = false;  // on the host: fused, so that a cooperative launch can run it

  [[nodiscard]] std::string text() const {
    return detail::joined(rows, " rows and ", partials, " partial sums",
                          deferred > 0 ? joined(" and ", deferred, " deferred ones") : std::string(),
                          " on an execution-space instance of concurrency ", concurrency);
  }
};

}  // namespace einkorn::detail
