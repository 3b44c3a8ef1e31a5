// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/context.hpp"
#include "support/types.hpp"

#include <cstddef>

namespace einkorn::perf {

/// What the memory system allows, measured beside every row: a copy (half reads, half writes) and a stream of
/// nine reads for each write, which is closer to what an SpMV does. Both well beyond the last-level cache: 2
/// GiB to 2 GiB on a GPU, four times the cache in all on the host.
class Bandwidth {
 public:
  Bandwidth(Exec const& exec, Context const& context);

  /// Each enqueues one pass.
  void copy() const;
  void stream() const;
  /// Reads twice the last-level cache, so that nothing of a matrix is left there.
  void flush() const;

  [[nodiscard]] std::size_t copy_bytes() const { return buffer_.extent(0) / 2 * 2 * sizeof(double); }
  [[nodiscard]] std::size_t stream_bytes() const { return buffer_.extent(0) / 10 * 10 * sizeof(double); }

 private:
  Exec exec_;
  std::size_t flush_length_ = 0;
  Kokkos::View<double*, Device> buffer_;
};

}  // namespace einkorn::perf
