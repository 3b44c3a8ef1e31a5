// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/simd.hpp>

#include <cstddef>

namespace einkorn::detail {

/// Y <- alpha A X + beta Y for row-major X and Y and a few rows of A, on one host thread. The rows have entries
/// in the same columns ("Rows": length() entries, entry j in column(j) with value(r, j) in the r-th row, which
/// is row(r) of Y). SIMD lanes go over the columns of X, a few registers at a time: a row of X is read once for
/// all rows of A, and sums stay in registers (at most 16 of 32; fewer than half where Sum has no SIMD
/// register). A row is summed in the order of its entries. The last tile ends at the last column: columns that
/// it shares with the previous tile are summed twice and written once.
template <int num_rows, class Rows, class X, class Y, class Sum>
class RowsTimesMatrix {
 public:
  RowsTimesMatrix(Rows const& rows, X const& x, Y const& y, Epilogue<Sum> const& epilogue)
      : rows_(rows), x_(x), y_(y), epilogue_(epilogue) {}

  void all_columns() const { by_lanes<simd_lanes<Sum>, num_rows == 1 ? 4 : 2>(); }

 private:
  template <int W, int registers>
  void by_lanes() const {
    if constexpr (W > 1)
      if (y_.extent(1) < W) return by_lanes<W / 2, 1>();
    tiles<W, registers>(0);
  }
  template <int W, int registers>
  void tiles(std::size_t column) const {
    constexpr std::size_t width = std::size_t(registers) * W;
    std::size_t const k = y_.extent(1);
    for (; column + width <= k; column += width) tile<W, registers>(column, column);
    if constexpr (registers > 1)
      tiles<W, registers / 2>(column);
    else if (column < k)
      tile<W, 1>(k - W, column);
  }

  /// Columns first .. first + registers * W - 1; those before `from` are not written.
  template <int W, int registers>
  void tile(std::size_t first, std::size_t from) const {
    using Register = Simd<Sum, W>;
    auto const length = rows_.length();
    auto const x_stride = static_cast<std::size_t>(x_.stride(0));
    auto const* const x_first = x_.data() + first;
    Register sum[num_rows][registers];
    for (auto& row : sum)
      unrolled<registers>([&]<int... q>()
                              __attribute__((always_inline)) { ((row[q] = Register::zero()), ...); });
    for (auto j = decltype(length)(0); j < length; ++j) {
      auto const* const x_row = x_first + static_cast<std::size_t>(rows_.column(j)) * x_stride;
      Register from_x[registers];
      unrolled<registers>([&]<int... q>() __attribute__((always_inline)) {
        ((from_x[q] = Register::load(x_row + q * W)), ...);
      });
      auto const add_row = [&](int r) __attribute__((always_inline)) {
        auto const value = Register::all(Sum(rows_.value(r, j)));
        unrolled<registers>(
            [&]<int... q>() __attribute__((always_inline)) { (sum[r][q].add_product(value, from_x[q]), ...); });
      };
      unrolled<num_rows>([&]<int... r>() __attribute__((always_inline)) { (add_row(r), ...); });
    }
    Epilogue<Sum> const epilogue = epilogue_;
    for (int r = 0; r < num_rows; ++r) {
      Sum sums[registers * W];
      unrolled<registers>([&]<int... q>()
                              __attribute__((always_inline)) { (sum[r][q].store(sums + q * W), ...); });
      auto* const to =
          y_.data() + static_cast<std::size_t>(rows_.row(r)) * static_cast<std::size_t>(y_.stride(0)) + first;
      if (from == first)
        for (int i = 0; i < registers * W; ++i) epilogue(to[i], sums[i]);
      else
        for (int i = static_cast<int>(from - first); i < W; ++i) epilogue(to[i], sums[i]);
    }
  }

  Rows const& rows_;
  X const& x_;
  Y const& y_;
  Epilogue<Sum> const& epilogue_;
};

template <int num_rows, class Rows, class X, class Y, class Sum>
void rows_times_matrix(Rows const& rows, X const& x, Y const& y, Epilogue<Sum> const& epilogue) {
  RowsTimesMatrix<num_rows, Rows, X, Y, Sum>(rows, x, y, epilogue).all_columns();
}

}  // namespace einkorn::detail
