// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// distribute_parts(), and update_values() after every construction.

#include "../support/battery.hpp"
#include "../support/ranks.hpp"
#include "../support/throws.hpp"
#include "split_matrix.hpp"

#include <einkorn/formats/distributed/distribute_csr.hpp>
#include <einkorn/formats/distributed/distribute_parts.hpp>
#include <einkorn/formats/distributed/distribute_rows.hpp>
#include <einkorn/formats/distributed/gather_csr.hpp>
#include <einkorn/formats/distributed/update_values.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

using Ids = std::vector<std::int64_t>;

/// The part of a rank as an application stores it.
template <class S, class O, class F>
struct Parts {
  HostMatrix<S, O, F> local, ghost;
  std::vector<std::int64_t> ghost_ids;
};

/// ghost_ids in pseudo-random order.
template <class S, class O, class F>
Parts<S, O, F> parts_of(HostMatrix<S, O, F> const& global, RowBlocks const& blocks, int rank) {
  auto const own = own_rows(global, blocks, rank);
  Parts<S, O, F> parts;
  parts.ghost_ids = ghosts_of(global, blocks, rank);
  std::sort(parts.ghost_ids.begin(), parts.ghost_ids.end(), [](std::int64_t a, std::int64_t b) {
    return noise(static_cast<std::uint64_t>(a), 5) < noise(static_cast<std::uint64_t>(b), 5);
  });
  auto const& ids = parts.ghost_ids;
  parts.local.num_rows = parts.local.num_cols = parts.ghost.num_rows = static_cast<O>(blocks.size(rank));
  parts.ghost.num_cols = static_cast<O>(ids.size());
  for (std::size_t i = 0; i + 1 < own.offsets.size(); ++i) {
    for (auto k = static_cast<std::size_t>(own.offsets[i]); k < static_cast<std::size_t>(own.offsets[i + 1]);
         ++k) {
      bool const is_owned = blocks.owns(rank, own.columns[k]);
      auto& part = is_owned ? parts.local : parts.ghost;
      auto const column = is_owned ? own.columns[k] - blocks.begin(rank)
                                   : std::find(ids.begin(), ids.end(), own.columns[k]) - ids.begin();
      part.columns.push_back(static_cast<O>(column));
      part.values.push_back(own.values[k]);
    }
    parts.local.offsets.push_back(static_cast<F>(parts.local.columns.size()));
    parts.ghost.offsets.push_back(static_cast<F>(parts.ghost.columns.size()));
  }
  return parts;
}

template <class C>
class DistributeParts : public testing::Test {};
using IndexPairs = Configs<double>;
TYPED_TEST_SUITE(DistributeParts, IndexPairs);

TYPED_TEST(DistributeParts, EqualsTheSplitOfTheGlobalMatrix) {
  for_each_communicator([](Communicator const& comm) {
    for (std::int64_t const rows : {0, 1, 3, 90})
      for (auto const& blocks : blocks_of(rows, comm.size())) {
        auto const pattern = rows == 0 ? Pattern() : random_pattern(rows, rows, 4);
        auto const global = with_numbers_of<TypeParam>(pattern, Numbers::reals);
        auto const parts = parts_of(global, blocks, comm.rank());

        auto const A = distribute_parts(instance_of_rank(), comm, blocks, parts.local.on_device(),
                                        parts.ghost.on_device(), parts.ghost_ids);

        expect_part(A, global, blocks);
      }
  });
}

TEST(DistributePartsMemory, SharesTheStructureOfLocalAndNoValues) {
  for_each_communicator([](Communicator const& comm) {
    auto const global = with_numbers<double>(random_pattern(70, 70, 4), Numbers::reals);
    auto const blocks = RowBlocks::uniform(70, comm.size());
    auto const parts = parts_of(global, blocks, comm.rank());
    auto const local = parts.local.on_device(), ghost = parts.ghost.on_device();

    auto const A = distribute_parts(instance_of_rank(), comm, blocks, local, ghost, parts.ghost_ids);
    Kokkos::deep_copy(local.values, -1.0);
    Kokkos::deep_copy(ghost.values, -1.0);

    expect_part(A, global, blocks);
    EXPECT_EQ(A.local.columns.data(), local.columns.data());
    EXPECT_EQ(A.local.row_offsets.data(), local.row_offsets.data());
  });
}

TEST(DistributePartsGhosts, WithoutEntriesAreExchanged) {
  for_each_communicator([](Communicator const& comm) {
    auto const blocks = RowBlocks::uniform(5 * comm.size(), comm.size());
    std::vector<std::int64_t> ids;  // the first row of every other rank, descending
    for (int r = comm.size(); r-- > 0;)
      if (r != comm.rank()) ids.push_back(blocks.begin(r));
    HostMatrix<double> const local{5, 5, {0, 0, 0, 0, 0, 0}, {}, {}};
    HostMatrix<double> const ghost{5, static_cast<int>(ids.size()), {0, 0, 0, 0, 0, 0}, {}, {}};

    auto const A =
        distribute_parts(instance_of_rank(), comm, blocks, local.on_device(), ghost.on_device(), ids);

    EXPECT_EQ(static_cast<std::size_t>(A.num_ghosts()), ids.size());
    EXPECT_EQ(A.ghost.num_rows, 0);
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(A.halo.ghost_ids, ids);
    EXPECT_EQ(A.halo.messages.num_sent(), ids.size());
  });
}

TEST(DistributePartsErrors, ThrownByAllRanks) {
  for_each_communicator([](Communicator const& comm) {
    int const last = comm.size() - 1;
    std::int64_t const rows = 4 * comm.size();
    auto const blocks = RowBlocks::uniform(rows, comm.size());
    auto const empty = [](int num_rows, int num_cols) {
      HostMatrix<double> A{num_rows, num_cols, {}, {}, {}};
      A.offsets.assign(static_cast<std::size_t>(num_rows) + 1, 0);
      return A;
    };
    auto const call = [&](HostMatrix<double> const& local, HostMatrix<double> const& ghost, Ids const& ids) {
      bool const is_bad = comm.rank() == last;
      (void)distribute_parts(instance_of_rank(), comm, blocks, (is_bad ? local : empty(4, 4)).on_device(),
                             (is_bad ? ghost : empty(4, 0)).on_device(), is_bad ? ids : Ids{});
    };
    auto const named = prefix(comm, last) + "distribute_parts: ";
    EXPECT_TRUE(throws<DimensionMismatch>([&] { call(empty(3, 4), empty(4, 0), {}); },
                                          {named + "local is 3 x 4, expected 4 x 4"}));
    EXPECT_TRUE(throws<DimensionMismatch>([&] { call(empty(4, 4), empty(3, 0), {}); },
                                          {named + "ghost is 3 x 0, expected 4 x 0"}));
    EXPECT_TRUE(throws<DimensionMismatch>([&] { call(empty(4, 4), empty(4, 2), {0}); },
                                          {named + "ghost is 4 x 2, expected 4 x 1"}));
    EXPECT_TRUE(throws<InvalidArgument>([&] { call(empty(4, 4), empty(4, 1), {rows}); },
                                        {named + "ghost_ids[0] is " + std::to_string(rows)}));
    EXPECT_TRUE(
        throws<InvalidArgument>([&] { call(empty(4, 4), empty(4, 1), {rows - 1}); },
                                {named + "ghost_ids[0] is " + std::to_string(rows - 1), "itself owns"}));
    if (last > 0) {
      EXPECT_TRUE(throws<InvalidArgument>([&] { call(empty(4, 4), empty(4, 3), {2, 1, 2}); },
                                          {named + "ghost_ids has 2 twice"}));
    }
    auto bad_local = empty(4, 4);
    bad_local.columns = {4};
    bad_local.values = {1.0};
    bad_local.offsets = {0, 0, 0, 0, 1};
    EXPECT_TRUE(throws<InvalidStructure>([&] { call(bad_local, empty(4, 0), {}); },
                                         {prefix(comm, last) + "Csr: entry 0 has column 4"}));
    EXPECT_NO_THROW(call(empty(4, 4), empty(4, 0), {}));
  });
}

/// Other values for the same structure.
template <class Host>
Host with_other_values(Host global) {
  for (std::size_t k = 0; k < global.nnz(); ++k) global.values[k] = 1000.0 + static_cast<double>(k);
  return global;
}

TEST(UpdateValues, AfterDistributeCsrAndRows) {
  for_each_communicator([](Communicator const& comm) {
    std::size_t round = 0;
    for (auto const& pattern : battery()) {
      if (pattern.is_large()) continue;
      SCOPED_TRACE(pattern.name);
      auto const global = with_numbers<double>(squared(pattern), Numbers::reals);
      auto const other = with_other_values(global);
      auto const all_blocks = blocks_of(global.num_rows, comm.size());
      auto const& blocks = all_blocks[round++ % all_blocks.size()];
      auto const own = own_rows(global, blocks, comm.rank()), others = own_rows(other, blocks, comm.rank());
      auto const A = distribute_csr(instance_of_rank(), comm, blocks, on_root(comm, 0, global));
      auto const B = distribute_rows(instance_of_rank(), comm, blocks, to_device(own.offsets),
                                     to_device(own.columns), to_device(own.values));

      update_values(instance_of_rank(), A, to_device(others.values));
      update_values(instance_of_rank(), B, to_device<Kokkos::HostSpace>(others.values));
      Kokkos::fence();

      expect_part(A, other, blocks);
      expect_part(B, other, blocks);
    }
  });
}

TEST(UpdateValues, AfterDistributeParts) {
  for_each_communicator([](Communicator const& comm) {
    auto const global = with_numbers<double>(random_pattern(300, 300, 4), Numbers::reals);
    auto const other = with_other_values(global);
    for (auto const& blocks : blocks_of(300, comm.size())) {
      auto const parts = parts_of(global, blocks, comm.rank()), others = parts_of(other, blocks, comm.rank());
      auto const A = distribute_parts(instance_of_rank(), comm, blocks, parts.local.on_device(),
                                      parts.ghost.on_device(), parts.ghost_ids);
      auto all = others.local.values;
      all.insert(all.end(), others.ghost.values.begin(), others.ghost.values.end());

      update_values(instance_of_rank(), A, to_device(all));
      Kokkos::fence();
      expect_part(A, other, blocks);

      update_values(instance_of_rank(), A, to_device(parts.local.values), to_device(parts.ghost.values));
      Kokkos::fence();
      expect_part(A, global, blocks);
    }
  });
}

TEST(UpdateValues, ErrorsOfOneRankAreThrownByAll) {
  for_each_communicator([](Communicator const& comm) {
    auto const global = with_numbers<double>(random_pattern(60, 60, 4), Numbers::reals);
    auto const blocks = RowBlocks::uniform(60, comm.size());
    auto const A = distribute_csr(instance_of_rank(), comm, blocks, on_root(comm, 0, global));
    int const last = comm.size() - 1;
    auto const values_of = [&](std::size_t size) {
      return to_device(std::vector<double>(size + (comm.rank() == last), 7.0));
    };
    auto const local = A.local.values.extent(0), ghost = A.ghost.values.extent(0);
    auto const named = prefix(comm, last) + "update_values: ";

    EXPECT_TRUE(
        throws<DimensionMismatch>([&] { update_values(instance_of_rank(), A, values_of(A.num_entries())); },
                                  {named + "values has extent(0) = "}));
    EXPECT_TRUE(throws<DimensionMismatch>(
        [&] { update_values(instance_of_rank(), A, values_of(local), to_device(std::vector<double>(ghost))); },
        {named + "local_values has extent(0) = "}));
    EXPECT_TRUE(throws<DimensionMismatch>(
        [&] { update_values(instance_of_rank(), A, to_device(std::vector<double>(local)), values_of(ghost)); },
        {named + "ghost_values has extent(0) = "}));
    EXPECT_TRUE(
        throws<InvalidArgument>([&] { update_values(instance_of_rank(), A, A.local.values, A.ghost.values); },
                                {"local_values overlaps local.values of A"}));
    expect_part(A, global, blocks);  // unchanged
  });
}

}  // namespace
}  // namespace einkorn::test
