// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/range_launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn::detail {

/// The positions of the entries of a row in F.values. The block of an entry is that of the previous entry, the
/// next block, or found by binary search in the block row.
/// @pre F has a block for every entry.
template <class Format>
class PositionInBlocks {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;

 public:
  KOKKOS_FORCEINLINE_FUNCTION PositionInBlocks(Format const& F, Ordinal row)
      : F_(F), size_(static_cast<Ordinal>(F.block_size)) {
    Ordinal const block_row = row / size_;
    in_block_ = static_cast<Offset>((row - block_row * size_) * size_);
    begin_ = block_ = F.row_offsets(block_row);
    end_ = F.row_offsets(block_row + 1);
  }

  KOKKOS_FORCEINLINE_FUNCTION Offset operator()(Ordinal column) {
    Ordinal const block_column = column / size_;
    if (F_.columns(block_) != block_column)
      block_ = block_ + 1 < end_ && F_.columns(block_ + 1) == block_column ? block_ + 1 : find(block_column);
    return block_ * F_.entries_per_block() + in_block_ + static_cast<Offset>(column - block_column * size_);
  }

 private:
  /// The last block with a column <= block_column.
  KOKKOS_FUNCTION Offset find(Ordinal block_column) const {
    return row_of_entry(F_.columns, begin_, end_, block_column);
  }

  Format const& F_;
  Ordinal size_;
  Offset in_block_, begin_, end_, block_;
};

/// Writes the entries of a row of A to their positions in the blocks of F. adds: adds repeated positions in
/// their order, to zeroed blocks. Otherwise positions do not repeat and values are overwritten.
template <bool adds, class Format, class Matrix>
struct ScatterValues {
  using Scalar = typename Format::scalar_type;

  Format F;
  Matrix A;

  KOKKOS_FUNCTION void operator()(typename Format::ordinal_type row) const {
    PositionInBlocks<Format> position(F, row);
    for (auto k = A.row_begin(row); k < A.row_end(row); ++k) {
      auto& value = F.values(position(A.columns(k)));
      if constexpr (adds)
        value += Scalar(A.values(k));
      else
        value = Scalar(A.values(k));
    }
  }
};

/// One row per thread: on the host, and if positions repeat. 1 launch.
template <class Exec, class Format, class Matrix>
void scatter_values(Exec const& exec, char const* label, Format const& F, Matrix const& A) {
  if (F.has_repeats)
    range_for<typename Format::ordinal_type>(label, exec, F.num_rows,
                                             ScatterValues<true, Format, Matrix>{F, A});
  else
    range_for<typename Format::ordinal_type>(label, exec, F.num_rows,
                                             ScatterValues<false, Format, Matrix>{F, A});
}

}  // namespace einkorn::detail
