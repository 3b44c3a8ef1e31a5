// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/detail/row_order.hpp>
#include <einkorn/formats/csr/transpose.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <type_traits>

namespace einkorn {

/// Whether the columns of every row of A never decrease (a position may repeat). Counts the places in `columns`
/// where the next one is smaller, and those of them that lie between two rows: reads columns once and
/// row_offsets once, on the device, whatever the row lengths; fences exec. A is taken as valid (validate()).
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
bool is_sorted_by_column(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A) {
  require_kokkos("is_sorted_by_column");
  return detail::row_order(exec, A).is_sorted;
}

/// A with the entries of every row ordered by column; entries at one position keep their order, stored zeros
/// stay. Nothing is shared with A, which is not changed.
///
/// Cost: two transposes (transpose.hpp): two sorts of nnz 64-bit keys on a GPU, four counting passes on the
/// host, and one more copy of the matrix while it runs; nothing of size nnz visits the host. The same on every
/// run and every backend. Fences exec. Throws OverflowError, OutOfMemory. A is taken as valid (validate()).
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
Csr<std::remove_const_t<Scalar>, Ordinal, Offset, Device> sort_rows(
    Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A) {
  require_kokkos("sort_rows");
  Kokkos::Profiling::ScopedRegion region("einkorn::sort_rows");
  auto const by_column = transpose(exec, A).matrix;
  auto const sorted = transpose(exec, by_column).matrix;
  exec.fence("einkorn::sort_rows: A may change from here on");
  return sorted;
}

}  // namespace einkorn
