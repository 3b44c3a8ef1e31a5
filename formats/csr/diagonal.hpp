// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/overlap.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/detail/rows_by_warps.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

namespace einkorn {

namespace detail {

/// Lane l sums the diagonal entries among entries l, l + lanes, .. of the row; a shuffle reduction adds the
/// lanes.
template <class Exec, class Matrix, class D>
struct SumDiagonalOfRow {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Target = typename D::non_const_value_type;
  using Sum = sum_type<typename Matrix::scalar_type, Target>;
  using L = Lanes<Exec>;

  Matrix A;
  D d;

  KOKKOS_FUNCTION void operator()(Ordinal row, int lane) const {
    Sum sum(0);
    Offset const begin = A.row_begin(row), length = A.row_end(row) - begin;
    for (auto k = static_cast<Offset>(lane); k < length; k += static_cast<Offset>(L::size))
      if (A.columns(begin + k) == row) sum += Sum(A.values(begin + k));
    sum = sum_over_lanes<L, L::size>(sum);
    if (lane == 0) d(row) = Target(sum);
  }
};

}  // namespace detail

/// d(i) <- a_ii: the sum of the entries at (i, i), 0 if there are none.
///
/// @param A n x n, valid (validate())
/// @param d [n], does not overlap A
/// @throws DimensionMismatch if A is not square or d has another extent
/// @throws InvalidArgument for overlap and alignment
///
/// Repeated positions are added in sum_type of both scalars, in a fixed order. Cost: (n + 1) offset + nnz
/// ordinal + n scalar bytes and d. 1 launch, asynchronous on exec; no allocation. Deterministic.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, WritableVector D>
requires AccessibleFrom<D, Exec> && (D::rank() == 1) &&
         (is_complex<typename D::non_const_value_type> || !is_complex<Scalar>)
void extract_diagonal(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A, D const& d) {
  require_kokkos("extract_diagonal");
  detail::require_square("extract_diagonal", A.num_rows, A.num_cols);
  require<DimensionMismatch>(d.extent(0) == static_cast<std::size_t>(A.num_rows), [&] {
    return "extract_diagonal: d has extent(0) = " + std::to_string(d.extent(0)) + ", expected " +
           std::to_string(A.num_rows) + " (rows of A)";
  });
  detail::require_aligned(d, "extract_diagonal", "d");
  require<InvalidArgument>(!overlaps_itself(d), "extract_diagonal: two entries of d share memory (stride 0)");
  A.visit_arrays([&](char const* name, auto const& array) {
    require<InvalidArgument>(!overlaps(d, array), [&] {
      return std::string("extract_diagonal: d overlaps the ") + name + " of A in memory";
    });
  });
  using Matrix = Csr<Scalar, Ordinal, Offset, Device>;
  detail::for_each_row(exec, "einkorn::extract_diagonal", A.num_rows,
                       detail::SumDiagonalOfRow<Exec, Matrix, D>{A, d});
}

template <ExecutionSpace Exec, CrsMatrixLike Matrix, WritableVector D>
void extract_diagonal(Exec const& exec, Matrix const& A, D const& d) {
  extract_diagonal(exec, as_csr(A), d);
}

}  // namespace einkorn
