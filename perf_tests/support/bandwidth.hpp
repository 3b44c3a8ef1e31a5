// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/context.hpp"
#include "support/types.hpp"

#include <cstddef>

namespace einkorn::perf {

/// Memory bandwidth, measured in the same rounds as every row: a copy (half reads, half writes) and a stream of
/// nine reads per write, which is closer to an SpMV. Sizes: 2 GiB to 2 GiB on a GPU; on the host four times the
/// last-level cache in total.
class Bandwidth {
 public:
  Bandwidth(Exec const& exec, Context const& context);

  /// Enqueue one pass.
  void copy() const;
  void stream() const;
  /// Flushes the caches: reads twice the size of the last-level cache.
  void flush() const;

  [[nodiscard]] std::size_t copy_bytes() const { return buffer_.extent(0) / 2 * 2 * sizeof(double); }
  [[nodiscard]] std::size_t stream_bytes() const { return buffer_.extent(0) / 10 * 10 * sizeof(double); }

 private:
  Exec exec_;
  std::size_t flush_length_ = 0;
  Kokkos::View<double*, Device> buffer_;
};

}  // namespace einkorn::perf
