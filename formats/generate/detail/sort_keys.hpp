// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/range_launch.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Sort.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Bucket sort on the host, where Kokkos::sort runs on one thread. The keys are distributed to buckets by their
/// leading bits, and one thread sorts each bucket. 2^14 buckets, so that the largest bucket of a skewed graph
/// is small compared with the keys per thread (R-MAT: .76^14 = 2 % of the edges).
template <class Exec, class Keys>
void sort_in_buckets(Exec const& exec, Keys const& keys, std::uint64_t bound) {
  constexpr std::size_t max_buckets = std::size_t(1) << 14;
  int shift = 0;
  while ((bound - 1) >> shift >= max_buckets) ++shift;
  std::size_t const num_keys = keys.extent(0), buckets = ((bound - 1) >> shift) + 1;
  auto const parts = static_cast<std::size_t>(exec.concurrency());
  using Counts = Kokkos::View<std::size_t**, Kokkos::LayoutRight, typename Keys::device_type>;
  auto const position = allocate_zeros<Counts>(exec, "einkorn::build_csr::position", parts, buckets);
  auto const bucketed = allocate<Keys>(exec, "einkorn::build_csr::bucketed", num_keys);
  auto const begin_of = [=](std::size_t part) {
    return num_keys / parts * part + num_keys % parts * part / parts;
  };
  range_for<std::size_t>("einkorn::build_csr[count keys]", exec, parts, [=](std::size_t part) {
    for (std::size_t k = begin_of(part); k < begin_of(part + 1); ++k) ++position(part, keys(k) >> shift);
  });
  exec.fence("einkorn::build_csr: counts of keys");
  std::size_t before = 0;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket)
    for (std::size_t part = 0; part < parts; ++part) {
      std::size_t const count = position(part, bucket);
      position(part, bucket) = before;
      before += count;
    }
  range_for<std::size_t>("einkorn::build_csr[distribute keys]", exec, parts, [=](std::size_t part) {
    for (std::size_t k = begin_of(part); k < begin_of(part + 1); ++k)
      bucketed(position(part, keys(k) >> shift)++) = keys(k);
  });
  // Each position is now the end of its part of the bucket.
  for_each_part(exec, "einkorn::build_csr[sort buckets]", static_cast<std::int64_t>(buckets),
                [&](std::size_t bucket) {
                  std::size_t const begin = bucket == 0 ? 0 : position(parts - 1, bucket - 1);
                  std::size_t const end = position(parts - 1, bucket);
                  std::sort(bucketed.data() + begin, bucketed.data() + end);
                  std::copy(bucketed.data() + begin, bucketed.data() + end, keys.data() + begin);
                });
  exec.fence("einkorn::build_csr: sorted keys");
}

/// Sorts the keys. @pre keys(k) < bound
template <class Exec, class Keys>
void sort_keys(Exec const& exec, Keys const& keys, std::int64_t bound) {
  if constexpr (is_gpu<Exec>)
    or_out_of_memory("einkorn::build_csr: sort", keys.extent(0) * sizeof(std::uint64_t),
                     [&] { Kokkos::sort(exec, keys); });
  else
    sort_in_buckets(exec, keys, static_cast<std::uint64_t>(bound));
}

}  // namespace einkorn::detail
