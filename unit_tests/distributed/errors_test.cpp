// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Invalid arguments of distribute_rows(), distribute_csr() and gather_csr() on one rank: all ranks throw the same, and
// the next collective call works.

#include "../support/battery.hpp"
#include "../support/ranks.hpp"
#include "../support/throws.hpp"
#include "split_matrix.hpp"

#include <einkorn/formats/distributed/distribute_csr.hpp>
#include <einkorn/formats/distributed/distribute_rows.hpp>
#include <einkorn/formats/distributed/gather_csr.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

using Rows = OwnRows<double>;
using Ids = std::vector<std::int64_t>;

/// 4 rows per rank with one entry on the diagonal each.
Rows diagonal_rows(int rank) {
  return {{0, 1, 2, 3, 4}, {4L * rank, 4L * rank + 1, 4L * rank + 2, 4L * rank + 3}, {1.0, 2.0, 3.0, 4.0}};
}

template <class Ordinal = int, class Offset = int>
auto distribute(Communicator const& comm, RowBlocks const& blocks, Rows const& rows) {
  return distribute_rows<Ordinal, Offset>(instance_of_rank(), comm, blocks, to_device(rows.offsets),
                                          to_device(rows.columns), to_device(rows.values));
}

/// Whether all ranks throw Kind, in the name of the last rank, after change() of the rows of that rank.
template <class Kind>
testing::AssertionResult refused(Communicator const& comm, std::function<void(Rows&)> const& change,
                                 std::vector<std::string> parts) {
  int const last = comm.size() - 1;
  auto rows = diagonal_rows(comm.rank());
  if (comm.rank() == last) change(rows);
  parts.push_back(prefix(comm, last) + "distribute_rows: ");
  return throws<Kind>([&] { (void)distribute(comm, RowBlocks::uniform(4 * comm.size(), comm.size()), rows); },
                      parts);
}

TEST(DistributeRowsErrors, InvalidStructureThrowsOnAllRanks) {
  for_each_communicator([](Communicator const& comm) {
    auto const size = std::to_string(4 * comm.size());
    auto const first = 4 * comm.size() - 4;
    auto const row = [&](int i) { return "global row " + std::to_string(first + i); };
    EXPECT_TRUE(refused<DimensionMismatch>(comm, [](Rows& rows) { rows.offsets.pop_back(); },
                                           {"row_offsets has extent(0) = 4, expected 5"}));
    EXPECT_TRUE(refused<DimensionMismatch>(comm, [](Rows& rows) { rows.offsets.clear(); },
                                           {"row_offsets has extent(0) = 0, expected 5"}));
    EXPECT_TRUE(refused<DimensionMismatch>(comm, [](Rows& rows) { rows.values.pop_back(); },
                                           {"global_columns has extent(0) = 4, values 3"}));
    EXPECT_TRUE(refused<InvalidStructure>(comm, [](Rows& rows) { rows.offsets[0] = 1; },
                                          {"row_offsets(0) is 1, expected 0"}));
    EXPECT_TRUE(refused<InvalidStructure>(comm, [](Rows& rows) { rows.offsets[2] = 0; },
                                          {"row_offsets(2) is 0", "row_offsets(1) = 1", row(1)}));
    EXPECT_TRUE(refused<InvalidStructure>(comm, [](Rows& rows) { rows.offsets[4] = 3; },
                                          {"row_offsets(4) is 3", "the number of entries, 4"}));
    EXPECT_TRUE(
        refused<InvalidStructure>(comm, [](Rows& rows) { rows.columns[2] = -1; },
                                  {"entry 2 in " + row(2) + " has column -1", "0 .. " + size + " - 1"}));
    EXPECT_TRUE(refused<InvalidStructure>(comm, [&](Rows& rows) { rows.columns[1] = 4 * comm.size(); },
                                          {"entry 1 in " + row(1) + " has column " + size}));
    EXPECT_TRUE(refused<InvalidStructure>(comm, [](Rows& rows) { rows.columns[3] = 1LL << 32; },
                                          {"entry 3 in " + row(3) + " has column 4294967296"}));
    EXPECT_NO_THROW(
        (void)distribute(comm, RowBlocks::uniform(4 * comm.size(), comm.size()), diagonal_rows(comm.rank())));
  });
}

TEST(DistributeRowsErrors, EntriesWithoutRows) {
  for_each_communicator([](Communicator const& comm) {
    auto const blocks = RowBlocks::uniform(0, comm.size());
    EXPECT_TRUE(throws<InvalidStructure>([&] { (void)distribute(comm, blocks, {{}, {0}, {1.0}}); },
                                         {prefix(comm, 0) + "distribute_rows: 1 entries, but no rows"}));
  });
}

TEST(DistributeRowsErrors, OverlappingOrMissingRows) {
  for_each_communicator([](Communicator const& comm) {
    int const last = comm.size() - 1;
    if (last == 0) return;
    Ids const uniform = RowBlocks::uniform(4 * comm.size(), comm.size()).offsets();
    for (int const shift : {-1, 1}) {  // the last two ranks disagree on who owns a row
      auto offsets = uniform;
      if (comm.rank() == last) offsets[static_cast<std::size_t>(last)] += shift;
      EXPECT_TRUE(throws<InvalidArgument>(
          [&] { (void)distribute(comm, RowBlocks(offsets), diagonal_rows(comm.rank())); },
          {"distribute_rows: rank " + std::to_string(last) + " has blocks of", "with other offsets"}));
    }
    EXPECT_TRUE(throws<InvalidArgument>(
        [&] { (void)distribute(comm, RowBlocks::uniform(8, comm.size() + 1), diagonal_rows(comm.rank())); },
        {"distribute_rows: blocks has 8 rows in ", "one block for each of the"}));
  });
}

TEST(DistributeRowsErrors, CountsThatDoNotFit) {
  for_each_communicator([](Communicator const& comm) {
    auto const named = prefix(comm, 0) + "distribute_rows: ";
    auto const huge = RowBlocks::uniform(3000000000LL * comm.size(), comm.size());
    EXPECT_TRUE(throws<OverflowError>(
        [&] { (void)distribute(comm, huge, {}); },
        {named + "3000000000 owned rows do not fit Ordinal (32 bits, at most 2147483647)"}));
    // 64-bit ordinals: refused for the extent of row_offsets.
    EXPECT_TRUE(throws<DimensionMismatch>([&] { (void)distribute<std::int64_t>(comm, huge, {}); },
                                          {named + "row_offsets has extent(0) = 1, expected 3000000001"}));
    // 40000 entries in rank 0.
    auto const blocks = RowBlocks::uniform(comm.size(), comm.size());
    Rows rows{{0, 0}, {}, {}};
    if (comm.rank() == 0) rows = {{0, 40000}, Ids(40000, 0), std::vector<double>(40000, 1.0)};
    EXPECT_TRUE(throws<OverflowError>(
        [&] { (void)distribute<int, std::int16_t>(comm, blocks, rows); },
        {named + "40000 entries of the owned rows do not fit Offset (16 bits, at most 32767)"}));
    EXPECT_NO_THROW((void)distribute<std::int16_t>(comm, blocks, rows));
  });
}

TEST(DistributeRowsErrors, GhostsThatDoNotFitOrdinal) {
  for_each_communicator([](Communicator const& comm) {
    if (comm.size() < 3) return;
    std::int64_t const owned = 30000;  // fits; all rows of two other ranks do not
    auto const blocks = RowBlocks::uniform(owned * comm.size(), comm.size());
    Rows rows{Ids(owned + 1, 0), {}, {}};
    if (comm.rank() == 0) {
      for (auto id = blocks.begin(1); id < blocks.end(2); ++id) rows.columns.push_back(id);
      rows.values.assign(rows.columns.size(), 1.0);
      rows.offsets.back() = 2 * owned;
    }
    EXPECT_TRUE(throws<OverflowError>(
        [&] { (void)distribute<std::int16_t>(comm, blocks, rows); },
        {prefix(comm, 0) + "distribute_rows: 60000 ghosts do not fit Ordinal (16 bits, at most 32767)"}));
  });
}

TEST(DistributeCsrErrors, ThrownByAllRanks) {
  for_each_communicator([](Communicator const& comm) {
    int const root = comm.size() - 1;
    auto const blocks = RowBlocks::uniform(60, comm.size());
    auto const good = with_numbers<double>(random_pattern(60, 60, 4), Numbers::reals);
    auto const call = [&](HostMatrix<double> const& A) {
      (void)distribute_csr(instance_of_rank(), comm, blocks, on_root(comm, root, A), root);
    };
    auto const named = prefix(comm, root);
    EXPECT_TRUE(throws<DimensionMismatch>(
        [&] { call(with_numbers<double>(random_pattern(60, 59, 4), Numbers::reals)); },
        {named + "distribute_csr: A is 60 x 59, expected a square matrix"}));
    EXPECT_TRUE(throws<DimensionMismatch>(
        [&] { call(with_numbers<double>(random_pattern(61, 61, 4), Numbers::reals)); },
        {named + "distribute_csr: A has 61 rows, blocks 60"}));
    auto bad = good;
    bad.columns[17] = 60;
    EXPECT_TRUE(throws<InvalidStructure>([&] { call(bad); }, {named + "Csr: entry 17 has column 60"}));
    bad = good;
    bad.offsets[5] = bad.offsets[4] - 1;
    EXPECT_TRUE(
        throws<InvalidStructure>([&] { call(bad); }, {named + "Csr: row_offsets decreases after row 4"}));
    EXPECT_NO_THROW(call(good));
  });
}

TEST(DistributeCsrErrors, MatrixOnAnotherRankThanRoot) {
  for_each_communicator([](Communicator const& comm) {
    if (comm.size() == 1) return;
    auto const good = with_numbers<double>(random_pattern(60, 60, 4), Numbers::reals);
    EXPECT_TRUE(throws<DimensionMismatch>(
        [&] {
          (void)distribute_csr(instance_of_rank(), comm, RowBlocks::uniform(60, comm.size()),
                               on_root(comm, 1, good), 0);
        },
        {"rank 0: distribute_csr: A has 0 rows, blocks 60"}));
  });
}

TEST(DistributeCsrErrors, Root) {
  for_each_communicator([](Communicator const& comm) {
    auto const good = with_numbers<double>(random_pattern(60, 60, 4), Numbers::reals);
    auto const blocks = RowBlocks::uniform(60, comm.size());
    auto const A = distribute_csr(instance_of_rank(), comm, blocks, good.on_device());
    for (int const root : {-1, comm.size()}) {
      std::vector<std::string> const parts = {"root is " + std::to_string(root),
                                              "expected 0 .. " + std::to_string(comm.size()) + " - 1"};
      EXPECT_TRUE(throws<InvalidArgument>(
          [&] { (void)distribute_csr(instance_of_rank(), comm, blocks, good.on_device(), root); }, parts));
      EXPECT_TRUE(throws<InvalidArgument>([&] { (void)gather_csr(A, root); }, parts));
      EXPECT_TRUE(throws<InvalidArgument>([&] { (void)balanced_blocks(comm, good.on_device(), root); }, parts));
    }
    if (comm.size() == 1) return;
    EXPECT_TRUE(throws<InvalidArgument>([&] { (void)gather_csr(A, comm.rank() == 1 ? 1 : 0); },
                                        {"gather_csr: root is 1 on rank 1, 0 on rank 0"}));
  });
}

TEST(GatherCsrErrors, CountsThatDoNotFit) {
  for_each_communicator([](Communicator const& comm) {
    auto const global = with_numbers<double>(random_pattern(200, 200, 4), Numbers::reals);
    auto const A = distribute_csr(instance_of_rank(), comm, RowBlocks::uniform(200, comm.size()),
                                  on_root(comm, 0, global));
    EXPECT_TRUE(
        throws<OverflowError>([&] { (void)gather_csr<signed char, int>(A); },
                              {"gather_csr: 200 global rows do not fit GlobalOrdinal (8 bits, at most 127)"}));
    EXPECT_TRUE(throws<OverflowError>([&] { (void)gather_csr<int, signed char>(A); },
                                      {"gather_csr: " + std::to_string(global.nnz()) +
                                       " entries do not fit GlobalOffset (8 bits, at most 127)"}));
  });
}

}  // namespace
}  // namespace einkorn::test
