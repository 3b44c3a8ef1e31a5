// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/detail/sort_windows_by_length.hpp>
#include <einkorn/formats/csr/detail/transpose_order.hpp>
#include <einkorn/formats/csr/row_lengths.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Sort.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace einkorn {

namespace detail {

/// Rows in windows of `window` rows (1 <= window <= num_rows), within a window by descending length, rows of
/// equal length by index. The three functions below and sort_windows_by_length() give the same result.

template <class Keys, class Offsets>
struct KeysByLength {
  Keys keys;
  Offsets offsets;
  std::uint64_t longest, lengths, window;

  KOKKOS_FUNCTION void operator()(std::uint64_t row) const {
    std::uint64_t const shorter = longest - static_cast<std::uint64_t>(offsets(row + 1) - offsets(row));
    keys(row) = (row / window * lengths + shorter) * window + row % window;
  }
};

template <class Keys, class Rows>
struct RowsOfKeys {
  using Ordinal = typename Rows::non_const_value_type;

  Keys keys;
  Rows rows;
  std::uint64_t window;

  KOKKOS_FUNCTION void operator()(std::uint64_t position) const {
    rows(position) = static_cast<Ordinal>(position / window * window + keys(position) % window);
  }
};

/// GPU, windows of more than max_window_in_scratch rows: sorts the keys (window, longest - length, position in the window),
/// which are distinct, so that any sort gives the same order. Position p is in window p / window, so only the position in
/// the window is decoded.
template <class Exec, class Matrix, class Rows>
void order_by_length_sorting(Exec const& exec, Matrix const& A, std::uint64_t window, std::uint64_t longest,
                             Rows const& rows) {
  auto const num_rows = static_cast<std::uint64_t>(A.num_rows);
  std::uint64_t const positions = ceil_div(num_rows, window) * window, lengths = longest + 1;
  require<OverflowError>(positions <= std::numeric_limits<std::uint64_t>::max() / lengths, [&] {
    return detail::joined("rows_by_length: ", num_rows, " rows times ", lengths,
                          " lengths does not fit 64 bits");
  });
  using Keys = Kokkos::View<std::uint64_t*, typename Matrix::device_type>;
  auto const keys = allocate<Keys>(exec, "einkorn::rows_by_length::keys", num_rows);
  auto const offsets = A.row_offsets;
  range_for<std::uint64_t>(
      "einkorn::rows_by_length[keys]", exec, num_rows,
      KeysByLength<Keys, decltype(A.row_offsets)>{keys, offsets, longest, lengths, window});
  or_out_of_memory("einkorn::rows_by_length: sort", num_rows * sizeof(std::uint64_t),
                   [&] { Kokkos::sort(exec, keys); });
  range_for<std::uint64_t>("einkorn::rows_by_length", exec, num_rows,
                           RowsOfKeys<Keys, Rows>{keys, rows, window});
}

/// Host: orders the rows begin .. end - 1 by a counting sort; rows of at least `counted` entries by comparisons.
template <class Offsets, class Rows>
void order_window_by_length(Offsets const& offsets, std::size_t begin, std::size_t end, Rows const& rows) {
  using Ordinal = typename Rows::non_const_value_type;
  constexpr std::size_t counted = 512;
  auto const length_of = [&](auto row) { return static_cast<std::size_t>(offsets(row + 1) - offsets(row)); };
  auto const bucket_of = [&](std::size_t row) { return std::min(length_of(row), counted); };
  std::size_t longest = 0;
  for (std::size_t row = begin; row < end; ++row) longest = std::max(longest, bucket_of(row));
  std::size_t next[counted + 1];  // the position of the next row of each length
  std::fill_n(next, longest + 1, 0);
  for (std::size_t row = begin; row < end; ++row) ++next[bucket_of(row)];
  std::size_t const by_comparisons = longest == counted ? next[counted] : 0;
  std::size_t position = begin;
  for (std::size_t length = longest + 1; length-- > 0;) {
    std::size_t const count = next[length];
    next[length] = position;
    position += count;
  }
  for (std::size_t row = begin; row < end; ++row) rows(next[bucket_of(row)]++) = static_cast<Ordinal>(row);
  std::sort(rows.data() + begin, rows.data() + begin + by_comparisons, [&](Ordinal a, Ordinal b) {
    auto const length_a = length_of(a), length_b = length_of(b);
    return length_a != length_b ? length_a > length_b : a < b;
  });
}

/// Host: one thread sorts each window.
template <class Exec, class Matrix, class Rows>
void order_by_length_in_windows(Exec const& exec, Matrix const& A, std::size_t window, Rows const& rows) {
  auto const num_rows = static_cast<std::size_t>(A.num_rows);
  auto const offsets = A.row_offsets;
  range_for<std::size_t>("einkorn::rows_by_length", exec, ceil_div(num_rows, window), [=](std::size_t i) {
    order_window_by_length(offsets, i * window, std::min((i + 1) * window, num_rows), rows);
  });
}

/// The interface that order_by_column_counting reads; the "column" of row i is longest - length(i).
template <class Matrix>
struct LengthsAsColumns {
  using offset_type = typename Matrix::ordinal_type;
  using device_type = typename Matrix::device_type;
  Kokkos::View<typename Matrix::offset_type*, device_type> columns;
  typename Matrix::offset_type num_cols;
  [[nodiscard]] offset_type nnz() const { return static_cast<offset_type>(columns.extent(0)); }
};

/// Host, one window: a counting sort. Memory: 2 integers per length and part.
template <class Exec, class Matrix, class Rows>
void order_by_length_counting(Exec const& exec, Matrix const& A, typename Matrix::offset_type longest,
                              Rows const& rows) {
  using Offset = typename Matrix::offset_type;
  using Keys = LengthsAsColumns<Matrix>;
  auto const num_rows = static_cast<std::size_t>(A.num_rows);
  Keys const keys{allocate<decltype(Keys::columns)>(exec, "einkorn::rows_by_length::keys", num_rows),
                  static_cast<Offset>(longest + 1)};
  auto const offsets = A.row_offsets;
  auto const shorter = keys.columns;
  range_for<std::size_t>("einkorn::rows_by_length[keys]", exec, num_rows,
                         [=](std::size_t row) { shorter(row) = longest - (offsets(row + 1) - offsets(row)); });
  using Firsts = Kokkos::View<typename Keys::offset_type*, typename Matrix::device_type>;
  auto const first_of_length =
      allocate_zeros<Firsts>(exec, "einkorn::rows_by_length::first", static_cast<std::size_t>(longest) + 2);
  order_by_column_counting(exec, keys, first_of_length, rows);
}

/// rows_by_length() for at least one row. Asynchronous on a GPU with windows of at most max_window_in_scratch rows.
template <class Exec, class Matrix, class Rows>
void order_by_length(Exec const& exec, Matrix const& A, std::size_t rows_per_window, Rows const& rows) {
  if constexpr (is_gpu<Exec>) {
    if (rows_per_window <= max_window_in_scratch) return sort_windows_by_length(exec, A, rows_per_window, rows);
  }
  auto const longest = row_lengths(exec, A).longest;
  if constexpr (is_gpu<Exec>)
    order_by_length_sorting(exec, A, rows_per_window, static_cast<std::uint64_t>(longest), rows);
  else if (rows_per_window == static_cast<std::size_t>(A.num_rows) &&
           static_cast<std::size_t>(longest) <= static_cast<std::size_t>(A.num_rows))
    order_by_length_counting(exec, A, longest, rows);
  else
    order_by_length_in_windows(exec, A, rows_per_window, rows);
}

}  // namespace detail

/// The rows of A by descending length: result(p) is the p-th row; rows of equal length keep their order. With a
/// window of w > 0 rows, rows 0 .. w - 1 are sorted among themselves, then w .. 2w - 1, and so on; 0: all rows.
///
/// @return [num_rows]
/// @throws InvalidArgument if window < 0
/// @throws OverflowError if rows times the longest row exceed 2^64 (GPU, windows of more than 4096 rows)
/// @throws OutOfMemory
///
/// @pre A is valid (validate()). Cost: reads row_offsets twice; on a GPU a sort of num_rows 64-bit keys, or, with a window
/// of at most 4096 rows, of each window in the scratch of a team (1 launch); on the host a counting sort, per window or of
/// all rows. Fences exec. Deterministic, the same on every backend. Source: rows sorted by length so that a warp's rows
/// have similar lengths, Huang, Ding & Luo, J. South China Univ. of Technology 43(11), 2015, section 1.2; departures:
/// descending, so that the longest rows start first; stable; windows (sigma of Kreutzer et al., SIAM J. Sci. Comput. 36(5),
/// 2014).
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
Kokkos::View<Ordinal*, Device> rows_by_length(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A,
                                              std::int64_t window = 0) {
  require_kokkos("rows_by_length");
  require<InvalidArgument>(window >= 0, [&] {
    return detail::joined("rows_by_length: window is ", window,
                          ", expected a number of rows or 0 for all of them");
  });
  ScopedRegion const region("einkorn::rows_by_length");
  auto const num_rows = static_cast<std::size_t>(A.num_rows);
  auto const rows = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::rows_by_length", num_rows);
  if (num_rows == 0) return rows;
  detail::order_by_length(exec, A,
                          window == 0 ? num_rows : std::min(static_cast<std::size_t>(window), num_rows), rows);
  fence(exec, "einkorn::rows_by_length: A may change from here on");
  return rows;
}

}  // namespace einkorn
