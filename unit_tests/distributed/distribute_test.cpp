// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// distribute_csr(), distribute_rows() and gather_csr(): the parts of all ranks against a sequential reference.

#include "../support/battery.hpp"
#include "../support/ranks.hpp"
#include "split_matrix.hpp"

#include <einkorn/formats/distributed/distribute_csr.hpp>
#include <einkorn/formats/distributed/distribute_rows.hpp>
#include <einkorn/formats/distributed/gather_csr.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace einkorn::test {
namespace {

template <class C>
class Distribute : public testing::Test {};
using IndexPairs = Configs<double>;
TYPED_TEST_SUITE(Distribute, IndexPairs);

template <class A, class Host>
void expect_gathered(A const& part, int root, Host const& global) {
  auto const gathered = to_host(gather_csr(part, root));
  if (part.communicator.rank() == root)
    expect_same_matrix(gathered, sorted_by_column(global));
  else
    EXPECT_EQ(gathered.num_rows, 0);
}

TYPED_TEST(Distribute, MatrixOfTheRoot) {
  for_each_communicator([](Communicator const& comm) {
    int const root = comm.size() / 2;
    std::size_t round = 0;
    for (auto const& pattern : battery()) {
      if (pattern.is_large() && comm.size() != 3) continue;
      SCOPED_TRACE(pattern.name);
      auto const global = with_numbers_of<TypeParam>(squared(pattern), Numbers::reals);
      auto const all_blocks = blocks_of(static_cast<std::int64_t>(global.num_rows), comm.size());
      auto const& blocks = all_blocks[pattern.is_large() ? 0 : round++ % all_blocks.size()];

      auto const A = distribute_csr(instance_of_rank(), comm, blocks, on_root(comm, root, global), root);

      expect_part(A, global, blocks);
      expect_gathered(A, 0, global);
    }
  });
}

TYPED_TEST(Distribute, RowsOfEveryRank) {
  using Ordinal = typename TypeParam::Ordinal;
  using Offset = typename TypeParam::Offset;
  for_each_communicator([](Communicator const& comm) {
    for (std::uint64_t const seed : {1u, 2u, 3u}) {
      auto const global = with_numbers_of<TypeParam>(random_pattern(30, 30, seed), Numbers::reals);
      for (auto const& blocks : blocks_of(static_cast<std::int64_t>(global.num_rows), comm.size())) {
        auto const own = own_rows(global, blocks, comm.rank());

        auto const A = distribute_rows<Ordinal, Offset>(instance_of_rank(), comm, blocks,
                                                        to_device<Kokkos::HostSpace>(own.offsets),
                                                        to_device<>(own.columns), to_device<>(own.values));

        expect_part(A, global, blocks);
        expect_gathered(A, comm.size() - 1, global);
      }
    }
  });
}

TEST(DistributeRows, ComplexValuesAndHostViews) {
  using HostMemory = Kokkos::HostSpace;
  for_each_communicator([](Communicator const& comm) {
    auto const global = with_numbers<Complex>(random_pattern(150, 150, 3), Numbers::reals);
    auto const blocks = RowBlocks::balanced(global.offsets, comm.size());
    auto const own = own_rows(global, blocks, comm.rank());

    auto const A = distribute_rows(instance_of_rank(), comm, blocks, to_device<HostMemory>(own.offsets),
                                   to_device<HostMemory>(own.columns), to_device<HostMemory>(own.values));

    expect_part(A, global, blocks);
    expect_gathered(A, 0, global);
  });
}

TEST(DistributeRows, ResultSharesNoMemory) {
  for_each_communicator([](Communicator const& comm) {
    auto const global = with_numbers<double>(random_pattern(80, 80, 3), Numbers::reals);
    auto const blocks = RowBlocks::uniform(80, comm.size());
    auto const own = own_rows(global, blocks, comm.rank());
    auto const offsets = to_device(own.offsets), columns = to_device(own.columns);
    auto const values = to_device(own.values);

    auto const A = distribute_rows(instance_of_rank(), comm, blocks, offsets, columns, values);
    Kokkos::deep_copy(offsets, -1);
    Kokkos::deep_copy(columns, -1);
    Kokkos::deep_copy(values, -1.0);

    expect_part(A, global, blocks);
  });
}

TEST(DistributeCsr, EmptyMatrix) {
  for_each_communicator([](Communicator const& comm) {
    auto const blocks = RowBlocks::uniform(0, comm.size());
    Csr<double, int, int, Device> const nothing;

    auto const A = distribute_csr(instance_of_rank(), comm, blocks, nothing);
    auto const gathered = gather_csr(A);

    EXPECT_EQ(A.num_rows(), 0);
    EXPECT_EQ(A.num_entries(), 0u);
    EXPECT_EQ(A.local.row_offsets.extent(0), 1u);
    EXPECT_EQ(A.ghost.row_offsets.extent(0), 1u);
    EXPECT_EQ(gathered.num_rows, 0);
  });
}

TEST(DistributeCsr, RankWithoutNeighbours) {
  // Block diagonal: no messages. Then one entry of the first rank in the last column: a message in one direction.
  for_each_communicator([](Communicator const& comm) {
    auto const blocks = RowBlocks::uniform(4 * comm.size(), comm.size());
    HostMatrix<double> global{4 * comm.size(), 4 * comm.size(), {0}, {}, {}};
    for (int i = 0; i < global.num_rows; ++i) {
      for (int j = i / 4 * 4; j < i / 4 * 4 + 4; ++j) global.columns.push_back(j);
      global.offsets.push_back(static_cast<int>(global.columns.size()));
    }
    global.values = numbers<double>(Numbers::reals, global.columns.size(), 1);
    auto const A = distribute_csr(instance_of_rank(), comm, blocks, on_root(comm, 0, global));
    expect_part(A, global, blocks);
    EXPECT_TRUE(A.halo.messages.send_ranks.empty() && A.halo.messages.receive_ranks.empty());

    global.columns[0] = global.num_rows - 1;
    auto const B = distribute_csr(instance_of_rank(), comm, blocks, on_root(comm, 0, global));
    expect_part(B, global, blocks);
    bool const sends = comm.size() > 1 && comm.rank() == comm.size() - 1;
    bool const receives = comm.size() > 1 && comm.rank() == 0;
    EXPECT_EQ(B.halo.messages.num_sent(), sends ? 1u : 0u);
    EXPECT_EQ(B.halo.messages.num_received(), receives ? 1u : 0u);
  });
}

TEST(GatherCsr, OtherIndexTypes) {
  for_each_communicator([](Communicator const& comm) {
    auto const pattern = random_pattern(60, 60, 2);
    auto const global = with_numbers<double>(pattern, Numbers::reals);
    auto const wide = with_numbers<double, std::int64_t, std::size_t>(pattern, Numbers::reals);
    auto const A =
        distribute_csr(instance_of_rank(), comm, RowBlocks::uniform(60, comm.size()), on_root(comm, 0, global));

    auto const gathered = to_host(gather_csr<std::int64_t, std::size_t>(A));

    if (comm.rank() == 0) expect_same_matrix(gathered, wide);
  });
}

TEST(BalancedBlocks, OfTheMatrixOfTheRoot) {
  for_each_communicator([](Communicator const& comm) {
    auto const global = with_numbers<double>(random_pattern(300, 300, 4), Numbers::reals);
    int const root = comm.size() - 1;

    auto const blocks = balanced_blocks(comm, on_root(comm, root, global), root);

    EXPECT_TRUE(blocks == RowBlocks::balanced(global.offsets, comm.size()));
    EXPECT_TRUE(balanced_blocks(comm, Csr<double, int, int, Device>{}) == RowBlocks::uniform(0, comm.size()));
  });
}

}  // namespace
}  // namespace einkorn::test
