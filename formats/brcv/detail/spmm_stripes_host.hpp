// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/lanes/simd.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/core/update.hpp>
#include <einkorn/formats/brcv/detail/host_rows.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// W times the same number.
template <class T, int W>
Simd<T, W> in_all_lanes(T const& value) {
  if constexpr (has_register<T, W>) {
    return {typename Simd<T, W>::Register(value)};
  } else {
    Simd<T, W> result;
    for (int i = 0; i < W; ++i) result.lane[i] = value;
    return result;
  }
}

/// Y <- alpha A X + beta Y for row-major X and Y (host). Parts of equal work; within a stripe a few rows at a
/// time, SIMD lanes over the columns of X: a row of X is read once for these rows, whose sums stay in registers
/// (8 rows of 2 registers of 32; 4 where there is no register for Sum). A row's sum is taken in the order of
/// its entries.
template <class Format, class X, class Y, class Sum>
struct SpmmStripesHost {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  static constexpr int W = simd_lanes<Sum>;
  static constexpr int most_rows = has_register<Sum, W> ? 8 : 4;
  using Register = Simd<Sum, W>;

  Format F;
  X x;
  Y y;
  Update<Sum> update;
  Ordinal num_parts;

  void operator()(Ordinal part) const {
    for_each_stripe_of_part(F, part, num_parts, [this](Ordinal stripe, Ordinal row, Ordinal end) {
      for (; end - row >= most_rows; row += most_rows) columns_of_rows<most_rows>(stripe, row);
      for (; end - row >= 2; row += 2) columns_of_rows<2>(stripe, row);
      if (row < end) columns_of_rows<1>(stripe, row);
    });
  }

 private:
  /// The last tile begins where it ends with the last column: what it has in common with the one before is
  /// summed twice, in the same order, and written once.
  template <int rows>
  void columns_of_rows(Ordinal stripe, Ordinal row) const {
    std::size_t const k = y.extent(1);
    std::size_t column = 0;
    if (k < W) return narrow<rows>(stripe, row, static_cast<int>(k));
    for (; column + 2 * W <= k; column += 2 * W) tile<rows, 2>(stripe, row, column, column);
    for (; column < k; column += W) tile<rows, 1>(stripe, row, column + W <= k ? column : k - W, column);
  }

  /// Columns first .. first + registers * W - 1 of X and Y; those before `from` are not written.
  template <int rows, int registers>
  void tile(Ordinal stripe, Ordinal row, std::size_t first, std::size_t from) const {
    Offset const length = F.row_length(stripe);
    Ordinal const* const list = F.c.data() + F.rc(stripe);
    Scalar const* const values = F.values.data() + F.row_begin(stripe, row);
    auto const x_stride = static_cast<std::size_t>(x.stride(0));
    auto const* const x_first = x.data() + first;
    Register sum[rows][registers];
    for (int r = 0; r < rows; ++r)
      for (int q = 0; q < registers; ++q) sum[r][q] = Register::zero();
    for (Offset j = 0; j < length; ++j) {
      auto const* const x_row = x_first + static_cast<std::size_t>(list[j]) * x_stride;
      Register from_x[registers];
      for (int q = 0; q < registers; ++q) from_x[q] = Register::load(x_row + q * W);
      for (int r = 0; r < rows; ++r) {
        auto const value = in_all_lanes<Sum, W>(Sum(values[static_cast<Offset>(r) * length + j]));
        for (int q = 0; q < registers; ++q) sum[r][q].add_product(value, from_x[q]);
      }
    }
    for (int r = 0; r < rows; ++r)
      for (int q = 0; q < registers; ++q) {
        Sum sums[W];
        sum[r][q].store(sums);
        for (std::size_t i = 0; i < W; ++i) {
          std::size_t const column = first + static_cast<std::size_t>(q) * W + i;
          if (column >= from) update(y(row + r, column), sums[i]);
        }
      }
  }

  /// Fewer columns than a register has lanes.
  template <int rows>
  void narrow(Ordinal stripe, Ordinal row, int k) const {
    Offset const length = F.row_length(stripe);
    Ordinal const* const list = F.c.data() + F.rc(stripe);
    Scalar const* const values = F.values.data() + F.row_begin(stripe, row);
    Sum sum[rows][W] = {};
    for (Offset j = 0; j < length; ++j) {
      auto const* const x_row =
          x.data() + static_cast<std::size_t>(list[j]) * static_cast<std::size_t>(x.stride(0));
      for (int r = 0; r < rows; ++r) {
        Sum const value = Sum(values[static_cast<Offset>(r) * length + j]);
        for (int i = 0; i < k; ++i) sum[r][i] += value * Sum(x_row[i]);
      }
    }
    for (int r = 0; r < rows; ++r)
      for (int i = 0; i < k; ++i) update(y(row + r, static_cast<std::size_t>(i)), sum[r][i]);
  }
};

template <class Exec, class Format, class X, class Y, class Sum>
void spmm_stripes_host(Exec const& exec, Update<Sum> const& update, Format const& F, X const& x, Y const& y) {
  auto const parts = static_cast<typename Format::ordinal_type>(host_parts(exec));
  for_each_part(exec, "einkorn::spmv[brcv]", parts, SpmmStripesHost<Format, X, Y, Sum>{F, x, y, update, parts});
}

}  // namespace einkorn::detail
