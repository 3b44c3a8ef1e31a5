// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/battery.hpp"

#include <einkorn/core/cooperative.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace einkorn::test {

using Member = CooperativeMember<Space>;
using Counts = Kokkos::View<int*, Device>;

constexpr CooperativeShape small_blocks{256, 2};

/// Every thread stores the number of threads.
struct AskForSize {
  Counts size;  // [1]
  template <class AnyMember>
  KOKKOS_FUNCTION void operator()(AnyMember& member) const {
    if (member.rank() == 0) size(0) = member.size();
    member.sync();
  }
};

template <CooperativeShape shape = CooperativeShape{}>
int size_of_launch(CooperativeSpace<Space>& space) {
  Counts const size("size", 1);
  launch_cooperative<shape>(Space(), "size", space, AskForSize{size});
  return to_host(size)[0];
}

/// Sums of integers with known totals, for k = 1, 2, 3, 8, with some barriers in between.
struct SumIntegers {
  int rounds;
  Counts wrong;  // [size]

  template <int k>
  KOKKOS_FUNCTION int errors(Member& member, int round) const {
    double const n = member.size();
    double sums[k];
    for (int i = 0; i < k; ++i) sums[i] = (member.rank() + 1.0) * (i + 1) + round;
    member.sum_all(sums);
    int count = 0;
    for (int i = 0; i < k; ++i) count += sums[i] != n * (n + 1) / 2 * (i + 1) + n * round;
    return count;
  }
  KOKKOS_FUNCTION void operator()(Member& member) const {
    int count = 0;
    for (int round = 0; round < rounds; ++round) {
      if (round % 4 == 0) count += errors<1>(member, round);
      if (round % 4 == 1) count += errors<2>(member, round);
      if (round % 4 == 2) count += errors<8>(member, round);
      if (round % 4 == 3) count += errors<3>(member, round);
      if (round % 7 == 3) member.sync();
    }
    wrong(member.rank()) = count;
  }
};

/// Element i of one array becomes 1 + element i + distance (cyclic) of the other, alternately.
struct ShiftAroundRing {
  int passes;
  Kokkos::View<int*, Device> even, odd;  // [size]

  KOKKOS_FUNCTION void operator()(Member& member) const {
    int const from = (member.rank() + member.size() / 2 + 1) % member.size();
    for (int pass = 0; pass < passes; ++pass) {
      auto const& before = pass % 2 == 0 ? even : odd;
      auto const& after = pass % 2 == 0 ? odd : even;
      after(member.rank()) = before(from) + 1;
      member.sync();
    }
  }
};

/// As above, with sums, which are checked, in place of barriers.
struct ShiftAroundRingWithSums {
  int passes;
  Kokkos::View<int*, Device> even, odd, wrong;  // [size]

  KOKKOS_FUNCTION void operator()(Member& member) const {
    int const from = (member.rank() + member.size() / 2 + 1) % member.size();
    int count = 0;
    for (int pass = 0; pass < passes; ++pass) {
      auto const& before = pass % 2 == 0 ? even : odd;
      auto const& after = pass % 2 == 0 ? odd : even;
      int const value = before(from) + 1;
      after(member.rank()) = value;
      double sum[1] = {double(value)};
      member.sum_all(sum);
      double const n = member.size();
      count += sum[0] != n * (n - 1) / 2 + n * (pass + 1);
    }
    wrong(member.rank()) = count;
  }
};

/// The totals of sum_all and sum_parts in every thread.
struct SumReals {
  Kokkos::View<double const*, Device> x;
  Kokkos::View<double*, Device> totals;  // [size][2]

  KOKKOS_FUNCTION void operator()(Member& member) const {
    auto const n = static_cast<int>(x.extent(0));
    double all[1] = {x(member.rank() % n)}, parts[2];
    member.sum_all(all);
    member.sum_parts(
        n,
        [&](int part, double(&sums)[2]) {
          sums[0] += x(part);
          sums[1] -= x(part);
        },
        parts);
    totals(2 * member.rank()) = all[0];
    totals(2 * member.rank() + 1) = parts[1];
  }
};

/// 20 loops over parts, without barriers between them.
struct CountVisits {
  int num_parts;
  Counts parts;  // [num_parts]

  KOKKOS_FUNCTION void operator()(Member& member) const {
    for (int round = 0; round < 20; ++round)
      member.for_each_part(static_cast<std::int64_t>(num_parts),
                           [&](std::int64_t part) { Kokkos::atomic_inc(&parts(part)); });
  }
};

/// Totals of no parts.
struct SumNothing {
  Kokkos::View<double*, Device> totals;  // [size]
  KOKKOS_FUNCTION void operator()(Member& member) const {
    double total[1] = {5};
    member.sum_parts(0, [](int, double(&sums)[1]) { sums[0] += 1; }, total);
    totals(member.rank()) = total[0];
  }
};

namespace {

std::vector<int> all(std::size_t count, int value) {
  return std::vector<int>(count, value);
}

template <CooperativeShape shape>
void expect_integers_summed(CooperativeSpace<Space>& space, int rounds) {
  auto const size = static_cast<std::size_t>(size_of_launch<shape>(space));
  Counts const wrong("wrong", size);
  Kokkos::deep_copy(wrong, -1);

  launch_cooperative<shape>(Space(), "sums", space, SumIntegers{rounds, wrong});

  auto const of_threads = to_host(wrong);  // fewer may run than of another kernel: what was not run is behind
  auto const ran = std::find(of_threads.begin(), of_threads.end(), -1) - of_threads.begin();
  EXPECT_GT(ran, 0);
  EXPECT_EQ(std::count(of_threads.begin(), of_threads.begin() + ran, 0), ran) << rounds << " rounds";
  EXPECT_EQ(std::count(of_threads.begin() + ran, of_threads.end(), -1),
            of_threads.end() - of_threads.begin() - ran);
}

TEST(Cooperative, EveryThreadGetsExactTotals) {
  CooperativeSpace<Space> space{Space()};
  expect_integers_summed<CooperativeShape{}>(space, 1000);
  expect_integers_summed<small_blocks>(space, 1000);
}

TEST(Cooperative, SpaceIsReusableForAnyShape) {
  CooperativeSpace<Space> space{Space()};
  for (int rounds : {0, 1, 2, 3, 0, 5, 1}) {
    expect_integers_summed<CooperativeShape{}>(space, rounds);
    expect_integers_summed<small_blocks>(space, rounds);
    expect_integers_summed<CooperativeShape{512, 1}>(space, rounds);
  }
}

TEST(Cooperative, RespectsMaxBlocks) {
  for (int blocks : {1, 2, 3}) {
    CooperativeSpace<Space> space{Space(), blocks};
    int const threads_of_block = is_gpu<Space> ? 256 : 1;
    EXPECT_LE(size_of_launch<small_blocks>(space), blocks * threads_of_block);
    expect_integers_summed<small_blocks>(space, 200);
  }
}

TEST(Cooperative, UsesAllHostThreads) {
  CooperativeSpace<Space> space{Space()};
  int const size = size_of_launch(space);
  if (is_gpu<Space>)
    EXPECT_EQ(size % 1024, 0);
  else
    EXPECT_EQ(size, Space().concurrency());
  EXPECT_GT(space.bytes(), 0u);
}

TEST(Cooperative, WritesAreVisibleAfterSync) {
  CooperativeSpace<Space> space{Space()};
  auto const size = static_cast<std::size_t>(size_of_launch(space));
  int const passes = 200;
  std::vector<int> start(size), want(size);
  for (std::size_t i = 0; i < size; ++i) {
    start[i] = static_cast<int>(i);
    want[i] = static_cast<int>((i + passes * (size / 2 + 1)) % size) + passes;
  }
  auto const even = to_device(start), odd = to_device(all(size, -1));

  launch_cooperative(Space(), "ring", space, ShiftAroundRing{passes, even, odd});

  EXPECT_EQ(to_host(even), want);
}

TEST(Cooperative, WritesAreVisibleAfterSumAll) {
  CooperativeSpace<Space> space{Space()};
  auto const size = static_cast<std::size_t>(size_of_launch<small_blocks>(space));
  std::vector<int> start(size);
  for (std::size_t i = 0; i < size; ++i) start[i] = static_cast<int>(i);
  auto const even = to_device(start), odd = to_device(all(size, -1)), wrong = to_device(all(size, -1));

  launch_cooperative<small_blocks>(Space(), "ring", space, ShiftAroundRingWithSums{200, even, odd, wrong});

  EXPECT_EQ(to_host(wrong), all(size, 0));
}

TEST(Cooperative, SameBitsInEveryThreadAndRun) {
  auto const x = numbers<double>(Numbers::reals, 9984, 3);
  auto const device_x = to_device(x);
  long double all_parts = 0, magnitude = 0;
  for (double value : x) {
    all_parts += value;
    magnitude += std::abs(value);
  }
  CooperativeSpace<Space> space{Space()};
  auto const size = static_cast<std::size_t>(size_of_launch(space));
  std::vector<double> first;
  for (int run = 0; run < 20; ++run) {
    Kokkos::View<double*, Device> const totals("totals", 2 * size);

    launch_cooperative(Space(), "reals", space, SumReals{device_x, totals});

    auto const got = to_host(totals);
    if (run == 0) first.assign(got.begin(), got.begin() + 2);
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], first[i % 2]) << "run " << run << ", " << i;
  }
  long double by_rank = 0;
  for (std::size_t i = 0; i < size; ++i) by_rank += x[i % x.size()];
  double const bound = static_cast<double>(magnitude) * 1e-13 * (1 + static_cast<double>(size / x.size()));
  EXPECT_NEAR(first[0], static_cast<double>(by_rank), bound);
  EXPECT_NEAR(first[1], static_cast<double>(-all_parts), bound);
}

TEST(Cooperative, RunsEveryPartOnce) {
  CooperativeSpace<Space> space{Space()};
  for (int num_parts : {0, 1, 31, 1000}) {
    Counts const parts("parts", static_cast<std::size_t>(num_parts));

    launch_cooperative<small_blocks>(Space(), "visits", space, CountVisits{num_parts, parts});

    EXPECT_EQ(to_host(parts), all(parts.size(), 20)) << num_parts;
  }
}

TEST(Cooperative, SumOfNoPartsIsZero) {
  CooperativeSpace<Space> space{Space()};
  auto const size = static_cast<std::size_t>(size_of_launch(space));
  Kokkos::View<double*, Device> const totals("totals", size);
  Kokkos::deep_copy(totals, 5.0);

  launch_cooperative(Space(), "none", space, SumNothing{totals});

  auto const got = to_host(totals);
  for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(got[i], 0.0);
}

#ifdef _OPENMP
TEST(Cooperative, OneThreadInsideAParallelRegion) {
  if (is_gpu<Space>) GTEST_SKIP() << "host only";
  CooperativeSpace<Space> space{Space()};
  Counts const size("size", 1), wrong("wrong", 1);
  Kokkos::deep_copy(wrong, -1);
#pragma omp parallel num_threads(2)
  {
#pragma omp master
    {
      launch_cooperative(Space(), "size", space, AskForSize{size});
      launch_cooperative(Space(), "sums", space, SumIntegers{20, wrong});
    }
  }
  EXPECT_EQ(to_host(size), all(1, 1));
  EXPECT_EQ(to_host(wrong), all(1, 0));
}

TEST(Cooperative, OneThreadIfTheRuntimeStartsFewer) {
  if (is_gpu<Space>) GTEST_SKIP() << "host only";
  detail::HostCooperativeSpace const space(3, 3);
  *space.barrier() = {};
  Counts const size("size", 1);
  AskForSize const functor{size};
  detail::CooperativeHostThread<Kokkos::DefaultHostExecutionSpace> const thread{space.barrier(), space.sums(),
                                                                                3, functor};
#pragma omp parallel for schedule(static) num_threads(2)
  for (int rank = 0; rank < 3; ++rank) thread(rank);

  EXPECT_EQ(to_host(size), all(1, 1));
}
#endif

}  // namespace
}  // namespace einkorn::test
