// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Bsr and KokkosSparse::Experimental::BsrMatrix share memory without copies in both directions.

#include "../support/battery.hpp"
#include "../support/near.hpp"
#include "../support/throws.hpp"
#include "../support/watch.hpp"

#include <einkorn/formats/bsr/from_csr.hpp>
#include <einkorn/formats/bsr/spmv.hpp>
#include <einkorn/formats/bsr/validate.hpp>
#include <einkorn/formats/interop/kokkos_kernels.hpp>
#include <einkorn/formats/interop/kokkos_kernels_bsr.hpp>

#include <KokkosSparse_spmv.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

template <class Matrix>
auto bsr_of(Matrix const& A, int block_size) {
  BsrOptions options;
  options.block_size = block_size;
  options.fill_limit = 1e30;
  return from_csr<Bsr>(Space(), A, options);
}

template <class C>
class BsrMatrixInterop : public testing::Test {};
using IndexPairs = Configs<double>;
TYPED_TEST_SUITE(BsrMatrixInterop, IndexPairs);

TYPED_TEST(BsrMatrixInterop, SharesMemoryInBothDirections) {
  auto const F =
      bsr_of(with_numbers_of<TypeParam>(random_pattern(60, 48, 1), Numbers::integers).on_device(), 3);
  Kokkos::fence();
  Watch const watch;

  auto const K = to_bsr_matrix(F);
  auto const back = as_bsr(K);

  EXPECT_EQ(K.numRows(), 20);
  EXPECT_EQ(K.numCols(), 16);
  EXPECT_EQ(K.blockDim(), 3);
  EXPECT_EQ(static_cast<std::size_t>(K.nnz()), F.columns.size());
  EXPECT_EQ(K.graph.row_map.data(), F.row_offsets.data());
  EXPECT_EQ(K.graph.entries.data(), F.columns.data());
  EXPECT_EQ(K.values.data(), F.values.data());
  EXPECT_EQ(back.row_offsets.data(), F.row_offsets.data());
  EXPECT_EQ(back.columns.data(), F.columns.data());
  EXPECT_EQ(back.values.data(), F.values.data());
  EXPECT_EQ(back.num_rows, F.num_rows);
  EXPECT_EQ(back.num_cols, F.num_cols);
  EXPECT_EQ(back.block_size, 3);
  EXPECT_EQ(back.num_block_rows, F.num_block_rows);
  EXPECT_EQ(back.num_block_cols, F.num_block_cols);
  EXPECT_EQ(back.values.size(), static_cast<std::size_t>(back.nnz()));
  EXPECT_TRUE(watch.seen().copies.empty());
  EXPECT_TRUE(watch.seen().launches.empty());
  EXPECT_LT(watch.allocated_bytes(""), 100u);
}

TYPED_TEST(BsrMatrixInterop, SpmvOfBothAgrees) {
  auto const host = with_numbers_of<TypeParam>(random_pattern(120, 240, 2), Numbers::integers);
  auto const x = numbers<double>(Numbers::integers, 240, 2);
  auto const device_x = to_device(x);
  auto const before = numbers<double>(Numbers::integers, 120, 3);
  auto const want = expected<double>(host, x, 2.0, 0.5);
  for (int const b : {1, 2, 3, 4, 5, 6, 8, 10, 12}) {
    SCOPED_TRACE("b = " + std::to_string(b));
    auto const F = bsr_of(host.on_device(), b);
    auto const ours = to_device(before), theirs = to_device(before), round_trip = to_device(before);

    spmv(Space(), 2.0, F, device_x, 0.5, ours);
    KokkosSparse::spmv("N", 2.0, to_bsr_matrix(F), device_x, 0.5, theirs);
    spmv(Space(), 2.0, as_bsr(to_bsr_matrix(F)), device_x, 0.5, round_trip);

    EXPECT_TRUE(agrees(to_host(ours), want, before, true));
    EXPECT_TRUE(agrees(to_host(theirs), want, before, true));
    EXPECT_TRUE(agrees(to_host(round_trip), want, before, true));
  }
}

TYPED_TEST(BsrMatrixInterop, AcceptsAMatrixBuiltByKokkosKernels) {
  using O = typename TypeParam::Ordinal;
  using F = typename TypeParam::Offset;
  using Matrix = KokkosSparse::Experimental::BsrMatrix<double, O, Device, void, F>;
  using Point = KokkosSparse::CrsMatrix<double, O, Device, void, F>;
  auto const host = with_numbers_of<TypeParam>(random_pattern(60, 48, 3), Numbers::integers);
  Point const point("point", host.num_rows, host.num_cols, static_cast<F>(host.values.size()),
                    to_device(host.values), to_device(host.offsets), to_device(host.columns));
  Matrix const K(point, O(4));
  auto const x = numbers<double>(Numbers::integers, 48, 2);
  std::vector<double> const before(60, not_a_number<double>());
  auto const y = to_device(before);

  auto const blocks = as_bsr(K);
  spmv(Space(), -1.0, blocks, to_device(x), 0.0, y);

  EXPECT_NO_THROW(validate(Space(), blocks));
  EXPECT_TRUE(agrees(to_host(y), expected<double>(host, x, -1.0, 0.0), before, true));
  auto const ours = bsr_of(host.on_device(), 4);
  EXPECT_EQ(to_host(blocks.row_offsets), to_host(ours.row_offsets));
  EXPECT_EQ(to_host(blocks.columns), to_host(ours.columns));
  EXPECT_EQ(to_host(blocks.values), to_host(ours.values));
}

TEST(BsrMatrixInteropRefuses, BlocksThatExtendBeyondTheMatrix) {
  auto const A = with_numbers<double>(random_pattern(60, 48, 1), Numbers::integers).on_device();
  EXPECT_TRUE(throws<InvalidArgument>([&] { (void)to_bsr_matrix(bsr_of(A, 5)); }, {"blocks of 5", "60 x 48"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { (void)to_bsr_matrix(bsr_of(A, 8)); }, {"blocks of 8", "60 x 48"}));
}

TEST(BsrMatrixInteropRefuses, MoreColumnsThanOrdinalCounts) {
  using Matrix = KokkosSparse::Experimental::BsrMatrix<double, int, Device, void, int>;
  Matrix const K("K", 0, 1 << 30, 0, Matrix::values_type(),
                 Matrix::row_map_type(to_device(std::vector<int>{0})), Matrix::index_type(), 4);
  EXPECT_TRUE(throws<OverflowError>([&] { (void)as_bsr(K); }, {"1073741824 block columns of 4", "int64_t"}));
}

TEST(BsrMatrixInteropEmpty, NoRowsGetRowOffsets) {
  Bsr<double, int, int, Device> F;
  F.num_cols = 6;
  F.num_block_cols = 3;
  F.block_size = 2;

  auto const K = to_bsr_matrix(F);
  auto const back = as_bsr(K);

  EXPECT_EQ(K.numRows(), 0);
  EXPECT_EQ(K.numCols(), 3);
  EXPECT_EQ(K.nnz(), 0);
  EXPECT_EQ(back.num_cols, 6);
  EXPECT_NO_THROW(validate(Space(), back));
}

TEST(BsrMatrixInteropEmpty, ADefaultBsrMatrixIsZeroByZero) {
  KokkosSparse::Experimental::BsrMatrix<double, int, Device, void, int> const K;

  auto const F = as_bsr(K);

  EXPECT_EQ(F.num_rows, 0);
  EXPECT_EQ(F.num_cols, 0);
  EXPECT_NO_THROW(validate(Space(), F));
}

}  // namespace
}  // namespace einkorn::test
