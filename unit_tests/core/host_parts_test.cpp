// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Work stealing on host threads: each part runs once, own parts first, in consecutive loops without a barrier.

#include <einkorn/core/balance/host_parts.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace einkorn::test {
namespace {

using detail::WorkQueue, detail::run_work_queues;

std::vector<int> parts_of(std::vector<WorkQueue>& taken, std::uint32_t loop, int rank, int num_parts) {
  std::vector<int> parts;
  run_work_queues(taken.data(), loop, rank, static_cast<int>(taken.size()), num_parts,
                  [&](int part) { parts.push_back(part); });
  return parts;
}

TEST(HostParts, ThreadRunsOwnPartsThenStealsFromFollowingThreads) {
  std::vector<WorkQueue> taken(3);
  EXPECT_EQ(parts_of(taken, 1, 1, 7), (std::vector{2, 3, 4, 5, 6, 0, 1}));
}

TEST(HostParts, FinishedLoopHasNoParts) {
  std::vector<WorkQueue> taken(4);
  EXPECT_EQ(parts_of(taken, 1, 0, 9).size(), 9u);
  EXPECT_EQ(parts_of(taken, 2, 3, 2), (std::vector{1, 0}));
  for (int const rank : {1, 2, 3}) EXPECT_TRUE(parts_of(taken, 1, rank, 9).empty());
  EXPECT_TRUE(parts_of(taken, 2, 0, 2).empty());
}

TEST(HostParts, EachPartRunsOncePerLoop) {
  constexpr int loops = 300;
  for (int const threads : {1, 2, 3, 5})
    for (int const num_parts : {0, 1, 2, 7, 16 * threads, 1000}) {
      SCOPED_TRACE(std::to_string(num_parts) + " parts by " + std::to_string(threads) + " threads");
      std::vector<WorkQueue> taken(static_cast<std::size_t>(threads));
      std::vector<std::atomic<int>> times(static_cast<std::size_t>(loops * num_parts));
      auto const work = [&](int rank) {
        for (int loop = 0; loop < loops; ++loop)
          run_work_queues(taken.data(), static_cast<std::uint32_t>(loop) + 1, rank, threads, num_parts,
                          [&](int part) { ++times[static_cast<std::size_t>(loop * num_parts + part)]; });
      };
      std::vector<std::thread> others;
      for (int rank = 1; rank < threads; ++rank) others.emplace_back(work, rank);
      work(0);
      for (auto& other : others) other.join();
      EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](auto const& count) { return count == 1; }));
    }
}

TEST(HostParts, ForEachPartRunsEachPartOnce) {
  Kokkos::DefaultHostExecutionSpace const exec;
  for (std::int64_t const num_parts : {0, 1, 2, 17, 5000}) {
    std::vector<std::atomic<int>> times(static_cast<std::size_t>(num_parts));
    auto* const first = times.data();
    for_each_part(exec, "einkorn::test", num_parts, [first](std::int64_t part) { ++first[part]; });
    EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](auto const& count) { return count == 1; }))
        << num_parts << " parts";
  }
}

}  // namespace
}  // namespace einkorn::test
