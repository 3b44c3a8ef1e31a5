// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/bank_padding.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>

namespace einkorn::detail {

/// The maximal number of entries of `bytes` bytes that a conversion stages in the scratch of a team, with bank
/// padding: 36 KB on a GPU, so that 6 teams share a multiprocessor with 228 KB (analytical, not measured);
/// 28 KB on a host, where Kokkos provides 32 KB.
template <class Exec>
constexpr int staging_capacity(std::size_t bytes) {
  return std::min(2816, static_cast<int>((is_gpu<Exec> ? 36 : 28) * std::size_t(1024) / bytes * 16 / 17));
}

/// put(i, get(i)) for i < count by the threads of a team, with `batch` calls of get per thread before the first put, so that
/// a thread waits for memory once. Without it the compiler does not move loads before the stores to scratch.
template <int batch, class Index, class Member, class Get, class Put>
KOKKOS_FORCEINLINE_FUNCTION void copy_batched(Member const& team, Index count, Get const& get, Put const& put) {
  using Value = decltype(get(count));
  auto const threads = static_cast<Index>(team.team_size());
  auto i = static_cast<Index>(team.team_rank());
  for (; i + (batch - 1) * threads < count; i += batch * threads) {
    Value values[batch];
    for (int u = 0; u < batch; ++u) values[u] = get(i + static_cast<Index>(u) * threads);
    for (int u = 0; u < batch; ++u) put(i + static_cast<Index>(u) * threads, values[u]);
  }
  for (; i < count; i += threads) put(i, get(i));
}

/// An entry of a matrix on its way to scratch.
template <class Scalar, class Ordinal>
struct StagedEntry {
  Scalar value;
  Ordinal column;
};

}  // namespace einkorn::detail
