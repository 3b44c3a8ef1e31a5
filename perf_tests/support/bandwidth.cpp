// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/bandwidth.hpp"

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <utility>

namespace einkorn::perf {

namespace {

using Buffer = Kokkos::View<double*, Device>;
using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>;

void fill(Exec const& exec, Buffer const& buffer) {
  Kokkos::parallel_for(
      "einkorn::perf::fill", Range(exec, 0, buffer.extent(0)),
      KOKKOS_LAMBDA(std::size_t i) { buffer(i) = 1.0; });
}

void stream_sum(Exec const& exec, Buffer const& buffer) {
  auto const n = buffer.extent(0) / 10;
  double const* const from = buffer.data();
  double* const to = buffer.data() + 9 * n;
  Kokkos::parallel_for(
      "einkorn::perf::stream", Range(exec, 0, n), KOKKOS_LAMBDA(std::size_t i) {
        to[i] = 0.1 * (from[i] + from[i + n] + from[i + 2 * n] + from[i + 3 * n] + from[i + 4 * n] +
                       from[i + 5 * n] + from[i + 6 * n] + from[i + 7 * n] + from[i + 8 * n]);
      });
}

/// The condition is never true, so no cache line becomes dirty: its write-back would fall into the next timing.
void read(Exec const& exec, Buffer const& buffer, std::size_t length) {
  Kokkos::parallel_for(
      "einkorn::perf::flush", Range(exec, 0, length), KOKKOS_LAMBDA(std::size_t i) {
        if (buffer(i) < 0.0) buffer(i) = 0.0;
      });
}

}  // namespace

Bandwidth::Bandwidth(Exec const& exec, Context const& context) : exec_(exec) {
  std::size_t const cache = context.last_level_cache_bytes, min_bytes = std::size_t(256) << 20;
  std::size_t const preferred = is_gpu<Exec> ? std::size_t(4) << 30 : std::max(4 * cache, min_bytes);
  std::size_t const bytes = std::min(preferred, context.memory_bytes / 4);
  buffer_ = allocate<Buffer>(exec, "einkorn::perf::Bandwidth::buffer", bytes / sizeof(double));
  flush_length_ = std::min(std::max(2 * cache, min_bytes) / sizeof(double), buffer_.extent(0));
  fill(exec, buffer_);
  exec.fence();
}

void Bandwidth::copy() const {
  auto const half = buffer_.extent(0) / 2;
  Kokkos::deep_copy(exec_, Kokkos::subview(buffer_, std::pair(half, 2 * half)),
                    Kokkos::subview(buffer_, std::pair(std::size_t(0), half)));
}

void Bandwidth::stream() const {
  stream_sum(exec_, buffer_);
}

void Bandwidth::flush() const {
  read(exec_, buffer_, flush_length_);
}

}  // namespace einkorn::perf
