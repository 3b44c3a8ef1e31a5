// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn::detail {

/// Where the entries of a row lie in the values of F, whose structure is theirs. The block is found by binary
/// search in the block row, after a look at the block of the entry before and at the next one.
template <class Format>
class PlaceInBlocks {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;

 public:
  KOKKOS_FORCEINLINE_FUNCTION PlaceInBlocks(Format const& F, Ordinal row)
      : F_(F), size_(static_cast<Ordinal>(F.block_size)) {
    Ordinal const block_row = row / size_;
    in_block_ = static_cast<Offset>((row - block_row * size_) * size_);
    begin_ = block_ = F.row_offsets(block_row);
    end_ = F.row_offsets(block_row + 1);
  }

  KOKKOS_FORCEINLINE_FUNCTION Offset operator()(Ordinal column) {
    Ordinal const wanted = column / size_;
    if (F_.columns(block_) != wanted)
      block_ = block_ + 1 < end_ && F_.columns(block_ + 1) == wanted ? block_ + 1 : find(wanted);
    return block_ * F_.entries_per_block() + in_block_ + static_cast<Offset>(column - wanted * size_);
  }

 private:
  /// The last block whose column is at most `wanted`: the one itself, as F has the structure.
  KOKKOS_FUNCTION Offset find(Ordinal wanted) const {
    Offset low = begin_, high = end_;
    while (high - low > 1) {
      Offset const middle = low + (high - low) / 2;
      if (F_.columns(middle) <= wanted)
        low = middle;
      else
        high = middle;
    }
    return low;
  }

  Format const& F_;
  Ordinal size_;
  Offset in_block_, begin_, end_, block_;
};

/// The entries of a row of A to their places in the blocks of F. adds: added up in their order, on blocks of
/// zeros (a position may repeat). Otherwise every entry has a place of its own and overwrites it.
template <bool adds, class Format, class Matrix>
struct ScatterValues {
  using Scalar = typename Format::scalar_type;

  Format F;
  Matrix A;

  KOKKOS_FUNCTION void operator()(typename Format::ordinal_type row) const {
    PlaceInBlocks<Format> place(F, row);
    for (auto k = A.row_begin(row); k < A.row_end(row); ++k) {
      auto& value = F.values(place(A.columns(k)));
      if constexpr (adds)
        value += Scalar(A.values(k));
      else
        value = Scalar(A.values(k));
    }
  }
};

/// One row a thread: on the host, and where positions repeat. 1 launch.
template <class Exec, class Format, class Matrix>
void scatter_values(Exec const& exec, char const* label, Format const& F, Matrix const& A) {
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<typename Format::ordinal_type>> const rows(exec, 0, F.num_rows);
  if (F.has_repeats)
    Kokkos::parallel_for(label, rows, ScatterValues<true, Format, Matrix>{F, A});
  else
    Kokkos::parallel_for(label, rows, ScatterValues<false, Format, Matrix>{F, A});
}

}  // namespace einkorn::detail
