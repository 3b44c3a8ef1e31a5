// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/bsr/bsr.hpp>

#include <KokkosSparse_BsrMatrix.hpp>
#include <Kokkos_Core.hpp>

#include <limits>
#include <string>
#include <type_traits>

namespace einkorn {

/// The result type of to_bsr_matrix(). Its ordinal is const, like the columns of a Bsr.
template <class Scalar, class Ordinal, class Offset, class Device>
using BsrMatrixOf = KokkosSparse::Experimental::BsrMatrix<Scalar, Ordinal const, Device, void, Offset>;

/// F as a KokkosSparse::Experimental::BsrMatrix that shares the memory of F. Either keeps the memory alive. The
/// result has const columns, which KokkosSparse::spmv and other functions templated on the matrix accept.
/// @throws InvalidArgument if the block size does not divide num_rows and num_cols: a BsrMatrix has whole
/// blocks only and would require longer vectors
/// Cost: no kernel, copy or allocation, except for the row_offsets of an F of 0 rows without them.
template <class Scalar, class Ordinal, class Offset, class Device>
BsrMatrixOf<Scalar, Ordinal, Offset, Device> to_bsr_matrix(Bsr<Scalar, Ordinal, Offset, Device> const& F) {
  using Matrix = BsrMatrixOf<Scalar, Ordinal, Offset, Device>;
  using Graph = typename Matrix::staticcrsgraph_type;
  using RowOffsets = Kokkos::View<Offset*, Device>;
  require<InvalidArgument>(F.num_rows % F.block_size == 0 && F.num_cols % F.block_size == 0, [&] {
    return "to_bsr_matrix: blocks of " + std::to_string(F.block_size) + " do not divide " +
           std::to_string(F.num_rows) + " x " + std::to_string(F.num_cols) +
           "; a BsrMatrix has whole blocks only";
  });
  Kokkos::View<Offset const*, Device> row_offsets = F.row_offsets;
  if (row_offsets.extent(0) == 0)
    row_offsets = allocate_zeros<RowOffsets>("einkorn::to_bsr_matrix::row_offsets", 1);
  return Matrix(std::string("einkorn::to_bsr_matrix"), F.num_block_cols, F.values,
                Graph(F.columns, row_offsets), F.block_size);
}

/// A BsrMatrix as a Bsr that shares its memory. Every stored value counts as an entry. update_values() throws
/// StalePlan, since F was not converted from a CSR; write to its values instead. validate() (bsr/validate.hpp)
/// checks the arrays.
/// @throws OverflowError if Ordinal counts the block rows or columns but not the rows or columns
/// Cost: no kernel, copy or allocation.
template <class Scalar, class Ordinal, class Device, class MemoryTraits, class Offset>
Bsr<Scalar, std::remove_const_t<Ordinal>, std::remove_const_t<Offset>,
    typename KokkosSparse::Experimental::BsrMatrix<Scalar, Ordinal, Device, MemoryTraits, Offset>::device_type>
as_bsr(KokkosSparse::Experimental::BsrMatrix<Scalar, Ordinal, Device, MemoryTraits, Offset> const& matrix) {
  using Matrix = KokkosSparse::Experimental::BsrMatrix<Scalar, Ordinal, Device, MemoryTraits, Offset>;
  using Index = std::remove_const_t<Ordinal>;
  using Count = std::remove_const_t<Offset>;
  auto const extent = [&](auto blocks, char const* name) {
    auto const count = static_cast<double>(blocks) * static_cast<double>(matrix.blockDim());
    require<OverflowError>(count <= static_cast<double>(std::numeric_limits<Index>::max()), [&] {
      return std::string("as_bsr: ") + std::to_string(blocks) + " block " + name + " of " +
             std::to_string(matrix.blockDim()) + " " + name + " each do not fit Ordinal; int64_t would do";
    });
    return static_cast<Index>(blocks) * static_cast<Index>(matrix.blockDim());
  };
  Bsr<Scalar, Index, Count, typename Matrix::device_type> F;
  F.block_size = static_cast<int>(matrix.blockDim());
  F.num_block_rows = static_cast<Index>(matrix.numRows());
  F.num_block_cols = static_cast<Index>(matrix.numCols());
  F.num_rows = extent(matrix.numRows(), "rows");
  F.num_cols = extent(matrix.numCols(), "columns");
  F.row_offsets = matrix.graph.row_map;
  F.columns = matrix.graph.entries;
  F.values = matrix.values;
  F.num_entries = static_cast<Count>(matrix.values.extent(0));
  return F;
}

}  // namespace einkorn
