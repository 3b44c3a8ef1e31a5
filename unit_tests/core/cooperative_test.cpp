// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/battery.hpp"

#include <einkorn/core/cooperative.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
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

/// The total of sum_all in every thread.
struct SumReals {
  Kokkos::View<double const*, Device> x;
  Kokkos::View<double*, Device> totals;  // [size]

  KOKKOS_FUNCTION void operator()(Member& member) const {
    double sums[1] = {x(member.rank() % static_cast<int>(x.extent(0)))};
    member.sum_all(sums);
    totals(member.rank()) = sums[0];
  }
};

/// Host: the total of sum_parts in every thread.
struct SumParts {
  Kokkos::View<double const*, Device> x;
  Kokkos::View<double*, Device> totals;  // [size]

  template <class HostMember>
  KOKKOS_FUNCTION void operator()(HostMember& member) const {
    double total[2] = {5, 5};
    member.sum_parts(
        static_cast<int>(x.extent(0)),
        [&](int part, double(&sums)[2]) {
          sums[0] += x(part);
          sums[1] -= x(part);
        },
        total, [](double const*) {});
    totals(member.rank()) = total[1];
  }
};

/// Host: 20 loops over parts. step: counts the loops.
struct CountVisits {
  int num_parts;
  Counts parts;  // [num_parts]
  Counts steps;  // [1]

  template <class HostMember>
  KOKKOS_FUNCTION void operator()(HostMember& member) const {
    double total[1];
    for (int round = 0; round < 20; ++round)
      member.sum_parts(
          static_cast<std::int64_t>(num_parts),
          [&](std::int64_t part, double(&)[1]) { Kokkos::atomic_inc(&parts(part)); }, total,
          [&](double const*) { ++steps(0); });
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

/// The total of a functor on x, the same bits in every thread of 20 runs.
template <class Functor, class Exec>
double total_of_runs(Exec const& exec, std::vector<double> const& x) {
  auto const device_x = to_device(x);
  CooperativeSpace<Exec> space{exec};
  auto const size = static_cast<std::size_t>(size_of_launch(space));
  double first = 0;
  for (int run = 0; run < 20; ++run) {
    Kokkos::View<double*, Device> const totals("totals", size);

    launch_cooperative(exec, "reals", space, Functor{device_x, totals});

    auto const got = to_host(totals);
    if (run == 0) first = got[0];
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], first) << "run " << run << ", " << i;
  }
  return first;
}

double magnitude_of(std::vector<double> const& x) {
  return std::accumulate(x.begin(), x.end(), 0.0,
                         [](double sum, double value) { return sum + std::abs(value); });
}

TEST(Cooperative, SameBitsInEveryThreadAndRun) {
  auto const x = numbers<double>(Numbers::reals, 9984, 3);
  CooperativeSpace<Space> space{Space()};
  auto const size = static_cast<std::size_t>(size_of_launch(space));
  long double by_rank = 0;
  for (std::size_t i = 0; i < size; ++i) by_rank += x[i % x.size()];
  double const bound = magnitude_of(x) * 1e-13 * (1 + static_cast<double>(size / x.size()));

  double const total = total_of_runs<SumReals>(Space(), x);

  EXPECT_NEAR(total, static_cast<double>(by_rank), bound);
}

/// The tests of sum_parts, which a GPU does not have.
template <class Exec>
void expect_parts_summed(Exec const& exec) {
  if constexpr (is_gpu<Exec>) {
    GTEST_SKIP() << "host only";
  } else {
    for (std::size_t const num_parts : {0, 1, 31, 9984}) {
      SCOPED_TRACE(std::to_string(num_parts) + " parts");
      auto const x = numbers<double>(Numbers::reals, num_parts, 3);
      long double all_parts = 0;
      for (double value : x) all_parts += value;

      double const total = total_of_runs<SumParts>(exec, x);

      EXPECT_NEAR(total, static_cast<double>(-all_parts), magnitude_of(x) * 1e-13);
    }
  }
}

TEST(Cooperative, SumOfPartsHasTheSameBitsInEveryThreadAndRun) {
  expect_parts_summed(Space());
}

template <class Exec>
void expect_parts_visited(Exec const& exec) {
  if constexpr (is_gpu<Exec>) {
    GTEST_SKIP() << "host only";
  } else {
    CooperativeSpace<Exec> space{exec};
    for (int num_parts : {0, 1, 31, 1000}) {
      Counts const parts("parts", static_cast<std::size_t>(num_parts)), steps("steps", 1);

      launch_cooperative<small_blocks>(exec, "visits", space, CountVisits{num_parts, parts, steps});

      EXPECT_EQ(to_host(parts), all(parts.size(), 20)) << num_parts;
      EXPECT_EQ(to_host(steps), all(1, 20)) << num_parts;
    }
  }
}

TEST(Cooperative, RunsEveryPartOnce) {
  expect_parts_visited(Space());
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
