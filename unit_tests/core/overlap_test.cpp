// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Overlap of strided Views with each other and with themselves, compared with enumeration of all addresses.

#include "../support/types.hpp"

#include <einkorn/core/overlap.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

using Strided = Kokkos::View<double**, Kokkos::LayoutStride, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

/// The offsets of all entries of a View from `origin`, one per index.
std::vector<std::ptrdiff_t> offsets_of(Strided const& v, double const* origin) {
  std::vector<std::ptrdiff_t> offsets;
  for (std::size_t i = 0; i < v.extent(0); ++i)
    for (std::size_t j = 0; j < v.extent(1); ++j) offsets.push_back(&v(i, j) - origin);
  return offsets;
}

bool repeats(Strided const& v, double const* origin) {
  auto const all = offsets_of(v, origin);
  return std::set(all.begin(), all.end()).size() < all.size();
}

bool shares(Strided const& v, Strided const& w, double const* origin) {
  auto const of_v = offsets_of(v, origin), of_w = offsets_of(w, origin);
  std::set const known(of_v.begin(), of_v.end());
  return std::any_of(of_w.begin(), of_w.end(), [&](auto offset) { return known.count(offset) > 0; });
}

class OverlapOfStrides : public testing::Test {
 protected:
  std::mt19937 random{42};
  std::vector<double> memory = std::vector<double>(1000);

  std::size_t up_to(std::size_t most) { return random() % (most + 1); }
  Strided view(std::size_t s, std::size_t t) {
    return Strided(memory.data() + up_to(60), Kokkos::LayoutStride(up_to(5), s, up_to(5), t));
  }
};

TEST_F(OverlapOfStrides, ExactForEqualStrides) {
  int met = 0, apart = 0;
  for (int run = 0; run < 40000; ++run) {
    std::size_t const s = up_to(14), t = up_to(14);
    auto const v = view(s, t), w = run % 2 == 0 ? view(s, t) : view(t, s);
    bool const want = shares(v, w, memory.data());
    ASSERT_EQ(overlaps(v, w), want) << s << ' ' << t << ": " << v.extent(0) << " x " << v.extent(1) << " and "
                                    << w.extent(0) << " x " << w.extent(1) << " at " << w.data() - v.data();
    (want ? met : apart) += v.data() <= w.data() + w.span() && w.data() <= v.data() + v.span();
  }
  EXPECT_GT(met, 1000);
  EXPECT_GT(apart, 1000);
}

TEST_F(OverlapOfStrides, ExactWithAContiguousArray) {
  for (int run = 0; run < 20000; ++run) {
    auto const v = view(1 + up_to(14), 1),
               w = Strided(memory.data() + up_to(60), Kokkos::LayoutStride(1 + up_to(9), 1, 1, 0));
    ASSERT_EQ(overlaps(v, w), shares(v, w, memory.data()));
  }
}

TEST_F(OverlapOfStrides, NeverMissed) {
  int exact = 0;
  for (int run = 0; run < 40000; ++run) {
    auto const v = view(up_to(14), up_to(14)), w = view(up_to(14), up_to(14));
    bool const want = shares(v, w, memory.data()), got = overlaps(v, w);
    ASSERT_TRUE(got || !want);
    exact += got == want;
  }
  EXPECT_GT(exact, 35000);
}

TEST_F(OverlapOfStrides, ExactForOneViewWithItself) {
  int repeated = 0, once = 0;
  for (int run = 0; run < 40000; ++run) {
    auto const v = view(up_to(9), up_to(9));
    bool const want = repeats(v, memory.data());
    ASSERT_EQ(overlaps_itself(v), want)
        << v.extent(0) << " by " << v.stride(0) << ", " << v.extent(1) << " by " << v.stride(1);
    ++(want ? repeated : once);
  }
  EXPECT_GT(repeated, 1000);
  EXPECT_GT(once, 1000);
}

TEST(Overlap, BlocksOfOneMultivector) {
  Kokkos::View<double**, Kokkos::LayoutRight, Device> const rows("rows", 20, 8);
  auto const columns = [&](int begin, int end) {
    return Kokkos::subview(rows, Kokkos::ALL, std::pair(begin, end));
  };
  EXPECT_FALSE(overlaps(columns(0, 4), columns(4, 8)));
  EXPECT_FALSE(overlaps(columns(5, 8), columns(0, 5)));
  EXPECT_TRUE(overlaps(columns(0, 5), columns(4, 8)));
  EXPECT_FALSE(overlaps(columns(0, 4), Kokkos::subview(rows, Kokkos::ALL, 4)));
  EXPECT_TRUE(overlaps(columns(0, 4), Kokkos::subview(rows, Kokkos::ALL, 3)));
  Kokkos::View<double**, Kokkos::LayoutLeft, Device> const columns_first("columns", 20, 8);
  auto const block = [&](int begin, int end) {
    return Kokkos::subview(columns_first, std::pair(begin, end), Kokkos::ALL);
  };
  EXPECT_FALSE(overlaps(block(0, 10), block(10, 20)));
  EXPECT_TRUE(overlaps(block(0, 11), block(10, 20)));
}

TEST(Overlap, LargeViews) {
  auto const view = [](std::uintptr_t address, std::size_t j_stride) {
    std::size_t const many = std::size_t(1) << 22;
    return Strided(reinterpret_cast<double*>(address), Kokkos::LayoutStride(many, 3, many, j_stride));
  };
  std::size_t const power = std::size_t(1) << 23;
  EXPECT_FALSE(overlaps_itself(view(8000, power))) << "3 i = 2^23 needs a larger i";
  EXPECT_TRUE(overlaps_itself(view(8000, power + 1))) << "a multiple of 3";
  EXPECT_TRUE(overlaps(view(8000, power), view(8008, power)));
  EXPECT_FALSE(overlaps(view(8000, power + 1), view(8008, power + 1)));
  EXPECT_FALSE(overlaps(view(8000, power + 1), view(8016, 5 * (power + 1))))
      << "three strides, all multiples of 3";
}

}  // namespace
}  // namespace einkorn::test
