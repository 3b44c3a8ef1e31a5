// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/fused_pass.hpp>
#include <einkorn/core/sum_partials.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>

namespace einkorn::detail {

/// Sums over vectors whose bits do not depend on the number of host threads: the blocks have a fixed number of
/// entries. On a GPU those of fused_pass() have it.
template <class Device>
class OrderedSums {
 public:
  static constexpr std::size_t entries_per_block = 4096;  // host

  OrderedSums() = default;
  /// For passes over at most `size` entries with at most max_count sums.
  template <class Exec>
  OrderedSums(Exec const& exec, std::size_t size, int max_count)
      : space_(exec, static_cast<std::size_t>(max_count) * ceil_div(size + 1, std::size_t(256))) {}

  /// Applies the body (core/fused_pass.hpp) to `size` entries, then step(totals) in one thread. 2 launches, 1 if
  /// size == 0; asynchronous on exec.
  template <class Exec, class Body, class Step>
  void run(Exec const& exec, char const* label, std::size_t size, Body const& body, Step const& step) const {
    using Sums = typename Body::Sums;
    PartialsLayout layout;
    Sums const sums{space_.partials(), &layout};
    if constexpr (is_gpu<Exec>) {
      fused_pass(exec, label, size, sums, body);
    } else if (size > 0) {
      std::size_t const parts = ceil_div(size, entries_per_block);
      sums.launch_parts(exec, label, parts, FusedPass<Exec, Body>{body, sums, size, parts});
    }
    sum_partials<Sums::count>(exec, label, space_, layout.num_blocks, step);
  }
  [[nodiscard]] std::size_t bytes() const { return space_.bytes(); }

 private:
  SumSpace<Device> space_;
};

}  // namespace einkorn::detail
