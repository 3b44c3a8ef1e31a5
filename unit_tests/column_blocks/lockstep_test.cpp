// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The kernels of column blocks in their GPU configuration, emulated on the host.

#include "../support/battery.hpp"
#include "../support/float_values.hpp"
#include "../support/lockstep.hpp"
#include "../support/near.hpp"
#include "../support/oracle.hpp"
#include "../support/vectors.hpp"

#include <einkorn/core/epilogue.hpp>
#include <einkorn/formats/column_blocks/detail/add_partial_sums.hpp>
#include <einkorn/formats/column_blocks/detail/build_bins.hpp>
#include <einkorn/formats/column_blocks/detail/sum_column_blocks.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace einkorn::test {
namespace {

using namespace einkorn::detail;

using Format = ColumnBlocks<double, int, int, Device>;
using Vector = Kokkos::View<double*, Device>;
using Input = Kokkos::View<double const*, Device>;
using First = SumColumnBlocks<Lockstep, Format, Input, Vector>;
using Second = AddPartialSums<Lockstep, Format, Vector, Vector, Epilogue<double>>;

/// As from_csr() with the chunks of a GPU, and bins of at most `slots` partial sums.
Format convert(HostMatrix<double> const& host, int columns, int slots) {
  Format F;
  F.shape = column_blocks_shape(arch_of<Lockstep>, sizeof(double));
  F.shape.columns = columns;
  F.shape.slots = slots;
  F.num_rows = static_cast<int>(host.rows());
  F.num_cols = static_cast<int>(host.cols());
  build_column_blocks<column_blocks_tuning(arch_of<Lockstep>)>(Space(), F, host.on_device());
  return F;
}

void expect_product(Pattern const& pattern, int columns, int slots) {
  SCOPED_TRACE(pattern.name);
  auto const host = with_numbers<double>(pattern, Numbers::integers);
  auto const F = convert(host, columns, slots);
  auto const x = numbers<double>(Numbers::integers, host.cols(), 2);
  auto const before = numbers<double>(Numbers::integers, host.rows(), 3);
  auto const y = to_device(before);
  Vector const sums("sums", static_cast<std::size_t>(F.num_sums));
  Kokkos::deep_copy(sums, not_a_number<double>());

  run_in_lockstep(First{F, to_device(x), sums}, F.num_items(), First::team_size, First::scratch_bytes(F));
  run_in_lockstep(Second{F, sums, y, {2, 3}}, F.num_bins(), Second::team_size, Second::scratch_bytes(F));

  EXPECT_TRUE(agrees(to_host(y), expected<double>(host, x, 2.0, 3.0), before, true));
}

TEST(ColumnBlocksLockstep, RowsOfAFewEntriesPerBlock) {
  expect_product(random_pattern(150, 300, 6), 100, 1000);  // chunks with a scan per step
}

TEST(ColumnBlocksLockstep, LongRowsHaveContiguousEntriesPerLane) {
  expect_product(from_lengths("", {200, 0, 0, 250, 1, 0, 300, 37, 0}, 300), 150, 1000);
}

TEST(ColumnBlocksLockstep, RowsOfAllLengthsAroundTheLanes) {
  std::vector<std::int64_t> lengths;
  for (int i = 0; i < 36; ++i) lengths.push_back(i);
  expect_product(from_lengths("", lengths, 64), 64, 300);
}

TEST(ColumnBlocksLockstep, RowsThatContinueInFurtherChunksOfABin) {
  expect_product(from_lengths("", {1, 600, 2, 0, 500}, 600), 1, 1500);  // a partial sum per entry
}

TEST(ColumnBlocksLockstep, EmptyRowsFillBins) {
  std::vector<std::int64_t> lengths(700, 0);
  lengths[5] = lengths[699] = 3;
  expect_product(from_lengths("", lengths, 40), 16, 300);
}

}  // namespace
}  // namespace einkorn::test
