// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/bsr/detail/block_column_of.hpp>
#include <einkorn/formats/bsr/detail/count_blocks_host.hpp>
#include <einkorn/formats/bsr/detail/find_blocks.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// The block columns of all block rows of A, whose rows are sorted, in one pass (host); offsets(I) <- the number of those
/// of block row I. Those of a chunk of for_each_chunk() are contiguous, increasing in each block row, from the position of
/// the first entry of the chunk on.
template <class Exec, class Matrix, class Offsets, class Columns>
void list_blocks(Exec const& exec, Matrix const& A, int block_size,
                 typename Matrix::ordinal_type num_block_rows, Offsets const& offsets, Columns const& listed) {
  using Ordinal = typename Matrix::ordinal_type;
  BlockColumnOf<Ordinal> const block_of(block_size);
  for_each_chunk("einkorn::from_csr[bsr,count]", exec, num_block_rows,
                 [&](std::size_t, std::int64_t begin, std::int64_t end) {
                   if (begin == end) return;
                   BlockColumnSet<Ordinal> set;
                   Ordinal* at = listed.data() + A.row_begin(static_cast<Ordinal>(begin * block_size));
                   auto const add = [&at](Ordinal block) { *at++ = block; };
                   for (auto I = static_cast<Ordinal>(begin); I < static_cast<Ordinal>(end); ++I) {
                     Ordinal* const first = at;
                     visit_blocks_of_row(A, block_size, block_of, I, set, add);
                     std::sort(first, at);
                     offsets(I) = static_cast<typename Offsets::non_const_value_type>(at - first);
                   }
                 });
}

/// offsets(I) <- the number of blocks of block row I of A, whose rows are sorted. 1 launch.
/// @return for fill_block_columns()
template <class Exec, class Matrix, class Offsets>
auto count_blocks(Exec const& exec, Matrix const& A, int block_size,
                  typename Matrix::ordinal_type num_block_rows, Offsets const& offsets) {
  Kokkos::View<typename Matrix::ordinal_type*, typename Matrix::device_type> listed;
  if constexpr (is_gpu<Exec>) {
    find_blocks_in_teams<false>(exec, "einkorn::from_csr[bsr,count]", A, block_size, num_block_rows, offsets,
                                offsets);
  } else {
    listed = allocate<decltype(listed)>(exec, "einkorn::from_csr[bsr]: block columns", A.nnz());
    list_blocks(exec, A, block_size, num_block_rows, offsets, listed);
  }
  return listed;
}

/// Writes the block columns of every block row I, increasing, from columns(offsets(I)) on. 1 launch.
/// @param listed  of count_blocks() for the same A and block size
template <class Exec, class Matrix, class Offsets, class Columns>
void fill_block_columns(Exec const& exec, Matrix const& A, int block_size,
                        typename Matrix::ordinal_type num_block_rows, Offsets const& offsets,
                        [[maybe_unused]] Columns const& listed, Columns const& columns) {
  if constexpr (is_gpu<Exec>)
    find_blocks_in_teams<true>(exec, "einkorn::from_csr[bsr,columns]", A, block_size, num_block_rows, offsets,
                               columns);
  else
    for_each_chunk("einkorn::from_csr[bsr,columns]", exec, num_block_rows,
                   [&](std::size_t, std::int64_t begin, std::int64_t end) {
                     if (begin == end) return;
                     auto const first_row = static_cast<typename Matrix::ordinal_type>(begin * block_size);
                     auto const first = static_cast<std::size_t>(offsets(static_cast<std::size_t>(begin))),
                                last = static_cast<std::size_t>(offsets(static_cast<std::size_t>(end)));
                     std::copy_n(listed.data() + A.row_begin(first_row), last - first, columns.data() + first);
                   });
}

}  // namespace einkorn::detail
