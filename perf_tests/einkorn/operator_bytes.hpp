// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "csr5_counts.hpp"
#include "support/counts.hpp"

#include <einkorn/formats/any_matrix.hpp>

#include <cstddef>
#include <type_traits>
#include <variant>

namespace einkorn::perf {

/// The bytes of the matrix that one SpMV must move, without vectors, as in the SpMV rows.
template <class Format, class Scalar, class Ordinal, class Offset, class Device>
std::size_t format_bytes(Format const& F, Csr<Scalar, Ordinal, Offset, Device> const& A) {
  auto const counts = counts_of(A);
  if constexpr (CsrMatrix<Format>)
    return csr_bytes(counts) - vector_bytes(counts);
  else if constexpr (std::is_same_v<Format, Csr5<Scalar, Ordinal, Offset, Device>>)
    return csr5_bytes(counts, counts_of_tiles(F)) - vector_bytes(counts) - bytes_saved_by_codes(F);
  else
    return F.bytes();
}

template <class Scalar, class Ordinal, class Offset, class Device, class V>
std::size_t operator_bytes(AnyMatrix<Scalar, Ordinal, Offset, Device, V> const& F,
                           Csr<Scalar, Ordinal, Offset, Device> const& A) {
  return std::visit(
      [&](auto const& plan) -> std::size_t {
        if constexpr (std::is_same_v<std::decay_t<decltype(plan)>, std::monostate>)
          return 0;
        else
          return format_bytes(plan.matrix(), A);
      },
      F.plan());
}

}  // namespace einkorn::perf
