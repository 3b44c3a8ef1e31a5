// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstddef>

namespace einkorn {

namespace detail {

/// A body for for_each() of RowEntries.
struct EntryBody {
  template <class Ordinal, class Scalar>
  KOKKOS_FUNCTION void operator()(Ordinal, Scalar const&) const {}
};

}  // namespace detail

/// Row access by iteration, for kernels that copy the rows of a matrix into memory of their own.
/// row_entries(plan) returns it for the formats that have it.
///
///     static constexpr bool max_is_known;
///     bool is_available() const;                      // for this matrix
///     std::size_t max_row_length(exec) const;         // upper bound; fences exec unless max_is_known
///     void for_each(row, body) const;                 // device: body(column, value) in the order of a product
template <class T>
concept RowEntries = requires(T const& rows, Kokkos::DefaultExecutionSpace const& exec,
                              typename T::ordinal_type row, detail::EntryBody body) {
  typename T::scalar_type;
  requires std::same_as<decltype(T::max_is_known), bool const>;
  { rows.is_available() } -> std::same_as<bool>;
  { rows.max_row_length(exec) } -> std::same_as<std::size_t>;
  rows.for_each(row, body);
};

/// Row access by position, for products with several vectors. Entry j < length(position) of a row is at
/// begin(position) + j * stride() of A.columns and A.values; column -1 is padding, at the end of the row;
/// entries(position) is the length without it. The row of y is row_at(position). `order` is the memory layout
/// (EntryOrder).
template <class T>
concept StridedRows = requires(T const& rows, typename T::Ordinal position) {
  typename T::Scalar;
  T::order;
  requires std::same_as<decltype(T::has_varying_lengths), bool const>;
  rows.A.columns;
  rows.A.values;
  { rows.row_at(position) } -> std::same_as<typename T::Ordinal>;
  { rows.begin(position) } -> std::same_as<typename T::Offset>;
  { rows.length(position) } -> std::same_as<typename T::Offset>;
  { rows.entries(position) } -> std::same_as<typename T::Offset>;
  { rows.stride() } -> std::same_as<typename T::Offset>;
};

}  // namespace einkorn
