// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// Whether A, whose rows are sorted, holds a position more than once: counts equal neighbours in `columns`, and
/// those of them that lie between two rows. Reads columns and row_offsets once; fences exec.
template <class Exec, class Matrix>
static bool repeats_positions(Exec const& exec, Matrix const& A) {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  auto const nnz = static_cast<std::size_t>(A.nnz());
  if (nnz < 2) return false;
  auto const columns = A.columns;
  auto const offsets = A.row_offsets;
  std::size_t equal = 0, between_rows = 0;
  Kokkos::parallel_reduce(
      "einkorn::from_csr[bsr,repeats]", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 1, nnz),
      KOKKOS_LAMBDA(std::size_t k, std::size_t & count) {
        if (columns(k - 1) == columns(k)) ++count;
      },
      equal);
  if (equal == 0) return false;
  Kokkos::parallel_reduce(
      "einkorn::from_csr[bsr,repeats]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<Ordinal>>(exec, 0, A.num_rows),
      KOKKOS_LAMBDA(Ordinal row, std::size_t & count) {
        Offset const begin = offsets(row);
        if (begin > 0 && begin < offsets(row + 1) && columns(begin - 1) == columns(begin)) ++count;
      },
      between_rows);
  return equal != between_rows;
}

}  // namespace einkorn::detail
