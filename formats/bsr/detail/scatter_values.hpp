// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/bsr/detail/block_column_of.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace einkorn::detail {

/// The positions of the entries of a row in F.values. The block of an entry is that of the previous entry, the
/// next block, or found by binary search in the block row.
/// @pre F has a block for every entry.
template <class Format>
class PositionInBlocks {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;

 public:
  KOKKOS_FORCEINLINE_FUNCTION PositionInBlocks(Format const& F, BlockColumnOf<Ordinal> const& block_of,
                                               Ordinal row)
      : F_(F), block_of_(block_of), size_(static_cast<Ordinal>(F.block_size)), first_column_(-size_) {
    Ordinal const block_row = block_of_(row);
    in_block_ = static_cast<Offset>((row - block_row * size_) * size_);
    begin_ = block_ = F.row_offsets(block_row);
    end_ = F.row_offsets(block_row + 1);
  }

  KOKKOS_FORCEINLINE_FUNCTION Offset operator()(Ordinal column) {
    if (column < first_column_ || column - first_column_ >= size_) go_to_block_of(column);
    return first_position_ + static_cast<Offset>(column - first_column_);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void go_to_block_of(Ordinal column) {
    Ordinal const block_column = block_of_(column);
    first_column_ = block_column * size_;
    if (F_.columns(block_) != block_column)
      block_ = block_ + 1 < end_ && F_.columns(block_ + 1) == block_column ? block_ + 1 : find(block_column);
    first_position_ = block_ * F_.entries_per_block() + in_block_;
  }
  /// The last block with a column <= block_column.
  KOKKOS_FUNCTION Offset find(Ordinal block_column) const {
    return row_of_entry(F_.columns, begin_, end_, block_column);
  }

  Format const& F_;
  BlockColumnOf<Ordinal> const& block_of_;
  Ordinal size_, first_column_;  // of the block of the previous entry
  Offset in_block_, begin_, end_, block_, first_position_ = 0;
};

/// Writes the entries of a row of A to their positions in the blocks of F. Repeated positions are
/// added in their order, to zeroed blocks. If no position repeats, values are overwritten.
template <class Format, class Matrix>
struct ScatterValues {
  using Scalar = typename Format::scalar_type;

  Format F;
  Matrix A;
  BlockColumnOf<typename Format::ordinal_type> block_of;

  KOKKOS_FUNCTION void operator()(typename Format::ordinal_type row) const {
    PositionInBlocks<Format> position(F, block_of, row);
    bool const adds = F.has_repeats;
    for (auto k = A.row_begin(row); k < A.row_end(row); ++k) {
      auto& value = F.values(position(A.columns(k)));
      if (adds)
        value += Scalar(A.values(k));
      else
        value = Scalar(A.values(k));
    }
  }
};

/// The same for the rows of a block row, whose blocks are zeroed first if `zeroes` (host).
template <class Format, class Matrix>
struct ScatterBlockRow {
  using Ordinal = typename Format::ordinal_type;

  ScatterValues<Format, Matrix> scatter;
  bool zeroes;

  void operator()(Ordinal block_row) const {
    Format const& F = scatter.F;
    if (zeroes)
      std::fill(F.values.data() + F.row_offsets(block_row) * F.entries_per_block(),
                F.values.data() + F.row_offsets(block_row + 1) * F.entries_per_block(),
                typename Format::scalar_type(0));
    auto const size = static_cast<Ordinal>(F.block_size);
    Ordinal const first = block_row * size, left = F.num_rows - first;
    for (Ordinal row = 0; row < (left < size ? left : size); ++row) scatter(first + row);
  }
};

template <class Exec, class Format, class Matrix>
void scatter_values(Exec const& exec, char const* label, Format const& F, Matrix const& A, bool zeroes) {
  using Ordinal = typename Format::ordinal_type;
  ScatterValues<Format, Matrix> const scatter{F, A, BlockColumnOf<Ordinal>(F.block_size)};
  if constexpr (is_gpu<Exec>) {
    if (zeroes) fill_vector(exec, F.values, typename Format::scalar_type(0));
    range_for<Ordinal>(label, exec, F.num_rows, scatter);
  } else {
    range_for<Ordinal>(label, exec, F.num_block_rows, ScatterBlockRow<Format, Matrix>{scatter, zeroes});
  }
}

}  // namespace einkorn::detail
