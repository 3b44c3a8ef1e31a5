// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/formats/analysis/detail/counters.hpp>
#include <einkorn/formats/csr/detail/row_order.hpp>
#include <einkorn/formats/diagonals/detail/mark_row_on_host.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace einkorn::detail {

inline constexpr std::int64_t rows_per_host_part = 1024;

/// Host: calls body(begin, end) for parts of the rows.
template <class Exec, class Body>
void for_each_part_of_rows(Exec const& exec, char const* label, std::int64_t num_rows, Body const& body) {
  for_each_part(exec, label, ceil_div(num_rows, rows_per_host_part), [&](std::int64_t part) {
    body(part * rows_per_host_part, std::min((part + 1) * rows_per_host_part, num_rows));
  });
}

/// Whether each column of a row is 1 more than that of the row above, which has as many entries.
/// @param above  the columns of the row above; those of the row follow
template <class Ordinal, class Offset>
bool is_next_on_each_diagonal(Ordinal const* above, Offset length) {
  Ordinal difference = 0;
  for (Offset k = 0; k < length; ++k) difference |= static_cast<Ordinal>(above[k] + 1) ^ above[k + length];
  return difference == 0;
}

/// Host: what AnalyzeRows (rows.hpp) computes. The order of the columns first, by vector instructions: the bandwidth of a
/// sorted row is that of its first and its last entry. Then the diagonals are flagged, and rows compared with the row above.
template <class Exec, class Matrix, class Device>
void analyze_rows_on_host(Exec const& exec, Matrix const& A, StructureCounters<Device> const& counters) {
  using Counters = StructureCounters<Device>;
  using Offset = typename Matrix::offset_type;
  auto const order = row_order(exec, A);
  bool const is_sorted = order.is_sorted && !order.repeats;
  if (!is_sorted) counters.counts(Counters::unsorted_rows) = 1;  // read as "any"
  auto const num_rows = static_cast<std::int64_t>(A.num_rows);
  auto const* const offsets = A.row_offsets.data();
  auto const* const all_columns = A.columns.data();
  for_each_part_of_rows(exec, "einkorn::structure[rows]", num_rows, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t counts[Counters::num_combined] = {};
    auto const maximize = [&](int slot, std::int64_t value) { counts[slot] = std::max(counts[slot], value); };
    Offset above = begin > 0 ? static_cast<Offset>(offsets[begin] - offsets[begin - 1]) : Offset(0);
    for (auto row = begin; row < end; ++row) {
      Offset const length = offsets[row + 1] - offsets[row];
      auto const* const columns = all_columns + offsets[row];
      auto const count = static_cast<std::int64_t>(length);
      bool const repeats = row > 0 && length == above &&
                           (length == 0 || (columns[0] == *(columns - length) &&
                                            std::equal(columns, columns + length, columns - length)));
      above = length;
      maximize(Counters::longest_row, count);
      counts[Counters::sum_of_squares] += count * count;
      ++counts[Counters::histogram + std::bit_width(static_cast<std::uint64_t>(count))];
      if (!repeats) {
        ++counts[Counters::stripes];
        counts[Counters::stripe_columns] += count;
      }
      if (length == 0) continue;
      auto const [first, last] = is_sorted ? std::pair(columns[0], columns[length - 1]) : [&] {
        auto const ends = std::minmax_element(columns, columns + length);
        return std::pair(*ends.first, *ends.second);
      }();
      maximize(Counters::lower_bandwidth, row - static_cast<std::int64_t>(first));
      maximize(Counters::upper_bandwidth, static_cast<std::int64_t>(last) - row);
      mark_row_on_host<Exec>(columns, length, counters.diagonals.data() + (num_rows - 1 - row));
    }
    for (int i = 0; i < Counters::num_combined; ++i)
      Counters::template combine<Exec>(i, &counters.counts(i), counts[i]);
  });
}

/// Host: the entries of each diagonal, as CountDiagonals (diagonals.hpp) counts them. The number of consecutive rows that are
/// on the same diagonals is added to the count of each of these diagonals at once.
template <class Exec, class Matrix, class Device>
void count_diagonals_on_host(Exec const& exec, Matrix const& A, Kokkos::View<int*, Device> const& numbers,
                             Kokkos::View<std::int64_t*, Device> const& entries) {
  using Offset = typename Matrix::offset_type;
  auto const num_rows = static_cast<std::int64_t>(A.num_rows);
  auto const* const offsets = A.row_offsets.data();
  auto const* const all_columns = A.columns.data();
  for_each_part_of_rows(exec, "einkorn::structure[count diagonals]", num_rows,
                        [&](std::int64_t begin, std::int64_t end) {
                          std::int64_t counts[max_listed_diagonals] = {};
                          std::int64_t rows = 0;  // on the same diagonals, up to this one
                          auto const add = [&](std::int64_t row) {
                            int const* const number = numbers.data() + (num_rows - 1 - row);
                            for (Offset k = offsets[row]; k < offsets[row + 1]; ++k)
                              counts[number[all_columns[k]]] += rows;
                          };
                          for (auto row = begin; row < end; ++row) {
                            Offset const length = offsets[row + 1] - offsets[row];
                            ++rows;
                            if (row + 1 < end && offsets[row + 2] - offsets[row + 1] == length &&
                                is_next_on_each_diagonal(all_columns + offsets[row], length))
                              continue;
                            add(row);
                            rows = 0;
                          }
                          for (std::size_t i = 0; i < entries.extent(0); ++i)
                            if (counts[i] > 0) Kokkos::atomic_add(&entries(i), counts[i]);
                        });
}

}  // namespace einkorn::detail
