// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/battery.hpp"
#include "../support/throws.hpp"

#include <einkorn/core/cooperative.hpp>
#include <einkorn/core/cooperative_vector.hpp>
#include <einkorn/core/lanes/lanes.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace einkorn::test {

constexpr CooperativeShape blocks_of_256{256, 1};

/// Every thread owns an entry. In each round it becomes 1 + the entry of a distant thread, and a step checks
/// the sum of all entries.
template <class S>
struct ExchangeEntries {
  CooperativeVector<Space, S> vector;
  int rounds;
  Kokkos::View<S*, Device> ends;     // [size]
  Kokkos::View<int*, Device> wrong;  // [blocks]

  template <class AnyMember>
  KOKKOS_FUNCTION void operator()([[maybe_unused]] AnyMember& member) const {
    if constexpr (is_gpu<Space>) {
      auto const own = static_cast<std::size_t>(member.rank()), size = static_cast<std::size_t>(member.size());
      std::size_t const from = (own + size / 2 + 1) % size;
      double const of_ranks = static_cast<double>(size) * (static_cast<double>(size) - 1) / 2;
      int& errors = member.template state<int>();
      S value(static_cast<real_type<S>>(own));
      for (int round = 0; round <= rounds; ++round) {
        double sums[2] = {real(value), 1.0};
        member.sum_relaxed(sums, [&](double const* totals) {
          if (round == 0) errors = 0;
          if (totals[0] != of_ranks + round * static_cast<double>(size) || totals[1] != double(size)) ++errors;
        });
        if (round == rounds) break;
        std::uint32_t const tag = member.epoch();
        vector.store(own, value, tag);
        auto found = vector.load(from);
        while (Lanes<Space>::ballot(!found.has_tag(tag)) != 0) found = vector.load(from);
        value = found.value() + S(1);
      }
      ends(own) = value;
      if (member.rank_in_block() == 0) wrong(member.block()) = errors;
    }
  }

 private:
  static KOKKOS_FUNCTION double real(S const& value) {
    if constexpr (is_complex<S>)
      return static_cast<double>(value.real());
    else
      return static_cast<double>(value);
  }
};

namespace {

/// The final entries of all threads after two consecutive launches.
template <class S>
void expect_exchanged(int blocks, int rounds) {
  CooperativeSpace<Space> space{Space(), blocks};
  auto const size = static_cast<std::size_t>(blocks) * blocks_of_256.threads;
  CooperativeVector<Space, S> const vector(Space(), size);
  EXPECT_EQ(vector.bytes(), size * (sizeof(S) < 8 ? 8 : 2 * sizeof(S)));
  for (int launch = 0; launch < 2; ++launch) {
    Kokkos::View<S*, Device> const ends("ends", size);
    Kokkos::View<int*, Device> const wrong("wrong", static_cast<std::size_t>(blocks));
    Kokkos::deep_copy(wrong, -1);

    launch_cooperative<blocks_of_256>(Space(), "exchange", space,
                                      ExchangeEntries<S>{vector, rounds, ends, wrong},
                                      CooperativeScratch{1024, blocks});

    EXPECT_EQ(to_host(wrong), std::vector<int>(static_cast<std::size_t>(blocks), 0)) << "launch " << launch;
    auto const got = to_host(ends);
    for (std::size_t i = 0; i < size; ++i) {
      auto const start = (i + static_cast<std::size_t>(rounds) * (size / 2 + 1)) % size;
      ASSERT_EQ(got[i], S(static_cast<real_type<S>>(start + static_cast<std::size_t>(rounds)))) << i;
    }
  }
}

TEST(CooperativeVector, ExchangesEntriesBetweenThreads) {
  if (!is_gpu<Space>) GTEST_SKIP() << "threads of a host have a barrier";
  for (int blocks : {1, 2, 16}) {
    for (int rounds : {0, 1, 2, 200}) {
      expect_exchanged<double>(blocks, rounds);
      expect_exchanged<float>(blocks, rounds);
      expect_exchanged<Kokkos::complex<double>>(blocks, rounds);
    }
  }
}

TEST(Cooperative, RejectsMoreBlocksThanCanBeResident) {
  if (!is_gpu<Space>) GTEST_SKIP() << "a host has no blocks";
  CooperativeSpace<Space> space{Space(), 2};
  CooperativeVector<Space, double> const vector(Space(), 1024);
  Kokkos::View<double*, Device> const ends("ends", 1024);
  Kokkos::View<int*, Device> const wrong("wrong", 4);
  ExchangeEntries<double> const functor{vector, 1, ends, wrong};
  EXPECT_TRUE(
      throws<Error>([&] { launch_cooperative<blocks_of_256>(Space(), "three", space, functor, {0, 3}); },
                    {"3 blocks requested", "2 can be resident"}));
}

TEST(Cooperative, MaxScratch) {
  EXPECT_EQ(max_cooperative_scratch(Space()) > 0, is_gpu<Space>);
  EXPECT_GE(num_multiprocessors(Space()), 1);
}

}  // namespace
}  // namespace einkorn::test
