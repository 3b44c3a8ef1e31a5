// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The kernels of SpGEMM that find columns, the launches of a GPU, and row classes.

#include "spgemm_lockstep.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

/// sums[i * lanes + lane] <- the sum over k < counts[i] of 1000 i + k, as this lane has it.
struct SumsOfItems {
  std::vector<std::int64_t> const* counts;
  std::vector<std::int64_t>* sums;

  template <class Group>
  void operator()(Group const& group, std::size_t i) const {
    auto const sum = group.template sum_of_item<std::int64_t>(
        static_cast<std::int64_t>(i), (*counts)[i],
        [](std::int64_t item, std::int64_t k) { return 1000 * item + k; });
    if (!group.is_idle)
      (*sums)[i * static_cast<std::size_t>(group.size()) + static_cast<std::size_t>(group.lane())] = sum;
  }
};

/// With 8 lanes, the lanes of a warp add the items of more than 512 entries together.
TEST(SpgemmLockstep, SumsOfItemsOfDifferentLengths) {
  std::vector<std::int64_t> const counts{0, 512, 513, 2000, 3, 5000, 1};
  for (int const lanes : {1, 8, 32}) {
    std::vector<std::int64_t> sums(counts.size() * static_cast<std::size_t>(lanes), -1);

    for_each_by_lanes(Lockstep(), "sums", counts.size(), lanes, SumsOfItems{&counts, &sums});

    for (std::size_t i = 0; i < counts.size(); ++i)
      for (int lane = 0; lane < lanes; ++lane)
        EXPECT_EQ(sums[i * static_cast<std::size_t>(lanes) + static_cast<std::size_t>(lane)],
                  counts[i] * 1000 * static_cast<std::int64_t>(i) + counts[i] * (counts[i] - 1) / 2)
            << lanes << " lanes, item " << i;
  }
}

TEST(SpgemmLockstep, FindsColumnsByGroupsOfLanes) {
  for (bool const near : {false, true})
    for (auto const [lanes, segment_lanes] : geometries()) {
      SCOPED_TRACE((near ? "near, " : "scattered, ") + std::to_string(lanes) + ", " +
                   std::to_string(segment_lanes));
      auto C = product(near);
      EXPECT_EQ(C.is_compressed(), near);

      for (int const rank_words : {0, -1}) {
        ASSERT_EQ(C.find_columns(1024, lanes, segment_lanes, rank_words), 0);

        C.find_values<true>(1024, 2048, 32, 8);
        EXPECT_TRUE(C.is_right()) << rank_words;
      }
    }
}

TEST(SpgemmLockstep, ReportsRowsThatOverflowTheTable) {
  auto C = product(false);

  EXPECT_GT(C.find_columns(32, 8, 8), 5);
  EXPECT_LT(C.find_columns(32, 8, 8), 37);
}

TEST(SpgemmLockstep, FindsColumnsByTeams) {
  for (bool const near : {false, true})
    for (int const segment_lanes : {1, 16}) {
      SCOPED_TRACE(segment_lanes);
      auto C = product(near);

      ASSERT_EQ(C.find_columns(1024, 0, segment_lanes), 0);

      C.find_values<true>(1024, 2048, 32, 8);
      EXPECT_TRUE(C.is_right());
    }
}

TEST(SpgemmLockstep, FindsColumnsByBitmaps) {
  for (int const words : {64, 2048})  // the columns need 1250
    for (bool const sorted_B : {false, true}) {
      auto C = product(false);

      C.find_columns_by_bitmap(words, 8, sorted_B);

      C.find_values<true>(1024, 2048, 32, 8);
      EXPECT_TRUE(C.is_right());
    }
}

/// Rows of several bins in one launch: tables of groups and teams, and bitmaps.
TEST(SpgemmLockstep, BinsOfOneLaunch) {
  for (bool const near : {false, true}) {
    auto C = product(near);
    std::array<std::size_t, SpgemmTuning::num_symbolic_bins + 1> first_of_bin{};
    auto const set = [&](int first_bin, std::size_t row) {
      for (auto b = static_cast<std::size_t>(first_bin); b < first_of_bin.size(); ++b) first_of_bin[b] = row;
    };
    if (near)
      set(SpgemmTuning::group_bins, 9);  // 9 rows in the largest tables of groups; scattered rows need more
    set(SpgemmTuning::group_bins + 1, 21);
    set(SpgemmTuning::bitmap_bin + 1, 37);

    ASSERT_EQ(C.find_columns_of_bins(first_of_bin, 4), 0);

    C.find_scheduled_values(4, true);
    EXPECT_TRUE(C.is_right());
  }
}

TEST(SpgemmLockstep, LaunchesOfAGpu) {
  for (bool const near : {false, true})
    for (int const segment_lanes : {2, 16}) {
      SCOPED_TRACE(segment_lanes);
      auto C = product(near);
      for (int const bin : {SpgemmTuning::group_bins, SpgemmTuning::bitmap_bin})
        ASSERT_EQ(C.find_columns_of_bin(bin, segment_lanes), 0);
      if (near) {
        ASSERT_EQ(C.find_columns_of_bin(1, segment_lanes), 0);  // up to 11 compressed columns
      }

      for (bool const chunks_by_team : {false, true})
        for (bool const concatenates : {false, true}) {
          C.find_scheduled_values(segment_lanes, chunks_by_team, concatenates);

          EXPECT_TRUE(C.is_right()) << chunks_by_team << concatenates;
        }
    }
}

TEST(SpgemmLockstep, WideIndices) {
  auto C = product<std::int64_t>(true);
  ASSERT_EQ(C.find_columns(1024, 8, 8), 0);

  C.find_values<true>(64, 128, 16, 8);

  EXPECT_TRUE(C.is_right());
}

/// Rows of `width` adjacent columns, every seventh with two fewer: short sequences of rows of one class.
Pattern stairs(std::int64_t rows, std::int64_t width) {
  Pattern pattern;
  pattern.num_rows = pattern.num_cols = rows;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t l = i % 7 == 3 ? 2 : 0; l < width; ++l)
      if (i + l < rows) pattern.columns.push_back(i + l);
    pattern.offsets.push_back(static_cast<std::int64_t>(pattern.columns.size()));
  }
  return pattern;
}

TEST(SpgemmLockstep, ScatterMap) {
  // 40: more segments than are staged, and longer than a warp
  for (auto const& [width, rows] : {std::pair<std::int64_t, std::int64_t>(3, 203), {9, 203}, {40, 430}}) {
    SCOPED_TRACE(width);
    auto const A = with_numbers<double>(stairs(rows, width), Numbers::integers, 1),
               B = with_numbers<double>(stairs(rows, width), Numbers::integers, 2);
    Product<int> C(A, B);
    ASSERT_EQ(C.find_columns(1024, 32, 8), 0);
    for (int const lanes : {1, 8, 32}) {
      if (width == 40 && lanes == 1) continue;
      SCOPED_TRACE(lanes);
      C.find_values_by_scatter_map<4>(lanes);
      EXPECT_TRUE(C.is_right());
      C.find_values_by_scatter_map<2>(lanes, true);
      EXPECT_TRUE(C.is_right());
      C.find_values_by_scatter_map<1>(lanes);
      EXPECT_TRUE(C.is_right());
      if (lanes == 32) {
        C.find_values_by_scatter_map<4, true>(lanes);
        EXPECT_TRUE(C.is_right());
      }
    }
  }
}

TEST(SpgemmLockstep, FindsRowClasses) {
  auto const A = with_numbers<double>(stairs(70, 9), Numbers::integers, 1);
  Product<int> C(A, A);
  auto const classes = C.classes_of_B(1);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(classes[i], i % 7 == 3 ? 3 : 0);
  for (int const lanes : {4, 32}) EXPECT_EQ(C.classes_of_B(lanes), classes);
}

/// The emulation detects divergent lanes of a warp at a synchronization.
TEST(Lockstep, DetectsDivergence) {
  LockstepTeam team(64, 0);

  EXPECT_THROW(team.run([] {
    if (LockstepTeam::current->rank != 3) LockstepWarp::sync();
  }),
               std::logic_error);
  EXPECT_NO_THROW(team.run([] {
    if (LockstepTeam::current->rank >= 32) LockstepWarp::sync();  // a whole warp
  }));
}

}  // namespace
}  // namespace einkorn::test
