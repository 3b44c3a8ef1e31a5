// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/hyb/hyb.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn {

namespace detail {

template <class Format>
struct HybRowLengths {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Device = typename Format::device_type;

  decltype(Format::ell) ell;
  decltype(Format::coo) coo;
  Kokkos::View<Offset*, Device> offsets;
  Offset num_coo_entries;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    Offset length = 0;
    while (length < ell.width && ell.columns(length * ell.stride + static_cast<Offset>(row)) >= 0) ++length;
    if (length == ell.width) {
      Offset const begin = lower_bound_index(coo.rows, Offset(0), num_coo_entries, row);
      Offset end = begin;
      if (begin < num_coo_entries && coo.rows(begin) == row)
        end = row + 1 < ell.num_rows ? lower_bound_index(coo.rows, Offset(0), num_coo_entries, row + 1)
                                     : num_coo_entries;
      length += end - begin;
    }
    offsets(row) = length;
  }
};

template <class Format>
struct CopyHybEll {
  using Scalar = typename Format::scalar_type;
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Device = typename Format::device_type;

  decltype(Format::ell) ell;
  Kokkos::View<Offset*, Device> offsets;
  Kokkos::View<Ordinal*, Device> columns;
  Kokkos::View<Scalar*, Device> values;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    Offset const begin = offsets(row), length = offsets(row + 1) - begin;
    Offset const count = length < ell.width ? length : ell.width;
    for (Offset j = 0; j < count; ++j) {
      columns(begin + j) = ell.columns(j * ell.stride + static_cast<Offset>(row));
      values(begin + j) = ell.values(j * ell.stride + static_cast<Offset>(row));
    }
  }
};

template <class Format>
struct CopyHybCoo {
  using Scalar = typename Format::scalar_type;
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Device = typename Format::device_type;

  decltype(Format::ell) ell;
  decltype(Format::coo) coo;
  Kokkos::View<Offset*, Device> offsets;
  Kokkos::View<Ordinal*, Device> columns;
  Kokkos::View<Scalar*, Device> values;
  Offset num_coo_entries;

  KOKKOS_FUNCTION void operator()(Offset k) const {
    Ordinal const row = coo.rows(k);
    Offset const to =
        offsets(row) + ell.width + (k - lower_bound_index(coo.rows, Offset(0), num_coo_entries, row));
    columns(to) = coo.columns(k);
    values(to) = coo.values(k);
  }
};

}  // namespace detail

/// HYB to CSR: reproduces the CSR given to from_csr bit for bit.
/// @throws OutOfMemory
/// Cost: reads the columns of the ELL part twice and everything else once, writes the CSR; a binary search in
/// the COO part per row and per entry of that part; on the device; fences exec once.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
Csr<Scalar, Ordinal, Offset, Device> to_csr(Exec const& exec, Hyb<Scalar, Ordinal, Offset, Device> const& F) {
  require_kokkos("to_csr");
  auto const nnz = static_cast<std::size_t>(F.nnz());
  auto const offsets = allocate<Kokkos::View<Offset*, Device>>(exec, "einkorn::Csr::row_offsets",
                                                               static_cast<std::size_t>(F.num_rows) + 1);
  auto const columns = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::Csr::columns", nnz);
  auto const values = allocate<Kokkos::View<Scalar*, Device>>(exec, "einkorn::Csr::values", nnz);
  auto const ell = F.ell;
  auto const coo = F.coo;
  Offset const num_coo_entries = coo.nnz();
  range_for<Ordinal>(
      "einkorn::to_csr[hyb,lengths]", exec, F.num_rows,
      detail::HybRowLengths<Hyb<Scalar, Ordinal, Offset, Device>>{ell, coo, offsets, num_coo_entries});
  counts_to_offsets(exec, offsets);
  range_for<Ordinal>("einkorn::to_csr[hyb,ell]", exec, F.num_rows,
                     detail::CopyHybEll<Hyb<Scalar, Ordinal, Offset, Device>>{ell, offsets, columns, values});
  range_for<Offset>("einkorn::to_csr[hyb,coo]", exec, num_coo_entries,
                    detail::CopyHybCoo<Hyb<Scalar, Ordinal, Offset, Device>>{ell, coo, offsets, columns, values,
                                                                             num_coo_entries});
  return {F.num_rows, F.num_cols, offsets, columns, values};
}

}  // namespace einkorn
