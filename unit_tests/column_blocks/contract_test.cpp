// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/format_contract.hpp"

#include <einkorn/formats/column_blocks/from_csr.hpp>
#include <einkorn/formats/column_blocks/spmv.hpp>
#include <einkorn/formats/column_blocks/to_csr.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace einkorn::test {
namespace {

template <class C>
struct ColumnBlocksSubject {
  using Config = C;
  using Options = ColumnBlocksOptions;
  using Host = HostMatrixOf<C>;
  static constexpr bool isolates_nan = true;

  static std::vector<std::pair<std::string, Options>> variants() {
    return {{"default", {}},
            {"blocks of 200 columns", {200, Checks::on}},
            {"blocks of 1000 columns", {1000, Checks::on}}};
  }
  template <class Matrix>
  static auto make(Matrix const& A, Options const& options) {
    return from_csr<ColumnBlocks>(Space(), A, options);
  }
  static double stored(Host const&, Options const&) { return 0; }
  static Host returned(Host const& A) { return A; }
};

EINKORN_INSTANTIATE_FORMAT_CONTRACT(ColumnBlocks, ColumnBlocksSubject);

ColumnBlocks<double, int, int, Device> blocks_of(Pattern const& pattern, ColumnBlocksOptions const& options) {
  return from_csr<ColumnBlocks>(Space(), with_numbers<double>(pattern, Numbers::integers).on_device(), options);
}

TEST(ColumnBlocksLayout, ARowHasOnePartialSumPerBlock) {
  auto const pattern = random_pattern(300, 500, 9);
  std::set<std::pair<int, int>> row_and_block;
  for (int row = 0; row < 300; ++row)
    for (auto k = pattern.offsets[static_cast<std::size_t>(row)];
         k < pattern.offsets[static_cast<std::size_t>(row) + 1]; ++k)
      row_and_block.emplace(row, static_cast<int>(pattern.columns[static_cast<std::size_t>(k)]) / 100);

  auto const F = blocks_of(pattern, {100, Checks::on});

  EXPECT_EQ(F.num_blocks(), 5);
  EXPECT_GE(static_cast<std::size_t>(F.num_sums), row_and_block.size());
  EXPECT_LE(static_cast<std::size_t>(F.num_sums), row_and_block.size() + F.chunk_sums.extent(0) - 1)
      << "the end of a chunk ends a partial sum";
}

TEST(ColumnBlocksLayout, RefusesMoreBlocksThanItsTablesHold) {
  auto const max_blocks = column_blocks_tuning(arch_of<Space>).max_blocks;
  auto const pattern = from_lengths("", {3, 3}, max_blocks + 1);
  EXPECT_EQ(blocks_of(pattern, {2, Checks::on}).num_blocks(), max_blocks / 2 + 1);
  EXPECT_TRUE(throws<FillLimit>([&] { (void)blocks_of(pattern, {1, Checks::on}); },
                                {std::to_string(max_blocks + 1) + " blocks of 1", "CSR5"}));
}

TEST(ColumnBlocksLayout, RefusesRowsOfMorePartialSumsThanABinHolds) {
  auto const slots = column_blocks_shape(arch_of<Space>, sizeof(double)).slots;
  auto const max_sums = std::min(slots / 4 * 3, column_blocks_tuning(arch_of<Space>).max_blocks - 1);
  if (max_sums < slots / 4 * 3) GTEST_SKIP() << "the tables are the closer limit";
  auto const dense_row = [](int columns) { return from_lengths("", {2, columns, 0, 1}, columns); };
  EXPECT_EQ(blocks_of(dense_row(max_sums), {1, Checks::on}).num_sums, max_sums + 3);
  EXPECT_TRUE(throws<FillLimit>([&] { (void)blocks_of(dense_row(max_sums + 1), {1, Checks::on}); },
                                {std::to_string(max_sums + 1) + " partial sums", "CSR5"}));
}

TEST(ColumnBlocksOptions, AreChecked) {
  auto const pattern = random_pattern(30, 50, 3);
  for (int const columns : {-1, 32769})
    EXPECT_TRUE(throws<InvalidArgument>([&] { (void)blocks_of(pattern, {columns, Checks::on}); },
                                        {"columns is " + std::to_string(columns)}));
  EXPECT_EQ(blocks_of(pattern, {32768, Checks::on}).num_blocks(), 1);
}

}  // namespace
}  // namespace einkorn::test
