// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/update.hpp>
#include <einkorn/formats/csr/detail/row_dot.hpp>
#include <einkorn/formats/csr/spmv_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace einkorn::detail {

/// Whole rows, cut into parts (see host_parts) that have as many entries plus rows as each other.
/// The cut is found by two binary searches a part, so nothing is precomputed; a row is never shared
/// (segmented_sum does). simd: sum a row with SIMD lanes, else entry after entry.
template <bool simd, bool conjugated, class Matrix, class X, class Y, class Out>
struct SpmvRowSplit {
  using Sum = typename Out::sum_type;
  using Gathered = typename Out::Gathered;
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  Matrix A;
  X x;
  Y y;
  Out update;
  Offset num_parts;

  void run(Offset part, Gathered& gathered) const {
    Ordinal const last = first_row(part + 1);
    for (Ordinal row = first_row(part); row < last; ++row) {
      if constexpr (Y::rank() == 1)
        update(gathered, y(row), row, row_dot<Sum, simd, conjugated>(A, A.row_begin(row), A.row_end(row), x));
      else
        row_times_multivector(row);
    }
  }

 private:
  [[nodiscard]] Ordinal first_row(Offset part) const {
    auto const entries = static_cast<std::int64_t>(A.nnz());
    std::int64_t const steps = entries + static_cast<std::int64_t>(A.num_rows);
    auto const parts = static_cast<std::int64_t>(num_parts), at = static_cast<std::int64_t>(part);
    return rows_before_diagonal(A.row_offsets, A.num_rows, entries, at == parts ? steps : steps / parts * at);
  }

  void row_times_multivector(Ordinal row) const {
    constexpr std::size_t k = static_cast<std::size_t>(row_team_tuning(Arch::host, 1, 1).columns_at_once);
    for (std::size_t column = 0; column < y.extent(1); column += k) {
      auto const width = y.extent(1) - column < k ? y.extent(1) - column : k;
      Sum sum[k] = {};
      for (Offset p = A.row_begin(row); p < A.row_end(row); ++p) {
        Sum const value = conjugated ? Sum(conjugate(A.values(p))) : Sum(A.values(p));
        for (std::size_t j = 0; j < width; ++j) sum[j] += value * Sum(x(A.columns(p), column + j));
      }
      for (std::size_t j = 0; j < width; ++j) update(y(row, column + j), sum[j]);
    }
  }
};

template <bool simd, bool conjugated, class Exec, class Matrix, class X, class Y, class Out>
void spmv_row_split(Exec const& exec, Out const& update, Matrix const& A, X const& x, Y const& y) {
  using Offset = typename Matrix::offset_type;
  auto const parts = static_cast<Offset>(host_parts(exec));
  update.launch_parts(exec, "einkorn::spmv[csr,row_split]", parts,
                      SpmvRowSplit<simd, conjugated, Matrix, X, Y, Out>{A, x, y, update, parts});
}

}  // namespace einkorn::detail
