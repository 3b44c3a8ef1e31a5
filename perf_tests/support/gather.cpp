// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/gather.hpp"

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/mix64.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace einkorn::perf {

namespace {

using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>;

void fill(Exec const& exec, Kokkos::View<int*, Device> const& indices, std::uint64_t length) {
  Kokkos::parallel_for(
      "einkorn::perf::gather_indices", Range(exec, 0, indices.extent(0)),
      KOKKOS_LAMBDA(std::size_t i) { indices(i) = static_cast<int>(detail::mix64(i + 1) % length); });
}

/// Four independent reads per thread. All entries are zero, so the condition is false and nothing is written.
template <class Entry>
void read(Exec const& exec, Kokkos::View<int*, Device> const& indices,
          Kokkos::View<double*, Device> const& vector) {
  auto const quarter = indices.extent(0) / 4;
  int const* const from = indices.data();
  auto* const x = reinterpret_cast<Entry*>(vector.data());
  Kokkos::parallel_for(
      "einkorn::perf::gather", Range(exec, 0, quarter), KOKKOS_LAMBDA(std::size_t i) {
        Entry const sum =
            x[from[i]] + x[from[i + quarter]] + x[from[i + 2 * quarter]] + x[from[i + 3 * quarter]];
        if (sum != Entry(0)) x[0] = sum;
      });
}

}  // namespace

Gather::Gather(Exec const& exec, std::size_t length, std::size_t entry_bytes)
    : exec_(exec), entry_bytes_(entry_bytes) {
  constexpr auto max_length = static_cast<std::size_t>(std::numeric_limits<int>::max());
  length = std::clamp(length, std::size_t(1), max_length);
  indices_ = allocate<decltype(indices_)>(exec, "einkorn::perf::Gather::indices",
                                          std::size_t(1) << (is_gpu<Exec> ? 26 : 24));
  vector_ = allocate<decltype(vector_)>(exec, "einkorn::perf::Gather::vector",
                                        ceil_div(length * entry_bytes, sizeof(double)));
  fill(exec, indices_, length);
  Kokkos::deep_copy(exec, vector_, 0.0);
  exec.fence();
}

void Gather::operator()() const {
  if (entry_bytes_ == 4) return read<float>(exec_, indices_, vector_);
  if (entry_bytes_ == 16) return read<Kokkos::complex<double>>(exec_, indices_, vector_);
  read<double>(exec_, indices_, vector_);
}

}  // namespace einkorn::perf
