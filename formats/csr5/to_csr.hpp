// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr5/csr5.hpp>
#include <einkorn/formats/csr5/detail/transpose_tiles.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn {

namespace detail {

/// The columns in the order of the tiles, decoded where they are stored as codes.
template <class Format>
struct ColumnsOfTiles {
  Format F;
  KOKKOS_FORCEINLINE_FUNCTION typename Format::ordinal_type operator()(std::size_t position) const {
    return F.column(static_cast<typename Format::offset_type>(position));
  }
};

}  // namespace detail

/// CSR5 to CSR: the CSR that F was converted from, bit for bit, including stored zeros and repeated positions.
/// Shares row_offsets with F.
/// @throws OutOfMemory
/// Cost: one read and one write of the entries, on the device, asynchronous.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
Csr<Scalar, Ordinal, Offset, Device> to_csr(Exec const& exec, Csr5<Scalar, Ordinal, Offset, Device> const& F) {
  auto const nnz = static_cast<std::size_t>(F.nnz());
  auto const columns = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::Csr::columns", nnz);
  auto const values = allocate<Kokkos::View<Scalar*, Device>>(exec, "einkorn::Csr::values", nnz);
  constexpr auto back = detail::Direction::from_tiles;
  using ColumnsOfTiles = detail::ColumnsOfTiles<Csr5<Scalar, Ordinal, Offset, Device>>;
  if (F.compressed.any())
    detail::move_array<back>(exec, "einkorn::to_csr[csr5,columns]", F, columns, ColumnsOfTiles{F});
  else
    detail::move_array<back>(exec, "einkorn::to_csr[csr5,columns]", F, columns, F.columns);
  detail::move_array<back>(exec, "einkorn::to_csr[csr5,values]", F, values, F.values);
  return {F.num_rows, F.num_cols, F.row_offsets, columns, values};
}

}  // namespace einkorn
