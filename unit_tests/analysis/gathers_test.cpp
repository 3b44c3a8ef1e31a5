// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// Accesses to x: the sample of structure(), and the choice of column blocks. Compiles in 8 s.
#include "../support/battery.hpp"
#include "../support/near.hpp"

#include <einkorn/formats/analysis/select.hpp>
#include <einkorn/formats/any_matrix.hpp>
#include <einkorn/formats/generate/generate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

using Matrix = Csr<double, int, int, Device>;
using Counters = detail::StructureCounters<Device>;
using Everywhere = FormatsOfEveryArch::With<ColumnBlocks>;

struct Gathers {
  std::int64_t entries = 0, sectors = 0, changes = 0;
  friend bool operator==(Gathers const&, Gathers const&) = default;
};

Gathers sampled(Matrix const& A, int block_columns) {
  Counters const counters(Space(), static_cast<std::size_t>(A.num_rows + A.num_cols), A.nnz());
  detail::analyze_gathers(Space(), A, block_columns, counters);
  auto const counts = counters.read(Space());
  return {counts[Counters::gather_entries], counts[Counters::gather_sectors], counts[Counters::block_changes]};
}

/// The same by a set per window. Sectors of 4 columns.
Gathers counted(HostMatrix<double> const& A, int block_columns) {
  std::size_t const windows = std::clamp<std::size_t>(A.nnz() / 2048, 1, 256), stride = A.nnz() / windows;
  Gathers all;
  for (std::size_t w = 0; w < windows; ++w) {
    std::size_t const first = w * stride, last = std::min(first + 2048, A.nnz());
    std::set<int> sectors;
    for (auto k = first; k < last; ++k) {
      sectors.insert(A.columns[k] / 4);
      all.changes += k > first && A.columns[k] / block_columns != A.columns[k - 1] / block_columns;
    }
    all.entries += static_cast<std::int64_t>(last - first);
    all.sectors += static_cast<std::int64_t>(sectors.size());
  }
  return all;
}

TEST(Gathers, SampleAgreesWithAHostLoop) {
  for (char const* const name : {"gen:rmat:14", "gen:powerlaw:40000:12", "gen:stencil7:20", "gen:band:2000:31"})
    for (int const block_columns : {1, 100, 27000}) {
      SCOPED_TRACE(std::string(name) + ", blocks of " + std::to_string(block_columns));
      auto const A = generate<double, int, int, Device>(Space(), name);
      EXPECT_EQ(sampled(A, block_columns), counted(to_host(A), block_columns));
    }
  for (auto const& pattern : battery()) {
    auto const host = with_numbers<double>(pattern, Numbers::reals);
    if (host.nnz() == 0) continue;
    EXPECT_EQ(sampled(host.on_device(), 7), counted(host, 7)) << pattern.name;
  }
}

/// Rows of similar length whose columns have no order: `changes` partial sums per entry in column blocks.
Structure unordered(std::int64_t rows, std::int64_t row_length, double changes) {
  Structure s;
  s.num_rows = s.num_cols = rows;
  s.nnz = rows * row_length;
  s.mean_row_length = static_cast<double>(row_length);
  s.longest_row = 16 * row_length;
  s.num_diagonals = 2 * rows - 1;
  s.slice_fill = s.sorted_slice_fill = 4;
  s.block_fill.fill(8);
  s.num_stripes = rows;
  s.stripe_columns = s.nnz;
  s.gathered_sectors = 0.95;
  s.column_block_changes = changes;
  return s;
}

std::vector<Estimate> estimates(Structure const& s, Arch arch,
                                std::size_t vector_scalar_bytes = sizeof(double)) {
  return estimate_formats<Everywhere>(s, arch, machine_model(arch), sizeof(double), vector_scalar_bytes, 4, 4);
}

FormatName fastest(Structure const& s, Arch arch) {
  return detail::choose<Everywhere>(estimates(s, arch), 1e6, "estimated").format;
}

Estimate column_blocks_of(Structure const& s, Arch arch, std::size_t vector_scalar_bytes = sizeof(double)) {
  auto const all = estimates(s, arch, vector_scalar_bytes);
  return *std::find_if(all.begin(), all.end(),
                       [](Estimate const& e) { return e.format == FormatName::column_blocks; });
}

TEST(Gathers, ColumnBlocksForFewPartialSumsOrAnXLargerThanTheCache) {
  auto const gpu = Arch::hopper;
  EXPECT_EQ(fastest(unordered(2000000, 16, 0.4), gpu), FormatName::column_blocks);
  EXPECT_NE(fastest(unordered(2000000, 16, 0.95), gpu), FormatName::column_blocks);
  EXPECT_EQ(fastest(unordered(8000000, 3, 0.95), gpu), FormatName::column_blocks);
  auto in_order = unordered(8000000, 3, 0.0);
  in_order.gathered_sectors = 0.1;
  EXPECT_NE(fastest(in_order, gpu), FormatName::column_blocks);
}

TEST(Gathers, ColumnBlocksAreRefusedWhereTheyCannotBeBuilt) {
  auto long_row = unordered(8000000, 3, 0.95);
  EXPECT_FALSE(column_blocks_of(long_row, Arch::hopper).refused);
  long_row.longest_row = 1000000;
  EXPECT_FALSE(column_blocks_of(long_row, Arch::hopper).refused);
  EXPECT_TRUE(column_blocks_of(long_row, Arch::hopper, sizeof(Complex)).refused)
      << "half as many partial sums fit";
  long_row.longest_row = 4000000;
  auto const refused = column_blocks_of(long_row, Arch::hopper);
  EXPECT_TRUE(refused.refused);
  EXPECT_NE(refused.what.find("partial sums in a row"), std::string::npos) << refused.what;
  EXPECT_TRUE(column_blocks_of(unordered(200000000, 3, 0.95), Arch::hopper).refused) << "too many blocks";
  EXPECT_TRUE(column_blocks_of(unordered(8000000, 3, 0.95), Arch::host).refused);
  auto small = unordered(8000000, 3, 0.95);
  small.gathered_sectors = 0;
  EXPECT_TRUE(column_blocks_of(small, Arch::hopper).refused) << "not sampled";
}

Structure cached_rows(std::int64_t rows, std::int64_t mean, std::int64_t longest, double slice_fill) {
  Structure s = unordered(rows, mean, 0.0);
  s.gathered_sectors = 0;
  s.longest_row = longest;
  s.slice_fill = s.sorted_slice_fill = slice_fill;
  return s;
}

TEST(CachedMatrices, EllAndSellForManyShortRowsOfSimilarLength) {
  auto const gpu = Arch::hopper;
  EXPECT_EQ(fastest(cached_rows(64000, 7, 7, 1.5), gpu), FormatName::ell);
  EXPECT_EQ(fastest(cached_rows(64000, 7, 10, 1.5), gpu), FormatName::ell);
  EXPECT_EQ(fastest(cached_rows(64000, 7, 14, 1.5), gpu), FormatName::csr) << "padding";
  EXPECT_EQ(fastest(cached_rows(110000, 7, 10, 1.5), gpu), FormatName::csr) << "padding of many slots";
  EXPECT_EQ(fastest(cached_rows(20000, 40, 40, 1.5), gpu), FormatName::csr) << "long rows";
  EXPECT_EQ(fastest(cached_rows(5000, 7, 7, 1.5), gpu), FormatName::csr) << "few rows";
  EXPECT_EQ(fastest(cached_rows(130000, 6, 17, 1.2), gpu), FormatName::sell);
  EXPECT_EQ(fastest(cached_rows(130000, 6, 17, 1.4), gpu), FormatName::csr) << "padding of slices";
}

TEST(Gathers, AnyMatrixHoldsColumnBlocksAlsoForVectorsOfLargerScalars) {
  using Two = FormatList<Csr, ColumnBlocks>;
  auto const A = generate<double, int, int, Device>(Space(), "gen:powerlaw:70000:5");
  auto const host = to_host(A);
  auto const x = numbers<Complex>(Numbers::integers, host.cols(), 2);
  auto const before = numbers<Complex>(Numbers::integers, host.rows(), 3);
  auto const y = to_device(before);
  auto const F = make_any_matrix<Complex, Two>(Space(), A, FormatName::column_blocks);
  EXPECT_EQ(F.format(), FormatName::column_blocks);

  spmv(Space(), Complex(2), F, to_device(x), Complex(-1), y);

  EXPECT_TRUE(agrees(to_host(y), expected<Complex>(host, x, Complex(2), Complex(-1)), before, true));
}

}  // namespace
}  // namespace einkorn::test
