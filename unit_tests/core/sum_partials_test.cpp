// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/battery.hpp"
#include "../support/near.hpp"
#include "../support/watch.hpp"
#include "accumulated.hpp"

#include <einkorn/core/sum_partials.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace einkorn::test {
namespace {

std::size_t const block_counts[] = {0, 1, 2, 31, 511, 512, 513, 4096, 4097, 100'003, 600'001};

/// A SumSpace in which sum j of block i is value(i, j); NaN behind the last block.
template <int count>
SumSpace<Device> filled(std::size_t blocks, Numbers kind) {
  SumSpace<Device> const space(Space(), (blocks + 3) * count);
  auto values = numbers<double>(kind, blocks * count, 5);
  values.resize((blocks + 3) * count, not_a_number<double>());
  Kokkos::deep_copy(space.partials(), to_device(values));
  return space;
}

template <int count>
void expect_exact_totals() {
  for (auto const blocks : block_counts) {
    auto const space = filled<count>(blocks, Numbers::integers);
    auto const values = numbers<double>(Numbers::integers, blocks * count, 5);
    std::vector<double> want(count);
    for (std::size_t i = 0; i < values.size(); ++i) want[i % count] += values[i];

    for (int run = 0; run < 3; ++run)  // the count of arrivals is as it was
      EXPECT_EQ(totals_of<count>(space, blocks), want) << count << " sums of " << blocks << " blocks";
  }
}

TEST(SumPartials, AddsEveryBlockOnce) {
  expect_exact_totals<1>();
  expect_exact_totals<2>();
  expect_exact_totals<3>();
  expect_exact_totals<5>();
  expect_exact_totals<8>();
}

TEST(SumPartials, SameBitsInEveryRunAndAccurate) {
  for (auto const blocks : block_counts) {
    auto const space = filled<3>(blocks, Numbers::reals);
    auto const values = numbers<double>(Numbers::reals, blocks * 3, 5);
    long double sums[3] = {}, moduli[3] = {};
    for (std::size_t i = 0; i < values.size(); ++i) {
      sums[i % 3] += values[i];
      moduli[i % 3] += std::abs(values[i]);
    }

    auto const first = totals_of<3>(space, blocks);

    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_LE(std::abs(first[j] - sums[j]),
                static_cast<long double>(blocks) * std::numeric_limits<double>::epsilon() * moduli[j]);
    for (int run = 0; run < 9; ++run) EXPECT_EQ(totals_of<3>(space, blocks), first);
  }
}

TEST(SumPartials, IsOneLaunch) {
  auto const space = filled<2>(5000, Numbers::integers);
  Kokkos::View<double*, Device> const totals("totals", 3);
  Kokkos::fence();
  Watch const watch;
  sum_partials<2>(Space(), "a sum", space, 5000, StoreTotals<2>{totals});
  EXPECT_EQ(watch.seen().events, std::vector<std::string>{"launch a sum"});
}

}  // namespace
}  // namespace einkorn::test
