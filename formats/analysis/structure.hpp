// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/analysis/detail/blocks.hpp>
#include <einkorn/formats/analysis/detail/diagonals.hpp>
#include <einkorn/formats/analysis/detail/gathers.hpp>
#include <einkorn/formats/analysis/detail/long_rows.hpp>
#include <einkorn/formats/analysis/detail/rows.hpp>
#include <einkorn/formats/analysis/detail/slices.hpp>
#include <einkorn/formats/analysis/structure_types.hpp>
#include <einkorn/formats/analysis/symmetry.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/padded/tuning.hpp>
#include <einkorn/formats/spmv_checks.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

namespace einkorn {

/// Analyzes the structure of A on the device.
///
/// @param A  num_rows x num_cols; not validated (validate()). Rows may be unsorted; block_fill may then be too
///           large.
/// @throws OutOfMemory, OverflowError (Offset too narrow for kernels that step beyond the last entry)
///
/// block_fill is a sample of at most 1024 block rows per block size, without block rows of very many entries
/// (detail::max_block_row_entries()); sorted_slice_fill is a sample of at most 128 windows, evenly spaced; gathered_sectors
/// and column_block_changes are a sample of at most 256 windows. On a GPU, unless StructureOptions::exact: of a matrix with
/// more than 2^24 entries, sorted, bandwidths, diagonals, bands and stripes are those of a sample of at least a sixteenth
/// of the rows, in evenly spaced blocks (sorted may be true, bandwidths and numbers of diagonals too small, stripes are
/// scaled); of one with more than 2^24 entries or 2^20 rows the entries per diagonal are an estimate from at least a
/// sixteenth of the rows. All other members are exact. Cost: reads row_offsets three times and columns twice (GPU: of a
/// large matrix, a sample; once more, also a sample, with at most 512 diagonals), writes and reads one byte per diagonal
/// (num_rows + num_cols); fences exec twice. Deterministic: counts are integers.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
Structure structure(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A,
                    StructureOptions const& options = {}) {
  require_kokkos("structure");
  ScopedRegion const region("einkorn::structure");
  Structure result;
  result.num_rows = static_cast<std::int64_t>(A.num_rows);
  result.num_cols = static_cast<std::int64_t>(A.num_cols);
  result.nnz = static_cast<std::int64_t>(A.nnz());
  result.slice_rows = padded_lanes<Exec, std::remove_const_t<Scalar>>;
  detail::check_entries<Offset>(A.values.extent(0));
  if (options.symmetry) result.symmetric = has_symmetric_pattern(exec, A);
  if (A.num_rows == 0 || A.nnz() == 0) {
    result.empty_rows = result.num_rows;
    result.row_length_histogram[0] = result.num_rows;
    result.num_stripes = A.num_rows > 0 ? 1 : 0;
    return result;
  }
  detail::StructureCounters<Device> const counters(
      exec, static_cast<std::size_t>(A.num_rows) + static_cast<std::size_t>(A.num_cols) - 1, result.nnz);
  std::int64_t const sample = is_gpu<Exec> && !options.exact ? detail::structure_sample(result.nnz) : 1;
  detail::analyze_rows(exec, A, counters, sample);
  detail::analyze_long_rows(exec, A, counters);
  detail::analyze_slices(exec, A, static_cast<int>(result.slice_rows), counters);
  detail::analyze_blocks(exec, A, counters);
  if constexpr (is_gpu<Exec>) {
    if (result.nnz >= detail::min_gather_entries)
      detail::analyze_gathers(exec, A, column_blocks_shape(arch_of<Exec>, sizeof(Scalar)).columns, counters);
  }
  detail::analyze_diagonals(exec, counters, result.num_rows);
  auto const counts = counters.read(exec);

  using Slot = detail::StructureCounters<Device>;
  auto const count = [&](int slot) { return counts[static_cast<std::size_t>(slot)]; };
  auto const ratio = [&](int numerator, int denominator) {
    return count(denominator) == 0
               ? 1.0
               : static_cast<double>(count(numerator)) / static_cast<double>(count(denominator));
  };
  result.longest_row = count(Slot::longest_row);
  result.lower_bandwidth = count(Slot::lower_bandwidth);
  result.upper_bandwidth = count(Slot::upper_bandwidth);
  result.sorted = count(Slot::unsorted_rows) == 0;
  auto const scaled = [&](int slot, std::int64_t most) {
    return sample == 1 ? count(slot) : std::min(count(slot) * sample, most);
  };
  result.num_stripes = scaled(Slot::stripes, result.num_rows);
  result.stripe_columns = scaled(Slot::stripe_columns, result.nnz);
  result.num_diagonals = count(Slot::num_diagonals);
  result.num_bands = count(Slot::num_bands);
  for (std::size_t i = 0; i < result.row_length_histogram.size(); ++i)
    result.row_length_histogram[i] = count(Slot::histogram + static_cast<int>(i));
  result.empty_rows = result.row_length_histogram[0];
  auto const rows = static_cast<double>(result.num_rows);
  result.mean_row_length = static_cast<double>(result.nnz) / rows;
  double const squares = static_cast<double>(count(Slot::sum_of_squares)) / rows;
  result.row_length_deviation =
      std::sqrt(std::fmax(squares - result.mean_row_length * result.mean_row_length, 0.0));
  result.slice_fill = static_cast<double>(count(Slot::slice_slots)) / static_cast<double>(result.nnz);
  result.sorted_slice_fill = std::fmin(ratio(Slot::window_slots, Slot::window_entries), result.slice_fill);
  if (count(Slot::gather_entries) > 0) {
    result.gathered_sectors = ratio(Slot::gather_sectors, Slot::gather_entries);
    result.column_block_changes = ratio(Slot::block_changes, Slot::gather_entries);
  }
  for (int b = 2; b <= 8; ++b)
    result.block_fill[static_cast<std::size_t>(b)] =
        static_cast<double>(b * b) * ratio(Slot::blocks + b, Slot::block_entries + b);
  if (result.num_diagonals <= detail::max_listed_diagonals)
    for (auto const& [offset, entries] : detail::list_diagonals(exec, A, counters, counts, options.exact))
      result.diagonals.push_back({offset, entries});
  return result;
}

/// The same for a KokkosSparse::CrsMatrix.
template <ExecutionSpace Exec, CrsMatrixLike Matrix>
Structure structure(Exec const& exec, Matrix const& A, StructureOptions const& options = {}) {
  return structure(exec, as_csr(A), options);
}

}  // namespace einkorn
