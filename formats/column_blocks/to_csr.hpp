// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/column_blocks/column_blocks.hpp>
#include <einkorn/formats/csr/csr.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn {

namespace detail {

template <class Format>
struct CopyColumnBlocks {
  Format F;
  Kokkos::View<typename Format::ordinal_type*, typename Format::device_type> columns;
  Kokkos::View<typename Format::scalar_type*, typename Format::device_type> values;
  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    columns(k) = F.column(F.positions(k));
    values(k) = F.values(F.positions(k));
  }
};

}  // namespace detail

/// Column blocks to CSR: the CSR that F was converted from, bit for bit. Shares row_offsets with F.
/// @throws OutOfMemory
/// Cost: one read of the entries with a search for the block of each, one write; on the device, asynchronous.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
Csr<Scalar, Ordinal, Offset, Device> to_csr(Exec const& exec,
                                            ColumnBlocks<Scalar, Ordinal, Offset, Device> const& F) {
  require_kokkos("to_csr");
  auto const nnz = F.positions.extent(0);
  auto const columns = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::Csr::columns", nnz);
  auto const values = allocate<Kokkos::View<Scalar*, Device>>(exec, "einkorn::Csr::values", nnz);
  range_for<std::size_t>(
      "einkorn::to_csr[column_blocks]", exec, nnz,
      detail::CopyColumnBlocks<ColumnBlocks<Scalar, Ordinal, Offset, Device>>{F, columns, values});
  return {F.num_rows, F.num_cols, F.row_offsets, columns, values};
}

}  // namespace einkorn
