// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Csr and KokkosSparse::CrsMatrix share memory without copies in both directions.

#include "../support/battery.hpp"
#include "../support/near.hpp"
#include "../support/watch.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>
#include <einkorn/formats/interop/kokkos_kernels.hpp>

#include <KokkosSparse_spmv.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>
#include <vector>

namespace einkorn::test {
namespace {

template <class C>
class CrsMatrixInterop : public testing::Test {};
using IndexPairs = Configs<double>;
TYPED_TEST_SUITE(CrsMatrixInterop, IndexPairs);

TYPED_TEST(CrsMatrixInterop, SharesMemoryInBothDirections) {
  auto const A = with_numbers_of<TypeParam>(random_pattern(60, 50, 1), Numbers::integers).on_device();
  Kokkos::fence();
  Watch const watch;

  auto const K = to_crs_matrix(A);
  auto const back = as_csr(K);

  EXPECT_EQ(K.numRows(), 60);
  EXPECT_EQ(K.numCols(), 50);
  EXPECT_EQ(static_cast<std::size_t>(K.nnz()), A.values.size());
  EXPECT_EQ(K.graph.row_map.data(), A.row_offsets.data());
  EXPECT_EQ(K.graph.entries.data(), A.columns.data());
  EXPECT_EQ(K.values.data(), A.values.data());
  EXPECT_EQ(back.row_offsets.data(), A.row_offsets.data());
  EXPECT_EQ(back.columns.data(), A.columns.data());
  EXPECT_EQ(back.values.data(), A.values.data());
  EXPECT_EQ(back.num_rows, A.num_rows);
  EXPECT_EQ(back.num_cols, A.num_cols);
  EXPECT_TRUE(watch.seen().copies.empty());
  EXPECT_TRUE(watch.seen().launches.empty());
  EXPECT_LT(watch.allocated_bytes(""), 100u);
}

TYPED_TEST(CrsMatrixInterop, PublicFunctionsAcceptACrsMatrix) {
  using O = typename TypeParam::Ordinal;
  using F = typename TypeParam::Offset;
  using Matrix = KokkosSparse::CrsMatrix<double, O, Device, void, F>;
  auto const host = with_numbers_of<TypeParam>(random_pattern(60, 50, 1), Numbers::integers);
  Matrix const K("K", host.num_rows, host.num_cols, static_cast<F>(host.values.size()), to_device(host.values),
                 to_device(host.offsets), to_device(host.columns));
  auto const x = numbers<double>(Numbers::integers, 50, 2);
  auto const device_x = to_device(x);
  auto const before = std::vector<double>(60, not_a_number<double>());
  auto const want = expected<double>(host, x, 2.0, 0.0);
  auto const y = to_device(before), planned_y = to_device(before), csr5_y = to_device(before);

  spmv(Space(), 2.0, K, device_x, 0.0, y);
  spmv(Space(), make_spmv_plan(Space(), K), 2.0, device_x, 0.0, planned_y);
  spmv(Space(), 2.0, from_csr<Csr5>(Space(), K), device_x, 0.0, csr5_y);

  EXPECT_TRUE(agrees(to_host(y), want, before, true));
  EXPECT_TRUE(agrees(to_host(planned_y), want, before, true));
  EXPECT_TRUE(agrees(to_host(csr5_y), want, before, true));
}

/// A function of an application: this type only, without conversions.
using ApplicationMatrix = KokkosSparse::CrsMatrix<double, int, Device, void, int>;
template <class Matrix, class X, class Y>
void application_product(Matrix const& A, X const& x, Y const& y) {
  static_assert(std::is_same_v<Matrix, ApplicationMatrix>);
  KokkosSparse::spmv("N", 2.0, A, x, 0.0, y);
}

TEST(MutableCrsMatrix, IsTheTypeOfApplicationsAndSharesMemory) {
  auto const host = with_numbers<double>(random_pattern(60, 50, 1), Numbers::integers);
  Csr<double, int, int, Device> const A = host.on_device();
  auto const x = numbers<double>(Numbers::integers, 50, 2);
  auto const before = std::vector<double>(60, not_a_number<double>());
  auto const y = to_device(before);
  auto const device_x = to_device(x);
  Kokkos::fence();
  Watch const watch;

  auto const K = to_mutable_crs_matrix(A);

  EXPECT_TRUE(watch.seen().copies.empty());
  EXPECT_TRUE(watch.seen().launches.empty());
  EXPECT_EQ(watch.allocated_bytes(""), 0u);
  EXPECT_EQ(K.numRows(), 60);
  EXPECT_EQ(K.numCols(), 50);
  EXPECT_EQ(static_cast<std::size_t>(K.nnz()), A.values.size());
  EXPECT_EQ(K.graph.row_map.data(), A.row_offsets.data());
  EXPECT_EQ(K.graph.entries.data(), A.columns.data());
  EXPECT_EQ(K.values.data(), A.values.data());
  application_product(K, device_x, y);
  EXPECT_TRUE(agrees(to_host(y), expected<double>(host, x, 2.0, 0.0), before, true));
  EXPECT_EQ(as_csr(K).columns.data(), A.columns.data());
}

TEST(MutableCrsMatrix, ConstValuesStayConst) {
  auto const A = with_numbers<double>(random_pattern(6, 5, 1), Numbers::integers).on_device();
  Csr<double const, int, int, Device> const const_values = A;
  auto const K = to_mutable_crs_matrix(const_values);
  static_assert(
      std::is_same_v<decltype(K), KokkosSparse::CrsMatrix<double const, int, Device, void, int> const>);
  EXPECT_EQ(K.values.data(), A.values.data());
}

TEST(MutableCrsMatrix, OfNoRowsHasRowOffsets) {
  ApplicationMatrix const K = to_mutable_crs_matrix(Csr<double, int, int, Device>{0, 5, {}, {}, {}});
  EXPECT_EQ(K.numRows(), 0);
  EXPECT_EQ(K.numCols(), 5);
  EXPECT_EQ(K.nnz(), 0);
  EXPECT_EQ(K.graph.row_map.extent(0), 1u);
}

TEST(CrsMatrixInteropEmpty, NoRowsGetRowOffsets) {
  auto const K = to_crs_matrix(Csr<double, int, int, Device>{0, 5, {}, {}, {}});
  EXPECT_EQ(K.numRows(), 0);
  EXPECT_EQ(K.numCols(), 5);
  EXPECT_EQ(K.nnz(), 0);
}

}  // namespace
}  // namespace einkorn::test
