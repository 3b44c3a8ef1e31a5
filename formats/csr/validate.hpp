// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/csr/csr.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <limits>
#include <string>

namespace einkorn {

/// Whether a conversion or plan checks its input at a cost of O(nnz). `off` is for input that is known to be
/// good: what the checks would refuse then has no defined result.
enum class Checks { on, off };

namespace detail {

/// One number of a View, on the host.
template <class View>
typename View::non_const_value_type read_one(View const& view, std::size_t index) {
  typename View::non_const_value_type value{};
  Kokkos::deep_copy(value, Kokkos::subview(view, index));
  return value;
}

/// The lowest index in [0, count) for which `is_bad` holds, or count. Fences exec.
template <class Exec, class Count, class IsBad>
static Count first_bad(Exec const& exec, std::string const& label, Count count, IsBad const& is_bad) {
  Count first = count;
  Kokkos::parallel_reduce(
      label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<Count>>(exec, 0, count),
      KOKKOS_LAMBDA(Count i, Count & lowest) {
        if (i < lowest && is_bad(i)) lowest = i;
      },
      Kokkos::Min<Count>(first));
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

}  // namespace detail

/// Throws InvalidStructure unless A keeps the invariants of Csr; the message names the first offending row or
/// entry and its value. Runs on the device; reads row_offsets and columns once, copies a few numbers to the
/// host.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
void validate(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A) {
  require_kokkos("validate");
  auto const text = [](auto number) { return std::to_string(number); };
  require<InvalidStructure>(A.num_rows >= 0 && A.num_cols >= 0, [&] {
    return "Csr: negative size " + text(A.num_rows) + " x " + text(A.num_cols);
  });
  require<InvalidStructure>(A.columns.extent(0) == A.values.extent(0), [&] {
    return "Csr: columns has " + text(A.columns.extent(0)) + " entries, values " + text(A.values.extent(0));
  });
  auto const rows = static_cast<std::size_t>(A.num_rows);
  if (rows == 0 && A.row_offsets.extent(0) == 0) {
    require<InvalidStructure>(A.nnz() == 0, "Csr: entries, but no rows");
    return;
  }
  require<InvalidStructure>(A.row_offsets.extent(0) == rows + 1, [&] {
    return "Csr: row_offsets has extent " + text(A.row_offsets.extent(0)) +
           ", expected num_rows + 1 = " + text(rows + 1);
  });
  require<OverflowError>(
      A.values.extent(0) <= static_cast<std::size_t>(std::numeric_limits<Offset>::max()), [&] {
        return "Csr: " + text(A.values.extent(0)) + " entries do not fit Offset; int64_t or size_t would do";
      });
  exec.fence("einkorn::validate: what fills the matrix on exec has run");
  auto const first = detail::read_one(A.row_offsets, 0);
  require<InvalidStructure>(first == 0,
                            [&] { return "Csr: row_offsets(0) is " + text(first) + ", expected 0"; });
  auto const last = detail::read_one(A.row_offsets, rows);
  require<InvalidStructure>(last == A.nnz(), [&] {
    return "Csr: row_offsets(" + text(rows) + ") is " + text(last) + ", expected nnz = " + text(A.nnz());
  });
  using Decreases = detail::Decreases<decltype(A.row_offsets)>;
  auto const row = detail::first_bad(exec, "einkorn::validate[rows]", A.num_rows, Decreases{A.row_offsets});
  require<InvalidStructure>(row == A.num_rows, [&] {
    auto const i = static_cast<std::size_t>(row);
    return "Csr: row_offsets decreases after row " + text(row) + ": " +
           text(detail::read_one(A.row_offsets, i)) + " to " + text(detail::read_one(A.row_offsets, i + 1));
  });
  using OutOfRange = detail::OutOfRange<decltype(A.columns), Ordinal>;
  auto const k =
      detail::first_bad(exec, "einkorn::validate[columns]", A.nnz(), OutOfRange{A.columns, A.num_cols});
  require<InvalidStructure>(k == A.nnz(), [&] {
    return "Csr: entry " + text(k) + " has column " +
           text(detail::read_one(A.columns, static_cast<std::size_t>(k))) + ", expected 0 .. " +
           text(A.num_cols) + " - 1";
  });
}

}  // namespace einkorn
