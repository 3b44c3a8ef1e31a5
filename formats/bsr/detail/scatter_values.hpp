// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn::detail {

/// Entries of A to their places in the blocks of F, whose structure is A's. The block is found by binary search
/// in the block row, after a look at the block of the entry before and at the next one. adds: one row a thread,
/// entries added up in their order, on blocks of zeros (a position may repeat). Otherwise every entry has a
/// place of its own and overwrites it, `lanes` threads a row.
template <bool adds, int lanes, class Format, class Matrix>
struct ScatterValues {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;

  Format F;
  Matrix A;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    auto const row = static_cast<Ordinal>(i / lanes);
    Ordinal const size = F.block_size, block_row = row / size;
    auto const in_block = static_cast<Offset>((row - block_row * size) * size);
    Offset const begin = F.row_offsets(block_row), end = F.row_offsets(block_row + 1);
    Offset block = begin;
    for (Offset k = A.row_begin(row) + static_cast<Offset>(i % lanes); k < A.row_end(row); k += lanes) {
      Ordinal const column = A.columns(k), wanted = column / size;
      if (F.columns(block) != wanted)
        block = block + 1 < end && F.columns(block + 1) == wanted ? block + 1 : find(begin, end, wanted);
      Scalar& value =
          F.values(block * F.entries_a_block() + in_block + static_cast<Offset>(column - wanted * size));
      if constexpr (adds)
        value += Scalar(A.values(k));
      else
        value = Scalar(A.values(k));
    }
  }

 private:
  /// The last block of [begin, end) whose column is at most `wanted`: the one itself, as F has A's structure.
  KOKKOS_FUNCTION Offset find(Offset begin, Offset end, Ordinal wanted) const {
    while (end - begin > 1) {
      Offset const middle = begin + (end - begin) / 2;
      if (F.columns(middle) <= wanted)
        begin = middle;
      else
        end = middle;
    }
    return begin;
  }
};

/// F.values <- A.values. is_zeroed: F.values hold nothing but zeros; otherwise they hold values on the same
/// structure. 1 launch, and the zeroing where positions repeat.
template <class Exec, class Format, class Matrix>
void scatter_values(Exec const& exec, char const* label, Format const& F, Matrix const& A, bool is_zeroed) {
  using Scalar = typename Format::scalar_type;
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  auto const rows = static_cast<std::int64_t>(F.num_rows);
  if (F.has_repeats) {
    if (!is_zeroed) Kokkos::deep_copy(exec, F.values, Scalar(0));
    Kokkos::parallel_for(label, Policy(exec, 0, rows), ScatterValues<true, 1, Format, Matrix>{F, A});
  } else {
    constexpr int lanes = is_gpu<Exec> ? 8 : 1;
    Kokkos::parallel_for(label, Policy(exec, 0, rows * lanes),
                         ScatterValues<false, lanes, Format, Matrix>{F, A});
  }
}

}  // namespace einkorn::detail
