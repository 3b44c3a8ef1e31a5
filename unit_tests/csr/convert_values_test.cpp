// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Values in float: rounding, overflow, sums in double by every algorithm of CSR.

#include "../support/float_values.hpp"
#include "../support/near.hpp"
#include "../support/throws.hpp"
#include "approaches.hpp"

#include <einkorn/formats/csr/convert_values.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace einkorn::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest_float = std::numeric_limits<float>::max();

HostMatrix<double> rows_of(std::vector<double> const& values) {
  HostMatrix<double> A{3, 4, {0, 2, 2, static_cast<int>(values.size())}, {}, values};
  for (std::size_t k = 0; k < values.size(); ++k) A.columns.push_back(static_cast<int>(k % 4));
  return A;
}

TEST(ConvertValues, RoundsToNearestAndSharesTheStructure) {
  double const half_ulp = std::ldexp(1.0, -24);
  auto const A = rows_of({1 + half_ulp, 1 + 3 * half_ulp, 0.1, -0.0, infinity, std::ldexp(1.0, -149),
                          std::ldexp(1.0, -151), largest_float * (1 + 0.25 * half_ulp)})
                     .on_device();

  auto const narrow = convert_values<float>(Space(), A);

  EXPECT_EQ(narrow.num_rows, 3);
  EXPECT_EQ(narrow.num_cols, 4);
  EXPECT_EQ(narrow.row_offsets.data(), A.row_offsets.data());
  EXPECT_EQ(narrow.columns.data(), A.columns.data());
  auto const values = to_host(narrow.values);
  EXPECT_EQ(values, (std::vector<float>{1.0f, 1 + std::ldexp(1.0f, -22), 0.1f, -0.0f,
                                        std::numeric_limits<float>::infinity(), std::ldexp(1.0f, -149), 0.0f,
                                        std::numeric_limits<float>::max()}));
  EXPECT_TRUE(std::signbit(values[3]));
}

TEST(ConvertValues, ErrorIsAtMostHalfAnUlp) {
  auto const values = full_precision(5000, 3);
  HostMatrix<double> const A{1, 5000, {0, 5000}, std::vector<int>(5000, 0), values};
  auto const narrow = to_host(convert_values<float>(Space(), A.on_device()).values);
  double worst = 0;
  for (std::size_t k = 0; k < values.size(); ++k)
    worst = std::max(worst, std::abs(static_cast<double>(narrow[k]) - values[k]) / std::abs(values[k]));
  EXPECT_LE(worst, std::ldexp(1.0, -24));
  EXPECT_GT(worst, std::ldexp(1.0, -26));
}

TEST(ConvertValues, NanIsKeptAndBothComplexPartsAreRounded) {
  HostMatrix<Complex> const A{
      1, 2, {0, 2}, {0, 1}, {Complex(0.1, -0.3), Complex(not_a_number<double>(), 1e-3)}};
  auto const narrow = to_host(convert_values<Kokkos::complex<float>>(Space(), A.on_device()).values);
  EXPECT_EQ(narrow[0], Kokkos::complex<float>(0.1f, -0.3f));
  EXPECT_TRUE(std::isnan(narrow[1].real()));
  EXPECT_EQ(narrow[1].imag(), 1e-3f);
}

TEST(ConvertValues, OverflowThrows) {
  auto const A = rows_of({1, infinity, 3, largest_float, 1e39, -2e300}).on_device();
  EXPECT_TRUE(throws<OverflowError>([&] { (void)convert_values<float>(Space(), A); },
                                    {"entry 4", "row 2", "9.9999999999999994e+38"}));
  HostMatrix<Complex> const complex{2, 2, {0, 0, 1}, {1}, {Complex(1, -1e200)}};
  EXPECT_TRUE(
      throws<OverflowError>([&] { (void)convert_values<Kokkos::complex<float>>(Space(), complex.on_device()); },
                            {"entry 0", "row 1"}));
}

TEST(ConvertValues, EmptyMatrix) {
  EXPECT_EQ(convert_values<float>(Space(), HostMatrix<double>{}.on_device()).nnz(), 0);
  EXPECT_EQ(convert_values<float>(Space(), Csr<double, int, int, Device>{}).nnz(), 0);
}

TEST(ConvertValues, EveryAlgorithmSumsInDouble) {
  std::size_t missed_in_float = 0;
  for (auto const& pattern : battery()) {
    auto const wide = with_full_precision<Config<double, int, int>>(pattern, 1);
    auto const narrow = convert_values<float>(Space(), wide.on_device());
    auto const host = to_host(narrow);
    auto const x = full_precision(wide.cols(), 2);
    for (auto const& approach : all_approaches()) {
      auto const y = to_device(std::vector<double>(wide.rows(), not_a_number<double>()));

      Multiply<decltype(narrow), double>(narrow, approach)(1.0, to_device(x), 0.0, y);

      EXPECT_TRUE(within_bound_of_double(host, x, to_host(y))) << pattern.name << ", " << approach.name;
    }
    missed_in_float += within_bound_of_double(host, x, sums_in_float(host, x)) ? 0 : 1;
  }
  EXPECT_GT(missed_in_float, battery().size() / 2);
}

}  // namespace
}  // namespace einkorn::test
