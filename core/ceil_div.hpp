// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace einkorn {

/// a / b rounded up.
/// @pre a >= 0, b > 0, and a + b - 1 is representable.
template <class Integer>
KOKKOS_FORCEINLINE_FUNCTION constexpr Integer ceil_div(Integer a, std::type_identity_t<Integer> b) {
  return static_cast<Integer>((a + b - 1) / b);
}

}  // namespace einkorn
