// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/detail/permutation.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <string>
#include <type_traits>

namespace einkorn {

namespace detail {

template <class Ordinal, class Offset, class FromOffsets, class Rows, class Device>
struct PermutedRowLengths {
  Kokkos::View<Offset*, Device> offsets;
  FromOffsets from_offsets;
  Rows rows;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    offsets(i) = from_offsets(rows(i) + 1) - from_offsets(rows(i));
  }
};

template <class Matrix, class Rows, class NewColumn, class ToValues>
struct PermuteEntries {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Device = typename Matrix::device_type;

  Kokkos::View<Offset*, Device> offsets;
  decltype(Matrix::row_offsets) from_offsets;
  decltype(Matrix::columns) from_columns;
  decltype(Matrix::values) from_values;
  Rows rows;
  NewColumn new_column;
  Kokkos::View<Ordinal*, Device> to_columns;
  ToValues to_values;
  Ordinal num_rows;

  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    auto const at = static_cast<Offset>(k);
    Ordinal const i = row_of_entry(offsets, num_rows, at);
    Offset const from = from_offsets(rows(i)) + (at - offsets(i));
    to_columns(k) = new_column(from_columns(from));
    to_values(k) = from_values(from);
  }
};

}  // namespace detail

/// B with B(i, j) = A(rows(i), columns(j)): P A Q^T with P(i, rows(i)) = 1 and Q(j, columns(j)) = 1, so that B
/// x' = y' if A x = y, x'(j) = x(columns(j)) and y'(i) = y(rows(i)).
///
/// @param rows [num_rows], a permutation of 0 .. num_rows - 1
/// @param columns [num_cols], a permutation of 0 .. num_cols - 1
/// @throws DimensionMismatch for extents
/// @throws InvalidStructure if a list is no permutation; names the first invalid position
/// @throws OutOfMemory
///
/// @pre A is valid (validate()). The entries of a row keep their order (sort_rows() sorts them); repeated
/// positions and stored zeros are kept. Cost: reads A once and the offsets a few times, writes B;
/// log2(num_rows) reads of offsets per entry. Fences exec. Deterministic.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, Vector Rows,
          Vector Columns>
requires AccessibleFrom<Rows, Exec> && AccessibleFrom<Columns, Exec> &&
         std::is_same_v<typename Rows::non_const_value_type, Ordinal> &&
         std::is_same_v<typename Columns::non_const_value_type, Ordinal>
Csr<std::remove_const_t<Scalar>, Ordinal, Offset, Device> permute(Exec const& exec,
                                                                  Csr<Scalar, Ordinal, Offset, Device> const& A,
                                                                  Rows const& rows, Columns const& columns) {
  using Value = std::remove_const_t<Scalar>;
  require_kokkos("permute");
  auto const require_length = [](auto const& list, Ordinal n, char const* name, char const* meaning) {
    require<DimensionMismatch>(list.extent(0) == static_cast<std::size_t>(n), [&] {
      return std::string("permute: ") + name + " has extent(0) = " + std::to_string(list.extent(0)) +
             ", expected " + std::to_string(n) + " (" + meaning + " of A)";
    });
  };
  require_length(rows, A.num_rows, "rows", "rows");
  require_length(columns, A.num_cols, "columns", "columns");
  Kokkos::Profiling::ScopedRegion region("einkorn::permute");
  (void)detail::inverse_permutation(exec, rows, A.num_rows, "permute: rows");
  auto const new_column = detail::inverse_permutation(exec, columns, A.num_cols, "permute: columns");

  auto const nnz = static_cast<std::size_t>(A.nnz());
  auto const num_rows = A.num_rows;
  auto const offsets = allocate<Kokkos::View<Offset*, Device>>(exec, "einkorn::Csr::row_offsets",
                                                               static_cast<std::size_t>(num_rows) + 1);
  auto const to_columns = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::Csr::columns", nnz);
  auto const to_values = allocate<Kokkos::View<Value*, Device>>(exec, "einkorn::Csr::values", nnz);
  auto const from_offsets = A.row_offsets;
  auto const from_columns = A.columns;
  auto const from_values = A.values;
  range_for<Ordinal>("einkorn::permute[lengths]", exec, num_rows,
                     detail::PermutedRowLengths<Ordinal, Offset, decltype(A.row_offsets), Rows, Device>{
                         offsets, from_offsets, rows});
  counts_to_offsets(exec, offsets);
  range_for<std::size_t>(
      "einkorn::permute", exec, nnz,
      detail::PermuteEntries<Csr<Scalar, Ordinal, Offset, Device>, Rows,
                             std::remove_const_t<decltype(new_column)>, Kokkos::View<Value*, Device>>{
          offsets, from_offsets, from_columns, from_values, rows, new_column, to_columns, to_values, num_rows});
  exec.fence("einkorn::permute: A may change from here on");
  return {A.num_rows, A.num_cols, offsets, to_columns, to_values};
}

}  // namespace einkorn
