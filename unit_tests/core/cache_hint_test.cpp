// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/types.hpp"

#include <einkorn/core/lanes/lanes.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace einkorn::test {
namespace {

template <int bytes>
struct alignas(bytes) Item {
  std::array<unsigned char, bytes> data;
};

template <class T>
struct CopyByHint {
  using L = Lanes<Space>;
  Kokkos::View<T const*, Device> from;
  Kokkos::View<T*, Device> to;
  CacheHint<Space> hint;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { to(i) = L::load_streaming(from.data() + i, hint); }
};

template <int bytes>
void expect_loads(std::size_t bytes_of_product) {
  using T = Item<bytes>;
  constexpr std::size_t count = 1000;
  Kokkos::View<T*, Device> const from("from", count), to("to", count);
  auto const host = Kokkos::create_mirror_view(from);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t b = 0; b < bytes; ++b) host(i).data[b] = static_cast<unsigned char>(7 * i + 13 * b + 1);
  Kokkos::deep_copy(from, host);
  Kokkos::parallel_for("einkorn::test", Kokkos::RangePolicy<Space>(Space(), 0, count),
                       CopyByHint<T>{from, to, Lanes<Space>::cache_hint(Space(), bytes_of_product)});
  auto const copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), to);
  EXPECT_EQ(std::memcmp(copy.data(), host.data(), count * sizeof(T)), 0) << bytes << " bytes";
}

TEST(CacheHint, LoadsEveryByteOfSmallAndOfLargeMatrices) {
  for (std::size_t const bytes_of_product : {std::size_t(1) << 20, std::size_t(1) << 40}) {
    expect_loads<1>(bytes_of_product);
    expect_loads<2>(bytes_of_product);
    expect_loads<4>(bytes_of_product);
    expect_loads<8>(bytes_of_product);
    expect_loads<16>(bytes_of_product);
  }
}

#if defined(KOKKOS_ENABLE_CUDA) && defined(KOKKOS_ARCH_HOPPER90)

struct CreateEvictFirst {
  Kokkos::View<std::uint64_t, Kokkos::Cuda> policy;
  KOKKOS_FUNCTION void operator()(int) const {
    KOKKOS_IF_ON_DEVICE((std::uint64_t word;
                         asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(word));
                         policy() = word;))
  }
};

/// (That of evict_normal also depends on a fraction.)
TEST(CacheHint, HasTheWordOfCreatepolicy) {
  Kokkos::View<std::uint64_t, Kokkos::Cuda> const policy("policy");
  Kokkos::parallel_for("einkorn::test", Kokkos::RangePolicy<Kokkos::Cuda>(0, 1), CreateEvictFirst{policy});
  auto const made = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), policy);
  EXPECT_EQ(made(), Warp::CacheHint::evict_first);
}

TEST(CacheHint, EvictsLargeMatricesFirst) {
  Kokkos::Cuda const exec;
  auto const cache = static_cast<std::size_t>(exec.cuda_device_prop().l2CacheSize);
  EXPECT_EQ(Warp::cache_hint(exec, cache / 2).policy, Warp::CacheHint::normal);
  EXPECT_EQ(Warp::cache_hint(exec, cache).policy, Warp::CacheHint::evict_first);
}

#endif

}  // namespace
}  // namespace einkorn::test
