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

/// A as a KokkosSparse::CrsMatrix that shares the memory of A. Either keeps the memory alive. as_csr()
/// (csr/csr.hpp) converts back. The result has const columns, which KokkosSparse::spmv and other functions
/// templated on the matrix accept. Cost: no kernel, copy or allocation, except for the row_offsets of an A of 0
/// rows without them.
template <class Scalar, class Ordinal, class Offset, class Device>
CrsMatrixOf<Scalar, Ordinal, Offset, Device> to_crs_matrix(Csr<Scalar, Ordinal, Offset, Device> const& A) {
  using Matrix = CrsMatrixOf<Scalar, Ordinal, Offset, Device>;
  using Graph = typename Matrix::staticcrsgraph_type;
  using RowOffsets = Kokkos::View<Offset*, Device>;
  Kokkos::View<Offset const*, Device> row_offsets = A.row_offsets;
  if (row_offsets.extent(0) == 0)
    row_offsets = allocate_zeros<RowOffsets>("einkorn::to_crs_matrix::row_offsets", 1);
  return Matrix(std::string("einkorn::to_crs_matrix"), A.num_cols, A.values, Graph(A.columns, row_offsets));
}

}  // namespace einkorn
