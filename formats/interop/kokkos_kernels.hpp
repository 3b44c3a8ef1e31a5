// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/formats/csr/csr.hpp>

#include <KokkosSparse_CrsMatrix.hpp>
#include <Kokkos_Core.hpp>

#include <string>

namespace einkorn {

/// The result type of to_crs_matrix(). Its ordinal is const, like the columns of a Csr.
template <class Scalar, class Ordinal, class Offset, class Device>
using CrsMatrixOf = KokkosSparse::CrsMatrix<Scalar, Ordinal const, Device, void, Offset>;

/// The result type of to_mutable_crs_matrix(), which applications and Tpetra use.
template <class Scalar, class Ordinal, class Offset, class Device>
using MutableCrsMatrixOf = KokkosSparse::CrsMatrix<Scalar, Ordinal, Device, void, Offset>;

namespace detail {

template <class Scalar, class Ordinal, class Offset, class Device>
Kokkos::View<Offset const*, Device> crs_row_offsets(Csr<Scalar, Ordinal, Offset, Device> const& A) {
  if (A.row_offsets.extent(0) > 0) return A.row_offsets;
  return allocate_zeros<Kokkos::View<Offset*, Device>>("einkorn::to_crs_matrix::row_offsets", 1);
}

}  // namespace detail

/// A as a KokkosSparse::CrsMatrix that shares the memory of A. Either keeps the memory alive. as_csr()
/// (csr/csr.hpp) converts back. The result has const columns, which KokkosSparse::spmv and other functions
/// templated on the matrix accept. Cost: no kernel, copy or allocation, except for the row_offsets of an A of 0
/// rows without them.
template <class Scalar, class Ordinal, class Offset, class Device>
CrsMatrixOf<Scalar, Ordinal, Offset, Device> to_crs_matrix(Csr<Scalar, Ordinal, Offset, Device> const& A) {
  using Matrix = CrsMatrixOf<Scalar, Ordinal, Offset, Device>;
  using Graph = typename Matrix::staticcrsgraph_type;
  return Matrix(std::string("einkorn::to_crs_matrix"), A.num_cols, A.values,
                Graph(A.columns, detail::crs_row_offsets(A)));
}

/// As to_crs_matrix(), for functions that require exactly CrsMatrix<Scalar, Ordinal, Device, void, Offset>, with
/// columns that are not const.
/// @pre The columns of A exist as long as the result and its copies, which own values and row_map only: a View
/// with non-const entries cannot share the ownership of one with const entries. Keep A.
/// @pre The columns are not written unless no plan, format or SpgemmPlan made from A is used afterwards.
template <class Scalar, class Ordinal, class Offset, class Device>
MutableCrsMatrixOf<Scalar, Ordinal, Offset, Device> to_mutable_crs_matrix(
    Csr<Scalar, Ordinal, Offset, Device> const& A) {
  using Matrix = MutableCrsMatrixOf<Scalar, Ordinal, Offset, Device>;
  using Graph = typename Matrix::staticcrsgraph_type;
  typename Graph::entries_type const columns(const_cast<Ordinal*>(A.columns.data()), A.columns.extent(0));
  return Matrix(std::string("einkorn::to_mutable_crs_matrix"), A.num_cols, A.values,
                Graph(columns, detail::crs_row_offsets(A)));
}

}  // namespace einkorn
