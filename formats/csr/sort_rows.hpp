// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/detail/row_order.hpp>
#include <einkorn/formats/csr/transpose.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace einkorn {

/// Whether the columns of every row of A are non-decreasing.
/// @pre A is valid (validate()).
///
/// Cost: 1 launch that reads columns and row_offsets once, whatever the row lengths; fences exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
bool is_sorted_by_column(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A) {
  require_kokkos("is_sorted_by_column");
  return detail::row_order(exec, A).is_sorted;
}

/// A with the entries of every row sorted by column. The sort is stable, stored zeros are kept, and the result
/// shares no memory with A.
/// @throws OverflowError, OutOfMemory
/// @pre A is valid (validate()).
///
/// Cost: two transposes (transpose.hpp): two sorts of nnz 64-bit keys on a GPU, four counting passes on the
/// host, and one temporary copy of the matrix. Fences exec. Deterministic, the same on every backend.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
Csr<std::remove_const_t<Scalar>, Ordinal, Offset, Device> sort_rows(
    Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A) {
  require_kokkos("sort_rows");
  ScopedRegion const region("einkorn::sort_rows");
  auto const by_column = transpose(exec, A).matrix;
  auto const sorted = transpose(exec, by_column).matrix;
  fence(exec, "einkorn::sort_rows: A may change from here on");
  return sorted;
}

}  // namespace einkorn
