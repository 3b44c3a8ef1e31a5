// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/analysis/detail/counters.hpp>
#include <einkorn/formats/bsr/bsr_tuning.hpp>
#include <einkorn/formats/bsr/detail/count_blocks_host.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Upper limit of the sampled block rows per block size; lower on the host, which has fewer threads.
template <class Exec>
inline constexpr std::int64_t max_sampled_block_rows = is_gpu<Exec> ? 4096 : 1024;
/// Block rows with more entries per row on average are skipped: one thread would take too long.
inline constexpr std::int64_t max_sampled_row = 1024;
/// Host: the entries of the sample per block size, about; at least 64 block rows. An SpMV of so many entries takes 10 us.
inline constexpr std::int64_t sampled_entries_on_host = 16384;

/// Counts the b x b blocks and the entries of a sample of block rows, for b = 2 .. 8 in one launch (GPU). One thread
/// per block row merges its b rows by block column.
template <class Matrix, class Device>
struct SampleBlockFill {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  Matrix A;
  StructureCounters<Device> counters;
  std::int64_t max_block_rows;  // per block size

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    switch (2 + i / max_block_rows) {
      case 2:
        return analyze<2>(i % max_block_rows);
      case 3:
        return analyze<3>(i % max_block_rows);
      case 4:
        return analyze<4>(i % max_block_rows);
      case 5:
        return analyze<5>(i % max_block_rows);
      case 6:
        return analyze<6>(i % max_block_rows);
      case 7:
        return analyze<7>(i % max_block_rows);
      default:
        return analyze<8>(i % max_block_rows);
    }
  }

 private:
  template <int b>
  KOKKOS_FUNCTION void analyze(std::int64_t sample) const {
    auto const rows = static_cast<std::int64_t>(A.num_rows);
    SampledBlockRows<b> const sampled(rows, max_block_rows);
    if (sample >= sampled.num_sampled) return;
    auto const first = sampled.block_row(sample) * b;
    Offset at[b], end[b];
    std::int64_t entries = 0, blocks = 0;
    for (int r = 0; r < b; ++r) {
      at[r] = end[r] = 0;
      if (first + r >= rows) continue;
      at[r] = A.row_begin(static_cast<Ordinal>(first + r));
      end[r] = A.row_end(static_cast<Ordinal>(first + r));
      entries += static_cast<std::int64_t>(end[r] - at[r]);
    }
    if (entries > b * max_sampled_row) return;
    for (;; ++blocks) {
      Ordinal next = -1;
      for (int r = 0; r < b; ++r)
        if (at[r] < end[r] && (next < 0 || A.columns(at[r]) / b < next)) next = A.columns(at[r]) / b;
      if (next < 0) break;
      for (int r = 0; r < b; ++r)
        while (at[r] < end[r] && A.columns(at[r]) / b == next) ++at[r];
    }
    Kokkos::atomic_add(&counters.counts(StructureCounters<Device>::blocks + b), blocks);
    Kokkos::atomic_add(&counters.counts(StructureCounters<Device>::block_entries + b), entries);
  }
};

template <class Exec, class Matrix, class Device>
void analyze_blocks(Exec const& exec, Matrix const& A, StructureCounters<Device> const& counters) {
  auto const rows = static_cast<std::int64_t>(A.num_rows);
  auto const mean = static_cast<std::int64_t>(A.nnz()) / rows + 1;
  if constexpr (is_gpu<Exec>) {
    // Long rows need fewer block rows for a sample of the same size.
    auto const max_block_rows = std::max<std::int64_t>(max_sampled_block_rows<Exec> / (1 + mean / 64), 256);
    range_for<std::int64_t>("einkorn::structure[blocks]", exec, 7 * max_block_rows,
                            SampleBlockFill<Matrix, Device>{A, counters, max_block_rows});
  } else {
    for_each_block_size([&]<int b>() {
      SampledBlockRows<b> const sample(rows, std::clamp<std::int64_t>(sampled_entries_on_host / (b * mean), 64,
                                                                      max_sampled_block_rows<Exec>));
      auto const counts =
          count_blocks_on_host("einkorn::structure[blocks]", exec, A, sample, b * max_sampled_row);
      counters.counts(StructureCounters<Device>::blocks + b) = counts.blocks;
      counters.counts(StructureCounters<Device>::block_entries + b) = counts.entries;
    });
  }
}

}  // namespace einkorn::detail
