// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/battery.hpp"

#include <einkorn/core/lanes/simd.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace einkorn::test {
namespace {

template <class T, int W>
struct Width {
  using Value = T;
  static constexpr int width = W;
};

template <class P>
class SimdOf : public testing::Test {
 protected:
  static constexpr int W = P::width;
  using Lanes = Simd<typename P::Value, W>;
  using Values = std::vector<typename P::Value>;

  static Values stored(Lanes const& lanes) {
    using Value = typename P::Value;
    Values values(W + 1, Value(-77));
    lanes.store(values.data());
    EXPECT_EQ(values.back(), Value(-77)) << "written past the end";
    values.pop_back();
    return values;
  }
  static Values some(std::uint64_t seed) { return numbers<typename P::Value>(Numbers::integers, W, seed); }
};
using Widths = TestTypes<Width<float, 4>, Width<float, 2>, Width<double, 2>, Width<float, 8>, Width<float, 16>,
                         Width<double, 4>, Width<double, 8>, Width<double, 16>, Width<Complex, 4>>;
TYPED_TEST_SUITE(SimdOf, Widths);

TYPED_TEST(SimdOf, LoadsAndStores) {
  using T = typename TypeParam::Value;
  auto const values = this->some(1);
  EXPECT_EQ(this->stored(TestFixture::Lanes::load(values.data())), values);
  EXPECT_EQ(this->stored(TestFixture::Lanes::zero()), typename TestFixture::Values(TypeParam::width, T(0)));
  std::vector<T> shifted(values);  // an address that no register is aligned to
  shifted.insert(shifted.begin(), T(9));
  EXPECT_EQ(this->stored(TestFixture::Lanes::load(shifted.data() + 1)), values);
}

TYPED_TEST(SimdOf, LoadConverts) {
  auto const floats = numbers<float>(Numbers::integers, TypeParam::width, 2);
  auto const got = this->stored(TestFixture::Lanes::load(floats.data()));
  for (std::size_t i = 0; i < floats.size(); ++i) EXPECT_EQ(got[i], typename TypeParam::Value(floats[i]));
}

TYPED_TEST(SimdOf, Gathers) {
  using T = typename TypeParam::Value;
  auto const values = numbers<T>(Numbers::integers, 100, 3);
  Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const from(values.data(), 100);
  std::vector<int> indices;
  std::vector<std::int64_t> wide_indices;
  for (int i = 0; i < TypeParam::width; ++i) {
    indices.push_back(static_cast<int>(noise(std::uint64_t(i), 4) % 100));
    wide_indices.push_back(indices.back());
  }
  auto const got = this->stored(TestFixture::Lanes::gather(from, indices.data()));
  for (std::size_t i = 0; i < indices.size(); ++i) EXPECT_EQ(got[i], from(indices[i]));
  EXPECT_EQ(this->stored(TestFixture::Lanes::gather(from, wide_indices.data())), got);
}

TYPED_TEST(SimdOf, AddsProducts) {
  using L = typename TestFixture::Lanes;
  auto const a = this->some(5), b = this->some(6), c = this->some(7);
  auto sum = L::load(c.data());
  sum.add_product(L::load(a.data()), L::load(b.data()));
  auto const got = this->stored(sum);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(got[i], c[i] + a[i] * b[i]);
}

TYPED_TEST(SimdOf, ClearFlagged) {
  using T = typename TypeParam::Value;
  for (int bit = 0; bit < 32; ++bit)
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      std::vector<std::uint32_t> words;
      std::uint32_t column = 0;
      for (int i = 0; i < TypeParam::width; ++i) {
        words.push_back(static_cast<std::uint32_t>(noise(std::uint64_t(i), 10 * seed + 8)));
        if ((words.back() >> bit) & 1u) column |= 1u << i;
      }
      std::vector<T> values(TypeParam::width, T(5));
      values[1] = T(std::numeric_limits<real_type<T>>::infinity());  // times 0 it would be NaN
      auto lanes = TestFixture::Lanes::load(values.data());

      lanes.clear_flagged(words.data(), bit);

      for (std::size_t i = 0; i < values.size(); ++i)
        if ((column >> i) & 1u) values[i] = T(0);
      EXPECT_EQ(this->stored(lanes), values) << "bit " << bit;
      EXPECT_EQ(gather_bits<TypeParam::width>(words.data(), bit), column) << "bit " << bit;
    }
}

TYPED_TEST(SimdOf, Sum) {
  using T = typename TypeParam::Value;
  auto const values = this->some(9);
  T want(0);
  for (auto const& value : values) want += value;
  EXPECT_EQ(TestFixture::Lanes::load(values.data()).sum(), want);
}

TEST(SimdLanes, WithinTileLimits) {
  EXPECT_TRUE(simd_lanes<float> == 4 || simd_lanes<float> == 8 || simd_lanes<float> == 16);
  EXPECT_TRUE(simd_lanes<double> == 4 || simd_lanes<double> == 8 || simd_lanes<double> == 16 ||
              simd_lanes<double> == 2);
  EXPECT_EQ(simd_lanes<Complex>, 4);
}

}  // namespace
}  // namespace einkorn::test
