// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Overlap of x, y and the arrays of A, and misaligned pointers.

#include "../support/battery.hpp"
#include "../support/throws.hpp"
#include "../support/types.hpp"
#include "../support/vectors.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

using Vector = Kokkos::View<double*, Device>;
using Unmanaged = Kokkos::View<double*, Device, Kokkos::MemoryUnmanaged>;

class CsrSpmvAliasing : public testing::Test {
 protected:
  Csr<double, int, int, Device> A =
      with_numbers<double>(random_pattern(40, 30, 1), Numbers::integers).on_device();
  Vector x = to_device(numbers<double>(Numbers::integers, 30, 2));
  std::vector<double> before = numbers<double>(Numbers::integers, 40, 3);
  Vector y = to_device(before);

  void TearDown() override { EXPECT_EQ(to_host(y), before) << "y was changed"; }
};

TEST_F(CsrSpmvAliasing, YOverlapsTheStructure) {
  Kokkos::View<int*, Device> const memory("memory", 200);
  auto const offsets = Kokkos::subview(memory, std::pair(0, 41));
  Kokkos::deep_copy(offsets, A.row_offsets);
  A.row_offsets = offsets;
  auto const before_columns = to_host(A.columns), before_offsets = to_host(A.row_offsets);
  ASSERT_GT(A.columns.extent(0), 80u);
  Unmanaged const over_columns(reinterpret_cast<double*>(const_cast<int*>(A.columns.data())), 40);
  Unmanaged const over_offsets(reinterpret_cast<double*>(memory.data()), 40);
  auto const plan = make_spmv_plan(Space(), A);
  for (auto const& array : {std::pair(over_columns, "columns"), std::pair(over_offsets, "row_offsets")}) {
    auto const& over = array.first;
    std::string const text = std::string("y overlaps the ") + array.second;
    EXPECT_TRUE(throws<InvalidArgument>([&] { spmv(Space(), 1, A, x, 0, over); }, {text}));
    EXPECT_TRUE(throws<InvalidArgument>([&] { spmv(Space(), plan, 1, x, 0, over); }, {text}));
  }
  EXPECT_EQ(to_host(A.columns), before_columns);
  EXPECT_EQ(to_host(A.row_offsets), before_offsets);
}

TEST_F(CsrSpmvAliasing, SelfOverlappingY) {
  Kokkos::View<double**, Kokkos::LayoutStride, Device, Kokkos::MemoryUnmanaged> const rows_meet(
      y.data(), Kokkos::LayoutStride(40, 2, 3, 1));
  Kokkos::View<double**, Device> const X("X", 30, 3);
  auto const plan = make_spmv_plan(Space(), A);
  EXPECT_TRUE(throws<InvalidArgument>([&] { spmv(Space(), 1, A, X, 0, rows_meet); },
                                      {"two entries of y share memory", "40 by 2", "3 by 1"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { spmv(Space(), plan, 1, X, 0, rows_meet); }, {"share memory"}));
}

TEST_F(CsrSpmvAliasing, MisalignedArrays) {
  auto const shifted = [](auto* address) {
    return Unmanaged(reinterpret_cast<double*>(reinterpret_cast<char*>(address) + 4), 30);
  };
  std::vector<std::string> const text{"not a multiple of 8 bytes"};
  Vector const memory("memory", 64);
  Unmanaged const odd_y(shifted(memory.data()).data(), 40);
  auto misaligned = A;
  misaligned.values = decltype(A.values)(shifted(memory.data()).data(), 0);
  auto const plan = make_spmv_plan(Space(), A);
  EXPECT_TRUE(throws<InvalidArgument>([&] { spmv(Space(), 1, A, shifted(memory.data()), 0, y); }, text));
  EXPECT_TRUE(throws<InvalidArgument>([&] { spmv(Space(), plan, 1, shifted(memory.data()), 0, y); }, text));
  EXPECT_TRUE(throws<InvalidArgument>([&] { spmv(Space(), 1, A, x, 0, odd_y); }, text));
  EXPECT_TRUE(throws<InvalidArgument>([&] { spmv(Space(), 1, misaligned, x, 0, y); }, text));
  EXPECT_TRUE(throws<InvalidArgument>([&] { validate(Space(), misaligned); }, {"values", text[0]}));
}

/// x and y as blocks of one array, and separately allocated.
template <class Layout>
void expect_blocks_multiply(Csr<double, int, int, Device> const& A, bool columns) {
  int const n = 40, k = 4;
  Kokkos::View<double**, Layout, Device> const both("both", columns ? n : 2 * n, columns ? 2 * k : k);
  auto const block = [&](int which) {
    using Range = std::pair<int, int>;
    return Kokkos::subview(both, columns ? Range(0, n) : Range(which * n, which * n + n),
                           columns ? Range(which * k, which * k + k) : Range(0, k));
  };
  Kokkos::View<double**, Layout, Device> const X("X", n, k), Y("Y", n, k);
  auto const host = Kokkos::create_mirror_view(X);
  auto const entries = numbers<double>(Numbers::integers, static_cast<std::size_t>(n * k), 7);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < k; ++j) host(i, j) = entries[static_cast<std::size_t>(i * k + j)];
  Kokkos::deep_copy(X, host);
  Kokkos::deep_copy(block(0), X);
  auto const plan = make_spmv_plan(Space(), A);

  spmv(Space(), 2, A, X, 0, Y);
  for (bool const planned : {false, true}) {
    Kokkos::deep_copy(block(1), 7.0);
    if (planned)
      spmv(Space(), plan, 2, block(0), 0, block(1));
    else
      spmv(Space(), 2, A, block(0), 0, block(1));

    Kokkos::View<double**, Layout, Device> const copy_x("x", n, k), copy_y("y", n, k);
    Kokkos::deep_copy(copy_x, block(0));
    Kokkos::deep_copy(copy_y, block(1));
    auto const got_x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), copy_x);
    auto const got_y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), copy_y);
    auto const want_y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Y);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < k; ++j) {
        ASSERT_EQ(got_x(i, j), host(i, j));
        ASSERT_EQ(got_y(i, j), want_y(i, j)) << i << ", " << j;
      }
  }
}

TEST(CsrSpmv, DisjointBlocksOfOneArray) {
  auto const A = with_numbers<double>(random_pattern(40, 40, 1), Numbers::integers).on_device();
  expect_blocks_multiply<Kokkos::LayoutRight>(A, true);
  expect_blocks_multiply<Kokkos::LayoutRight>(A, false);
  expect_blocks_multiply<Kokkos::LayoutLeft>(A, true);
  expect_blocks_multiply<Kokkos::LayoutLeft>(A, false);
}

}  // namespace
}  // namespace einkorn::test
