// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/simd.hpp>
#include <einkorn/formats/bsr/bsr_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace einkorn::detail {

/// SpMV in parts (see host_parts) of whole block rows with equal numbers of blocks plus block rows (host).
/// @tparam b the block size; 0: known at run time only
/// With b > 0 one pass over the blocks of a block row sums all its rows, otherwise one pass per row. For 2 x
/// 2, 4 x 4 and 8 x 8 blocks, whose rows fit SIMD registers, each element of the block has a sum until the
/// end of the block row.
template <int b, class Format, class X, class Y, class Sum>
struct SpmvBlockRowsHost {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;

  Format F;
  X x;
  Y y;
  Epilogue<Sum> epilogue;
  Ordinal num_parts;

  void operator()(Ordinal part) const {
    constexpr bool rows_fit_registers = Y::rank() == 1 && (b == 2 || b == 4 || b == 8);
    Ordinal const last = first_block_row(part + 1);
    for (Ordinal block_row = first_block_row(part); block_row < last; ++block_row) {
      Ordinal const first = block_row * size(), left = F.num_rows - first;
      Ordinal const rows = left < size() ? left : size();
      if constexpr (rows_fit_registers)
        by_registers(block_row, first, rows);
      else
        for (Ordinal r = 0; r < rows; r += rows_at_once)
          for (std::size_t column = 0; column < num_vectors(); column += k)
            by_rows(block_row, first, r, rows, column);
    }
  }

 private:
  static constexpr int rows_at_once = b > 0 ? b : 1;
  static constexpr std::size_t k =
      Y::rank() == 1 ? 1 : static_cast<std::size_t>(bsr_tuning(Arch::host, 1, 1, 1).columns_at_once);

  [[nodiscard]] Ordinal size() const { return b > 0 ? Ordinal(b) : static_cast<Ordinal>(F.block_size); }
  [[nodiscard]] std::size_t num_vectors() const { return Y::rank() == 1 ? 1 : y.extent(1); }
  [[nodiscard]] Ordinal first_block_row(Ordinal part) const {
    auto const blocks = static_cast<std::int64_t>(F.num_blocks());
    std::int64_t const steps = blocks + static_cast<std::int64_t>(F.num_block_rows);
    auto const parts = static_cast<std::int64_t>(num_parts), at = static_cast<std::int64_t>(part);
    return rows_before_diagonal(F.row_offsets, F.num_block_rows, blocks,
                                at == parts ? steps : steps / parts * at);
  }
  /// x(column), or 0 beyond the last column, where blocks have padding.
  [[nodiscard]] Sum from_x(Ordinal column, std::size_t vector) const {
    return column < F.num_cols ? Sum(entry(x, column, vector)) : Sum(0);
  }

  using Row = Simd<Sum, (b > 0 ? b : 1)>;

  /// x(column), ..., x(column + b - 1), loaded as a vector: scalars that are stored one by one stall a load of all.
  [[nodiscard]] [[gnu::always_inline]] Row load_x(Ordinal column) const {
    if constexpr (std::is_same_v<typename X::array_layout, Kokkos::LayoutStride>)
      return Row::generate([&](int c) __attribute__((always_inline)) { return Sum(x(column + c)); });
    else
      return Row::load(x.data() + column);
  }
  /// The same with 0 beyond the last column.
  [[nodiscard]] Row load_last_of_x(Ordinal column) const {
    Sum part_of_x[b] = {};
    for (Ordinal c = 0; c < F.num_cols - column; ++c) part_of_x[c] = Sum(x(column + c));
    return Row::load(part_of_x);
  }

  void by_registers(Ordinal block_row, Ordinal first, Ordinal rows) const {
    Row sum[b];
    for (int r = 0; r < b; ++r) sum[r] = Row::zero();
    for (Offset q = F.row_offsets(block_row); q < F.row_offsets(block_row + 1); ++q) {
      auto const* const values = F.values.data() + q * static_cast<Offset>(b * b);
      Ordinal const column = F.columns(q) * b;
      auto const factor = b <= F.num_cols - column ? load_x(column) : load_last_of_x(column);
      unrolled<b>([&]<int... r>() __attribute__((always_inline)) {
        (sum[r].add_product(Row::load(values + r * b), factor), ...);
      });
    }
    for (Ordinal r = 0; r < rows; ++r) epilogue(y(first + r), sum[r].sum());
  }

  /// Computes the rows r .. r + rows_at_once - 1 of the block row that are below `rows`.
  void by_rows(Ordinal block_row, Ordinal first, Ordinal r, Ordinal rows, std::size_t column) const {
    auto const width = num_vectors() - column < k ? num_vectors() - column : k;
    Sum sum[rows_at_once][k];
    for (auto& row : sum)
      for (auto& one : row) one = Sum(0);
    for (Offset q = F.row_offsets(block_row); q < F.row_offsets(block_row + 1); ++q) {
      auto const* const values = F.values.data() + q * F.entries_per_block() + static_cast<Offset>(r * size());
      add_block(values, F.columns(q) * size(), column, width, sum);
    }
    for (Ordinal i = 0; i < rows_at_once && r + i < rows; ++i)
      for (std::size_t j = 0; j < width; ++j) epilogue(entry(y, first + r + i, column + j), sum[i][j]);
  }

  template <class Scalar>
  [[gnu::always_inline]] void add_block(Scalar const* values, Ordinal first_column, std::size_t column,
                                        std::size_t width, Sum (&sum)[rows_at_once][k]) const {
    Ordinal const columns_left = F.num_cols - first_column,
                  columns = columns_left < size() ? columns_left : size();
    if constexpr (b > 0) {
      Sum part_of_x[b][k];
      for (int c = 0; c < b; ++c)
        for (std::size_t j = 0; j < k; ++j)
          part_of_x[c][j] = c < columns && j < width ? Sum(entry(x, first_column + c, column + j)) : Sum(0);
      for (int i = 0; i < b; ++i)
        for (std::size_t j = 0; j < k; ++j) {
          Sum block_sum = Sum(values[i * b]) * part_of_x[0][j];
          for (int c = 1; c < b; ++c) block_sum += Sum(values[i * b + c]) * part_of_x[c][j];
          sum[i][j] += block_sum;
        }
    } else {
      for (Ordinal c = 0; c < columns; ++c)
        for (std::size_t j = 0; j < width; ++j)
          sum[0][j] += Sum(values[c]) * Sum(entry(x, first_column + c, column + j));
    }
  }
};

}  // namespace einkorn::detail
