// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/csr/csr.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Copies the nonzero slots of a row inside the matrix to a CSR, from left to right. dry_run: only counts them.
template <class Format, class Offsets, class Columns, class Values>
struct CollectRow {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;

  Format F;
  Offsets row_offsets;
  Columns columns;
  Values values;
  bool dry_run;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    Offset k = dry_run ? Offset(0) : row_offsets(row);
    for (Ordinal band = 0; band < F.num_bands(); ++band) {
      auto column = static_cast<std::int64_t>(row) + static_cast<std::int64_t>(F.band_offset(band));
      Offset slot = F.band_base(band) + static_cast<Offset>(row);
      for (Ordinal j = 0; j < F.band_width(band); ++j, ++column, slot += F.stride) {
        if (column < 0 || column >= static_cast<std::int64_t>(F.num_cols)) continue;
        Scalar const value = F.values(slot);
        if (value == Scalar(0)) continue;
        if (!dry_run) {
          columns(k) = static_cast<Ordinal>(column);
          values(k) = value;
        }
        ++k;
      }
    }
    if (dry_run) row_offsets(row) = k;
  }
};

/// Diagonal bands to CSR with sorted rows and without zeros. Reads the values twice; fences exec once.
template <class Exec, class Format>
Csr<typename Format::scalar_type, typename Format::ordinal_type, typename Format::offset_type,
    typename Format::device_type>
diagonals_to_csr(Exec const& exec, Format const& F) {
  using Ordinal = typename Format::ordinal_type;
  using Offsets = Kokkos::View<typename Format::offset_type*, typename Format::device_type>;
  using Columns = Kokkos::View<Ordinal*, typename Format::device_type>;
  using Values = Kokkos::View<typename Format::scalar_type*, typename Format::device_type>;
  using Functor = CollectRow<Format, Offsets, Columns, Values>;
  auto const row_offsets =
      allocate<Offsets>(exec, "einkorn::Csr::row_offsets", static_cast<std::size_t>(F.num_rows) + 1);
  range_for<Ordinal>("einkorn::to_csr[diagonals,lengths]", exec, F.num_rows,
                     Functor{F, row_offsets, {}, {}, true});
  auto const nnz = static_cast<std::size_t>(counts_to_offsets(exec, row_offsets));
  auto const columns = allocate<Columns>(exec, "einkorn::Csr::columns", nnz);
  auto const values = allocate<Values>(exec, "einkorn::Csr::values", nnz);
  range_for<Ordinal>("einkorn::to_csr[diagonals]", exec, F.num_rows,
                     Functor{F, row_offsets, columns, values, false});
  return {F.num_rows, F.num_cols, row_offsets, columns, values};
}

}  // namespace einkorn::detail
