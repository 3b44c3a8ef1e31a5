// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scan.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn::detail {

template <class Matrix, class Offsets>
struct CountCooPart {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  Matrix A;
  Offsets offsets;
  Offset width;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    Offset const length = A.row_end(row) - A.row_begin(row);
    offsets(row) = length > width ? length - width : Offset(0);
  }
};

/// offsets(row) <- number of entries beyond the first `width` in the rows before it. Returns the total. Fences
/// exec.
template <class Exec, class Matrix, class Offsets>
typename Matrix::offset_type coo_part_offsets(Exec const& exec, Matrix const& A,
                                              typename Matrix::offset_type width, Offsets const& offsets) {
  using Ordinal = typename Matrix::ordinal_type;
  range_for<Ordinal>("einkorn::from_csr[hyb,rest]", exec, A.num_rows,
                     CountCooPart<Matrix, Offsets>{A, offsets, width});
  return counts_to_offsets(exec, offsets);
}

template <bool values_only, class Format, class Matrix>
struct FillCooPart {
  using Scalar = typename Format::scalar_type;
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;

  Format F;
  Matrix A;
  Offset width, count;

  KOKKOS_FUNCTION void operator()(Offset k) const {
    Ordinal const row = F.rows(k);
    Offset const from = A.row_begin(row) + width + (k - lower_bound_index(F.rows, Offset(0), count, row));
    if constexpr (!values_only) F.columns(k) = A.columns(from);
    F.values(k) = Scalar(A.values(from));
  }
};

/// Copies the entries beyond the first `width` of each row to the COO. A search for the row's first entry in
/// the COO gives the position of an entry in its row. values_only: columns are not written. 1 launch.
/// @pre F.rows is set.
template <bool values_only, class Exec, class Format, class Matrix>
void fill_coo_part(Exec const& exec, Format const& F, typename Format::offset_type width, Matrix const& A) {
  using Offset = typename Format::offset_type;
  Offset const count = F.nnz();
  range_for<Offset>(values_only ? "einkorn::update_values[hyb]" : "einkorn::from_csr[hyb]", exec, count,
                    FillCooPart<values_only, Format, Matrix>{F, A, width, count});
}

}  // namespace einkorn::detail
