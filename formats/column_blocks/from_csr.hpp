// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/column_blocks/column_blocks.hpp>
#include <einkorn/formats/column_blocks/detail/build_bins.hpp>
#include <einkorn/formats/column_blocks/detail/build_chunks.hpp>
#include <einkorn/formats/csr/same_structure.hpp>
#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/fill_limit.hpp>
#include <einkorn/formats/from_csr.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace einkorn {

struct ColumnBlocksOptions {
  int columns = 0;             ///< per block, 1 .. 32768, of x that fits in team scratch; 0: by tuning
  Checks checks = Checks::on;  ///< validate the structure of the CSR
  std::size_t vector_scalar_bytes =
      0;  ///< of x and y, if larger than the scalar of the CSR: smaller blocks and bins
};

/// Converts CSR to column blocks on the device. Stored zeros and repeated positions are preserved.
/// @throws FillLimit: a row has more partial sums (at most columns / options.columns + entries / shape.entries) than fit
///         in team scratch, or there are too many blocks for its tables; CSR5 has no such limit
/// @throws InvalidStructure (checks), InvalidArgument (columns), OverflowError, OutOfMemory
/// Cost: a sort of the entries by block and of the partial sums by row, 64-bit keys on a GPU, counting on the host;
/// temporary memory of about 24 bytes per entry. row_offsets is shared with A. Fences exec; reads back sizes.
template <>
struct FromCsr<ColumnBlocks> {
  using Options = ColumnBlocksOptions;

  template <class Exec, class Scalar, class Ordinal, class Offset, class Device>
  static ColumnBlocks<std::remove_const_t<Scalar>, Ordinal, Offset, Device> make(
      Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A, Options const& options) {
    using Value = std::remove_const_t<Scalar>;
    constexpr auto tuning = column_blocks_tuning(arch_of<Exec>);
    require_kokkos("from_csr");
    ScopedRegion const region("einkorn::from_csr[column_blocks]");
    require<InvalidArgument>(options.columns >= 0 && options.columns <= 32768, [&] {
      return detail::joined("from_csr: columns is ", options.columns, ", expected 0 (by rule) to 32768");
    });
    ColumnBlocks<Value, Ordinal, Offset, Device> F;
    F.source = detail::checked_fingerprint(exec, A, options.checks);
    F.num_rows = A.num_rows;
    F.num_cols = A.num_cols;
    F.shape = column_blocks_shape(arch_of<Exec>, std::max(sizeof(Value), options.vector_scalar_bytes));
    if (options.columns > 0) F.shape.columns = options.columns;
    F.row_offsets = A.row_offsets;
    if (A.nnz() == 0) return F;
    auto const blocks =
        ceil_div(static_cast<std::size_t>(A.num_cols), static_cast<std::size_t>(F.shape.columns));
    require<FillLimit>(blocks <= static_cast<std::size_t>(tuning.max_blocks), [&] {
      return detail::joined("from_csr: ", A.num_cols, " columns are ", blocks, " blocks of ", F.shape.columns,
                            ", expected at most ", tuning.max_blocks, "; CSR5 has no such limit");
    });
    detail::require_stored_fits<Offset>(
        "column blocks", static_cast<double>(A.nnz()) + static_cast<double>(blocks) * F.shape.entries);
    detail::build_column_blocks<tuning>(exec, F, A);
    fence(exec, "einkorn::from_csr[column_blocks]: A may change from here on");
    return F;
  }
};

namespace detail {

template <class Format, class Values>
struct UpdateColumnBlocks {
  Format F;
  Values values;
  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    F.values(F.positions(k)) = static_cast<typename Format::scalar_type>(values(k));
  }
};

}  // namespace detail

/// Values of F <- A.values for an A of unchanged structure.
/// @throws StalePlan (checks), before anything changes, if A has another structure than the CSR of from_csr
/// Cost: reads the values and positions, writes the values; asynchronous on exec. Checks read A's structure once and
/// fence exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class Given>
void update_values(Exec const& exec, ColumnBlocks<Scalar, Ordinal, Offset, Device> const& F,
                   Csr<Given, Ordinal, Offset, Device> const& A, Checks checks = Checks::on) {
  detail::require_structure_of(exec, F.source, A, checks);
  using Format = ColumnBlocks<Scalar, Ordinal, Offset, Device>;
  range_for<std::size_t>("einkorn::update_values[column_blocks]", exec, F.positions.extent(0),
                         detail::UpdateColumnBlocks<Format, decltype(A.values)>{F, A.values});
}

}  // namespace einkorn
