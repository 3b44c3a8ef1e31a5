// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The blocks of a matrix: detection of the block size, kernels that find and fill the blocks.

#include "../support/battery.hpp"
#include "../support/near.hpp"
#include "../support/throws.hpp"
#include "bsr_of.hpp"
#include "count_blocks.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/formats/bsr/from_csr.hpp>
#include <einkorn/formats/bsr/to_csr.hpp>
#include <einkorn/formats/bsr/validate.hpp>
#include <einkorn/formats/generate/generate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

template <class Scalar>
int detected(std::string const& spec) {
  return detect_block_size(Space(), generate<Scalar, int, int, Device>(Space(), spec));
}

TEST(BsrDetection, FindsTheBlocksOfGeneratedMatrices) {
  EXPECT_EQ(detected<double>("gen:elasticity:5x4x3"), 3);
  for (int const b : {2, 3, 4, 5, 6, 7, 8}) {
    auto const spec = "gen:blocks:" + std::to_string(60 * b) + ":" + std::to_string(b);
    EXPECT_EQ(detected<double>(spec), b) << spec;
    EXPECT_EQ(detected<float>(spec), b) << spec;
    auto const F = from_csr<Bsr>(Space(), generate<double, int, int, Device>(Space(), spec));
    EXPECT_EQ(F.block_size, b);
    EXPECT_EQ(F.values.size(), static_cast<std::size_t>(F.nnz())) << "no padding";
    EXPECT_EQ(to_host(F.values), to_host(bsr_of(to_csr(Space(), F), b).values));
  }
}

TEST(BsrDetection, HasTheFewestBytesOnTheBattery) {
  for (auto const& pattern : battery()) {
    SCOPED_TRACE(pattern.name);
    auto const doubles = with_numbers<double>(pattern, Numbers::reals);
    EXPECT_EQ(detect_block_size(Space(), doubles.on_device()), smallest_by_bytes(doubles));
    auto const wide = with_numbers<float, std::int64_t, std::size_t>(pattern, Numbers::reals);
    EXPECT_EQ(detect_block_size(Space(), wide.on_device()), smallest_by_bytes(wide));
  }
}

TEST(BsrBlocks, NumberOfBlocksOfEverySize) {
  for (auto const* const name : {"random, seed 1", "columns not sorted", "positions that repeat", "rows of 33"})
    for (auto const& pattern : battery())
      if (pattern.name == name)
        for (int b = 1; b <= 64; b += b < 12 ? 1 : 13) {
          auto const host = with_numbers<double>(pattern, Numbers::reals);
          auto const F = bsr_of(host.on_device(), b);
          EXPECT_EQ(static_cast<std::size_t>(F.num_blocks()), count_blocks(host, b)) << name << ", b = " << b;
          EXPECT_NO_THROW(validate(Space(), F));
        }
}

/// Block rows that fit in scratch, that do not, and both; block rows at the borders of teams.
std::vector<Pattern> block_rows_around_scratch() {
  std::vector<Pattern> all;
  auto const add = [&](std::string const& name, std::size_t rows, auto const& length) {
    std::vector<std::int64_t> lengths(rows);
    for (std::size_t i = 0; i < rows; ++i) lengths[i] = static_cast<std::int64_t>(length(i));
    all.push_back(from_lengths(name, lengths, 5003));
  };
  add("7 per row", 1003, [](auto) { return 7; });
  add("27 per row", 517, [](auto) { return 27; });
  add("0 to 9 per row", 2049, [](auto i) { return i * 7 % 10; });
  add("one of 5000", 1001, [](auto i) { return i == 700 ? 5000 : i % 4; });
  add("some of 3000", 333, [](auto i) { return i % 100 == 3 ? 3000 : 30; });
  add("1500 per row", 17, [](auto) { return 1500; });
  add("empty at both ends", 900, [](auto i) { return i < 290 || i > 600 ? 0 : i % 50; });
  add("one row", 1, [](auto) { return 3; });
  for (auto const& pattern : battery())
    if (pattern.name == "random, seed 1" || pattern.name == "diagonal" || pattern.name == "1 x n" ||
        pattern.name == "n x 1" || pattern.name == "all rows empty")
      all.push_back(pattern);
  return all;
}

// Compares the GPU kernels, run in the space of this test, with those of the host.
template <class S, class O, class P>
void expect_same_blocks(Pattern const& pattern, int b) {
  SCOPED_TRACE(pattern.name + ", b = " + std::to_string(b));
  auto const host = with_numbers<S, O, P>(pattern, Numbers::reals);
  auto const A = host.on_device();
  auto const F = bsr_of(A, b);
  ASSERT_EQ(static_cast<std::size_t>(F.num_blocks()), count_blocks(host, b));
  Kokkos::View<P*, Device> const counts("counts", F.row_offsets.extent(0));
  Kokkos::View<O*, Device> const columns("columns", F.columns.extent(0));
  auto const values = to_host(F.values);

  detail::find_blocks_in_teams<false>(Space(), "test", A, b, F.num_block_rows, counts, counts);
  detail::find_blocks_in_teams<true>(Space(), "test", A, b, F.num_block_rows, F.row_offsets, columns);
  Kokkos::deep_copy(F.values, S(77));
  detail::fill_blocks_in_teams(Space(), "test", F, A);

  auto sum = to_host(counts);
  P before = 0;
  for (auto& count : sum) before += std::exchange(count, before);
  EXPECT_TRUE(sum == to_host(F.row_offsets));
  EXPECT_TRUE(to_host(columns) == to_host(F.columns));
  EXPECT_TRUE(to_host(F.values) == values);
}

TEST(BsrBlocks, TeamsFindAndFillTheSameBlocks) {
  for (auto const& pattern : block_rows_around_scratch())
    for (int const b : {1, 2, 3, 5, 8, 33, 64}) {
      expect_same_blocks<double, int, int>(pattern, b);
      if (b == 3) expect_same_blocks<Complex, std::int64_t, std::size_t>(pattern, b);
    }
}

TEST(BsrBlocks, TeamsFillTheBlocksOfUnsortedRows) {
  for (auto const& pattern : battery())
    if (pattern.name == "columns not sorted")
      for (int const b : {1, 2, 3, 8}) {
        auto const A = with_numbers<double>(pattern, Numbers::reals).on_device();
        auto const F = bsr_of(A, b);
        auto const values = to_host(F.values);
        Kokkos::deep_copy(F.values, 77.0);

        detail::fill_blocks_in_teams(Space(), "test", F, A);

        EXPECT_TRUE(to_host(F.values) == values) << "b = " << b;
      }
}

/// A matrix large enough for sampling: 256 groups of 840 rows and a few more rows. Row i has `length` entries
/// from the first column of its diagonal block of size b(i) on.
template <class BlockSize>
HostMatrix<float> large_matrix(int length, BlockSize const& b) {
  int const rows = 256 * detail::sampled_group_rows + 11, cols = rows + 100;
  HostMatrix<float> A{rows, cols, {0}, {}, {}};
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < length; ++j) A.columns.push_back(i / b(i) * b(i) + j);
    A.offsets.push_back(static_cast<int>(A.columns.size()));
  }
  A.values.assign(A.columns.size(), 1.0f);
  return A;
}

/// For each row of a matrix with nnz entries, whether the sample that selects the block size has it.
std::vector<bool> sampled_rows(std::int64_t rows, std::int64_t nnz) {
  std::vector<bool> sampled(static_cast<std::size_t>(rows));
  auto const mark = [&](std::int64_t first, std::int64_t count) {
    for (auto i = first; i < std::min(rows, first + count); ++i) sampled[static_cast<std::size_t>(i)] = true;
  };
  if (is_gpu<Space>) {
    for (std::int64_t i = 0; i < rows; i += 32 * detail::sampled_group_rows)
      mark(i, detail::sampled_group_rows);
  } else {
    for (int b = 2; b <= 8; ++b) {
      auto const sample = detail::block_rows_of_sample(b, rows, nnz);
      for (std::int64_t i = 0; i < sample.num_sampled; ++i) mark(sample.block_row(i) * b, b);
    }
  }
  return sampled;
}

TEST(BsrDetection, CountsAllBlockSizesInOneLaunch) {
  for (auto const& pattern : battery()) {
    SCOPED_TRACE(pattern.name);
    if (pattern.is_large() || pattern.name == "columns not sorted" || pattern.name == "positions that repeat")
      continue;
    auto const host = with_numbers<double>(pattern, Numbers::reals);
    std::int64_t const groups =
        (pattern.num_rows + detail::sampled_group_rows - 1) / detail::sampled_group_rows;

    detail::RowGroups const all{groups, groups};
    auto const A = host.on_device();
    detail::BlockCounts counts;
    if constexpr (is_gpu<Space>)
      counts = detail::sample_blocks(Space(), A, all);
    else
      for (std::int64_t group = 0; group < groups; ++group)
        detail::SampleBlocks<std::remove_const_t<decltype(A)>>{A, all}.count_in_group(group, 0, 1, counts);

    EXPECT_EQ(static_cast<std::size_t>(counts.entries), host.nnz());
    for (int b = 2; b <= 8; ++b)
      EXPECT_EQ(static_cast<std::size_t>(counts.blocks[b]), count_blocks(host, b)) << "b = " << b;
  }
}

TEST(BsrDetection, CountsTheBlocksOfRowsThatExceedTheHashTable) {
  if constexpr (is_gpu<Space>) {
    GTEST_SKIP() << "needs a host";
  } else {
    HostMatrix<double> A{9, 40000, {0}, {}, {}};
    for (int i = 0; i < A.num_rows; ++i) {
      for (int j = 0; j < 2600; ++j) A.columns.push_back(j * (i + 3));
      A.offsets.push_back(static_cast<int>(A.columns.size()));
    }
    A.values.assign(A.columns.size(), 1.0);
    auto const on_device = A.on_device();
    for (int const b : {2, 3, 4, 5, 6, 7, 8, 9}) {
      static_assert(2 * 2600 > detail::BlockColumnSet<int>::capacity);
      auto const expected = static_cast<std::int64_t>(count_blocks(A, b));

      auto const counts = detail::count_blocks_on_host(
          "test", Space(), on_device, detail::SampledBlockRows(b, A.num_rows, A.num_rows), 1000000);
      auto const F = from_csr<Bsr>(Space(), on_device, {.block_size = b, .fill_limit = 100.0});

      EXPECT_EQ(counts.blocks, expected) << "b = " << b;
      EXPECT_EQ(counts.entries, static_cast<std::int64_t>(A.nnz()));
      EXPECT_EQ(static_cast<std::int64_t>(F.num_blocks()), expected);
    }
  }
}

template <class Ordinal>
void check_quotients(std::initializer_list<Ordinal> indices) {
  for (int b = 1; b <= max_block_size; ++b)
    for (Ordinal const index : indices)
      EXPECT_EQ(detail::BlockColumnOf<Ordinal>(b)(index), index / b) << index << " / " << b;
}

TEST(BsrDetection, BlockColumnsAreQuotients) {
  constexpr std::int32_t largest = std::numeric_limits<std::int32_t>::max();
  check_quotients<std::int32_t>({0, 1, 62, 63, 64, 65, 1000003, largest - 63, largest - 1, largest});
  constexpr std::int64_t beyond = std::int64_t(largest) + 1;
  check_quotients<std::int64_t>({0, 63, beyond - 1, beyond, beyond + 1, 5 * beyond + 7, beyond * beyond});
}

TEST(BsrDetection, SampledBlockRowsAreDistinctAndOfAllPhases) {
  for (std::int64_t const rows : {1, 7, 100, 99999})
    for (std::int64_t const most : {1, 64, 1000}) {
      detail::SampledBlockRows const sample(3, rows, most);
      ASSERT_GE(sample.num_sampled, 1);
      ASSERT_LE(sample.num_sampled, most);
      for (std::int64_t i = 0; i < sample.num_sampled; ++i) {
        EXPECT_LT(sample.block_row(i) * 3, rows);
        if (i > 0) {
          EXPECT_GT(sample.block_row(i), sample.block_row(i - 1));
        }
      }
    }
  detail::SampledBlockRows const of_many(2, 120000, 1000);  // every 60th block row: a multiple of 3 rows
  std::vector<int> phases(3);
  for (std::int64_t i = 0; i < of_many.num_sampled; ++i)
    ++phases[static_cast<std::size_t>(of_many.block_row(i) * 2 % 3)];
  for (int const count : phases) EXPECT_GT(count, 300);
}

TEST(BsrDetection, LargeMatricesAreSampled) {
  for (int const b : {2, 5, 6, 8}) {
    auto const A = large_matrix(b == 2 ? 6 : b, [b](int) { return b; });
    auto const on_device = A.on_device();

    EXPECT_EQ(detail::sampled_block_size(Space(), on_device), b);
    EXPECT_EQ(from_csr<Bsr>(Space(), on_device).block_size, b);
  }
}

TEST(BsrDetection, IsExactIfTheSampleExceedsTheFillLimit) {
  // Sampled rows are in blocks of 8, the others in blocks of 2.
  int const rows = large_matrix(1, [](int) { return 1; }).num_rows;
  auto const sampled = sampled_rows(rows, 8 * rows);
  auto const A = large_matrix(8, [&](int row) {
    for (int i = row / 8 * 8; i < std::min(row / 8 * 8 + 8, rows); ++i)
      if (sampled[static_cast<std::size_t>(i)]) return 8;
    return 2;
  });
  auto const on_device = A.on_device();
  int const exact = detect_block_size(Space(), on_device);
  ASSERT_EQ(exact, 2);
  ASSERT_EQ(detail::sampled_block_size(Space(), on_device), 8);
  BsrOptions options;
  options.fill_limit = 1.5;

  EXPECT_EQ(from_csr<Bsr>(Space(), on_device, options).block_size, 2);
  options.fill_limit = 0.5;
  EXPECT_TRUE(throws<FillLimit>([&] { (void)from_csr<Bsr>(Space(), on_device, options); },
                                {"BSR of 2 x 2 blocks", "limit is 0.5"}));
}

TEST(BsrDetection, IsExactIfTheSampleMissesMostEntries) {
  auto A = large_matrix(6, [](int) { return 6; });
  auto const sampled = sampled_rows(A.num_rows, 5 * A.num_rows);
  for (std::size_t i = 0; i < A.rows(); ++i) A.offsets[i + 1] = A.offsets[i] + (sampled[i] ? 1 : 6);
  ASSERT_EQ(A.offsets.back() / A.num_rows, 5);
  auto const nnz = static_cast<std::size_t>(A.offsets.back());
  ASSERT_GE(nnz, std::size_t(1) << 20);
  A.columns.resize(nnz);
  A.values.resize(nnz);
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (auto k = A.begin(i); k < A.end(i); ++k) A.columns[k] = static_cast<int>(i / 6 * 6 + (k - A.begin(i)));

  EXPECT_EQ(detail::sampled_block_size(Space(), A.on_device()), 0);
  EXPECT_EQ(from_csr<Bsr>(Space(), A.on_device()).block_size, 6);
}

}  // namespace
}  // namespace einkorn::test
