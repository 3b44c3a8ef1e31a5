// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/carry.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/formats/csr/detail/spmv_segmented_sum.hpp>
#include <einkorn/formats/csr/row_lengths.hpp>
#include <einkorn/formats/csr/spmv_tuning.hpp>
#include <einkorn/formats/spmv_options.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Whole rows where they are alike in length and not very long. Otherwise on a GPU rows by length where the
/// matrix is small, since that is one launch, else equal parts. On the host whole rows as long as no row is a
/// sizeable part of a thread's share.
template <class Exec, class Ordinal, class Offset>
SpmvAlgorithm choose_algorithm(RowLengths<Ordinal, Offset> const& lengths, std::size_t concurrency) {
  auto const longest = static_cast<double>(lengths.longest);
  if constexpr (is_gpu<Exec>) {
    if (rows_suit_lanes(longest, lengths.mean())) return SpmvAlgorithm::row_team;
    return static_cast<std::size_t>(lengths.entries) <= most_entries_of_bins ? SpmvAlgorithm::row_bins
                                                                             : SpmvAlgorithm::segmented_sum;
  } else {
    bool const fair = 16.0 * longest * static_cast<double>(concurrency) <= static_cast<double>(lengths.entries);
    return fair ? SpmvAlgorithm::row_team : SpmvAlgorithm::segmented_sum;
  }
}

/// Steps of the merge path a tile: a team's worth of scratch on a GPU, one part of host_parts on the host.
template <class Exec, class Sum, class Matrix>
std::int64_t merge_tile_items([[maybe_unused]] Exec const& exec, [[maybe_unused]] Matrix const& A) {
  if constexpr (is_gpu<Exec>) {
    constexpr SpmvTuning tuning = segmented_sum_tuning(arch_of<Exec>, sizeof(Sum));
    return tuning.team_size * tuning.unroll;
  } else {
    auto const parts = static_cast<std::int64_t>(host_parts(exec));
    auto const steps = static_cast<std::int64_t>(A.nnz()) + static_cast<std::int64_t>(A.num_rows);
    return std::max<std::int64_t>((steps + parts - 1) / parts, 1);
  }
}

template <bool conjugated, class Exec, class Matrix, class X, class Y, class Out, class Tiles>
void spmv_segmented_sum(Exec const& exec, Out const& update, Matrix const& A, X const& x, Y const& y,
                        Tiles const& tiles) {
  if constexpr (is_gpu<Exec>)
    spmv_segmented_sum_gpu<conjugated>(exec, update, A, x, y, tiles);
  else
    spmv_segmented_sum_host<conjugated>(exec, update, A, x, y, tiles);
  if (tiles.num_tiles > 1) add_carry(exec, tiles, tiles.num_tiles, tiles.has_long_runs, tiles.carry, y, update);
}

}  // namespace einkorn::detail
