// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/battery.hpp"
#include "../support/near.hpp"
#include "accumulated.hpp"

#include <einkorn/core/fused_pass.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace einkorn::test {
namespace {

/// visits(i) <- visits(i) + 1; sums v and v^2. Does nothing unless *active.
struct Visit {
  using Sums = PartialSums<2, Device>;
  struct Scalars {
    bool active;
    KOKKOS_FUNCTION explicit operator bool() const { return active; }
  };
  struct Loaded {
    double v, visits;
  };
  Kokkos::View<double*, Device> v, visits, active;

  KOKKOS_FUNCTION Scalars begin() const { return {active(0) != 0}; }
  KOKKOS_FUNCTION Loaded load(std::size_t i, Scalars const&) const { return {v(i), visits(i)}; }
  KOKKOS_FUNCTION void store(std::size_t i, Loaded const& in, Scalars const&, double* sums) const {
    visits(i) = in.visits + 1;
    sums[0] += in.v;
    sums[1] += in.v * in.v;
  }
};

TEST(FusedPass, UpdatesEveryEntryOnceAndSums) {
  for (std::size_t const size : {0, 1, 7, 8, 9, 63, 255, 256, 257, 1023, 1024, 1025, 100'003})
    for (bool const is_active : {true, false}) {
      auto const v = numbers<double>(Numbers::integers, size, 3);
      auto const visits = to_device(std::vector<double>(size));
      Visit const body{to_device(v), visits, to_device(std::vector<double>{is_active ? 1.0 : 0.0})};
      PartialsLayout counted{0, 0, true}, layout;
      fused_pass(Space(), "test", size, Visit::Sums{{}, &counted}, body);
      SumSpace<Device> const space(Space(), counted.num_blocks * 2);
      Kokkos::deep_copy(space.partials(), not_a_number<double>());

      fused_pass(Space(), "test", size, Visit::Sums{space.partials(), &layout}, body);

      EXPECT_EQ(layout.num_blocks, counted.num_blocks);
      EXPECT_EQ(layout.launches, size == 0 ? 0 : 1);
      EXPECT_EQ(to_host(visits), std::vector<double>(size, is_active ? 1 : 0));
      std::vector<double> want(2);
      for (double const entry : v) {
        want[0] += is_active ? entry : 0;
        want[1] += is_active ? entry * entry : 0;
      }
      EXPECT_EQ(totals_of<2>(space, layout.num_blocks), want) << size;
    }
}

}  // namespace
}  // namespace einkorn::test
