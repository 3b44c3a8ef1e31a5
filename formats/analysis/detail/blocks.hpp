// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/formats/analysis/detail/counters.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Rows of blocks in the sample of one size, at most; a few threads on the host take long for each.
template <class Exec>
inline constexpr std::int64_t max_sampled_block_rows = is_gpu<Exec> ? 4096 : 1024;
inline constexpr std::int64_t longest_sampled_row = 1024;

/// Blocks and entries of a sample of rows of b x b blocks, for every b = 2 .. 8 in one launch. One row of
/// blocks a thread: the b rows are merged by block column. Rows of more than longest_sampled_row entries in the
/// mean are no part of the sample.
template <class Exec, class Matrix, class Device>
struct LookAtBlocks {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  Matrix A;
  StructureCounters<Device> found;
  std::int64_t most;  // rows of blocks in the sample of one size

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    switch (2 + i / most) {
      case 2:
        return analyze<2>(i % most);
      case 3:
        return analyze<3>(i % most);
      case 4:
        return analyze<4>(i % most);
      case 5:
        return analyze<5>(i % most);
      case 6:
        return analyze<6>(i % most);
      case 7:
        return analyze<7>(i % most);
      default:
        return analyze<8>(i % most);
    }
  }

 private:
  template <int b>
  KOKKOS_FUNCTION void analyze(std::int64_t sample) const {
    auto const rows = static_cast<std::int64_t>(A.num_rows), block_rows = (rows + b - 1) / b;
    auto const sampled = Kokkos::min(block_rows, most);
    if (sample >= sampled) return;
    auto const first = sample * (block_rows / sampled) * b;
    Offset at[b], end[b];
    std::int64_t entries = 0, blocks = 0;
    for (int r = 0; r < b; ++r) {
      at[r] = end[r] = 0;
      if (first + r >= rows) continue;
      at[r] = A.row_begin(static_cast<Ordinal>(first + r));
      end[r] = A.row_end(static_cast<Ordinal>(first + r));
      entries += static_cast<std::int64_t>(end[r] - at[r]);
    }
    if (entries > b * longest_sampled_row) return;  // one thread would be at it for long
    for (;; ++blocks) {
      Ordinal next = -1;
      for (int r = 0; r < b; ++r)
        if (at[r] < end[r] && (next < 0 || A.columns(at[r]) / b < next)) next = A.columns(at[r]) / b;
      if (next < 0) break;
      for (int r = 0; r < b; ++r)
        while (at[r] < end[r] && A.columns(at[r]) / b == next) ++at[r];
    }
    Kokkos::atomic_add(&found.counts(StructureCounters<Device>::blocks + b), blocks);
    Kokkos::atomic_add(&found.counts(StructureCounters<Device>::block_entries + b), entries);
  }
};

template <class Exec, class Matrix, class Device>
void analyze_blocks(Exec const& exec, Matrix const& A, StructureCounters<Device> const& findings) {
  // Rows of many entries need fewer rows of blocks for the same sample.
  auto const mean = static_cast<std::int64_t>(A.nnz()) / static_cast<std::int64_t>(A.num_rows) + 1;
  auto const most = std::max<std::int64_t>(max_sampled_block_rows<Exec> / (1 + mean / 64), 256);
  Kokkos::parallel_for("einkorn::structure[blocks]",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, 7 * most),
                       LookAtBlocks<Exec, Matrix, Device>{A, findings, most});
}

}  // namespace einkorn::detail
