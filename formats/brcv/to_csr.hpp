// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/brcv/brcv.hpp>
#include <einkorn/formats/brcv/detail/find_stripe.hpp>
#include <einkorn/formats/csr/csr.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn {

namespace detail {

template <class Format>
struct BrcvRowOffsets {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Device = typename Format::device_type;

  Format F;
  Kokkos::View<Offset*, Device> offsets;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto const row = static_cast<Ordinal>(i);
    offsets(i) =
        row < F.num_rows ? F.row_begin(stripe_of_row(F.b, Ordinal(0), F.num_stripes(), row), row) : F.nnz();
  }
};

template <class Format>
struct CopyBrcvColumns {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Device = typename Format::device_type;

  Format F;
  Kokkos::View<Ordinal*, Device> columns;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto const k = static_cast<Offset>(i);
    Ordinal const stripe = row_of_entry(F.rv, F.num_stripes(), k);  // never a stripe without entries
    columns(i) = F.c(F.rc(stripe) + (k - F.rv(stripe)) % F.row_length(stripe));
  }
};

}  // namespace detail

/// BRCV to CSR: the CSR that F was converted from, bit for bit, including stored zeros and repeated positions.
/// Shares no memory with F.
/// @throws OutOfMemory
/// Cost: reads c and the values once, writes the CSR; one binary search of the stripe per row and per entry.
/// On the device, asynchronous except for allocations.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
Csr<Scalar, Ordinal, Offset, Device> to_csr(Exec const& exec, Brcv<Scalar, Ordinal, Offset, Device> const& F) {
  require_kokkos("to_csr");
  auto const rows = static_cast<std::size_t>(F.num_rows);
  auto const nnz = static_cast<std::size_t>(F.nnz());
  auto const offsets = allocate<Kokkos::View<Offset*, Device>>(exec, "einkorn::Csr::row_offsets", rows + 1);
  auto const columns = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::Csr::columns", nnz);
  auto const values = allocate<Kokkos::View<Scalar*, Device>>(exec, "einkorn::Csr::values", nnz);
  range_for<std::size_t>("einkorn::to_csr[brcv,rows]", exec, rows + 1,
                         detail::BrcvRowOffsets<Brcv<Scalar, Ordinal, Offset, Device>>{F, offsets});
  range_for<std::size_t>("einkorn::to_csr[brcv,columns]", exec, nnz,
                         detail::CopyBrcvColumns<Brcv<Scalar, Ordinal, Offset, Device>>{F, columns});
  copy_vector(exec, values, F.values);
  return {F.num_rows, F.num_cols, offsets, columns, values};
}

}  // namespace einkorn
