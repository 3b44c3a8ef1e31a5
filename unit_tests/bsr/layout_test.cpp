// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Where things lie in a Bsr, what block size it gets, and what is refused.

#include "../support/battery.hpp"
#include "../support/near.hpp"
#include "../support/throws.hpp"
#include "../support/watch.hpp"
#include "count_blocks.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/formats/bsr/from_csr.hpp>
#include <einkorn/formats/bsr/spmv.hpp>
#include <einkorn/formats/bsr/to_csr.hpp>
#include <einkorn/formats/bsr/validate.hpp>
#include <einkorn/formats/generate/generate.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

using Doubles = std::vector<double>;
using Ints = std::vector<int>;

template <class Matrix>
auto bsr_of(Matrix const& A, int block_size, double fill_limit = 1e30) {
  BsrOptions options;
  options.block_size = block_size;
  options.fill_limit = fill_limit;
  return from_csr<Bsr>(Space(), A, options);
}

TEST(BsrLayout, BlocksLieOneAfterAnotherRowByRowInside) {
  auto const A = from_dense<double>({{1, 2, 0, 0, 0, 0},  //
                                     {3, 0, 0, 0, 0, 4},
                                     {0, 0, 0, 0, 0, 0},
                                     {0, 0, 0, 0, 0, 0},
                                     {0, 0, 5, 0, 6, 7},
                                     {0, 0, 0, 8, 0, 9}},
                                    6);

  auto const F = bsr_of(A.on_device(), 2);

  EXPECT_EQ(F.block_size, 2);
  EXPECT_EQ(F.num_block_rows, 3);
  EXPECT_EQ(F.num_block_cols, 3);
  EXPECT_EQ(F.nnz(), 9);
  EXPECT_EQ(F.num_blocks(), 4);
  EXPECT_FALSE(F.has_repeats);
  EXPECT_EQ(to_host(F.row_offsets), (Ints{0, 2, 2, 4}));
  EXPECT_EQ(to_host(F.columns), (Ints{0, 2, 1, 2}));
  EXPECT_EQ(to_host(F.values), (Doubles{1, 2, 3, 0, 0, 0, 0, 4, 5, 0, 0, 8, 6, 7, 0, 9}));
  EXPECT_EQ(F.bytes(), 16 * sizeof(double) + 8 * sizeof(int));
  EXPECT_NO_THROW(validate(Space(), F));
}

TEST(BsrLayout, TheLastBlocksAreFilledUpWithZeros) {
  auto const A = from_dense<double>({{1, 0, 0, 2}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 3}}, 4);

  auto const F = bsr_of(A.on_device(), 3);

  EXPECT_EQ(F.num_rows, 4);
  EXPECT_EQ(F.num_cols, 4);
  EXPECT_EQ(F.num_block_rows, 2);
  EXPECT_EQ(F.num_block_cols, 2);
  EXPECT_EQ(to_host(F.row_offsets), (Ints{0, 2, 3}));
  EXPECT_EQ(to_host(F.columns), (Ints{0, 1, 1}));
  EXPECT_EQ(to_host(F.values), (Doubles{1, 0, 0, 0, 0, 0, 0, 0, 0,  //
                                        2, 0, 0, 0, 0, 0, 0, 0, 0,  //
                                        3, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_NO_THROW(validate(Space(), F));
}

TEST(BsrLayout, UnsortedRowsAndPositionsThatRepeatEndInOrder) {
  HostMatrix<double> const A{2, 6, {0, 4, 6}, {5, 1, 5, 0}, {1, 2, 10, 4}};
  auto with_row = A;
  with_row.columns.insert(with_row.columns.end(), {3, 1});
  with_row.values.insert(with_row.values.end(), {7, 8});

  auto const F = bsr_of(with_row.on_device(), 2);

  EXPECT_TRUE(F.has_repeats);
  EXPECT_EQ(to_host(F.columns), (Ints{0, 1, 2}));
  EXPECT_EQ(to_host(F.values), (Doubles{4, 2, 0, 8, 0, 0, 0, 7, 0, 11, 0, 0}));
}

TEST(BsrLayout, AStoredZeroHasItsBlockAndIsLostOnTheWayBack) {
  HostMatrix<double> const A{2, 4, {0, 1, 2}, {0, 3}, {0, 1}};

  auto const F = bsr_of(A.on_device(), 2);
  auto const back = to_host(to_csr(Space(), F));

  EXPECT_EQ(F.num_blocks(), 2);
  EXPECT_EQ(back.columns, (Ints{3}));
  EXPECT_EQ(back.offsets, (Ints{0, 0, 1}));
}

TEST(BsrLayout, PaddingPastTheLastColumnReadsNothingOfX) {
  HostMatrix<double> const A{4, 4, {0, 2, 2, 2, 3}, {0, 1, 3}, {1, 1, 1}};
  for (int const b : {3, 5, 6, 7, 8, 11}) {
    SCOPED_TRACE("b = " + std::to_string(b));
    auto const nan = std::numeric_limits<double>::quiet_NaN();
    auto const longer = to_device(Doubles{1, 2, 3, 4, nan, nan, nan, nan, nan, nan, nan, nan});
    auto const x = Kokkos::subview(longer, std::pair(0, 4));
    auto const all_y = to_device(Doubles(12, 7.0));
    auto const y = Kokkos::subview(all_y, std::pair(0, 4));

    spmv(Space(), 1.0, bsr_of(A.on_device(), b), x, 0.0, y);

    EXPECT_EQ(to_host(all_y), (Doubles{3, 0, 0, 4, 7, 7, 7, 7, 7, 7, 7, 7}));
  }
}

TEST(BsrLayout, ADefaultOneMultipliesAsZeroByZero) {
  Bsr<double, int, int, Device> const F;
  Kokkos::View<double*, Device> const x("x", 0), y("y", 0);

  EXPECT_NO_THROW(validate(Space(), F));
  EXPECT_NO_THROW(spmv(Space(), 1.0, F, x, 0.0, y));
  EXPECT_NO_THROW(spmv(Space(), make_spmv_plan(Space(), F), 1.0, x, 0.0, y));
  EXPECT_EQ(to_csr(Space(), F).nnz(), 0);
}

TEST(BsrLayout, ACsrWithoutRowOffsetsIsZeroRows) {
  Csr<double, int, int, Device> A;
  A.num_cols = 5;

  auto const F = bsr_of(A, 2);

  EXPECT_EQ(F.num_block_cols, 3);
  EXPECT_EQ(F.num_blocks(), 0);
  EXPECT_NO_THROW(validate(Space(), F));
}

template <class Scalar>
int detected(std::string const& spec) {
  return detect_block_size(Space(), generate<Scalar, int, int, Device>(Space(), spec));
}

TEST(BsrDetection, FindsTheBlocksThatAMatrixIsMadeOf) {
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

TEST(BsrDetection, TakesTheFewestBytesOnEveryMatrixOfTheBattery) {
  for (auto const& pattern : battery()) {
    SCOPED_TRACE(pattern.name);
    auto const doubles = with_numbers<double>(pattern, Numbers::reals);
    EXPECT_EQ(detect_block_size(Space(), doubles.on_device()), smallest_by_bytes(doubles));
    auto const wide = with_numbers<float, std::int64_t, std::size_t>(pattern, Numbers::reals);
    EXPECT_EQ(detect_block_size(Space(), wide.on_device()), smallest_by_bytes(wide));
  }
}

TEST(BsrFill, CountsEveryBlockOfEverySize) {
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

/// Block rows that fit scratch, that do not, and both; rows across the borders of teams.
std::vector<Pattern> block_rows_around_scratch() {
  std::vector<Pattern> all;
  auto const add = [&](std::string const& name, std::size_t rows, auto const& length) {
    std::vector<std::int64_t> lengths(rows);
    for (std::size_t i = 0; i < rows; ++i) lengths[i] = static_cast<std::int64_t>(length(i));
    all.push_back(from_lengths(name, lengths, 5003));
  };
  add("7 a row", 1003, [](auto) { return 7; });
  add("27 a row", 517, [](auto) { return 27; });
  add("0 to 9 a row", 2049, [](auto i) { return i * 7 % 10; });
  add("one of 5000", 1001, [](auto i) { return i == 700 ? 5000 : i % 4; });
  add("some of 3000", 333, [](auto i) { return i % 100 == 3 ? 3000 : 30; });
  add("1500 a row", 17, [](auto) { return 1500; });
  add("empty at both ends", 900, [](auto i) { return i < 290 || i > 600 ? 0 : i % 50; });
  add("one row", 1, [](auto) { return 3; });
  for (auto const& pattern : battery())
    if (pattern.name == "random, seed 1" || pattern.name == "diagonal" || pattern.name == "1 x n" ||
        pattern.name == "n x 1" || pattern.name == "all rows empty")
      all.push_back(pattern);
  return all;
}

// The kernels of the GPUs, in the space of this test, against those of the hosts.
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

TEST(BsrLayout, TeamsFindAndFillTheSameBlocks) {
  for (auto const& pattern : block_rows_around_scratch())
    for (int const b : {1, 2, 3, 5, 8, 33, 64}) {
      expect_same_blocks<double, int, int>(pattern, b);
      if (b == 3) expect_same_blocks<Complex, std::int64_t, std::size_t>(pattern, b);
    }
}

TEST(BsrLayout, TeamsFillTheBlocksOfUnsortedRows) {
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

/// A matrix large enough for a sample: 256 groups of 840 rows and a few rows more, each row with `length`
/// entries from the block of size b(row) on that it lies in.
template <class BlockSize>
HostMatrix<float> large_matrix(int length, BlockSize const& b) {
  int const rows = 256 * detail::rows_per_group + 11, cols = rows + 100;
  HostMatrix<float> A{rows, cols, {0}, {}, {}};
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < length; ++j) A.columns.push_back(i / b(i) * b(i) + j);
    A.offsets.push_back(static_cast<int>(A.columns.size()));
  }
  A.values.assign(A.columns.size(), 1.0f);
  return A;
}

TEST(BsrDetection, CountsAllBlockSizesAtOnce) {
  for (auto const& pattern : battery()) {
    SCOPED_TRACE(pattern.name);
    if (pattern.is_large() || pattern.name == "columns not sorted" || pattern.name == "positions that repeat")
      continue;
    auto const host = with_numbers<double>(pattern, Numbers::reals);
    std::int64_t const groups = (pattern.num_rows + detail::rows_per_group - 1) / detail::rows_per_group;

    auto const counts = detail::sample_blocks(Space(), host.on_device(), detail::RowGroups{groups, groups});

    EXPECT_EQ(static_cast<std::size_t>(counts.entries), host.nnz());
    for (int b = 2; b <= 8; ++b)
      EXPECT_EQ(static_cast<std::size_t>(counts.blocks[b]), count_blocks(host, b)) << "b = " << b;
  }
}

TEST(BsrDetection, ASampleAnswersForALargeMatrix) {
  for (int const b : {2, 5, 6, 8}) {
    auto const A = large_matrix(b == 2 ? 6 : b, [b](int) { return b; });
    auto const on_device = A.on_device();

    EXPECT_EQ(detail::sampled_block_size(Space(), on_device), b);
    EXPECT_EQ(from_csr<Bsr>(Space(), on_device).block_size, b);
  }
}

TEST(BsrDetection, IsExactWhereTheSamplesChoiceBreaksTheFillLimit) {
  // The groups that a sample takes, 0, 32, 64, .., have blocks of 8, the others blocks of 2.
  auto const A = large_matrix(8, [](int row) { return row / detail::rows_per_group % 32 == 0 ? 8 : 2; });
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

TEST(BsrDetection, IsExactWhereTheSampleMissesMostEntries) {
  auto A = large_matrix(6, [](int) { return 6; });
  for (int i = 0; i < A.num_rows; ++i)
    A.offsets[static_cast<std::size_t>(i) + 1] =
        A.offsets[static_cast<std::size_t>(i)] + (i / detail::rows_per_group % 32 == 0 ? 1 : 6);
  auto const nnz = static_cast<std::size_t>(A.offsets.back());
  ASSERT_GE(nnz, std::size_t(1) << 20);
  A.columns.resize(nnz);
  A.values.resize(nnz);
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (auto k = A.begin(i); k < A.end(i); ++k) A.columns[k] = static_cast<int>(i / 6 * 6 + (k - A.begin(i)));

  EXPECT_EQ(detail::sampled_block_size(Space(), A.on_device()), 0);
  EXPECT_EQ(from_csr<Bsr>(Space(), A.on_device()).block_size, 6);
}

TEST(BsrFill, TheMessageHasTheFigures) {
  HostMatrix<double> const diagonal{
      8, 8, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 2, 3, 4, 5, 6, 7}, Doubles(8, 1.0)};
  EXPECT_TRUE(throws<FillLimit>([&] { (void)bsr_of(diagonal.on_device(), 4, 3.0); },
                                {"BSR of 4 x 4 blocks", "32 entries for 8", "limit is 3"}));
  EXPECT_NO_THROW((void)bsr_of(diagonal.on_device(), 4, 4.0));
}

TEST(BsrRefuses, BlockSizesThatThereAreNot) {
  auto const A = from_dense<double>({{1, 2}, {3, 4}}, 2).on_device();
  EXPECT_TRUE(throws<InvalidArgument>([&] { (void)bsr_of(A, -1); }, {"block_size is -1", "64"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { (void)bsr_of(A, 65); }, {"block_size is 65", "64"}));
  EXPECT_NO_THROW((void)bsr_of(A, 64));
}

TEST(BsrRefuses, BlocksThatOffsetCannotCount) {
  // 600000 blocks of 64 x 64 are 2.5e9 values: the refusal comes before anything of that size.
  int const blocks = 600000;
  HostMatrix<double> A{blocks * 64, 64, {0}, {}, {}};
  for (int i = 0; i < blocks * 64; ++i) {
    if (i % 64 == 0) {
      A.columns.push_back(0);
      A.values.push_back(1.0);
    }
    A.offsets.push_back(static_cast<int>(A.values.size()));
  }
  auto const on_device = A.on_device();
  Watch const watch;

  EXPECT_TRUE(throws<OverflowError>([&] { (void)bsr_of(on_device, 64); }, {"BSR", "int64_t"}));

  EXPECT_LT(watch.allocated_bytes(""), std::size_t(1) << 30);
}

TEST(BsrValidate, RefusesWhatIsNoBsr) {
  auto const good = bsr_of(with_numbers<double>(random_pattern(20, 31, 1), Numbers::integers).on_device(), 3);
  ASSERT_NO_THROW(validate(Space(), good));
  ASSERT_GT(good.num_blocks(), 8);
  auto const refused = [](auto const& F, std::vector<std::string> const& parts) {
    EXPECT_TRUE(throws<InvalidStructure>([&] { validate(Space(), F); }, parts)) << parts[0];
  };
  auto F = good;
  F.num_rows = -1;
  refused(F, {"negative size -1 x 31"});
  F = good;
  F.block_size = 0;
  refused(F, {"block_size is 0"});
  F = good;
  F.num_block_rows = 8;
  refused(F, {"num_block_rows is 8, expected 7", "20 by blocks of 3"});
  F = good;
  F.num_block_cols = 10;
  refused(F, {"num_block_cols is 10, expected 11"});
  F = good;
  F.values = Kokkos::View<double*, Device>("values", good.values.size() - 1);
  refused(F, {"values has " + std::to_string(good.values.size() - 1), std::to_string(good.values.size())});
  F = good;
  F.row_offsets = Kokkos::View<int*, Device>("offsets", 7);
  refused(F, {"row_offsets has extent 7", "8"});
  auto columns = to_host(good.columns);
  columns[5] = 11;
  F = good;
  F.columns = to_device(columns);
  refused(F, {"block 5 has block column 11, expected 0 .. 11 - 1"});
  columns[5] = -2;
  F.columns = to_device(columns);
  refused(F, {"block 5 has block column -2"});
  auto offsets = to_host(good.row_offsets);
  offsets[0] = 1;
  F = good;
  F.row_offsets = to_device(offsets);
  refused(F, {"row_offsets(0) is 1"});
  offsets = to_host(good.row_offsets);
  offsets[3] = offsets[2] - 1;
  F.row_offsets = to_device(offsets);
  refused(F, {"row_offsets decreases after block row 2"});
  offsets = to_host(good.row_offsets);
  --offsets[7];
  F.row_offsets = to_device(offsets);
  refused(F, {"row_offsets(7) is " + std::to_string(offsets[7])});
}

TEST(BsrSpmv, TakesBlocksOfOneRowInAnyOrder) {
  // By hand: block columns 2, 0 and 2 again in one block row; blocks of 2 x 2 for a 2 x 5 matrix.
  Bsr<double, int, int, Device> F;
  F.num_rows = 2;
  F.num_cols = 5;
  F.block_size = 2;
  F.num_block_rows = 1;
  F.num_block_cols = 3;
  F.row_offsets = to_device(Ints{0, 3});
  F.columns = to_device(Ints{2, 0, 2});
  F.values = to_device(Doubles{1, 0, 2, 0, 3, 4, 5, 6, 10, 0, 20, 0});
  ASSERT_NO_THROW(validate(Space(), F));
  Kokkos::View<double*, Device> const y("y", 2);

  spmv(Space(), 1.0, F, to_device(Doubles{1, 10, 100, 1000, 10000}), 0.0, y);

  EXPECT_EQ(to_host(y), (Doubles{3 + 40 + 110000, 5 + 60 + 220000}));
}

TEST(BsrUpdate, GivesTheBitsOfANewConversion) {
  for (auto const* const name : {"random, seed 1", "columns not sorted", "positions that repeat", "rows of 33"})
    for (auto const& pattern : battery())
      if (pattern.name == name)
        for (int const b : {1, 2, 3, 8, 11}) {
          auto const F = bsr_of(with_numbers<double>(pattern, Numbers::reals, 1).on_device(), b);
          auto const A = with_numbers<double>(pattern, Numbers::reals, 9).on_device();

          update_values(Space(), F, A);

          EXPECT_EQ(to_host(F.values), to_host(bsr_of(A, b).values)) << name << ", b = " << b;
        }
}

TEST(BsrSpmv, FloatMatrixWithDoubleVectorsSumsInDouble) {
  auto const host = with_numbers<float>(random_pattern(70, 50, 4), Numbers::reals);
  auto const x = numbers<double>(Numbers::reals, 50, 2);
  auto const before = std::vector<double>(70, not_a_number<double>());
  for (int const b : {2, 3, 4, 7, 8, 11}) {
    auto const F = bsr_of(host.on_device(), b);
    auto const y = to_device(before), planned = to_device(before);

    spmv(Space(), 0.5, F, to_device(x), 0.0, y);
    spmv(Space(), make_spmv_plan<double>(Space(), F), 0.5, to_device(x), 0.0, planned);

    EXPECT_TRUE(agrees(to_host(y), expected<double>(host, x, 0.5, 0.0), before, false)) << "b = " << b;
    EXPECT_EQ(to_host(planned), to_host(y));
  }
}

}  // namespace
}  // namespace einkorn::test
