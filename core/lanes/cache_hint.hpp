// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace einkorn {

/// Base of lanes whose loads have no cache policy that depends on the size of the matrix (Warp::CacheHint).
struct NoCacheHint {
  struct CacheHint {};
  static constexpr bool hint_keeps_l1 = false;
  template <class Exec>
  static CacheHint cache_hint(Exec const&, std::size_t) {
    return {};
  }
};

/// Loads an entry of A whose cache line the lanes of a warp load in parts, one after another: it stays in the
/// first-level cache.
template <class L, class T>
KOKKOS_FORCEINLINE_FUNCTION T load_through_l1(T const* address, [[maybe_unused]] typename L::CacheHint hint) {
  if constexpr (L::hint_keeps_l1)
    return L::load_streaming(address, hint);
  else
    return L::load(address);
}

}  // namespace einkorn
