// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// make_halo_plan() against a sequential search, and its errors, which all ranks throw.

#include "../support/battery.hpp"
#include "../support/ranks.hpp"
#include "../support/throws.hpp"
#include "split_matrix.hpp"

#include <einkorn/formats/distributed/halo_plan.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

using Ids = std::vector<std::int64_t>;

/// Random ghosts of all ranks; odd ranks need about every second row, rank 2 nothing.
std::vector<Ids> random_ghosts(RowBlocks const& blocks, std::uint64_t seed) {
  std::vector<Ids> ghosts(static_cast<std::size_t>(blocks.num_ranks()));
  for (int r = 0; r < blocks.num_ranks(); ++r)
    for (std::int64_t id = 0; id < blocks.num_rows() && r != 2; ++id)
      if (!blocks.owns(r, id) &&
          noise(static_cast<std::uint64_t>(id * 64 + r), seed) % (r % 2 == 1 ? 2u : 9u) == 0)
        ghosts[static_cast<std::size_t>(r)].push_back(id);
  return ghosts;
}

TEST(HaloPlan, EqualsASequentialSearch) {
  for_each_communicator([](Communicator const& comm) {
    for (std::int64_t const rows : {0, 1, 5, 97})
      for (auto const& blocks : blocks_of(rows, comm.size()))
        for (std::uint64_t const seed : {1u, 2u, 3u}) {
          auto const ghosts = random_ghosts(blocks, seed);

          auto const halo = make_halo_plan(comm, blocks, ghosts[static_cast<std::size_t>(comm.rank())]);

          expect_same_halo(halo, halo_of(ghosts, blocks, comm.rank()));
        }
  });
}

TEST(HaloPlan, MessagesMatchBetweenRanks) {
  for_each_communicator([](Communicator const& comm) {
    auto const blocks = RowBlocks::uniform(200, comm.size());
    auto const halo =
        make_halo_plan(comm, blocks, random_ghosts(blocks, 7)[static_cast<std::size_t>(comm.rank())]);
    auto const& messages = halo.messages;
    // Every rank sends the global ids of send_rows: they arrive in the order of ghost_ids.
    std::vector<Ids> sent(static_cast<std::size_t>(comm.size()));
    for (std::size_t i = 0; i < messages.send_ranks.size(); ++i)
      for (auto s = messages.send_offsets[i]; s < messages.send_offsets[i + 1]; ++s)
        sent[static_cast<std::size_t>(messages.send_ranks[i])].push_back(blocks.begin(comm.rank()) +
                                                                         halo.send_rows[s]);

    auto const received = comm.exchange(sent);

    Ids ghosts;
    for (auto const& message : received) ghosts.insert(ghosts.end(), message.begin(), message.end());
    EXPECT_EQ(ghosts, halo.ghost_ids);
    EXPECT_EQ(messages.num_received(), halo.ghost_ids.size());
    EXPECT_EQ(messages.num_sent(), halo.send_rows.size());
  });
}

TEST(HaloPlan, RowsPast32Bits) {
  std::int64_t const size = 3000000000;  // per rank
  for_each_communicator([&](Communicator const& comm) {
    auto const blocks = RowBlocks::uniform(size * comm.size(), comm.size());
    std::vector<Ids> ghosts(static_cast<std::size_t>(comm.size()));
    for (int r = 0; r < comm.size(); ++r)  // the last row of the block before, the first of the block after
      for (auto const id : {blocks.begin(r) - 1, blocks.end(r)})
        if (0 <= id && id < blocks.num_rows()) ghosts[static_cast<std::size_t>(r)].push_back(id);

    auto const halo = make_halo_plan(comm, blocks, ghosts[static_cast<std::size_t>(comm.rank())]);

    expect_same_halo(halo, halo_of(ghosts, blocks, comm.rank()));
    bool const has_next = comm.rank() + 1 < comm.size();
    EXPECT_TRUE(!has_next || halo.send_rows.back() == size - 1);
  });
}

TEST(HaloPlan, InvalidIdsThrowOnAllRanks) {
  for_each_communicator([](Communicator const& comm) {
    std::int64_t const rows = 10 * comm.size();
    auto const blocks = RowBlocks::uniform(rows, comm.size());
    int const last = comm.size() - 1;
    auto const refused = [&](Ids const& ids_of_last, std::vector<std::string> parts) {
      parts.push_back(prefix(comm, last) + "make_halo_plan: ghost_ids[");
      return throws<InvalidArgument>(
          [&] { (void)make_halo_plan(comm, blocks, comm.rank() == last ? ids_of_last : Ids{}); }, parts);
    };
    EXPECT_TRUE(refused({-1}, {"ghost_ids[0] is -1, expected 0 .. " + std::to_string(rows) + " - 1"}));
    EXPECT_TRUE(refused({rows}, {"ghost_ids[0] is " + std::to_string(rows) + ", expected 0 .. "}));
    EXPECT_TRUE(refused({rows - 3}, {"is " + std::to_string(rows - 3), "the rank itself owns"}));
    if (last > 0) {
      EXPECT_TRUE(refused({1, 3, 3, 4}, {"ghost_ids[2] is 3", "the id before it, 3"}));
      EXPECT_TRUE(refused({1, 3, 2}, {"ghost_ids[2] is 2", "the id before it, 3"}));
    }
    EXPECT_EQ(make_halo_plan(comm, blocks, {}).messages.num_sent(), 0u);  // the ranks are still in step
  });
}

TEST(HaloPlan, TheLowestRankIsNamed) {
  for_each_communicator([](Communicator const& comm) {
    auto const blocks = RowBlocks::uniform(10, comm.size());
    int const lowest = comm.size() / 2;
    auto const bad = [&] {
      (void)make_halo_plan(comm, blocks, comm.rank() >= lowest ? Ids{-1 - comm.rank()} : Ids{});
    };
    EXPECT_TRUE(throws<InvalidArgument>(
        bad, {prefix(comm, lowest) + "make_halo_plan: ghost_ids[0] is " + std::to_string(-1 - lowest)}));
  });
}

TEST(HaloPlan, DifferentBlocksThrowOnAllRanks) {
  for_each_communicator([](Communicator const& comm) {
    int const last = comm.size() - 1;
    auto const refused = [&](RowBlocks const& of_last, std::vector<std::string> const& parts) {
      auto const blocks = comm.rank() == last ? of_last : RowBlocks::uniform(40, comm.size());
      return throws<InvalidArgument>([&] { (void)make_halo_plan(comm, blocks, {}); }, parts);
    };
    if (last == 0) return;
    auto const named = "rank " + std::to_string(last) + " has blocks of ";
    EXPECT_TRUE(refused(RowBlocks::uniform(41, comm.size()), {named + "41 rows", "rank 0 of 40 rows"}));
    EXPECT_TRUE(refused(RowBlocks::uniform(40, comm.size() + 1), {named + "40 rows in ", "rank 0 of 40 rows"}));
    Ids moved = RowBlocks::uniform(40, comm.size()).offsets();
    ++moved[1];
    EXPECT_TRUE(refused(RowBlocks(moved), {named, "with other offsets", "the same RowBlocks on all ranks"}));
    EXPECT_EQ(make_halo_plan(comm, RowBlocks::uniform(40, comm.size()), {}).messages.num_sent(), 0u);
  });
}

TEST(HaloPlan, OneBlockPerRank) {
  for_each_communicator([](Communicator const& comm) {
    auto const blocks = RowBlocks::uniform(40, comm.size() + 1);
    EXPECT_TRUE(
        throws<InvalidArgument>([&] { (void)make_halo_plan(comm, blocks, {}); },
                                {"40 rows in " + std::to_string(comm.size() + 1) + " blocks",
                                 "one block for each of the " + std::to_string(comm.size()) + " ranks"}));
    EXPECT_TRUE(throws<InvalidArgument>([&] { (void)make_halo_plan(comm, RowBlocks(), {}); }, {"0 blocks"}));
  });
}

}  // namespace
}  // namespace einkorn::test
