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

/// What one SpMV must move of the matrix, without vectors: as the SpMV rows count it.
template <class Scalar, class Ordinal, class Offset, class Device, class V>
std::size_t operator_bytes(AnyMatrix<Scalar, Ordinal, Offset, Device, V> const& F,
                           Csr<Scalar, Ordinal, Offset, Device> const& A) {
  auto const counts = counts_of(A);
  return std::visit(
      [&](auto const& plan) -> std::size_t {
        if constexpr (std::is_same_v<std::decay_t<decltype(plan)>, std::monostate>) {
          return 0;
        } else {
          using Format = std::decay_t<decltype(plan.matrix())>;
          if constexpr (CsrMatrix<Format>)
            return csr_bytes(counts) - vector_bytes(counts);
          else if constexpr (std::is_same_v<Format, Csr5<Scalar, Ordinal, Offset, Device>>)
            return csr5_bytes(counts, counts_of_tiles(plan.matrix())) - vector_bytes(counts) -
                   bytes_saved_by_codes(plan.matrix());
          else
            return plan.matrix().bytes();
        }
      },
      F.plan());
}

}  // namespace einkorn::perf
