// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/coo/coo.hpp>
#include <einkorn/formats/coo/validate.hpp>
#include <einkorn/formats/csr/csr.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn {

namespace detail {

template <class Format>
struct CooRowOffsets {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Device = typename Format::device_type;

  Format F;
  Kokkos::View<Offset*, Device> offsets;
  std::size_t num_rows;
  Offset nnz;

  KOKKOS_FUNCTION void operator()(std::size_t row) const {
    offsets(row) = row < num_rows ? lower_bound_index(F.rows, Offset(0), nnz, static_cast<Ordinal>(row)) : nnz;
  }
};

template <class Format>
struct CopyCooEntries {
  using Scalar = typename Format::scalar_type;
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Device = typename Format::device_type;

  Format F;
  Kokkos::View<Ordinal*, Device> columns;
  Kokkos::View<Scalar*, Device> values;

  KOKKOS_FUNCTION void operator()(Offset k) const {
    columns(k) = F.columns(k);
    values(k) = F.values(k);
  }
};

}  // namespace detail

/// COO to CSR: reproduces the CSR given to from_csr bit for bit. The result shares no memory with F.
/// @throws InvalidStructure (checks: a Coo may be filled by the caller), OutOfMemory
/// Cost: one read and one write of columns and values, a binary search in rows per row (empty rows included),
/// and with checks what validate() reads; on the device; fences exec only with checks.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
Csr<Scalar, Ordinal, Offset, Device> to_csr(Exec const& exec, Coo<Scalar, Ordinal, Offset, Device> const& F,
                                            Checks checks = Checks::on) {
  require_kokkos("to_csr");
  if (detail::are_on(checks)) validate(exec, F);
  Offset const nnz = F.nnz();
  auto const num_rows = static_cast<std::size_t>(F.num_rows);
  auto const size = static_cast<std::size_t>(nnz);
  auto const offsets = allocate<Kokkos::View<Offset*, Device>>(exec, "einkorn::Csr::row_offsets", num_rows + 1);
  auto const columns = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::Csr::columns", size);
  auto const values = allocate<Kokkos::View<Scalar*, Device>>(exec, "einkorn::Csr::values", size);
  range_for<std::size_t>(
      "einkorn::to_csr[coo,offsets]", exec, num_rows + 1,
      detail::CooRowOffsets<Coo<Scalar, Ordinal, Offset, Device>>{F, offsets, num_rows, nnz});
  range_for<Offset>("einkorn::to_csr[coo]", exec, nnz,
                    detail::CopyCooEntries<Coo<Scalar, Ordinal, Offset, Device>>{F, columns, values});
  return {F.num_rows, F.num_cols, offsets, columns, values};
}

}  // namespace einkorn
