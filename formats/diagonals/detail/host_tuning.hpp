// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

namespace einkorn {

/// Rows that a host thread takes from each diagonal in turn (DIA, bDIA). Their sums (4 KB in double) and the
/// part of x under a diagonal stay in the first cache, and a block of one diagonal is a page of 4 KB, which
/// prefetchers run through. Analytical, not measured.
inline constexpr int diagonal_block_rows = 512;

/// Diagonals that share one pass over those sums: 4 values and 4 x are read for one sum read and written, so
/// that the loop is not bound by stores. Analytical, not measured.
inline constexpr int diagonals_per_batch = 4;

/// Neighbouring threads that share a row of the CSR in conversions on a GPU. 4 threads read 4 entries side by
/// side, 8 rows of a warp write 8 neighbouring slots of a diagonal: both about a sector of 32 bytes.
/// Analytical, not measured.
inline constexpr int diagonal_lanes_per_row = 4;

}  // namespace einkorn
