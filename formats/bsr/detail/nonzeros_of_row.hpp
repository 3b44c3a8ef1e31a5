// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

namespace einkorn::detail {

/// Calls use(column, value) for the nonzero values of a row of a Bsr in the order of its blocks, without
/// padding beyond the last column.
template <class Format, class Use>
KOKKOS_FORCEINLINE_FUNCTION void for_each_nonzero(Format const& F, typename Format::ordinal_type row,
                                                  Use&& use) {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  Ordinal const size = F.block_size, block_row = row / size;
  auto const in_block = static_cast<Offset>((row - block_row * size) * size);
  for (Offset q = F.row_offsets(block_row); q < F.row_offsets(block_row + 1); ++q) {
    Ordinal const first = F.columns(q) * size;
    Ordinal const columns = F.num_cols - first < size ? F.num_cols - first : size;
    Offset const at = q * F.entries_per_block() + in_block;
    for (Ordinal c = 0; c < columns; ++c) {
      Scalar const value = F.values(at + static_cast<Offset>(c));
      if (value != Scalar(0)) use(first + c, value);
    }
  }
}

/// offsets(row) <- the number of nonzero values of the row.
template <class Format, class Offsets>
struct CountNonzeros {
  Format F;
  Offsets offsets;

  KOKKOS_FUNCTION void operator()(typename Format::ordinal_type row) const {
    typename Format::offset_type count = 0;
    for_each_nonzero(F, row, [&count](auto const&, auto const&) { ++count; });
    offsets(row) = count;
  }
};

/// Writes columns and nonzero values of the row from offsets(row) on.
template <class Format, class Offsets, class Columns, class Values>
struct CopyNonzeros {
  Format F;
  Offsets offsets;
  Columns columns;
  Values values;

  KOKKOS_FUNCTION void operator()(typename Format::ordinal_type row) const {
    typename Format::offset_type at = offsets(row);
    for_each_nonzero(F, row,
                     [&](typename Format::ordinal_type column, typename Format::scalar_type const& value) {
                       columns(at) = column;
                       values(at) = value;
                       ++at;
                     });
  }
};

}  // namespace einkorn::detail
