// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/update.hpp>
#include <einkorn/formats/csr/detail/row_dot.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn::detail {

/// Segmented sum on the host: one tile of the merge path a part, so that even one dense row is shared evenly.
template <bool conjugated, class Matrix, class X, class Y, class Out, class Tiles>
struct SpmvSegmentedSumHost {
  using Sum = typename Out::sum_type;
  using Gathered = typename Out::Gathered;
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  Matrix A;
  X x;
  Y y;
  Out update;
  Tiles tiles;

  void run(Offset tile, Gathered& gathered) const {
    Offset begin = tiles.first_entry(tile);
    Offset const last_entry = tiles.first_entry(tile + 1);
    Ordinal const last_row = tiles.first_row(tile + 1);
    for (Ordinal row = tiles.first_row(tile); row < last_row; ++row) {
      Offset const end = A.row_end(row);
      update(gathered, y(row), row, row_dot<Sum, true, conjugated>(A, begin, end, x));
      begin = end;
    }
    if (begin < last_entry) tiles.carry(tile) = row_dot<Sum, true, conjugated>(A, begin, last_entry, x);
  }
};

template <bool conjugated, class Exec, class Matrix, class X, class Y, class Out, class Tiles>
void spmv_segmented_sum_host(Exec const& exec, Out const& update, Matrix const& A, X const& x, Y const& y,
                             Tiles const& tiles) {
  update.launch_parts(exec, "einkorn::spmv[csr,segmented_sum]", tiles.num_tiles,
                      SpmvSegmentedSumHost<conjugated, Matrix, X, Y, Out, Tiles>{A, x, y, update, tiles});
}

}  // namespace einkorn::detail
