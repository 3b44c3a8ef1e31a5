// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/generate/counter_rng.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace einkorn {

/// A matrix that is computed, not stored. row(i) gives the length of row i, its columns (column(k) increases
/// with k) and the value in a column. All functions are called in kernels, in any order.
template <class T>
concept RowPattern = requires(T const& pattern, std::int64_t index) {
  { pattern.num_rows() } -> std::same_as<std::int64_t>;
  { pattern.num_cols() } -> std::same_as<std::int64_t>;
  { pattern.row(index).length() } -> std::same_as<std::int64_t>;
  { pattern.row(index).column(index) } -> std::same_as<std::int64_t>;
  { pattern.row(index).value(index) } -> std::same_as<Numerator>;
};

namespace detail {

/// Throws OverflowError unless `count` fits Index. `what`, `index_name` and `name` (of the matrix) are for the
/// message.
template <class Index>
void require_fits(double count, char const* what, char const* index_name, std::string const& name) {
  constexpr double largest_int64 = 9223372036854774784.0;  // as a double
  if (count <= static_cast<double>(std::numeric_limits<Index>::max())) return;
  if (count > largest_int64)
    throw OverflowError(name + ": the number of " + what + " does not fit any 64-bit type");
  throw OverflowError(name + ": " + std::to_string(static_cast<std::int64_t>(count)) + " " + what +
                      " do not fit " + index_name + " of " + std::to_string(8 * sizeof(Index)) +
                      " bits; std::int64_t would do");
}

/// Consecutive entries per thread: on a GPU one, so that neighbouring threads fill neighbouring entries.
template <class Exec>
inline constexpr std::int64_t entries_per_thread = is_gpu<Exec> ? 1 : 1024;

template <class Pattern, class Offsets>
struct CountPatternEntries {
  using Offset = typename Offsets::non_const_value_type;

  Pattern pattern;
  Offsets offsets;

  KOKKOS_FUNCTION void operator()(std::int64_t row, double& sum) const {
    std::int64_t const length = pattern.row(row).length();
    offsets(row) = static_cast<Offset>(length);
    sum += static_cast<double>(length);
  }
};

/// offsets(i) <- the length of row i. Returns their sum, exact below 2^53; unlike offsets it does not wrap
/// around.
template <class Exec, class Pattern, class Offsets>
double count_entries(Exec const& exec, Pattern const& pattern, Offsets const& offsets) {
  double total = 0;
  range_reduce<std::int64_t>("einkorn::build_csr[count]", exec, pattern.num_rows(),
                             CountPatternEntries<Pattern, Offsets>{pattern, offsets}, total);
  return total;
}

template <class Offsets>
struct SumPatternOffsets {
  using Offset = typename Offsets::non_const_value_type;

  Offsets offsets;
  std::size_t last;

  KOKKOS_FUNCTION void operator()(std::size_t row, Offset& before, bool is_final) const {
    Offset const length = row < last ? offsets(row) : Offset(0);
    if (is_final) offsets(row) = before;
    before += length;
  }
};

/// offsets(i) <- offsets(0) + ... + offsets(i - 1), in place; the last element is not read. Returns the last
/// sum.
template <class Exec, class Offsets>
typename Offsets::non_const_value_type sum_in_place(Exec const& exec, Offsets const& offsets) {
  using Offset = typename Offsets::non_const_value_type;
  std::size_t const last = offsets.extent(0) - 1;
  Offset total = 0;
  range_scan<std::size_t>("einkorn::build_csr[offsets]", exec, last + 1,
                          SumPatternOffsets<Offsets>{offsets, last}, total);
  return total;
}

template <class Pattern, class Offsets, class Columns, class Values>
struct FillPatternEntries {
  using Scalar = typename Values::non_const_value_type;
  using Ordinal = typename Columns::non_const_value_type;

  Pattern pattern;
  Offsets offsets;
  Columns columns;
  Values values;
  std::int64_t nnz, num_rows, entries_per_part;

  KOKKOS_FUNCTION void operator()(std::int64_t part) const {
    std::int64_t k = part * entries_per_part;
    std::int64_t const end = nnz - k < entries_per_part ? nnz : k + entries_per_part;
    for (std::int64_t i = row_of_entry(offsets, num_rows, k); k < end; ++i) {
      auto const row = pattern.row(i);
      auto const begin = static_cast<std::int64_t>(offsets(i));
      auto const row_end = static_cast<std::int64_t>(offsets(i + 1));
      for (std::int64_t const stop = row_end < end ? row_end : end; k < stop; ++k) {
        std::int64_t const column = row.column(k - begin);
        columns(k) = static_cast<Ordinal>(column);
        values(k) = scalar_from<Scalar>(row.value(column));
      }
    }
  }
};

/// Work is divided by entries, so that the time does not depend on the distribution of the row lengths.
template <class Exec, class Pattern, class Offsets, class Columns, class Values>
void fill_entries(Exec const& exec, Pattern const& pattern, Offsets const& offsets, Columns const& columns,
                  Values const& values) {
  auto const nnz = static_cast<std::int64_t>(values.extent(0));
  std::int64_t const num_rows = pattern.num_rows();
  constexpr std::int64_t per_part = entries_per_thread<Exec>;
  range_for<std::int64_t>("einkorn::build_csr[fill]", exec, ceil_div(nnz, per_part),
                          FillPatternEntries<Pattern, Offsets, Columns, Values>{
                              pattern, offsets, columns, values, nnz, num_rows, per_part});
}

}  // namespace detail

/// The matrix of a row pattern as CSR, computed in parallel on the device.
/// @param name of the matrix, for error messages
/// @throws OverflowError with the type that suffices, before arrays of nnz entries are allocated
/// @throws OutOfMemory
/// Asynchronous: the entries may not be written yet on return.
template <class Scalar, class Ordinal, class Offset, class Device, ExecutionSpace Exec, RowPattern Pattern>
requires AccessibleFrom<Device, Exec>
Csr<Scalar, Ordinal, Offset, Device> build_csr(Exec const& exec, Pattern const& pattern,
                                               std::string const& name) {
  require_kokkos("build_csr");
  detail::require_fits<Ordinal>(static_cast<double>(pattern.num_rows()), "rows", "Ordinal", name);
  detail::require_fits<Ordinal>(static_cast<double>(pattern.num_cols()), "columns", "Ordinal", name);
  auto const num_rows = static_cast<std::size_t>(pattern.num_rows());
  using Offsets = Kokkos::View<Offset*, Device>;
  auto const offsets = allocate<Offsets>(exec, "einkorn::build_csr::row_offsets", num_rows + 1);
  double const entries = detail::count_entries(exec, pattern, offsets);
  detail::require_fits<Offset>(entries, "entries", "Offset", name);
  constexpr double max_bytes = 9e18;  // must fit size_t
  require<OutOfMemory>(entries * static_cast<double>(sizeof(Scalar) + sizeof(Ordinal)) < max_bytes,
                       [&] { return "no memory for " + name + ": " + std::to_string(entries) + " entries"; });
  auto const nnz = static_cast<std::size_t>(detail::sum_in_place(exec, offsets));
  auto const columns = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::build_csr::columns", nnz);
  auto const values = allocate<Kokkos::View<Scalar*, Device>>(exec, "einkorn::build_csr::values", nnz);
  detail::fill_entries(exec, pattern, offsets, columns, values);
  return {static_cast<Ordinal>(pattern.num_rows()), static_cast<Ordinal>(pattern.num_cols()), offsets, columns,
          values};
}

}  // namespace einkorn
