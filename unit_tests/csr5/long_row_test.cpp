// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// One row of ten million entries: longer than the work of any part, with 32-bit sums of steps and entries.

#include "../csr/approaches.hpp"
#include "../support/near.hpp"
#include "shapes.hpp"

#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace einkorn::test {
namespace {

class LongRow : public testing::Test {
 protected:
  HostMatrix<double> host =
      with_numbers<double>(from_lengths("", {2, 0, 10000000, 0, 3}, 10000000), Numbers::integers);
  Csr<double, int, int, Device> A = host.on_device();
  std::vector<double> x = numbers<double>(Numbers::integers, 10000000, 2), before = {1, 2, 3, 4, 5};
  Kokkos::View<double*, Device> device_x = to_device(x);
  Expected<double> want = expected<double>(host, x, -2.5, 0.5);
};

TEST_F(LongRow, InCsr) {
  for (auto const& approach : all_approaches()) {
    if (approach.options.lanes != 0 && approach.options.lanes != 32) continue;
    auto const y = to_device(before);
    Multiply<decltype(A), double>(A, approach)(-2.5, device_x, 0.5, y);
    EXPECT_TRUE(agrees(to_host(y), want, before, true)) << approach.name;
  }
}

TEST_F(LongRow, InCsr5) {
  for (auto const& shape : few_shapes()) {
    auto const F = from_csr<Csr5>(Space(), A, options_of(shape));
    auto const plan = make_spmv_plan(Space(), F);
    auto const y = to_device(before), planned_y = to_device(before);
    spmv(Space(), -2.5, F, device_x, 0.5, y);
    spmv(Space(), plan, -2.5, device_x, 0.5, planned_y);
    EXPECT_TRUE(agrees(to_host(y), want, before, true)) << to_string(shape);
    EXPECT_TRUE(agrees(to_host(planned_y), want, before, true)) << to_string(shape) << ", plan";
  }
}

}  // namespace
}  // namespace einkorn::test
