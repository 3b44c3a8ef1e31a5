// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/overlap.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/fingerprint.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace einkorn {

namespace detail {

inline bool are_on(Checks checks) {
  require_enumerator(checks, Checks::off, "checks");
  return checks == Checks::on;
}

/// Copies one entry of a View to the host.
template <class View>
typename View::non_const_value_type read_one(View const& view, std::size_t index) {
  if constexpr (is_gpu<typename View::execution_space>) {
    typename View::non_const_value_type value{};
    Kokkos::deep_copy(value, Kokkos::subview(view, index));
    return value;
  } else {
    return view(index);
  }
}

/// The row of entry k, for error messages: read_one() of row offsets by binary search. @pre k < A.nnz().
template <class Matrix>
typename Matrix::ordinal_type read_row_of_entry(Matrix const& A, typename Matrix::offset_type k) {
  typename Matrix::ordinal_type row = 0, end = A.num_rows;
  while (end - row > 1) {
    auto const middle = static_cast<typename Matrix::ordinal_type>(row + (end - row) / 2);
    if (read_one(A.row_offsets, static_cast<std::size_t>(middle)) <= k)
      row = middle;
    else
      end = middle;
  }
  return row;
}

template <class Count, class IsBad>
struct FindFirstBad {
  IsBad is_bad;

  KOKKOS_FUNCTION void operator()(Count i, Count& lowest) const {
    if (i < lowest && is_bad(i)) lowest = i;
  }
};

/// The lowest index in [0, count) for which `is_bad` holds, or count. Fences exec.
template <class Exec, class Count, class IsBad>
Count first_bad(Exec const& exec, std::string const& label, Count count, IsBad const& is_bad) {
  Count first = count;
  range_reduce<Count>(label, exec, count, FindFirstBad<Count, IsBad>{is_bad}, Kokkos::Min<Count>(first));
  return first < count ? first : count;  // Min starts at the largest Count
}

template <class Offsets>
struct Decreases {
  Offsets offsets;
  template <class Index>
  KOKKOS_FUNCTION bool operator()(Index i) const {
    return offsets(i + 1) < offsets(i);
  }
};

template <class Columns, class Ordinal>
struct OutOfRange {
  Columns columns;
  Ordinal num_cols;
  template <class Index>
  KOKKOS_FUNCTION bool operator()(Index i) const {
    return columns(i) < 0 || columns(i) >= num_cols;
  }
};

/// First errors of a Csr with valid extents, and its fingerprint. `entry` is the first entry with a column out of range.
/// `at` is 0 if row_offsets(0) is not 0, 1 if the last offset is not nnz, 2 + the first row after which offsets decrease.
template <class Offsets, class Columns>
struct InspectStructure {
  using Offset = typename Offsets::non_const_value_type;
  using Ordinal = typename Columns::non_const_value_type;
  using Unsigned = std::make_unsigned_t<Ordinal>;

  Offsets row_offsets;
  Offset nnz;
  Ordinal num_cols;
  StructureHash<Offset, Ordinal> hash;

  KOKKOS_FUNCTION void operator()(std::size_t item, std::size_t& entry, std::size_t& at,
                                  std::uint64_t& offsets_hash, std::uint64_t& columns_hash) const {
    hash.visit(
        item,
        [&](auto const& four, std::size_t g) {
          offsets_hash += hash.hash_of_four(four, g);
          inspect_offsets(four, g, at);
        },
        [&](auto const& four, std::size_t g) {
          columns_hash += hash.hash_of_four(four, g);
          inspect_columns(four, g, entry);
        });
  }

 private:
  template <class Four>
  KOKKOS_FORCEINLINE_FUNCTION void inspect_offsets(Four const& four, std::size_t g, std::size_t& at) const {
    std::size_t const rows = row_offsets.extent(0) - 1;
    if (g == 0 && four.entry[0] != 0) at = 0;
    if (g == 0 && row_offsets(rows) != nnz && at > 1) at = 1;
    for (std::size_t j = 0; j < 4 && 4 * g + j < rows; ++j) {
      Offset const next = j < 3 ? four.entry[j + 1] : row_offsets(4 * g + 4);
      if (next < four.entry[j] && 2 + 4 * g + j < at) at = 2 + 4 * g + j;
    }
  }
  template <class Four>
  KOKKOS_FORCEINLINE_FUNCTION void inspect_columns(Four const& four, std::size_t g, std::size_t& entry) const {
    Unsigned largest = 0;  // a negative column is larger than all valid ones
    for (auto const column : four.entry) largest = Kokkos::max(largest, static_cast<Unsigned>(column));
    if (largest < static_cast<Unsigned>(num_cols)) return;
    for (std::size_t j = 0; j < 4; ++j) {
      bool const is_bad = static_cast<Unsigned>(four.entry[j]) >= static_cast<Unsigned>(num_cols);
      if (is_bad && 4 * g + j < static_cast<std::size_t>(nnz) && 4 * g + j < entry) entry = 4 * g + j;
    }
  }
};

/// Host: the errors that InspectStructure finds, by one thread.
/// @param decreases       whether row_offsets decrease anywhere
/// @param largest_column  as an integer without sign
template <class Matrix>
void find_errors_on_host(Matrix const& A, bool decreases,
                         std::make_unsigned_t<typename Matrix::ordinal_type> largest_column, std::size_t& at,
                         std::size_t& entry) {
  auto const* const offsets = A.row_offsets.data();
  auto const rows = static_cast<std::size_t>(A.num_rows);
  if (offsets[0] != 0)
    at = 0;
  else if (offsets[rows] != A.nnz())
    at = 1;
  else if (decreases)
    at = 1 + static_cast<std::size_t>(std::is_sorted_until(offsets, offsets + rows + 1) - offsets);
  auto const* const columns = A.columns.data();
  auto const nnz = static_cast<std::size_t>(A.nnz());
  auto const num_cols = static_cast<decltype(largest_column)>(A.num_cols);
  auto const is_bad = [&](auto column) { return static_cast<decltype(largest_column)>(column) >= num_cols; };
  if (nnz > 0 && is_bad(largest_column))
    entry = static_cast<std::size_t>(std::find_if(columns, columns + nnz, is_bad) - columns);
}

/// Checks sizes and alignment. False: a valid matrix without rows and row_offsets.
template <class Matrix>
bool require_extents(Matrix const& A) {
  using Offset = typename Matrix::offset_type;
  auto const text = [](auto number) { return std::to_string(number); };
  require<InvalidStructure>(A.num_rows >= 0 && A.num_cols >= 0, [&] {
    return "Csr: negative size " + text(A.num_rows) + " x " + text(A.num_cols);
  });
  A.visit_arrays([](char const* name, auto const& array) { require_aligned(array, "Csr", name); });
  require<InvalidStructure>(A.columns.extent(0) == A.values.extent(0), [&] {
    return "Csr: columns has " + text(A.columns.extent(0)) + " entries, values " + text(A.values.extent(0));
  });
  auto const rows = static_cast<std::size_t>(A.num_rows);
  if (rows == 0 && A.row_offsets.extent(0) == 0) {
    require<InvalidStructure>(A.nnz() == 0, "Csr: entries, but no rows");
    return false;
  }
  require<InvalidStructure>(A.row_offsets.extent(0) == rows + 1, [&] {
    return "Csr: row_offsets has extent " + text(A.row_offsets.extent(0)) +
           ", expected num_rows + 1 = " + text(rows + 1);
  });
  require<OverflowError>(
      A.values.extent(0) <= static_cast<std::size_t>(std::numeric_limits<Offset>::max()), [&] {
        return "Csr: " + text(A.values.extent(0)) + " entries do not fit Offset; int64_t or size_t would do";
      });
  return true;
}

/// The fingerprint of A (fingerprint.hpp). With Checks::on the same pass validates A and throws as validate().
/// Reads row_offsets and columns once, in 1 launch; fences exec.
template <class Exec, class Matrix>
Fingerprint checked_fingerprint(Exec const& exec, Matrix const& A, Checks checks) {
  using Offsets = decltype(A.row_offsets);
  using Columns = decltype(A.columns);
  if (!are_on(checks) || !require_extents(A)) return fingerprint(exec, A);
  auto const text = [](auto number) { return std::to_string(number); };
  auto const rows = static_cast<std::size_t>(A.num_rows);
  std::size_t constexpr none = std::numeric_limits<std::size_t>::max();
  using Hash = StructureHash<typename Matrix::offset_type, typename Matrix::ordinal_type>;
  Hash const hash{vector_loads(A.row_offsets), vector_loads(A.columns)};
  std::size_t entry = none, at = none;
  auto result = empty_fingerprint(A);
  if constexpr (is_gpu<Exec>) {
    range_reduce<std::size_t>("einkorn::validate", exec, hash.num_items(),
                              InspectStructure<Offsets, Columns>{A.row_offsets, A.nnz(), A.num_cols, hash},
                              Kokkos::Min<std::size_t>(entry), Kokkos::Min<std::size_t>(at),
                              Kokkos::Sum<std::uint64_t>(result.offsets),
                              Kokkos::Sum<std::uint64_t>(result.columns));
  } else {
    auto const found = hash_on_host("einkorn::validate", exec, hash, result);
    find_errors_on_host(A, found.decreases, found.largest_column, at, entry);
  }
  require<InvalidStructure>(
      at != 0, [&] { return "Csr: row_offsets(0) is " + text(read_one(A.row_offsets, 0)) + ", expected 0"; });
  require<InvalidStructure>(at != 1, [&] {
    return "Csr: row_offsets(" + text(rows) + ") is " + text(read_one(A.row_offsets, rows)) +
           ", expected nnz = " + text(A.nnz());
  });
  require<InvalidStructure>(at == none, [&] {
    return "Csr: row_offsets decreases after row " + text(at - 2) + ": " +
           text(read_one(A.row_offsets, at - 2)) + " to " + text(read_one(A.row_offsets, at - 1));
  });
  require<InvalidStructure>(entry == none, [&] {
    return "Csr: entry " + text(entry) + " has column " + text(read_one(A.columns, entry)) +
           ", expected 0 .. " + text(A.num_cols) + " - 1";
  });
  if (rows == 0) result.offsets = 0;  // with and without row_offsets
  return result;
}

}  // namespace detail

/// Checks the invariants of Csr.
/// @throws InvalidArgument if an array is not aligned to its entries
/// @throws InvalidStructure for the first invalid row or entry, with its value
///
/// Cost: 1 launch that reads row_offsets and columns once; fences exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
void validate(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A) {
  require_kokkos("validate");
  (void)detail::checked_fingerprint(exec, A, Checks::on);
}

}  // namespace einkorn
