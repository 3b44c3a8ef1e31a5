// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// Products with multivectors of any number of columns, for formats with kernels that distribute columns over
// lanes.

#include "near.hpp"
#include "vectors.hpp"

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::test {

/// Numbers of columns around the tile sizes of the kernels; fewer under the sanitizers (types.hpp).
inline std::vector<std::size_t> column_counts() {
#ifdef EINKORN_TEST_FEW_TYPES
  return {1, 3, 4, 8, 15, 16, 17, 33, 65};
#else
  return {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 65, 100, 128, 129, 256};
#endif
}

/// A matrix, the columns of X and Y, and the expected product, computed once per column.
template <class VS, class Host>
class Multivectors {
 public:
  using Sum = sum_type<typename Host::Scalar, VS>;

  explicit Multivectors(Host const& A, Numbers kind = Numbers::integers, bool conjugated = false,
                        std::size_t max_columns = 256)
      : rows_(A.rows()), cols_(A.cols()), exact_(kind == Numbers::integers) {
    for (std::size_t j = 0; j < max_columns; ++j) {
      x_.push_back(numbers<VS>(kind, cols_, 1000 + j));
      y_.push_back(numbers<VS>(kind, rows_, 3000 + j));
      sums_.push_back(row_sums<Sum>(A, x_.back(), conjugated));
    }
  }

  /// Checks the first k columns with general alpha and beta, then with beta = 0 and NaNs in Y.
  template <class XLayout, class YLayout, class Multiply>
  void expect(std::size_t k, Multiply const& multiply) const {
    SCOPED_TRACE(std::to_string(k) + " columns");
    for (bool const overwrite : {false, true}) {
      auto const X = from_columns<XLayout>(first(x_, k), cols_);
      auto const Y = from_columns<YLayout>(before(k, overwrite), rows_);
      Sum const alpha(-2.5), beta(overwrite ? 0 : 0.5);

      multiply(alpha, X, beta, Y);

      compare(to_columns(Y), alpha, beta, before(k, overwrite));
    }
  }

  /// X and Y are parts of larger row-major multivectors at odd offsets; entries around Y must not change.
  template <class Multiply>
  void expect_parts(std::size_t k, Multiply const& multiply) const {
    SCOPED_TRACE(std::to_string(k) + " columns of more");
    auto const y = before(k, false);
    auto const around = [k](auto const& columns, std::size_t rows) {
      using T = typename std::decay_t<decltype(columns)>::value_type::value_type;
      std::vector<std::vector<T>> more(k + 4, std::vector<T>(rows + 2, T(77)));
      for (std::size_t j = 0; j < k; ++j)
        std::copy(columns[j].begin(), columns[j].end(), more[j + 1].begin() + 1);
      return more;
    };
    auto const all_x = from_columns<Kokkos::LayoutRight>(around(first(x_, k), cols_), cols_ + 2);
    auto const all_y = from_columns<Kokkos::LayoutRight>(around(y, rows_), rows_ + 2);
    auto const part = [k](auto const& all, std::size_t rows) {
      return Kokkos::subview(all, std::pair<std::size_t, std::size_t>(1, rows + 1),
                             std::pair<std::size_t, std::size_t>(1, k + 1));
    };

    multiply(Sum(3), part(all_x, cols_), Sum(-1), part(all_y, rows_));

    auto got = to_columns(all_y);
    std::vector<std::vector<VS>> inner;
    for (std::size_t j = 1; j <= k; ++j) {
      inner.emplace_back(got[j].begin() + 1, got[j].end() - 1);
      std::copy(y[j - 1].begin(), y[j - 1].end(), got[j].begin() + 1);
    }
    compare(inner, Sum(3), Sum(-1), y);
    EXPECT_EQ(got, around(y, rows_)) << "outside of Y";
  }

  /// NaNs in row `row` of X, in every third column, propagate only to rows of A with an entry in that column.
  template <class Layout = Kokkos::LayoutRight, class Multiply>
  void expect_nan_isolated(Host const& A, std::size_t row, std::size_t k, Multiply const& multiply) const {
    SCOPED_TRACE(std::to_string(k) + " columns, NaN");
    auto x = first(x_, k);
    for (std::size_t j = 0; j < k; j += 3) x[j][row] = not_a_number<VS>();
    auto const X = from_columns<Layout>(x, cols_);
    auto const Y = from_columns<Layout>(before(k, true), rows_);

    multiply(Sum(1), X, Sum(0), Y);

    auto const got = to_columns(Y);
    for (std::size_t i = 0; i < rows_; ++i) {
      bool uses = false;
      for (auto p = A.begin(i); p < A.end(i); ++p) uses = uses || A.column(p) == row;
      for (std::size_t j = 0; j < k; ++j)
        ASSERT_EQ(is_nan(got[j][i]), uses && j % 3 == 0) << "row " << i << ", column " << j;
    }
  }

 private:
  using Columns = std::vector<std::vector<VS>>;

  static Columns first(Columns const& all, std::size_t k) {
    return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k)};
  }
  [[nodiscard]] Columns before(std::size_t k, bool overwrite) const {
    return overwrite ? Columns(k, std::vector<VS>(rows_, not_a_number<VS>())) : first(y_, k);
  }
  void compare(Columns const& got, Sum alpha, Sum beta, Columns const& y) const {
    ASSERT_EQ(got.size(), y.size());
    for (std::size_t j = 0; j < got.size(); ++j)
      ASSERT_TRUE(agrees(got[j], Expected<Sum>{sums_[j], alpha, beta}, y[j], exact_)) << "column " << j;
  }

  std::size_t rows_, cols_;
  bool exact_;
  Columns x_, y_;
  std::vector<RowSums<Sum>> sums_;
};

/// All pairs of layouts and parts of larger multivectors, with column_counts() up to `max_columns`.
template <class Vectors, class Multiply>
void expect_products_of_any_width(Vectors const& vectors, std::size_t max_columns, Multiply const& multiply) {
  using Kokkos::LayoutLeft, Kokkos::LayoutRight;
  for (auto const k : column_counts()) {
    if (k > max_columns) continue;
    vectors.template expect<LayoutRight, LayoutRight>(k, multiply);
    vectors.expect_parts(k, multiply);
    if (k > 33) continue;
    vectors.template expect<LayoutLeft, LayoutLeft>(k, multiply);
    vectors.template expect<LayoutLeft, LayoutRight>(k, multiply);
    vectors.template expect<LayoutRight, LayoutLeft>(k, multiply);
  }
}

// Checks of one matrix: check(multiply), for every way to multiply.

template <class VS, class Host>
auto check_every_width(Host const& host, std::size_t max_columns) {
  return [max_columns, vectors = Multivectors<VS, Host>(host, Numbers::integers, false, max_columns)](
             auto const& multiply) { expect_products_of_any_width(vectors, max_columns, multiply); };
}

/// @param host with Numbers::reals
template <class VS, class Host>
auto check_rounding(Host const& host) {
  return [vectors = Multivectors<VS, Host>(host, Numbers::reals, false, 33)](auto const& multiply) {
    for (std::size_t const k : {5u, 17u, 33u}) {
      vectors.template expect<Kokkos::LayoutRight, Kokkos::LayoutRight>(k, multiply);
      vectors.template expect<Kokkos::LayoutLeft, Kokkos::LayoutLeft>(k, multiply);
    }
  };
}

template <class VS, class Host>
auto check_nan(Host const& host) {
  return [&host, vectors = Multivectors<VS, Host>(host, Numbers::integers, false, 65)](auto const& multiply) {
    for (std::size_t const k : {3u, 4u, 9u, 17u, 65u}) {
      for (std::size_t const row : {std::size_t(0), host.cols() - 1}) {
        vectors.expect_nan_isolated(host, row, k, multiply);
        vectors.template expect_nan_isolated<Kokkos::LayoutLeft>(host, row, k, multiply);
      }
    }
  };
}

/// Ten runs give the same bits, and equal columns give equal bits at any position.
template <class VS, class Layout, class Host, class Multiply>
void expect_repeatability(Host const& host, Multiply const& multiply) {
  auto const x = std::vector(37, numbers<VS>(Numbers::reals, host.cols(), 2));
  auto const y = std::vector(37, numbers<VS>(Numbers::reals, host.rows(), 3));
  auto const X = from_columns<Layout>(x, host.cols());
  std::vector<std::vector<VS>> first;
  for (int run = 0; run < 10; ++run) {
    auto const Y = from_columns<Layout>(y, host.rows());
    multiply(VS(0.75), X, VS(0.5), Y);
    if (run == 0) first = to_columns(Y);
    EXPECT_EQ(to_columns(Y), first);
  }
  for (auto const& column : first) EXPECT_EQ(column, first[0]);
}

template <class VS, class Host>
auto check_repeatability(Host const& host) {
  return [&host](auto const& multiply) {
    expect_repeatability<VS, Kokkos::LayoutRight>(host, multiply);
    expect_repeatability<VS, Kokkos::LayoutLeft>(host, multiply);
  };
}

}  // namespace einkorn::test
