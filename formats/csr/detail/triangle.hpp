// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/csr/detail/inspection.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace einkorn::detail {

/// The first entry below, above and on the diagonal; nnz if there is none.
template <class Offset>
struct FirstEntries {
  Offset below, above, on;
};

template <class Matrix>
struct FindFirstEntries {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  decltype(Matrix::columns) columns;
  decltype(Matrix::row_offsets) offsets;
  Ordinal num_rows;

  KOKKOS_FUNCTION void operator()(Offset k, Offset& below, Offset& above, Offset& on) const {
    Ordinal const row = row_of_entry(offsets, num_rows, k), column = columns(k);
    if (column < row && k < below) below = k;
    if (column > row && k < above) above = k;
    if (column == row && k < on) on = k;
  }
};

/// One work item per entry, with a search for its row. 1 launch; fences exec.
template <class Exec, class Matrix>
FirstEntries<typename Matrix::offset_type> first_entries(Exec const& exec, Matrix const& A) {
  using Offset = typename Matrix::offset_type;
  Offset const nnz = A.nnz();
  FirstEntries<Offset> first{nnz, nnz, nnz};
  auto const columns = A.columns;
  auto const offsets = A.row_offsets;
  auto const num_rows = A.num_rows;
  range_reduce<Offset>("einkorn::first_entries", exec, nnz,
                       FindFirstEntries<Matrix>{columns, offsets, num_rows}, Kokkos::Min<Offset>(first.below),
                       Kokkos::Min<Offset>(first.above), Kokkos::Min<Offset>(first.on));
  auto const found = [nnz](Offset k) { return k < nnz ? k : nnz; };  // Min starts at the largest Offset
  return {found(first.below), found(first.above), found(first.on)};
}

/// "entry 7 at (2, 0)".
template <class Matrix>
std::string describe_entry(Matrix const& A, typename Matrix::offset_type k) {
  auto const row = read_row_of_entry(A, k);
  return "entry " + std::to_string(k) + " at (" + std::to_string(row) + ", " +
         std::to_string(read_one(A.columns, static_cast<std::size_t>(k))) + ")";
}

/// Throws OverflowError if the full matrix of a half with nnz entries and n rows may exceed Offset.
template <class Offset>
void require_full_fits(std::uint64_t nnz, std::uint64_t n) {
  constexpr auto max = static_cast<std::uint64_t>(std::numeric_limits<Offset>::max());
  require<OverflowError>(n <= max && nnz <= (max - n) / 2, [&] {
    return "expand_symmetric: up to 2 * " + std::to_string(nnz) + " + " + std::to_string(n) +
           " entries do not fit Offset (up to " + std::to_string(max) + "); int64_t or size_t would do";
  });
}

}  // namespace einkorn::detail
