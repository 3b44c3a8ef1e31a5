// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

namespace einkorn::detail {

/// The index of element i >= 0 of an array in team scratch with one unused element after every 16 elements:
/// threads that access elements 8, 16 or 32 apart then use different banks. n elements need
/// bank_padded_index(n) slots.
KOKKOS_FORCEINLINE_FUNCTION constexpr int bank_padded_index(int i) {
  return i + (i >> 4);
}

}  // namespace einkorn::detail
