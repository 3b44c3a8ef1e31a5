// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/battery.hpp"

#include <einkorn/formats/analysis/structure.hpp>
#include <einkorn/formats/generate/generate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

using Host = HostMatrix<double>;
using Lengths = std::vector<std::int64_t>;

Lengths lengths_of(Host const& A) {
  Lengths lengths;
  for (std::size_t i = 0; i < A.rows(); ++i)
    lengths.push_back(static_cast<std::int64_t>(A.end(i) - A.begin(i)));
  return lengths;
}

std::int64_t slots(Lengths const& lengths, std::int64_t slice_rows) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < lengths.size(); i += static_cast<std::size_t>(slice_rows)) {
    auto const end = std::min(lengths.size(), i + static_cast<std::size_t>(slice_rows));
    total += static_cast<std::int64_t>(end - i) *
             *std::max_element(lengths.begin() + static_cast<std::ptrdiff_t>(i),
                               lengths.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return total;
}

/// Stored entries of b x b blocks per entry, without the block rows that structure() skips as too long.
double block_fill(Host const& A, std::size_t b) {
  std::size_t slots = 0, entries = 0;
  for (std::size_t first = 0; first < A.rows(); first += b) {
    auto const last = std::min(first + b, A.rows());
    auto const row_entries = static_cast<std::size_t>(A.begin(last) - A.begin(first));
    if (static_cast<std::int64_t>(row_entries) >
        detail::max_block_row_entries<Space>(static_cast<int>(b),
                                             static_cast<std::int64_t>(A.nnz() / A.rows()) + 1))
      continue;
    std::set<std::size_t> columns;
    for (auto k = A.begin(first); k < A.begin(last); ++k) columns.insert(A.column(k) / b);
    slots += columns.size() * b * b;
    entries += row_entries;
  }
  return entries == 0 ? 0 : static_cast<double>(slots) / static_cast<double>(entries);
}

void expect_rows(Structure const& s, Host const& A) {
  auto const lengths = lengths_of(A);
  std::int64_t longest = 0;
  std::vector<std::int64_t> histogram(64);
  for (auto const length : lengths) {
    longest = std::max(longest, length);
    std::size_t bin = 0;
    while ((std::int64_t(1) << bin) <= length) ++bin;
    ++histogram[bin];
  }
  EXPECT_EQ(s.longest_row, longest);
  EXPECT_EQ(s.empty_rows, std::count(lengths.begin(), lengths.end(), 0));
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(s.row_length_histogram[i], histogram[i]) << "bin " << i;
  bool sorted = true;
  std::int64_t stripes = 0, stripe_columns = 0;
  for (std::size_t i = 0; i < A.rows(); ++i) {
    auto const row = [&A](std::size_t r) {
      return std::vector<int>(A.columns.begin() + static_cast<std::ptrdiff_t>(A.begin(r)),
                              A.columns.begin() + static_cast<std::ptrdiff_t>(A.end(r)));
    };
    auto const here = row(i);
    sorted = sorted && std::is_sorted(here.begin(), here.end(), std::less_equal<>());
    if (i > 0 && here == row(i - 1)) continue;
    ++stripes;
    stripe_columns += static_cast<std::int64_t>(here.size());
  }
  EXPECT_EQ(s.sorted, sorted);
  EXPECT_EQ(s.num_stripes, stripes);
  EXPECT_EQ(s.stripe_columns, stripe_columns);
  if (A.nnz() > 0) {
    EXPECT_DOUBLE_EQ(s.slice_fill,
                     static_cast<double>(slots(lengths, s.slice_rows)) / static_cast<double>(A.nnz()));
  }
}

void expect_diagonals(Structure const& s, Host const& A) {
  std::map<std::int64_t, std::int64_t> entries;
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (auto k = A.begin(i); k < A.end(i); ++k)
      ++entries[static_cast<std::int64_t>(A.column(k)) - static_cast<std::int64_t>(i)];
  EXPECT_EQ(s.num_diagonals, static_cast<std::int64_t>(entries.size()));
  if (entries.empty()) return;
  EXPECT_EQ(s.lower_bandwidth, std::max<std::int64_t>(0, -entries.begin()->first));
  EXPECT_EQ(s.upper_bandwidth, std::max<std::int64_t>(0, entries.rbegin()->first));
  std::int64_t bands = 0, last = -1000000000;
  for (auto const& [offset, count] : entries) {
    if (offset - last > 1) ++bands;
    last = offset;
  }
  EXPECT_EQ(s.num_bands, bands);
  if (entries.size() > 512) {
    EXPECT_TRUE(s.diagonals.empty());
    return;
  }
  ASSERT_EQ(s.diagonals.size(), entries.size());
  std::size_t i = 0;
  for (auto const& [offset, count] : entries) {
    EXPECT_EQ(s.diagonals[i].offset, offset);
    EXPECT_EQ(s.diagonals[i++].entries, count) << "diagonal " << offset;
  }
}

TEST(Structure, AgreesWithAHostLoopOnEveryTestMatrix) {
  for (auto const& pattern : battery()) {
    SCOPED_TRACE(pattern.name);
    auto const host = with_numbers<double>(pattern, Numbers::reals);

    auto const s = structure(Space(), host.on_device());

    EXPECT_EQ(s.num_rows, host.num_rows);
    EXPECT_EQ(s.num_cols, host.num_cols);
    EXPECT_EQ(s.nnz, static_cast<std::int64_t>(host.nnz()));
    if (host.nnz() == 0) {
      EXPECT_EQ(s.empty_rows, host.num_rows);
      continue;
    }
    expect_rows(s, host);
    expect_diagonals(s, host);
    if (!s.sorted || pattern.is_large()) continue;
    for (std::size_t b = 2; b <= 8; ++b) EXPECT_DOUBLE_EQ(s.block_fill[b], block_fill(host, b)) << b;
    auto sorted_rows = lengths_of(host);
    if (*std::max_element(sorted_rows.begin(), sorted_rows.end()) < 2048) {
      auto const window = static_cast<std::size_t>(sell_window<Space>(s.nnz));
      for (std::size_t first = 0; first < sorted_rows.size(); first += window)
        std::sort(
            sorted_rows.begin() + static_cast<std::ptrdiff_t>(first),
            sorted_rows.begin() + static_cast<std::ptrdiff_t>(std::min(first + window, sorted_rows.size())),
            std::greater<>());
      EXPECT_DOUBLE_EQ(s.sorted_slice_fill,
                       std::min(s.slice_fill, static_cast<double>(slots(sorted_rows, s.slice_rows)) /
                                                  static_cast<double>(host.nnz())));
    }
  }
}

TEST(Structure, RowsThatTeamsOfAGpuShare) {
  Lengths lengths{20000, 600, 50000, 3, 0, 16384, 16385, 100000, 100000};
  lengths.resize(2000, 513);
  auto host = with_numbers<double>(from_lengths("long rows", lengths, 120000), Numbers::reals);
  auto const sorted = structure(Space(), host.on_device());
  expect_rows(sorted, host);
  expect_diagonals(sorted, host);
  auto const last = host.begin(9) - 1;  // of a row of 100000
  std::swap(host.columns[last], host.columns[last - 1]);
  auto const unsorted = structure(Space(), host.on_device());
  expect_rows(unsorted, host);
  EXPECT_FALSE(unsorted.sorted);
}

TEST(Structure, SamplesOfLargeMatrices) {
  auto const blocks_of_3 = structure(Space(), generate<double, int, int, Device>(Space(), "gen:elasticity:24"));
  EXPECT_DOUBLE_EQ(blocks_of_3.block_fill[3], 1.0);
  EXPECT_GT(blocks_of_3.block_fill[2], 1.1);
  auto const mesh = structure(Space(), generate<double, int, int, Device>(Space(), "gen:stencil7:40"));
  EXPECT_EQ(mesh.num_diagonals, 7);
  EXPECT_EQ(mesh.num_bands, 5);
  EXPECT_LT(mesh.sorted_slice_fill, 1.01);
}

TEST(Structure, SymmetryOfThePatternOnRequest) {
  auto const of = [](Host const& host) {
    return structure(Space(), host.on_device(), {.symmetry = true}).symmetric;
  };
  auto const symmetric = from_dense<double>({{1, 2, 0}, {3, 0, 4}, {0, 5, 6}}, 3);
  auto const lower = from_dense<double>({{1, 0, 0}, {3, 2, 0}, {0, 5, 6}}, 3);
  auto const wide = from_dense<double>({{1, 2, 0}, {2, 1, 0}}, 3);
  auto unsorted = symmetric;
  std::swap(unsorted.columns[0], unsorted.columns[1]);
  EXPECT_FALSE(structure(Space(), symmetric.on_device()).symmetric.has_value());
  EXPECT_EQ(of(symmetric), true);
  EXPECT_EQ(of(unsorted), true);
  EXPECT_EQ(of(lower), false);
  EXPECT_EQ(of(wide), false);
}

TEST(Structure, SampleOfTheRowsOfALargeMatrix) {
  if constexpr (!is_gpu<Space>) GTEST_SKIP() << "hosts read all rows";
  for (auto const* name : {"gen:stencil27:90", "gen:elasticity:50"}) {
    SCOPED_TRACE(name);
    auto const A = generate<double, int, int, Device>(Space(), name);
    auto const exact = structure(Space(), A, {.exact = true}), sampled = structure(Space(), A);
    EXPECT_EQ(sampled.row_length_histogram, exact.row_length_histogram);
    EXPECT_EQ(sampled.longest_row, exact.longest_row);
    EXPECT_EQ(sampled.row_length_deviation, exact.row_length_deviation);
    EXPECT_EQ(sampled.slice_fill, exact.slice_fill);
    EXPECT_EQ(sampled.sorted, exact.sorted);
    EXPECT_EQ(sampled.num_diagonals, exact.num_diagonals);
    EXPECT_EQ(sampled.num_bands, exact.num_bands);
    EXPECT_EQ(sampled.upper_bandwidth, exact.upper_bandwidth);
    EXPECT_NEAR(static_cast<double>(sampled.num_stripes), static_cast<double>(exact.num_stripes),
                0.05 * static_cast<double>(exact.num_stripes));
    EXPECT_NEAR(static_cast<double>(sampled.stripe_columns), static_cast<double>(exact.stripe_columns),
                0.05 * static_cast<double>(exact.stripe_columns));
  }
}

}  // namespace
}  // namespace einkorn::test
