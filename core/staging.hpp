// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/bank_padding.hpp>

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

}  // namespace einkorn::detail
