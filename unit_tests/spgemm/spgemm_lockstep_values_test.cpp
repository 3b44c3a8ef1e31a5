// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The kernels of SpGEMM that sum values in the order of A's entries.

#include "spgemm_lockstep.hpp"

#include <einkorn/core/lanes/equal_lanes.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

TEST(SpgemmLockstep, SumsWholeRowsAndChunks) {
  for (bool const near : {false, true}) {
    auto C = product(near);
    ASSERT_EQ(C.find_columns(1024, 32, 8), 0);
    for (auto const [lanes, segment_lanes] : geometries())
      for (auto const& [sums, slots] : {std::pair(1024, 2048), std::pair(16, 32)})
        for (bool const sorted_rows : {false, true}) {
          SCOPED_TRACE(std::to_string(lanes) + ", " + std::to_string(segment_lanes) + ", " +
                       std::to_string(sums));

          C.find_values<true>(sums, slots, lanes, segment_lanes, sorted_rows);

          EXPECT_TRUE(C.is_right());
        }
    C.find_values<false>(16, 32, 0, 8);
    EXPECT_TRUE(C.is_right());
    C.find_values<false>(1024, 2048, 0, 32);
    EXPECT_TRUE(C.is_right());
  }
}

TEST(SpgemmLockstep, SumsChunksByTeams) {
  struct Case {
    bool near;
    int sums, words;  // 1 word: positions by binary search
    bool sorted_rows;
  };
  for (auto const& [near, sums, words, sorted_rows] :
       {Case{true, 64, 1250, true}, Case{false, 64, 1, true}, Case{false, 1024, 1250, false}}) {
    SCOPED_TRACE(std::to_string(sums) + ", " + std::to_string(words));
    auto C = product(near);
    ASSERT_EQ(C.find_columns(1024, 32, 8), 0);

    C.find_values<true>(sums, words, 0, 1, sorted_rows);

    EXPECT_TRUE(C.is_right());
  }
}

/// Values of 24 bits, so that products are exact, and of different magnitudes, so that sums depend on their order.
HostMatrix<double> with_short_numbers(Pattern const& pattern, unsigned seed) {
  auto M = with_numbers<double>(pattern, Numbers::reals, seed);
  for (std::size_t k = 0; k < M.values.size(); ++k)
    M.values[k] =
        std::ldexp(static_cast<double>(static_cast<float>(M.values[k])), static_cast<int>(7 * k % 30));
  return M;
}

TEST(SpgemmLockstep, SumsInTheOrderOfA) {
  // Few columns of B: a step of a team has many products of one column, in one warp and in several.
  for (int const columns : {1, 5, 300}) {
    Product<int> C(with_short_numbers(mixed_rows(37, 200, false), 1),
                   with_short_numbers(mixed_rows(200, columns, true), 2));
    ASSERT_EQ(C.find_columns(1024, 32, 8), 0);
    for (int const lanes : {0, 1, 32}) {  // 0: by teams
      SCOPED_TRACE(std::to_string(columns) + ", " + std::to_string(lanes));

      C.find_values<true>(1024, 2048, lanes, 1);

      EXPECT_TRUE(C.is_summed_in_order());
    }
  }
}

/// One lane per segment: two lanes would update the same sum.
TEST(SpgemmLockstep, RepeatedColumns) {
  auto B = mixed_rows(200, 300, true);
  for (std::size_t k = 1; k < B.columns.size(); k += 3) B.columns[k] = B.columns[k - 1];
  Product<int> C(with_numbers<double>(mixed_rows(37, 200, false), Numbers::integers, 1),
                 with_numbers<double>(B, Numbers::integers, 2));
  ASSERT_EQ(C.find_columns(1024, 32, 8), 0);
  for (int const lanes : {1, 32})
    for (int const sums : {16, 1024}) {
      C.find_values<true>(sums, 2 * sums, lanes, 1, false);

      EXPECT_TRUE(C.is_right());
    }
}

/// before(lane) <- lanes before it in its group with the same of eight numbers; masks(lane) <- all of the warp.
struct ByShuffles : LockstepWarp {};  // EqualLanes of any GPU
struct CountEqualLanes {
  int lanes;
  int* before;
  LockstepWarp::Mask* masks;
  void operator()(LockstepMember const& team) const {
    int const rank = team.team_rank(), number = rank * rank % 8;
    before[rank] = EqualLanes<ByShuffles>::before(number, rank, lanes);
    masks[rank] = EqualLanes<ByShuffles>::mask(number, rank);
  }
};

TEST(SpgemmLockstep, CountsEqualLanes) {
  for (int const lanes : {1, 4, 32}) {
    std::vector<int> before(64, -1);
    std::vector<LockstepWarp::Mask> masks(64);

    run_in_lockstep(CountEqualLanes{lanes, before.data(), masks.data()}, 1, 64, 0);

    for (int rank = 0; rank < 64; ++rank) {
      int expected = 0;
      for (int other = rank / lanes * lanes; other < rank; ++other)
        expected += other * other % 8 == rank * rank % 8 ? 1 : 0;
      EXPECT_EQ(before[static_cast<std::size_t>(rank)], expected) << rank << " of " << lanes;
      LockstepWarp::Mask mask = 0;
      for (int lane = 0; lane < 32; ++lane) {
        int const other = rank / 32 * 32 + lane;
        if (other * other % 8 == rank * rank % 8) mask |= LockstepWarp::Mask(1) << lane;
      }
      EXPECT_EQ(masks[static_cast<std::size_t>(rank)], mask) << rank;
    }
  }
}

}  // namespace
}  // namespace einkorn::test
