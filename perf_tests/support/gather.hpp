// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/types.hpp"

#include <cstddef>

namespace einkorn::perf {

/// Random reads of a vector of the size of a matrix's x by a stream of int32 indices, which is read too: what
/// an SpMV cannot do faster per entry where columns have no order. A matrix whose columns do have one reuses
/// lines of x, and may be faster.
class Gather {
 public:
  /// A vector of `length` entries of 4, 8 or 16 bytes (of at most 2^31 - 1 entries).
  Gather(Exec const& exec, std::size_t length, std::size_t entry_bytes);

  /// Enqueues one pass of count() reads.
  void operator()() const;
  [[nodiscard]] std::size_t count() const { return indices_.extent(0); }

 private:
  Exec exec_;
  std::size_t entry_bytes_;
  Kokkos::View<int*, Device> indices_;    // beyond the caches of a GPU
  Kokkos::View<double*, Device> vector_;  // as bytes
};

}  // namespace einkorn::perf
