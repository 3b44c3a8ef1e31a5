// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// A matrix and vectors of different scalars, values that are const, structures that are not Csr.

#include "../support/near.hpp"
#include "../support/vectors.hpp"
#include "approaches.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace einkorn::test {
namespace {

template <class S, class VS>
void expect_mixed_products() {
  for (auto const& pattern : vector_patterns()) {
    auto const host = with_numbers<S>(pattern, Numbers::integers);
    auto const A = host.on_device();
    for (auto const& approach : all_approaches()) {
      SCOPED_TRACE(pattern.name + ", " + approach.name);
      Multiply<decltype(A), VS> const multiply(A, approach);
      expect_offset_vectors<VS>(host, multiply);
      expect_multivectors<Kokkos::LayoutLeft, VS>(host, multiply);
    }
  }
}

TEST(CsrSpmvMixed, FloatMatrixWithDoubleVectors) {
  expect_mixed_products<float, double>();
}
TEST(CsrSpmvMixed, RealMatrixWithComplexVectors) {
  expect_mixed_products<double, Complex>();
}

TEST(CsrSpmvMixed, SumsAreInTheWiderType) {
  // In float the sum of 2^24 and 1 is 2^24.
  HostMatrix<float> const host{1, 3, {0, 3}, {0, 1, 2}, {16777216, 1, -16777216}};
  auto const A = host.on_device();
  auto const x = to_device(std::vector<double>{1, 1, 1});
  auto const float_x = to_device(std::vector<float>{1, 1, 1});
  for (auto const& approach : all_approaches()) {
    auto const y = to_device(std::vector<double>{-1});
    Multiply<decltype(A), double> const multiply(A, approach);
    multiply(1.0, x, 0.0, y);
    EXPECT_EQ(to_host(y), std::vector<double>{1}) << approach.name;
    multiply(1.0, float_x, 0.0, y);
    EXPECT_EQ(to_host(y), std::vector<double>{1}) << approach.name << ", x in float";
  }
}

TEST(CsrSpmvMixed, ValuesAndXMayBeConst) {
  auto const host = with_numbers<double>(random_pattern(90, 70, 12), Numbers::integers);
  Csr<double const, int, int, Device> const A = host.on_device();
  auto const x = numbers<double>(Numbers::integers, host.cols(), 2);
  Kokkos::View<double const*, Device> const device_x = to_device(x);
  auto const before = std::vector<double>(host.rows(), not_a_number<double>());
  for (auto const& approach : all_approaches()) {
    auto const y = to_device(before);

    Multiply<decltype(A), double>(A, approach)(1.0, device_x, 0.0, y);

    EXPECT_TRUE(agrees(to_host(y), expected<double>(host, x, 1.0, 0.0), before, true)) << approach.name;
  }
}

/// The interface of a KokkosSparse::CrsMatrix, without Kokkos Kernels.
struct LooksLikeCrsMatrix {
  using value_type = double;
  using ordinal_type = std::int64_t;
  using size_type = std::size_t const;
  using device_type = Device;
  struct Graph {
    Kokkos::View<std::size_t const*, Device> row_map;
    Kokkos::View<std::int64_t*, Device> entries;
  };
  Graph graph;
  Kokkos::View<double*, Device> values;
  std::int64_t num_cols = 0;

  [[nodiscard]] std::int64_t numRows() const { return static_cast<std::int64_t>(graph.row_map.extent(0)) - 1; }
  [[nodiscard]] std::int64_t numCols() const { return num_cols; }
};
static_assert(CrsMatrixLike<LooksLikeCrsMatrix>);
static_assert(!CrsMatrixLike<Csr<double, int, int, Device>>);

TEST(CsrSpmvMixed, TypesWithTheCrsMatrixInterface) {
  auto const host =
      with_numbers<double, std::int64_t, std::size_t>(random_pattern(90, 70, 13), Numbers::integers);
  LooksLikeCrsMatrix const A{
      {to_device(host.offsets), to_device(host.columns)}, to_device(host.values), host.num_cols};
  auto const x = numbers<double>(Numbers::integers, host.cols(), 2);
  auto const device_x = to_device(x);
  auto const before = std::vector<double>(host.rows(), not_a_number<double>());
  auto const y = to_device(before), planned_y = to_device(before);

  spmv(Space(), 1.0, A, device_x, 0.0, y);
  spmv(Space(), make_spmv_plan(Space(), A), 1.0, device_x, 0.0, planned_y);

  EXPECT_TRUE(agrees(to_host(y), expected<double>(host, x, 1.0, 0.0), before, true));
  EXPECT_TRUE(agrees(to_host(planned_y), expected<double>(host, x, 1.0, 0.0), before, true));
  auto const shared = as_csr(A);
  EXPECT_EQ(shared.num_rows, 90);
  EXPECT_EQ(shared.num_cols, 70);
  EXPECT_EQ(shared.row_offsets.data(), A.graph.row_map.data());
  EXPECT_EQ(shared.columns.data(), A.graph.entries.data());
  EXPECT_EQ(shared.values.data(), A.values.data());
}

}  // namespace
}  // namespace einkorn::test
