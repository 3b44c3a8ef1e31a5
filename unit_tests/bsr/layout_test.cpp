// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The arrays of a Bsr, fill limit, validate(), exceptions.

#include "../support/battery.hpp"
#include "../support/near.hpp"
#include "../support/throws.hpp"
#include "../support/watch.hpp"
#include "bsr_of.hpp"

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

TEST(BsrLayout, BlocksAreContiguousAndRowMajor) {
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
  EXPECT_FALSE(F.has_full_blocks);
  EXPECT_EQ(to_host(F.row_offsets), (Ints{0, 2, 2, 4}));
  EXPECT_EQ(to_host(F.columns), (Ints{0, 2, 1, 2}));
  EXPECT_EQ(to_host(F.values), (Doubles{1, 2, 3, 0, 0, 0, 0, 4, 5, 0, 0, 8, 6, 7, 0, 9}));
  EXPECT_EQ(F.bytes(), 16 * sizeof(double) + 8 * sizeof(int));
  EXPECT_NO_THROW(validate(Space(), F));
}

TEST(BsrLayout, FullBlocks) {
  auto const A =
      from_dense<double>({{1, 2, 0, 0, 3, 4}, {5, 6, 0, 0, 7, 8}, {0, 0, 9, 1, 0, 0}, {0, 0, 2, 3, 0, 0}}, 6);
  auto unsorted = A;
  std::swap(unsorted.columns[0], unsorted.columns[1]);
  std::swap(unsorted.values[0], unsorted.values[1]);

  auto const F = bsr_of(A.on_device(), 2);

  EXPECT_TRUE(F.has_full_blocks);
  EXPECT_FALSE(bsr_of(unsorted.on_device(), 2).has_full_blocks);
  EXPECT_EQ(to_host(F.values), (Doubles{1, 2, 5, 6, 3, 4, 7, 8, 9, 1, 2, 3}));
  EXPECT_EQ(to_host(bsr_of(unsorted.on_device(), 2).values), to_host(F.values));
}

TEST(BsrLayout, LastBlocksArePaddedWithZeros) {
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

TEST(BsrLayout, UnsortedRowsAndRepeatedPositions) {
  HostMatrix<double> const A{2, 6, {0, 4, 6}, {5, 1, 5, 0}, {1, 2, 10, 4}};
  auto with_row = A;
  with_row.columns.insert(with_row.columns.end(), {3, 1});
  with_row.values.insert(with_row.values.end(), {7, 8});

  auto const F = bsr_of(with_row.on_device(), 2);

  EXPECT_TRUE(F.has_repeats);
  EXPECT_EQ(to_host(F.columns), (Ints{0, 1, 2}));
  EXPECT_EQ(to_host(F.values), (Doubles{4, 2, 0, 8, 0, 0, 0, 7, 0, 11, 0, 0}));
}

TEST(BsrLayout, StoredZerosHaveBlocksAndToCsrDropsThem) {
  HostMatrix<double> const A{2, 4, {0, 1, 2}, {0, 3}, {0, 1}};

  auto const F = bsr_of(A.on_device(), 2);
  auto const back = to_host(to_csr(Space(), F));

  EXPECT_EQ(F.num_blocks(), 2);
  EXPECT_EQ(back.columns, (Ints{3}));
  EXPECT_EQ(back.offsets, (Ints{0, 0, 1}));
}

TEST(BsrLayout, PaddingBeyondTheLastColumnDoesNotReadX) {
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

TEST(BsrLayout, DefaultConstructedIs0By0) {
  Bsr<double, int, int, Device> const F;
  Kokkos::View<double*, Device> const x("x", 0), y("y", 0);

  EXPECT_NO_THROW(validate(Space(), F));
  EXPECT_NO_THROW(spmv(Space(), 1.0, F, x, 0.0, y));
  EXPECT_NO_THROW(spmv(Space(), make_spmv_plan(Space(), F), 1.0, x, 0.0, y));
  EXPECT_EQ(to_csr(Space(), F).nnz(), 0);
}

TEST(BsrLayout, CsrWithoutRowOffsetsHasNoRows) {
  Csr<double, int, int, Device> A;
  A.num_cols = 5;

  auto const F = bsr_of(A, 2);

  EXPECT_EQ(F.num_block_cols, 3);
  EXPECT_EQ(F.num_blocks(), 0);
  EXPECT_NO_THROW(validate(Space(), F));
}

TEST(BsrFill, MessageHasTheNumbers) {
  HostMatrix<double> const diagonal{
      8, 8, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 2, 3, 4, 5, 6, 7}, Doubles(8, 1.0)};
  EXPECT_TRUE(throws<FillLimit>([&] { (void)bsr_of(diagonal.on_device(), 4, 3.0); },
                                {"BSR of 4 x 4 blocks", "32 entries for 8", "limit is 3"}));
  EXPECT_NO_THROW((void)bsr_of(diagonal.on_device(), 4, 4.0));
}

TEST(BsrRefuses, InvalidBlockSizes) {
  auto const A = from_dense<double>({{1, 2}, {3, 4}}, 2).on_device();
  EXPECT_TRUE(throws<InvalidArgument>([&] { (void)bsr_of(A, -1); }, {"block_size is -1", "64"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { (void)bsr_of(A, 65); }, {"block_size is 65", "64"}));
  EXPECT_NO_THROW((void)bsr_of(A, 64));
}

TEST(BsrRefuses, MoreValuesThanOffsetCounts) {
  // 600000 blocks of 64 x 64 are 2.5e9 values: the exception is thrown before they are allocated.
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

TEST(BsrValidate, InvalidArraysAreRefused) {
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

TEST(BsrSpmv, BlocksOfARowInAnyOrder) {
  // Block columns 2, 0 and 2 again in one block row; blocks of 2 x 2 for a 2 x 5 matrix.
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

TEST(BsrUpdate, EqualsANewConversion) {
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
