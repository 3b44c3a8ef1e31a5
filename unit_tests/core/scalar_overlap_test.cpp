// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The type of sums, overlap of Views, the epilogue of a row.

#include "../support/near.hpp"
#include "../support/types.hpp"

#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/overlap.hpp>
#include <einkorn/core/scalar.hpp>

#include <gtest/gtest.h>

#include <type_traits>
#include <utility>

namespace einkorn::test {
namespace {

using Half = Kokkos::Experimental::half_t;
using Bfloat = Kokkos::Experimental::bhalf_t;
using ComplexFloat = Kokkos::complex<float>;

TEST(SumType, WidestRealTypeAndComplexIfAny) {
  static_assert(std::is_same_v<sum_type<float>, float>);
  static_assert(std::is_same_v<sum_type<float const>, float>);
  static_assert(std::is_same_v<sum_type<float, double>, double>);
  static_assert(std::is_same_v<sum_type<double, float, float>, double>);
  static_assert(std::is_same_v<sum_type<float, float, double const>, double>);
  static_assert(std::is_same_v<sum_type<ComplexFloat, double>, Complex>);
  static_assert(std::is_same_v<sum_type<float, ComplexFloat, float>, ComplexFloat>);
  static_assert(std::is_same_v<sum_type<double, Complex>, Complex>);
  static_assert(std::is_same_v<sum_type<Half>, float>);
  static_assert(std::is_same_v<sum_type<Bfloat, Half>, float>);
  static_assert(std::is_same_v<sum_type<Half, double>, double>);
  static_assert(std::is_same_v<real_type<ComplexFloat const>, float>);
  static_assert(is_complex<Complex const> && !is_complex<double>);
  EXPECT_EQ(conjugate(Complex(1, 2)), Complex(1, -2));
  EXPECT_EQ(conjugate(3.0), 3.0);
}

TEST(Overlap, ContiguousVectors) {
  Kokkos::View<double*, Device> const all("all", 100);
  auto const part = [&](int begin, int end) { return Kokkos::subview(all, std::pair(begin, end)); };
  EXPECT_TRUE(overlaps(all, all));
  EXPECT_TRUE(overlaps(part(0, 50), part(49, 100)));
  EXPECT_TRUE(overlaps(part(49, 100), part(0, 50)));
  EXPECT_TRUE(overlaps(part(10, 20), all));
  EXPECT_FALSE(overlaps(part(0, 50), part(50, 100)));
  EXPECT_FALSE(overlaps(part(50, 100), part(0, 50)));
  EXPECT_FALSE(overlaps(part(20, 20), all)) << "no entries";
  EXPECT_FALSE(overlaps(all, Kokkos::View<double*, Device>("other", 100)));
}

TEST(Overlap, Columns) {
  Kokkos::View<double**, Kokkos::LayoutRight, Device> const rows("rows", 20, 3);
  auto const column = [&](int j) { return Kokkos::subview(rows, Kokkos::ALL, j); };
  EXPECT_FALSE(overlaps(column(0), column(1)));
  EXPECT_FALSE(overlaps(column(2), column(0)));
  EXPECT_TRUE(overlaps(column(1), column(1)));
  auto const lower = Kokkos::subview(rows, std::pair(7, 20), 1);
  EXPECT_TRUE(overlaps(column(1), lower));
  EXPECT_FALSE(overlaps(column(0), lower));
  Kokkos::View<double**, Kokkos::LayoutLeft, Device> const columns("columns", 20, 3);
  EXPECT_FALSE(overlaps(Kokkos::subview(columns, Kokkos::ALL, 0), Kokkos::subview(columns, Kokkos::ALL, 1)));
  EXPECT_TRUE(overlaps(columns, Kokkos::subview(columns, Kokkos::ALL, 1)));
}

TEST(Overlap, DifferentTypes) {
  Kokkos::View<double*, Device> const doubles("doubles", 10);
  Kokkos::View<float*, Device, Kokkos::MemoryUnmanaged> const inside(
      reinterpret_cast<float*>(doubles.data()) + 19, 1);
  Kokkos::View<float*, Device, Kokkos::MemoryUnmanaged> const behind(
      reinterpret_cast<float*>(doubles.data()) + 20, 1);
  EXPECT_TRUE(overlaps(doubles, inside));
  EXPECT_FALSE(overlaps(doubles, behind));
  Kokkos::View<double const*, Device> const same = doubles;
  EXPECT_TRUE(overlaps(doubles, same));
}

TEST(Epilogue, OverwritesIfBetaIsZero) {
  double y = not_a_number<double>();
  Epilogue<double>{2, 0}(y, 3);
  EXPECT_EQ(y, 6);
  Epilogue<double>{2, 0.5}(y, 1);
  EXPECT_EQ(y, 5);
  Epilogue<double>{2, 0.5}.add(y, 10);
  EXPECT_EQ(y, 25);
  float narrow = 1;
  Epilogue<double>{1, 1}(narrow, 0.5);
  EXPECT_EQ(narrow, 1.5f);
}

}  // namespace
}  // namespace einkorn::test
