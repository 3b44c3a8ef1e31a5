// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// All forms of x and y that spmv accepts: multivectors of both layouts, columns of row-major ones, odd offsets.

#include "battery.hpp"
#include "near.hpp"

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::test {

/// The small matrices of the battery for tests of vector arguments.
inline std::vector<Pattern> vector_patterns() {
  std::vector<Pattern> some;
  for (auto const& pattern : battery())
    for (char const* name : {"0 x n", "n x 0", "1 x n", "diagonal", "one dense row among short ones",
                             "rows of 33", "half of the rows empty, at random", "random, seed 1"})
      if (pattern.name == name) some.push_back(pattern);
  return some;
}

/// A multivector on the device with the given columns.
template <class Layout, class S>
Kokkos::View<S**, Layout, Device> from_columns(std::vector<std::vector<S>> const& columns, std::size_t rows) {
  Kokkos::View<S**, Layout, Device> const to("einkorn::test::columns", rows, columns.size());
  auto const host = Kokkos::create_mirror_view(to);  // the same View if it is in host memory
  for (std::size_t j = 0; j < columns.size(); ++j)
    for (std::size_t i = 0; i < rows; ++i) host(i, j) = columns[j][i];
  if constexpr (!is_in_host_memory<Kokkos::View<S**, Layout, Device>>) Kokkos::deep_copy(to, host);
  return to;
}

template <class View>
std::vector<std::vector<typename View::non_const_value_type>> to_columns(View const& from) {
  auto const host = on_host(from);
  std::vector<std::vector<typename View::non_const_value_type>> columns(from.extent(1));
  for (std::size_t j = 0; j < columns.size(); ++j)
    for (std::size_t i = 0; i < from.extent(0); ++i) columns[j].push_back(host(i, j));
  return columns;
}

/// Columns of numbers with different seeds.
template <class S>
std::vector<std::vector<S>> number_columns(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  std::vector<std::vector<S>> result;
  for (std::size_t j = 0; j < columns; ++j) result.push_back(numbers<S>(Numbers::integers, rows, seed + j));
  return result;
}

/// Checks Y <- alpha A X + beta Y, exact, for 0 to 9 columns of one layout.
/// @param multiply multiply(alpha, X, beta, Y)
template <class Layout, class VS, class Host, class Multiply>
void expect_multivectors(Host const& A, Multiply const& multiply) {
  using Sum = sum_type<typename Host::Scalar, VS>;
  for (std::size_t const k : {0u, 1u, 3u, 4u, 5u, 9u})
    for (bool const overwrite : {true, false}) {
      SCOPED_TRACE(std::to_string(k) + " columns");
      auto const x = number_columns<VS>(A.cols(), k, 20);
      auto y = number_columns<VS>(A.rows(), k, 40);
      if (overwrite)
        for (auto& column : y) column.assign(A.rows(), not_a_number<VS>());
      Sum const alpha(-2.5), beta(overwrite ? 0 : 0.5);
      auto const device_x = from_columns<Layout>(x, A.cols());
      auto const device_y = from_columns<Layout>(y, A.rows());

      multiply(alpha, device_x, beta, device_y);

      auto const got = to_columns(device_y);
      for (std::size_t j = 0; j < k; ++j)
        EXPECT_TRUE(agrees(got[j], expected<Sum>(A, x[j], alpha, beta), y[j], true)) << "column " << j;
    }
}

/// x and y are columns of row-major multivectors, then interleaved columns of one. Other columns must not
/// change.
template <class VS, class Host, class Multiply>
void expect_strided_vectors(Host const& A, Multiply const& multiply) {
  using Sum = sum_type<typename Host::Scalar, VS>;
  auto const x = number_columns<VS>(A.cols(), 3, 20);
  auto const y = number_columns<VS>(A.rows(), 4, 40);
  auto const device_x = from_columns<Kokkos::LayoutRight>(x, A.cols());
  auto const device_y = from_columns<Kokkos::LayoutRight>(y, A.rows());
  auto const x_1 = Kokkos::subview(device_x, Kokkos::ALL, 1);
  auto const y_2 = Kokkos::subview(device_y, Kokkos::ALL, 2);

  multiply(Sum(2), x_1, Sum(0.5), y_2);

  auto const got = to_columns(device_y);
  EXPECT_TRUE(agrees(got[2], expected<Sum>(A, x[1], Sum(2), Sum(0.5)), y[2], true));
  for (std::size_t const other : {0u, 1u, 3u}) EXPECT_TRUE(same_numbers(got[other], y[other]));
  if (A.rows() != A.cols()) return;

  auto const both = from_columns<Kokkos::LayoutRight>(x, A.cols());
  auto const x_0 = Kokkos::subview(both, Kokkos::ALL, 0);
  auto const y_1 = Kokkos::subview(both, Kokkos::ALL, 1);
  multiply(Sum(2), x_0, Sum(0.5), y_1);
  auto const interleaved = to_columns(both);
  EXPECT_TRUE(agrees(interleaved[1], expected<Sum>(A, x[0], Sum(2), Sum(0.5)), x[1], true));
  EXPECT_TRUE(same_numbers(interleaved[0], x[0]));
  EXPECT_TRUE(same_numbers(interleaved[2], x[2]));
}

/// x and y start at odd offsets of longer arrays, whose other entries must not change.
template <class VS, class Host, class Multiply>
void expect_offset_vectors(Host const& A, Multiply const& multiply) {
  using Sum = sum_type<typename Host::Scalar, VS>;
  for (std::size_t const shift : {1u, 3u}) {
    auto const x = numbers<VS>(Numbers::integers, A.cols() + 4, 20);
    auto const y = numbers<VS>(Numbers::integers, A.rows() + 5, 40);
    auto const device_x = to_device(x), device_y = to_device(y);
    auto const part = [shift](auto const& view, std::size_t size) {
      return Kokkos::subview(view, std::pair(shift, shift + size));
    };

    multiply(Sum(2), part(device_x, A.cols()), Sum(0.5), part(device_y, A.rows()));

    auto const cut = [shift](auto const& all, std::size_t size) {
      auto const begin = all.begin() + static_cast<std::ptrdiff_t>(shift);
      return std::vector<VS>(begin, begin + static_cast<std::ptrdiff_t>(size));
    };
    auto got = to_host(device_y);
    EXPECT_TRUE(agrees(cut(got, A.rows()), expected<Sum>(A, cut(x, A.cols()), Sum(2), Sum(0.5)),
                       cut(y, A.rows()), true));
    for (std::size_t i = 0; i < A.rows(); ++i) got[shift + i] = y[shift + i];
    EXPECT_TRUE(same_numbers(got, y)) << "outside of y";
  }
}

/// All checks above.
template <class VS, class Host, class Multiply>
void expect_every_form_of_vector(Host const& A, Multiply const& multiply) {
  expect_multivectors<Kokkos::LayoutLeft, VS>(A, multiply);
  expect_multivectors<Kokkos::LayoutRight, VS>(A, multiply);
  expect_strided_vectors<VS>(A, multiply);
  expect_offset_vectors<VS>(A, multiply);
}

}  // namespace einkorn::test
