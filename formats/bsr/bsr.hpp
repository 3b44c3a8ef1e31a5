// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/fingerprint.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn {

/// BSR (block sparse rows): CSR of dense blocks of b x b. Block row I has the blocks q = row_offsets(I) ..
/// row_offsets(I + 1) - 1. Element (r, c) of block q is entry (I * b + r, columns(q) * b + c) of the matrix,
/// stored in values(q * b * b + r * b + c): the layout of KokkosSparse::Experimental::BsrMatrix, with which
/// formats/interop/kokkos_kernels_bsr.hpp shares the arrays.
///
/// If b does not divide num_rows or num_cols, the last block row or block column extends beyond the matrix. The
/// values there are 0 and are not part of the matrix.
///
/// Invariants: num_block_rows = ceil(num_rows / b), num_block_cols = ceil(num_cols / b); row_offsets is
/// non-decreasing from 0 to the number of blocks; 0 <= columns(q) < num_block_cols; values has b * b elements
/// per block. With from_csr() the columns of a block row also increase without duplicates. A matrix of 0 rows
/// may have no row_offsets. validate() (validate.hpp) checks the invariants.
template <class Scalar, class Ordinal, class Offset, class Device>
struct Bsr {
  static_assert(std::is_signed_v<Ordinal>, "einkorn::Bsr: Ordinal must be signed");

  using scalar_type = std::remove_const_t<Scalar>;
  using ordinal_type = Ordinal;
  using offset_type = Offset;
  using device_type = Device;
  using memory_space = typename Device::memory_space;
  static constexpr bool needs_no_workspace = true;

  Ordinal num_rows = 0, num_cols = 0;
  int block_size = 1;  // b
  Ordinal num_block_rows = 0, num_block_cols = 0;
  Kokkos::View<Offset const*, Device> row_offsets;  // [num_block_rows + 1], in blocks
  Kokkos::View<Ordinal const*, Device> columns;     // [blocks], of block columns
  Kokkos::View<Scalar*, Device> values;             // [blocks * b * b]
  Fingerprint source;                               // of the CSR that it was converted from
  Offset num_entries = 0;                           // of that CSR
  bool has_repeats = false;                         // that CSR has repeated positions
  bool has_full_blocks = false;  // its rows are sorted, and every value is one of its entries

  [[nodiscard]] KOKKOS_FUNCTION Offset nnz() const { return num_entries; }
  [[nodiscard]] KOKKOS_FUNCTION Offset num_blocks() const { return static_cast<Offset>(columns.extent(0)); }
  /// b * b
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset entries_per_block() const {
    return static_cast<Offset>(block_size) * static_cast<Offset>(block_size);
  }

  /// Bytes of the arrays.
  [[nodiscard]] std::size_t bytes() const {
    return values.extent(0) * sizeof(Scalar) + columns.extent(0) * sizeof(Ordinal) +
           row_offsets.extent(0) * sizeof(Offset);
  }
  /// Calls visit(name, array) for each array of the matrix.
  template <class Visit>
  void visit_arrays(Visit const& visit) const {
    visit("row_offsets", row_offsets);
    visit("columns", columns);
    visit("values", values);
  }
};

}  // namespace einkorn
