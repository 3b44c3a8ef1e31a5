// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <cstddef>
#include <type_traits>

namespace einkorn::detail {

/// Bytes of the arrays of a matrix of any format.
template <class Matrix>
std::size_t matrix_bytes(Matrix const& A) {
  std::size_t bytes = 0;
  A.visit_arrays([&](char const*, auto const& array) {
    bytes += array.size() * sizeof(typename std::decay_t<decltype(array)>::value_type);
  });
  return bytes;
}

}  // namespace einkorn::detail
