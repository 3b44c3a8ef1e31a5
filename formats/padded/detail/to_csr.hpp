// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/csr/csr.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn::detail {

/// offsets(row) <- entries of the row, for padded rows (see padded/detail/spmv_rows.hpp).
template <class Format>
struct CountPaddedRowEntries {
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

/// Copies the entries of padded rows to their rows of a CSR.
template <class Format>
struct CopyPaddedRowEntries {
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
    Offset const end = offsets(row + 1), stride = F.slot_stride();
    Offset at = F.slot_begin(position);
    for (Offset k = offsets(row); k < end; ++k, at += stride) {
      columns(k) = F.column(position, at);
      values(k) = F.values(at);
    }
  }
};

/// Padded rows to CSR, entries in their order. Reads columns twice and values once; fences exec once.
template <class Exec, class Format>
Csr<typename Format::scalar_type, typename Format::ordinal_type, typename Format::offset_type,
    typename Format::device_type>
padded_rows_to_csr(Exec const& exec, char const* lengths_label, char const* label, Format const& F) {
  using Ordinal = typename Format::ordinal_type;
  using Offsets = Kokkos::View<typename Format::offset_type*, typename Format::device_type>;
  using Columns = Kokkos::View<Ordinal*, typename Format::device_type>;
  using Values = Kokkos::View<typename Format::scalar_type*, typename Format::device_type>;
  auto const nnz = static_cast<std::size_t>(F.nnz());
  auto const offsets =
      allocate<Offsets>(exec, "einkorn::Csr::row_offsets", static_cast<std::size_t>(F.num_rows) + 1);
  auto const columns = allocate<Columns>(exec, "einkorn::Csr::columns", nnz);
  auto const values = allocate<Values>(exec, "einkorn::Csr::values", nnz);
  range_for<Ordinal>(lengths_label, exec, F.num_rows, CountPaddedRowEntries<Format>{F, offsets});
  counts_to_offsets(exec, offsets);
  range_for<Ordinal>(label, exec, F.num_rows, CopyPaddedRowEntries<Format>{F, offsets, columns, values});
  return {F.num_rows, F.num_cols, offsets, columns, values};
}

}  // namespace einkorn::detail
