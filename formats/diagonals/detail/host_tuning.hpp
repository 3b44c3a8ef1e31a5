// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <cstddef>

namespace einkorn {

/// Rows per block on the host (DIA, bDIA). Their sums (4 KB in double) and the part of x of a diagonal stay in
/// the L1 cache; a block of one diagonal is a page of 4 KB, which prefetchers cover. Analytical, not measured.
inline constexpr int diagonal_block_rows = 512;

/// Diagonals per pass over the sums of a block: 4 values and 4 entries of x are read for each sum read and
/// written, so that the loop is not bound by stores. Analytical, not measured.
inline constexpr int diagonals_per_batch = 4;

/// Bytes of the tile of all diagonals that a thread of the host fills in a conversion: half of an L2 cache of 256 KB.
/// Analytical, not measured.
inline constexpr std::size_t diagonal_tile_bytes = 131072;

/// Adjacent threads per row of the CSR in conversions on a GPU. 4 threads read 4 contiguous entries, 8 rows of
/// a warp write 8 contiguous slots of a diagonal: both about a sector of 32 bytes. Analytical, not measured.
inline constexpr int diagonal_lanes_per_row = 4;

}  // namespace einkorn
