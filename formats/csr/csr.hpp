// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/concepts.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace einkorn {

/// Compressed sparse rows: row i holds the entries k = row_offsets(i) .. row_offsets(i + 1) - 1, entry k being
/// values(k) in column columns(k).
///
/// Invariants: row_offsets(0) == 0, non-decreasing, row_offsets(num_rows) == nnz(); 0 <= columns(k) < num_cols.
/// A matrix of 0 rows may have no row_offsets. Columns within a row need not be sorted, and a position may
/// repeat (its values add up). validate() (validate.hpp) checks the invariants on the device.
///
/// A Csr consists of three Views and is copied like a View, without copying memory. as_csr() converts a
/// KokkosSparse::CrsMatrix without a copy; the reverse is in formats/interop/kokkos_kernels.hpp. Scalar may be
/// const.
template <class Scalar, class Ordinal, class Offset, class Device>
struct Csr {
  static_assert(std::is_signed_v<Ordinal>, "einkorn::Csr: Ordinal must be signed");

  using scalar_type = std::remove_const_t<Scalar>;
  using ordinal_type = Ordinal;
  using offset_type = Offset;
  using device_type = Device;
  using memory_space = typename Device::memory_space;

  Ordinal num_rows = 0, num_cols = 0;
  Kokkos::View<Offset const*, Device> row_offsets;  // [num_rows + 1]
  Kokkos::View<Ordinal const*, Device> columns;     // [nnz]
  Kokkos::View<Scalar*, Device> values;             // [nnz]

  [[nodiscard]] KOKKOS_FUNCTION Offset nnz() const { return static_cast<Offset>(values.extent(0)); }
  KOKKOS_FORCEINLINE_FUNCTION Offset row_begin(Ordinal row) const { return row_offsets(row); }
  KOKKOS_FORCEINLINE_FUNCTION Offset row_end(Ordinal row) const { return row_offsets(row + 1); }

  /// Calls visit(name, array) for each array of the matrix.
  template <class Visit>
  void visit_arrays(Visit const& visit) const {
    visit("row_offsets", row_offsets);
    visit("columns", columns);
    visit("values", values);
  }
  /// Conversion to const values.
  template <class Const>
  requires(!std::is_const_v<Scalar> && std::is_same_v<Const, Scalar const>)
  operator Csr<Const, Ordinal, Offset, Device>() const {
    return {num_rows, num_cols, row_offsets, columns, values};
  }
};

/// A KokkosSparse::CrsMatrix (or a type with its interface) as a Csr that shares its memory.
template <CrsMatrixLike Matrix>
auto as_csr(Matrix const& matrix) {
  using Result = Csr<typename Matrix::value_type, std::remove_const_t<typename Matrix::ordinal_type>,
                     std::remove_const_t<typename Matrix::size_type>, typename Matrix::device_type>;
  return Result{static_cast<typename Result::ordinal_type>(matrix.numRows()),
                static_cast<typename Result::ordinal_type>(matrix.numCols()), matrix.graph.row_map,
                matrix.graph.entries, matrix.values};
}

namespace detail {

template <class T>
struct IsCsr : std::false_type {};
template <class Scalar, class Ordinal, class Offset, class Device>
struct IsCsr<Csr<Scalar, Ordinal, Offset, Device>> : std::true_type {};

}  // namespace detail

/// A Csr of any scalar and index types.
template <class T>
concept CsrMatrix = detail::IsCsr<T>::value;

}  // namespace einkorn
