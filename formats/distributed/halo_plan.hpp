// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/comm/communicator.hpp>
#include <einkorn/core/comm/transport.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/mix64.hpp>
#include <einkorn/formats/distributed/row_blocks.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace einkorn {

/// The halo exchange of one rank: which entries of a distributed vector it sends and receives. Entry g of the
/// ghost buffer is global row ghost_ids[g]; entry s of the send buffer is row send_rows[s] of this rank.
struct HaloPlan {
  HaloMessages messages;
  std::vector<std::int64_t> ghost_ids;  ///< [messages.num_received()], ascending: sorted by owner, then by id
  std::vector<std::int64_t> send_rows;  ///< [messages.num_sent()], local rows; ascending within a message
};

/// The halo exchange for the given ghosts. Collective: asks the owner of every ghost to send it.
/// @param blocks     the same on all ranks, one block per rank
/// @param ghost_ids  global rows that this rank needs and does not own, ascending and unique; taken by value
/// @throws InvalidArgument on all ranks, which names the rank: if the blocks of two ranks differ or there is
/// not one block per rank; for the first ghost id that is out of range, owned or not above the previous one.
/// OutOfMemory
///
/// Cost: O(ghosts log ranks) on one host thread, 1 exchange of 8 bytes per ghost, 3 all-gathers of a few bytes.
HaloPlan make_halo_plan(Communicator const& comm, RowBlocks const& blocks, std::vector<std::int64_t> ghost_ids);

namespace detail {

/// What ranks compare of their RowBlocks.
struct BlocksDigest {
  std::int64_t num_rows = 0, num_ranks = 0;
  std::uint64_t hash = 0;

  friend bool operator==(BlocksDigest const&, BlocksDigest const&) = default;
};

inline BlocksDigest digest(RowBlocks const& blocks) {
  BlocksDigest result{blocks.num_rows(), blocks.num_ranks(), 0};
  for (auto const offset : blocks.offsets())
    result.hash = mix64(result.hash + 0x9e3779b97f4a7c15u + mix64(static_cast<std::uint64_t>(offset)));
  return result;
}

/// Throws the same InvalidArgument on all ranks unless all have the same blocks, one per rank. Collective.
inline void require_same_blocks(char const* operation, Communicator const& comm, RowBlocks const& blocks) {
  auto const all = comm.all_gather(digest(blocks));
  auto const text = [](BlocksDigest const& one) {
    return std::to_string(one.num_rows) + " rows in " + std::to_string(one.num_ranks) + " blocks";
  };
  for (std::size_t r = 1; r < all.size(); ++r)
    require<InvalidArgument>(all[r] == all[0], [&] {
      bool const differ_in_offsets = text(all[r]) == text(all[0]);
      return std::string(operation) + ": rank " + std::to_string(r) + " has blocks of " + text(all[r]) +
             ", rank 0 of " + text(all[0]) + (differ_in_offsets ? " with other offsets" : "") +
             "; expected the same RowBlocks on all ranks";
    });
  require<InvalidArgument>(all[0].num_ranks == comm.size(), [&] {
    return std::string(operation) + ": blocks has " + text(all[0]) + ", expected one block for each of the " +
           std::to_string(comm.size()) + " ranks";
  });
}

/// Throws for the first id that is out of range, owned by `rank` or not above the one before.
inline void require_ghosts(RowBlocks const& blocks, int rank, std::vector<std::int64_t> const& ids) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    auto const expect = [&](bool condition, auto const& expected) {
      require<InvalidArgument>(condition, [&] {
        return "make_halo_plan: ghost_ids[" + std::to_string(i) + "] is " + std::to_string(ids[i]) + ", " +
               expected();
      });
    };
    expect(0 <= ids[i] && ids[i] < blocks.num_rows(),
           [&] { return "expected 0 .. " + std::to_string(blocks.num_rows()) + " - 1"; });
    expect(!blocks.owns(rank, ids[i]), [] { return std::string("a row that the rank itself owns"); });
    expect(i == 0 || ids[i] > ids[i - 1],
           [&] { return "expected more than the id before it, " + std::to_string(ids[i - 1]); });
  }
}

/// The ids that each rank has to send. Sets the messages to receive. ids: ascending.
inline std::vector<std::vector<std::int64_t>> requests_by_owner(RowBlocks const& blocks,
                                                                std::vector<std::int64_t> const& ids,
                                                                HaloMessages& messages) {
  auto requests = allocate_vector<std::vector<std::int64_t>>("einkorn::make_halo_plan: requests",
                                                             static_cast<std::size_t>(blocks.num_ranks()));
  auto& owners = messages.receive_ranks;
  auto& offsets = messages.receive_offsets;
  reserve(owners, "einkorn::make_halo_plan: messages", requests.size());
  reserve(offsets, "einkorn::make_halo_plan: messages", requests.size() + 1);
  for (auto from = ids.begin(); from != ids.end();) {
    int const owner = blocks.owner(*from);
    auto const to = std::lower_bound(from, ids.end(), blocks.end(owner));
    auto& request = requests[static_cast<std::size_t>(owner)];
    reserve(request, "einkorn::make_halo_plan: requests", static_cast<std::size_t>(to - from));
    request.insert(request.end(), from, to);
    owners.push_back(owner);
    offsets.push_back(static_cast<std::size_t>(to - ids.begin()));
    from = to;
  }
  return requests;
}

/// Sets the messages to send and their rows. requested: by rank.
inline void add_sends(RowBlocks const& blocks, int rank,
                      std::vector<std::vector<std::int64_t>> const& requested, HaloPlan& plan) {
  auto& ranks = plan.messages.send_ranks;
  auto& offsets = plan.messages.send_offsets;
  reserve(ranks, "einkorn::make_halo_plan: messages", requested.size());
  reserve(offsets, "einkorn::make_halo_plan: messages", requested.size() + 1);
  std::size_t total = 0;
  for (auto const& ids : requested) total += ids.size();
  auto& rows = plan.send_rows;
  reserve(rows, "einkorn::make_halo_plan: send_rows", total);
  for (std::size_t r = 0; r < requested.size(); ++r) {
    if (requested[r].empty()) continue;
    for (auto const id : requested[r]) rows.push_back(id - blocks.begin(rank));
    ranks.push_back(static_cast<int>(r));
    offsets.push_back(rows.size());
  }
}

}  // namespace detail

inline HaloPlan make_halo_plan(Communicator const& comm, RowBlocks const& blocks,
                               std::vector<std::int64_t> ghost_ids) {
  detail::require_same_blocks("make_halo_plan", comm, blocks);
  HaloPlan plan;
  auto const requests = comm.collectively([&] {
    detail::require_ghosts(blocks, comm.rank(), ghost_ids);
    return detail::requests_by_owner(blocks, ghost_ids, plan.messages);
  });
  plan.ghost_ids = std::move(ghost_ids);
  auto const requested = comm.exchange(requests);
  comm.collectively([&] { detail::add_sends(blocks, comm.rank(), requested, plan); });
  return plan;
}

}  // namespace einkorn
