// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/types.hpp"

#include <cstddef>

namespace einkorn::perf {

/// Random reads from a vector of the size of x through a stream of int32 indices. Its rate bounds the entries
/// per second of an SpMV whose columns have no order. With ordered columns an SpMV reuses cache lines of x and
/// may be faster.
class Gather {
 public:
  /// @param length entries of the vector, at most 2^31 - 1
  /// @param entry_bytes 4, 8 or 16
  Gather(Exec const& exec, std::size_t length, std::size_t entry_bytes);

  /// Enqueues count() reads.
  void operator()() const;
  [[nodiscard]] std::size_t count() const { return indices_.extent(0); }

 private:
  Exec exec_;
  std::size_t entry_bytes_;
  Kokkos::View<int*, Device> indices_;    // larger than the caches of a GPU
  Kokkos::View<double*, Device> vector_;  // memory of entries of entry_bytes_
};

}  // namespace einkorn::perf
