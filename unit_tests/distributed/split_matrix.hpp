// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Sequential references: the part of a rank, and its halo, from the global matrix on the host.
#pragma once

#include "../support/battery.hpp"
#include "../support/host_matrix.hpp"
#include "../support/sorted_rows.hpp"

#include <einkorn/formats/distributed/distributed_csr.hpp>
#include <einkorn/formats/distributed/row_blocks.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace einkorn::test {

/// The pattern with empty rows or columns added, so that it is square.
inline Pattern squared(Pattern pattern) {
  auto const size = std::max(pattern.num_rows, pattern.num_cols);
  pattern.offsets.resize(static_cast<std::size_t>(size) + 1, pattern.offsets.back());
  pattern.num_rows = pattern.num_cols = size;
  return pattern;
}

/// Blocks of equal and of very different size, with ranks without rows.
inline std::vector<RowBlocks> blocks_of(std::int64_t rows, int ranks) {
  std::vector<RowBlocks> all = {RowBlocks::uniform(rows, ranks)};
  auto const size = static_cast<std::size_t>(ranks) + 1;
  std::vector<std::int64_t> last(size, 0), first(size, rows), uneven(size, 0);
  last.back() = rows;
  first.front() = 0;
  for (int r = 1; r <= ranks; ++r)  // quadratic, rank 1 empty
    uneven[static_cast<std::size_t>(r)] = r == 2 ? uneven[1] : rows * r * r / (std::int64_t(ranks) * ranks);
  uneven.back() = rows;
  all.emplace_back(last);
  all.emplace_back(first);
  all.emplace_back(uneven);
  return all;
}

/// The rows of one rank in the order of the global matrix, with global columns.
template <class S>
struct OwnRows {
  std::vector<std::int64_t> offsets{0}, columns;
  std::vector<S> values;
};

template <class S, class O, class F>
OwnRows<S> own_rows(HostMatrix<S, O, F> const& A, RowBlocks const& blocks, int rank) {
  OwnRows<S> own;
  for (auto i = blocks.begin(rank); i < blocks.end(rank); ++i) {
    for (auto k = A.begin(static_cast<std::size_t>(i)); k < A.end(static_cast<std::size_t>(i)); ++k) {
      own.columns.push_back(static_cast<std::int64_t>(A.columns[k]));
      own.values.push_back(A.values[k]);
    }
    own.offsets.push_back(static_cast<std::int64_t>(own.columns.size()));
  }
  return own;
}

/// The columns that a rank needs and does not own, ascending.
template <class S, class O, class F>
std::vector<std::int64_t> ghosts_of(HostMatrix<S, O, F> const& A, RowBlocks const& blocks, int rank) {
  std::vector<std::int64_t> ghosts;
  for (auto k = A.begin(static_cast<std::size_t>(blocks.begin(rank)));
       k < A.begin(static_cast<std::size_t>(blocks.end(rank))); ++k)
    if (auto const column = static_cast<std::int64_t>(A.columns[k]); !blocks.owns(rank, column))
      ghosts.push_back(column);
  std::sort(ghosts.begin(), ghosts.end());
  ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
  return ghosts;
}

/// The halo of a rank, from the ghosts of all ranks: every rank is asked for every row that it needs.
/// @param ghosts  [ranks]
inline HaloPlan halo_of(std::vector<std::vector<std::int64_t>> const& ghosts, RowBlocks const& blocks,
                        int rank) {
  HaloPlan halo;
  auto& messages = halo.messages;
  halo.ghost_ids = ghosts[static_cast<std::size_t>(rank)];
  for (int r = 0; r < blocks.num_ranks(); ++r) {
    auto const received = std::count_if(halo.ghost_ids.begin(), halo.ghost_ids.end(),
                                        [&](std::int64_t id) { return blocks.owns(r, id); });
    if (received > 0) {
      messages.receive_ranks.push_back(r);
      messages.receive_offsets.push_back(messages.receive_offsets.back() + static_cast<std::size_t>(received));
    }
    auto const before = halo.send_rows.size();
    for (auto const id : ghosts[static_cast<std::size_t>(r)])
      if (blocks.owns(rank, id)) halo.send_rows.push_back(id - blocks.begin(rank));
    if (halo.send_rows.size() > before) {
      messages.send_ranks.push_back(r);
      messages.send_offsets.push_back(halo.send_rows.size());
    }
  }
  return halo;
}

inline void expect_same_halo(HaloPlan const& got, HaloPlan const& want) {
  EXPECT_EQ(got.ghost_ids, want.ghost_ids);
  EXPECT_EQ(got.send_rows, want.send_rows);
  EXPECT_EQ(got.messages.send_ranks, want.messages.send_ranks);
  EXPECT_EQ(got.messages.send_offsets, want.messages.send_offsets);
  EXPECT_EQ(got.messages.receive_ranks, want.messages.receive_ranks);
  EXPECT_EQ(got.messages.receive_offsets, want.messages.receive_offsets);
}

/// Checks the halo of a rank of the matrix.
template <class S, class O, class F>
void expect_halo(HaloPlan const& halo, HostMatrix<S, O, F> const& A, RowBlocks const& blocks, int rank) {
  std::vector<std::vector<std::int64_t>> ghosts;
  for (int r = 0; r < blocks.num_ranks(); ++r) ghosts.push_back(ghosts_of(A, blocks, r));
  expect_same_halo(halo, halo_of(ghosts, blocks, rank));
}

template <class S, class O, class F>
void expect_same_matrix(HostMatrix<S, O, F> const& got, HostMatrix<S, O, F> const& want) {
  EXPECT_EQ(got.num_rows, want.num_rows);
  EXPECT_EQ(got.num_cols, want.num_cols);
  EXPECT_TRUE(got.offsets == want.offsets);
  EXPECT_TRUE(got.columns == want.columns);
  EXPECT_TRUE(got.values == want.values);
}

/// Checks all arrays of the part of this rank of the matrix.
template <class S, class O, class F, class D>
void expect_part(DistributedCsr<S, O, F, D> const& A, HostMatrix<S, O, F> const& global,
                 RowBlocks const& blocks) {
  int const rank = A.communicator.rank();
  auto const own = own_rows(global, blocks, rank);
  auto const ghosts = ghosts_of(global, blocks, rank);
  auto const size = static_cast<O>(blocks.size(rank));
  HostMatrix<S, O, F> local{size, size, {F(0)}, {}, {}},
      ghost{0, static_cast<O>(ghosts.size()), {F(0)}, {}, {}};
  std::vector<O> boundary_rows;
  for (std::size_t i = 0; i + 1 < own.offsets.size(); ++i) {
    for (auto k = static_cast<std::size_t>(own.offsets[i]); k < static_cast<std::size_t>(own.offsets[i + 1]);
         ++k) {
      bool const is_owned = blocks.owns(rank, own.columns[k]);
      auto& part = is_owned ? local : ghost;
      part.columns.push_back(static_cast<O>(
          is_owned ? own.columns[k] - blocks.begin(rank)
                   : std::lower_bound(ghosts.begin(), ghosts.end(), own.columns[k]) - ghosts.begin()));
      part.values.push_back(own.values[k]);
    }
    local.offsets.push_back(static_cast<F>(local.columns.size()));
    if (static_cast<F>(ghost.columns.size()) == ghost.offsets.back()) continue;
    ghost.offsets.push_back(static_cast<F>(ghost.columns.size()));
    boundary_rows.push_back(static_cast<O>(i));
    ++ghost.num_rows;
  }
  EXPECT_EQ(A.num_global_rows(), static_cast<std::int64_t>(global.num_rows));
  EXPECT_EQ(A.num_rows(), size);
  EXPECT_EQ(A.first_row(), blocks.begin(rank));
  EXPECT_EQ(A.num_entries(), own.values.size());
  EXPECT_EQ(static_cast<std::size_t>(A.num_ghosts()), ghosts.size());
  EXPECT_TRUE(A.blocks == blocks);
  expect_same_matrix(to_host(A.local), local);
  expect_same_matrix(to_host(A.ghost), ghost);
  EXPECT_TRUE(to_host(A.boundary_rows) == boundary_rows);
  expect_halo(A.halo, global, blocks, rank);
  auto const send_rows = to_host(A.send_rows);
  EXPECT_TRUE(std::equal(send_rows.begin(), send_rows.end(), A.halo.send_rows.begin(), A.halo.send_rows.end()));
}

/// "rank 2: ", which begins the message of an error of rank 2; nothing if there is one rank.
inline std::string prefix(Communicator const& comm, int rank) {
  return comm.size() == 1 ? "" : "rank " + std::to_string(rank) + ": ";
}

/// The matrix on `root`, nothing on the other ranks.
template <class Host>
auto on_root(Communicator const& comm, int root, Host const& global) {
  return comm.rank() == root ? global.on_device() : decltype(global.on_device()){};
}

}  // namespace einkorn::test
