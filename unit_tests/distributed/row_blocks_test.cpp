// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// RowBlocks and number_by_owner().

#include "../support/battery.hpp"
#include "../support/throws.hpp"

#include <einkorn/formats/distributed/row_blocks.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace einkorn::test {
namespace {

using Offsets = std::vector<std::int64_t>;

TEST(RowBlocks, OwnerOfEveryRow) {
  RowBlocks const blocks(Offsets{0, 0, 3, 3, 4, 9, 9});

  EXPECT_EQ(blocks.num_rows(), 9);
  EXPECT_EQ(blocks.num_ranks(), 6);
  for (std::int64_t row = 0; row < 9; ++row) {
    int owners = 0;
    for (int rank = 0; rank < 6; ++rank) owners += blocks.owns(rank, row);
    EXPECT_EQ(owners, 1) << row;
    EXPECT_TRUE(blocks.owns(blocks.owner(row), row)) << row;
  }
  EXPECT_EQ(blocks.begin(4), 4);
  EXPECT_EQ(blocks.end(4), 9);
  EXPECT_EQ(blocks.size(4), 5);
  EXPECT_EQ(blocks.size(0), 0);
}

TEST(RowBlocks, WithoutRanksOrRows) {
  EXPECT_EQ(RowBlocks().num_ranks(), 0);
  EXPECT_EQ(RowBlocks().num_rows(), 0);
  EXPECT_EQ(RowBlocks::uniform(0, 3), RowBlocks(Offsets{0, 0, 0, 0}));
}

TEST(RowBlocks, UniformSizesDifferByOne) {
  for (int ranks = 1; ranks <= 7; ++ranks)
    for (std::int64_t rows = 0; rows <= 30; ++rows) {
      auto const blocks = RowBlocks::uniform(rows, ranks);
      EXPECT_EQ(blocks.num_rows(), rows);
      EXPECT_EQ(blocks.num_ranks(), ranks);
      for (int r = 0; r < ranks; ++r) {
        EXPECT_TRUE(blocks.size(r) == rows / ranks || blocks.size(r) == rows / ranks + 1);
        EXPECT_TRUE(r == 0 || blocks.size(r) <= blocks.size(r - 1));
      }
    }
}

TEST(RowBlocks, MoreThan32Bits) {
  std::int64_t const billion = 1000000000;
  auto const blocks = RowBlocks::uniform(12 * billion, 4);

  EXPECT_EQ(blocks.size(3), 3 * billion);
  EXPECT_EQ(blocks.owner(9 * billion - 1), 2);
  EXPECT_EQ(blocks.owner(9 * billion), 3);
  EXPECT_EQ(blocks.owner(12 * billion - 1), 3);

  auto const largest = std::numeric_limits<std::int64_t>::max();
  auto const whole = RowBlocks::uniform(largest, 7);
  EXPECT_EQ(whole.end(6), largest);
  EXPECT_EQ(whole.owner(largest - 1), 6);
}

TEST(RowBlocks, BalancedIsAsNearAsRowsAllow) {
  for (auto const& pattern : battery()) {
    if (pattern.is_large()) continue;
    SCOPED_TRACE(pattern.name);
    for (int ranks = 1; ranks <= 5; ++ranks) {
      auto const blocks = RowBlocks::balanced(pattern.offsets, ranks);
      auto const& offsets = pattern.offsets;
      ASSERT_EQ(blocks.num_rows(), pattern.num_rows);
      ASSERT_EQ(blocks.num_ranks(), ranks);
      if (pattern.nnz() == 0) {
        EXPECT_EQ(blocks, RowBlocks::uniform(pattern.num_rows, ranks));
        continue;
      }
      std::int64_t longest = 0;
      for (std::size_t i = 1; i < offsets.size(); ++i) longest = std::max(longest, offsets[i] - offsets[i - 1]);
      for (int r = 1; r < ranks; ++r) {  // no row begins nearer to r nnz / ranks
        auto const target = offsets.back() * r / ranks;
        auto const distance = std::abs(offsets[static_cast<std::size_t>(blocks.begin(r))] - target);
        auto best = offsets.back();
        for (auto const offset : offsets) best = std::min(best, std::abs(offset - target));
        EXPECT_LE(distance, best + 1) << "rank " << r;  // 1: r nnz / ranks is rounded
        EXPECT_LE(distance, longest / 2 + 1) << "rank " << r;
      }
    }
  }
}

TEST(RowBlocks, BalancedMoreThan32Bits) {
  std::int64_t const billion = 1000000000;
  Offsets const offsets{0, 3 * billion, 6 * billion, 9 * billion, 12 * billion};
  EXPECT_EQ(RowBlocks::balanced(offsets, 4), RowBlocks(Offsets{0, 1, 2, 3, 4}));
  EXPECT_EQ(RowBlocks::balanced(offsets, 2), RowBlocks(Offsets{0, 2, 4}));
}

TEST(RowBlocks, RejectsInvalidOffsets) {
  auto const refused = [](Offsets const& offsets, std::vector<std::string> const& parts) {
    return throws<InvalidArgument>([&] { RowBlocks const blocks(offsets); }, parts);
  };
  EXPECT_TRUE(refused({}, {"offsets has 0 entries", "ranks + 1"}));
  EXPECT_TRUE(refused({0}, {"offsets has 1 entries"}));
  EXPECT_TRUE(refused({2, 5}, {"offsets[0] is 2, expected 0"}));
  EXPECT_TRUE(refused({-1, 5}, {"offsets[0] is -1, expected 0"}));
  EXPECT_TRUE(refused({0, 5, 4, 9}, {"offsets[2] is 4", "at least offsets[1] = 5"}));  // overlapping rows
  EXPECT_TRUE(refused({0, -5}, {"offsets[1] is -5", "at least offsets[0] = 0"}));
}

TEST(RowBlocks, RejectsInvalidNumbers) {
  auto const refused = [](auto const& call, std::vector<std::string> const& parts) {
    return throws<InvalidArgument>(call, parts);
  };
  EXPECT_TRUE(refused([] { (void)RowBlocks::uniform(3, 0); }, {"ranks is 0, expected at least 1"}));
  EXPECT_TRUE(refused([] { (void)RowBlocks::uniform(-3, 1); }, {"rows is -3, expected at least 0"}));
  EXPECT_TRUE(refused([] { (void)RowBlocks::balanced(Offsets{0, 1}, -2); }, {"ranks is -2"}));
  EXPECT_TRUE(refused([] { (void)RowBlocks::balanced(Offsets{}, 2); }, {"row_offsets is empty"}));
  auto const blocks = RowBlocks::uniform(10, 2);
  EXPECT_TRUE(refused([&] { (void)blocks.owner(10); }, {"row is 10, expected 0 .. 10 - 1"}));
  EXPECT_TRUE(refused([&] { (void)blocks.owner(-1); }, {"row is -1"}));
}

TEST(NumberByOwner, RowsOfARankAreContiguousAndKeepTheirOrder) {
  for (int const ranks : {1, 3, 5}) {
    std::vector<int> owners(200);
    for (std::size_t i = 0; i < owners.size(); ++i)
      owners[i] = static_cast<int>(noise(i, 5) % static_cast<unsigned>(ranks));

    auto const order = number_by_owner(owners, ranks);

    ASSERT_EQ(order.new_ids.size(), owners.size());
    auto sorted = order.new_ids;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i) EXPECT_EQ(sorted[i], static_cast<std::int64_t>(i));
    for (std::size_t i = 0; i < owners.size(); ++i) {
      EXPECT_EQ(order.blocks.owner(order.new_ids[i]), owners[i]);
      for (std::size_t j = 0; j < i; ++j) {
        bool const is_before = order.new_ids[j] < order.new_ids[i];
        EXPECT_TRUE(owners[j] != owners[i] || is_before);
      }
    }
  }
}

TEST(NumberByOwner, RanksWithoutRows) {
  auto const order = number_by_owner({3, 1, 3}, 5);
  EXPECT_EQ(order.blocks, RowBlocks(Offsets{0, 0, 1, 1, 3, 3}));
  EXPECT_EQ(order.new_ids, (Offsets{1, 0, 2}));
  EXPECT_EQ(number_by_owner({}, 2).blocks, RowBlocks::uniform(0, 2));
}

TEST(NumberByOwner, RejectsInvalidOwners) {
  auto const refused = [](std::vector<int> const& owners, int ranks, std::vector<std::string> const& parts) {
    return throws<InvalidArgument>([&] { (void)number_by_owner(owners, ranks); }, parts);
  };
  EXPECT_TRUE(refused({0, 1, 2}, 2, {"owners[2] is 2, expected 0 .. 2 - 1"}));
  EXPECT_TRUE(refused({0, -1, 2}, 2, {"owners[1] is -1"}));
  EXPECT_TRUE(refused({0}, 0, {"ranks is 0, expected at least 1"}));
}

}  // namespace
}  // namespace einkorn::test
