// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>

namespace einkorn::detail {

/// Where entry i of what a team copies to its scratch lies: one slot in 17 stays empty, so that threads that
/// read 16 or 32 entries apart meet different banks.
KOKKOS_FORCEINLINE_FUNCTION int skewed(int i) {
  return i + i / 16;
}

/// Entries of `bytes` each that a conversion copies to team scratch, at most: 36 KB, so that 6 teams share a
/// multiprocessor of 228 KB. Analytical, not measured. Kokkos has 32 KB for a team of a host.
template <class Exec>
constexpr int staging_capacity(std::size_t bytes) {
  return std::min(2816, static_cast<int>((is_gpu<Exec> ? 36 : 28) * std::size_t(1024) / bytes * 16 / 17));
}

}  // namespace einkorn::detail
