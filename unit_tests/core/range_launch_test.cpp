// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Loops, reductions and scans over a range, copies and zeros: compared with loops on the host, for counts around the
// number of threads.

#include "../support/host_matrix.hpp"
#include "../support/throws.hpp"

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/core/range_launch.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

std::vector<int> counts() {
  int const threads = static_cast<int>(Space().concurrency());
  std::vector<int> result{0, 1, 2, 1023, 1024, 1025, 4099};
  if (threads < 1000)
    for (int const count : {threads - 1, threads, threads + 1, 3 * threads - 1}) result.push_back(count);
  return result;
}

/// Values without order: 0 <= value < 1009.
std::vector<std::int64_t> values_of(int count) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>((i * i + 7 * i) % 1009);
  return values;
}

struct AddIndex {
  Kokkos::View<std::int64_t*, Device> y;
  KOKKOS_FUNCTION void operator()(int i) const { y(i) += i + 1; }
};

TEST(RangeLaunch, ForRunsEachIndexOnce) {
  for (int const count : counts()) {
    auto const y = to_device(values_of(count));
    range_for<int>("test", Space(), count, AddIndex{y});
    Space().fence();
    auto want = values_of(count);
    for (std::size_t i = 0; i < want.size(); ++i) want[i] += static_cast<std::int64_t>(i) + 1;
    EXPECT_EQ(to_host(y), want) << count;
  }
}

struct SumAndRange {
  Kokkos::View<std::int64_t const*, Device> x;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& sum, std::int64_t& max,
                                  std::int64_t& min) const {
    sum += x(i);
    max = Kokkos::max(max, x(i));
    min = Kokkos::min(min, x(i));
  }
};

TEST(RangeLaunch, ReduceToSumAndReducers) {
  for (int const count : counts()) {
    auto const values = values_of(count);
    std::int64_t sum = -1, max = -1, min = -1;
    range_reduce<std::int64_t>("test", Space(), count, SumAndRange{to_device(values)}, sum,
                               Kokkos::Max<std::int64_t>(max), Kokkos::Min<std::int64_t>(min));
    using Limits = std::numeric_limits<std::int64_t>;
    EXPECT_EQ(sum, std::accumulate(values.begin(), values.end(), std::int64_t(0))) << count;
    EXPECT_EQ(max, count == 0 ? Limits::lowest() : *std::max_element(values.begin(), values.end())) << count;
    EXPECT_EQ(min, count == 0 ? Limits::max() : *std::min_element(values.begin(), values.end())) << count;
  }
}

struct SumOf {
  Kokkos::View<std::int64_t const*, Device> x;
  KOKKOS_FUNCTION void operator()(std::size_t i, std::int64_t& sum) const { sum += x(i); }
};

TEST(RangeLaunch, ReduceToView) {
  Kokkos::View<std::int64_t, Device> const result("result");
  range_reduce<std::size_t>("test", Space(), 1000, SumOf{to_device(values_of(1000))}, result);
  Space().fence();
  std::int64_t sum = 0;
  Kokkos::deep_copy(sum, result);
  auto const values = values_of(1000);
  EXPECT_EQ(sum, std::accumulate(values.begin(), values.end(), std::int64_t(0)));
}

/// Kokkos joins these partial results by the functor: the count of each remainder of 3.
struct CountRemainders {
  using value_type = std::int64_t[];
  std::size_t value_count = 3;
  Kokkos::View<std::int64_t const*, Device> x;
  KOKKOS_FUNCTION void operator()(std::size_t i, std::int64_t* counts) const { ++counts[x(i) % 3]; }
};

TEST(RangeLaunch, ReduceWithValueTypeOfTheFunctor) {
  auto const values = values_of(500);
  std::int64_t found[3] = {}, want[3] = {};
  range_reduce<std::size_t>("test", Space(), 500, CountRemainders{3, to_device(values)}, found);
  for (auto const value : values) ++want[value % 3];
  for (int r = 0; r < 3; ++r) EXPECT_EQ(found[r], want[r]) << r;
}

struct ScanOf {
  Kokkos::View<std::int64_t const*, Device> x;
  Kokkos::View<std::int64_t*, Device> before;
  KOKKOS_FUNCTION void operator()(int i, std::int64_t& update, bool is_final) const {
    if (is_final) before(i) = update;
    update += x(i);
  }
};

TEST(RangeLaunch, ScanWithAndWithoutTotal) {
  for (int const count : counts()) {
    auto const values = values_of(count);
    std::vector<std::int64_t> want(values.size());
    std::exclusive_scan(values.begin(), values.end(), want.begin(), std::int64_t(0));
    auto const before = to_device(std::vector<std::int64_t>(values.size(), -1));
    std::int64_t total = 0;
    range_scan<int>("test", Space(), count, ScanOf{to_device(values), before}, total);
    EXPECT_EQ(to_host(before), want) << count;
    EXPECT_EQ(total, std::accumulate(values.begin(), values.end(), std::int64_t(0))) << count;
    auto const again = to_device(std::vector<std::int64_t>(values.size(), -1));
    range_scan<int>("test", Space(), count, ScanOf{to_device(values), again});
    Space().fence();
    EXPECT_EQ(to_host(again), want) << count;
  }
}

TEST(CopyEntries, CopiesAndFills) {
  for (int const count : counts()) {
    auto const values = values_of(count);
    auto const to = to_device(std::vector<std::int64_t>(values.size(), -1));
    copy_vector(Space(), to, to_device(values));
    Space().fence();
    EXPECT_EQ(to_host(to), values) << count;
    fill_vector(Space(), to, 5);
    Space().fence();
    EXPECT_EQ(to_host(to), std::vector<std::int64_t>(values.size(), 5)) << count;
  }
}

TEST(CopyEntries, DifferentExtentsThrow) {
  if (is_gpu<Space>) GTEST_SKIP() << "Kokkos checks the extents";
  auto const to = to_device(values_of(3));
  EXPECT_THROW(copy_vector(Space(), to, to_device(values_of(4))), DimensionMismatch);
}

template <class T>
void expect_zeros() {
  using Vector = Kokkos::View<T*, Device>;
  for (int const count : counts()) {
    auto const with_exec = allocate_zeros<Vector>(Space(), "test", count);
    Space().fence();
    EXPECT_EQ(to_host(with_exec), std::vector<T>(static_cast<std::size_t>(count))) << count;
    EXPECT_EQ(to_host(allocate_zeros<Vector>("test", count)), std::vector<T>(static_cast<std::size_t>(count)))
        << count;
  }
}

TEST(AllocateZeros, AllEntriesAreZero) {
  for (int attempt = 0; attempt < 2; ++attempt) {  // the second reuses freed memory
    expect_zeros<double>();
    expect_zeros<std::uint8_t>();
    expect_zeros<Kokkos::complex<double>>();
    auto const dirty = to_device(std::vector<double>(4099, 1.5));
  }
}

TEST(AllocateZeros, TwoDimensions) {
  using Rows = Kokkos::View<int**, Kokkos::LayoutRight, Device>;
  auto const rows = allocate_zeros<Rows>(Space(), "test", 37, 41);
  Space().fence();
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rows);
  ASSERT_EQ(host.size(), 37u * 41u);
  for (int i = 0; i < 37; ++i)
    for (int j = 0; j < 41; ++j) EXPECT_EQ(host(i, j), 0);
}

}  // namespace
}  // namespace einkorn::test
