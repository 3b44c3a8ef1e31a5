// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/sell/sell.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn {

namespace detail {

template <class Format>
struct SellRowLengths {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Device = typename Format::device_type;

  Format F;
  Kokkos::View<Offset*, Device> offsets;

  KOKKOS_FUNCTION void operator()(Ordinal position) const {
    Offset const count = F.slot_count(position), stride = F.slot_stride();
    Offset length = 0, at = F.slot_begin(position);
    for (; length < count && F.column(position, at) >= 0; at += stride) ++length;
    offsets(F.row_at(position)) = length;
  }
};

template <class Format>
struct CopySellEntries {
  using Scalar = typename Format::scalar_type;
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Device = typename Format::device_type;

  Format F;
  Kokkos::View<Offset*, Device> offsets;
  Kokkos::View<Ordinal*, Device> columns;
  Kokkos::View<Scalar*, Device> values;

  KOKKOS_FUNCTION void operator()(Ordinal position) const {
    Ordinal const row = F.row_at(position);
    Offset at = F.slot_begin(position);
    for (Offset k = offsets(row); k < offsets(row + 1); ++k, at += F.slot_stride()) {
      columns(k) = F.column(position, at);
      values(k) = F.values(at);
    }
  }
};

}  // namespace detail

/// SELL to CSR: the CSR that it was made from, bit for bit, rows in its order. Cost: reads columns twice and
/// values once, writes the CSR; on the device; fences exec once. Throws OutOfMemory.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
Csr<Scalar, Ordinal, Offset, Device> to_csr(Exec const& exec, Sell<Scalar, Ordinal, Offset, Device> const& F) {
  require_kokkos("to_csr");
  auto const nnz = static_cast<std::size_t>(F.nnz());
  auto const offsets = allocate<Kokkos::View<Offset*, Device>>(exec, "einkorn::Csr::row_offsets",
                                                               static_cast<std::size_t>(F.num_rows) + 1);
  auto const columns = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::Csr::columns", nnz);
  auto const values = allocate<Kokkos::View<Scalar*, Device>>(exec, "einkorn::Csr::values", nnz);
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<Ordinal>> const positions(exec, 0, F.num_rows);
  Kokkos::parallel_for("einkorn::to_csr[sell,lengths]", positions,
                       detail::SellRowLengths<Sell<Scalar, Ordinal, Offset, Device>>{F, offsets});
  counts_to_offsets(exec, offsets);
  Kokkos::parallel_for(
      "einkorn::to_csr[sell]", positions,
      detail::CopySellEntries<Sell<Scalar, Ordinal, Offset, Device>>{F, offsets, columns, values});
  return {F.num_rows, F.num_cols, offsets, columns, values};
}

}  // namespace einkorn
