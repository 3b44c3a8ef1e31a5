// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "../support/host_matrix.hpp"

#include <einkorn/core/sum_partials.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

namespace einkorn::test {

/// A step of sum_partials() that stores the totals and counts its calls.
template <int count>
struct StoreTotals {
  Kokkos::View<double*, Device> totals;  // [count + 1]
  KOKKOS_FUNCTION void operator()(double const* sums) const {
    for (int j = 0; j < count; ++j) totals(j) = sums[j];
    totals(count) += 1;
  }
};

/// The totals of the partial sums of a SumSpace; NaN unless the step was called exactly once.
template <int count>
std::vector<double> totals_of(SumSpace<Device> const& space, std::size_t blocks) {
  Kokkos::View<double*, Device> const totals("totals", count + 1);
  sum_partials<count>(Space(), "test", space, blocks, StoreTotals<count>{totals});
  Kokkos::fence();
  auto got = to_host(totals);
  if (got.back() != 1) return std::vector<double>(count, std::nan(""));
  got.pop_back();
  return got;
}

}  // namespace einkorn::test
