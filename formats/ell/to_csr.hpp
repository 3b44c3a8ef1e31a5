// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/ell/ell.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn {

namespace detail {

template <class Format>
struct EllRowLengths {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Device = typename Format::device_type;

  Format F;
  Kokkos::View<Offset*, Device> offsets;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    Offset length = 0;
    while (length < F.width && F.columns(length * F.stride + static_cast<Offset>(row)) >= 0) ++length;
    offsets(row) = length;
  }
};

template <class Format>
struct CopyEllEntries {
  using Scalar = typename Format::scalar_type;
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Device = typename Format::device_type;

  Format F;
  Kokkos::View<Offset*, Device> offsets;
  Kokkos::View<Ordinal*, Device> columns;
  Kokkos::View<Scalar*, Device> values;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    Offset at = static_cast<Offset>(row);
    for (Offset k = offsets(row); k < offsets(row + 1); ++k, at += F.stride) {
      columns(k) = F.columns(at);
      values(k) = F.values(at);
    }
  }
};

}  // namespace detail

/// ELL to CSR: the CSR that it was made from, bit for bit. Cost: reads columns twice and values once, writes
/// the CSR; on the device; fences exec once. Throws OutOfMemory.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
Csr<Scalar, Ordinal, Offset, Device> to_csr(Exec const& exec, Ell<Scalar, Ordinal, Offset, Device> const& F) {
  require_kokkos("to_csr");
  auto const nnz = static_cast<std::size_t>(F.nnz());
  auto const offsets = allocate<Kokkos::View<Offset*, Device>>(exec, "einkorn::Csr::row_offsets",
                                                               static_cast<std::size_t>(F.num_rows) + 1);
  auto const columns = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::Csr::columns", nnz);
  auto const values = allocate<Kokkos::View<Scalar*, Device>>(exec, "einkorn::Csr::values", nnz);
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<Ordinal>> const rows(exec, 0, F.num_rows);
  Kokkos::parallel_for("einkorn::to_csr[ell,lengths]", rows,
                       detail::EllRowLengths<Ell<Scalar, Ordinal, Offset, Device>>{F, offsets});
  counts_to_offsets(exec, offsets);
  Kokkos::parallel_for(
      "einkorn::to_csr[ell]", rows,
      detail::CopyEllEntries<Ell<Scalar, Ordinal, Offset, Device>>{F, offsets, columns, values});
  return {F.num_rows, F.num_cols, offsets, columns, values};
}

}  // namespace einkorn
