// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/column_codes/detail/column_windows.hpp>
#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/csr5/csr5.hpp>
#include <einkorn/formats/csr5/csr5_tuning.hpp>
#include <einkorn/formats/csr5/detail/build_tiles.hpp>
#include <einkorn/formats/csr5/detail/transpose_tiles.hpp>
#include <einkorn/formats/from_csr.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>

namespace einkorn {

struct Csr5Options {
  /// omega: 32 (NVIDIA), 64 (AMD), 4, 8 or 16 (host; spmv uses SIMD registers for simd_lanes<Scalar> only); 0: by
  /// csr5_tuning.hpp
  int lanes = 0;
  int sigma = 0;               ///< entries per lane, 1 .. 32; 0: by csr5_tuning.hpp
  Checks checks = Checks::on;  ///< of the structure of the CSR
  /// compressed: 16-bit columns in the tiles that allow it, if this saves memory.
  Indices indices = Indices::full;
};

/// CSR to CSR5 in parallel on the device, one kernel per step.
///
/// @throws InvalidStructure (checks), InvalidArgument (lanes, sigma), OutOfMemory
/// Cost: reads A twice with checks and once without, writes columns, values and descriptors once; row_offsets is shared.
/// Allocates bytes() without row_offsets. A GPU checks A while memory is allocated and the entries are moved. Compressed
/// indices read the columns up to six times more and temporarily need the full columns in addition to the codes. Fences
/// exec once without compressed indices. Source: Liu and Vinter, ICS 2015, section 3. Departures: a lane finds its rows by
/// binary search among the rows of the tile instead of scattering flags from the rows, which needs no atomics; a run of
/// empty rows takes one search instead of one step per row.
template <>
struct FromCsr<Csr5> {
  using Options = Csr5Options;

  template <class Exec, class Scalar, class Ordinal, class Offset, class Device>
  static Csr5<std::remove_const_t<Scalar>, Ordinal, Offset, Device> make(
      Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A, Options const& options) {
    using Value = std::remove_const_t<Scalar>;
    require_kokkos("from_csr");
    ScopedRegion const region("einkorn::from_csr[csr5]");
    detail::require_enumerator(options.indices, Indices::compressed, "from_csr: indices");
    Csr5<Value, Ordinal, Offset, Device> F;
    F.num_rows = A.num_rows;
    F.num_cols = A.num_cols;
    double const mean = F.num_rows == 0 ? 0.0 : static_cast<double>(A.nnz()) / static_cast<double>(A.num_rows);
    F.shape = csr5_shape<arch_of<Exec>, Value>(mean, static_cast<std::size_t>(A.nnz()));
    if (options.lanes != 0) F.shape.lanes = options.lanes;
    if (options.sigma != 0) F.shape.sigma = options.sigma;
    require<InvalidArgument>(runs_on<Exec>(F.shape.lanes), [&] {
      return detail::joined(
          "from_csr: lanes is ", F.shape.lanes, ", expected ",
          is_gpu<Exec> ? std::to_string(lockstep_lanes(arch_of<Exec>)) : std::string("4, 8 or 16"), " on ",
          Exec::name());
    });
    require<InvalidArgument>(F.shape.sigma >= 1 && F.shape.sigma <= 32, [&] {
      return detail::joined("from_csr: sigma is ", F.shape.sigma, ", expected 1 .. 32");
    });
    F.num_tiles = A.nnz() / F.tile_size();
    F.row_offsets = A.row_offsets;
    using Matrix = Csr<Scalar, Ordinal, Offset, Device>;
    std::optional<detail::Inspection<detail::Inspect::structure, Exec, Matrix>> inspection;
    if (detail::are_on(options.checks)) inspection.emplace(exec, A, options.checks);
    if (inspection && !is_gpu<Exec>) (void)inspection->finish();
    detail::transpose_tiles(exec, F, A);
    detail::allocate_tiles(exec, F);
    detail::build_tiles(exec, F, A.nnz(), inspection ? inspection->errors() : detail::InspectionErrors());
    auto const summary = detail::summarize(exec, F);
    if (inspection && is_gpu<Exec>) (void)inspection->finish();  // the summary was the first wait
    detail::build_empty_offsets(exec, F, summary.starts_in_flagged_tiles);
    if (summary.has_empty_rows) detail::list_empty_rows(exec, F, summary.empty_rows_before_tail);
    if (options.indices == Indices::compressed)
      detail::compress_columns(exec, F.num_tiles, detail::TileBounds<Offset>{nullptr, F.tile_size()},
                               F.tail_begin(), F.columns, F.compressed);
    return F;
  }

 private:
  template <class Exec>
  static bool runs_on(int lanes) {
    return is_gpu<Exec> ? lanes == lockstep_lanes(arch_of<Exec>) : lanes == 4 || lanes == 8 || lanes == 16;
  }
};

/// F.values <- A.values for an unchanged structure.
/// @throws StalePlan, before F changes, if A does not have the structure that F was converted from (checks
/// on: reads both structures once and fences exec)
/// Cost without checks: one read and one write of the values, asynchronous on exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, class Given>
void update_values(Exec const& exec, Csr5<Scalar, Ordinal, Offset, Device> const& F,
                   Csr<Given, Ordinal, Offset, Device> const& A, Checks checks = Checks::on) {
  require<StalePlan>(A.num_rows == F.num_rows && A.num_cols == F.num_cols && A.nnz() == F.nnz(), [&] {
    return detail::joined("update_values: CSR5 of ", F.num_rows, " x ", F.num_cols, " with ", F.nnz(),
                          " entries, given a CSR of ", A.num_rows, " x ", A.num_cols, " with ", A.nnz());
  });
  if (detail::are_on(checks))
    require<StalePlan>(detail::same_structure(exec, F, A),
                       "update_values: the CSR has as many entries as the CSR5, but they lie elsewhere");
  detail::move_array<detail::Direction::to_tiles>(exec, "einkorn::update_values[csr5]", F, F.values, A.values);
}

}  // namespace einkorn
