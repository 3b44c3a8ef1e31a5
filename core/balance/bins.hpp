// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace einkorn {

/// The items 0 .. count - 1 by bin, those of one bin in their own order, which keeps neighbours together.
template <int num_bins, class Index, class Device>
struct Bins {
  std::array<std::size_t, num_bins + 1> offsets{};  // of bins in `items`
  Kokkos::View<Index*, Device> items;               // empty where one bin has them all: item i is then i

  [[nodiscard]] std::size_t size(int bin) const {
    return offsets[static_cast<std::size_t>(bin) + 1] - offsets[static_cast<std::size_t>(bin)];
  }
  [[nodiscard]] Kokkos::View<Index const*, Device> of(int bin) const {
    if (items.extent(0) == 0) return {};
    auto const i = static_cast<std::size_t>(bin);
    return Kokkos::subview(items, Kokkos::make_pair(offsets[i], offsets[i + 1]));
  }
};

namespace detail {

/// How many items each bin has.
template <int num_bins, class BinOf>
struct CountBins {
  using value_type = std::uint64_t[];
  unsigned value_count = num_bins;
  BinOf bin_of;

  KOKKOS_FUNCTION void operator()(std::size_t i, value_type counts) const { ++counts[bin_of(i)]; }
  KOKKOS_FUNCTION void init(value_type counts) const {
    for (int bin = 0; bin < num_bins; ++bin) counts[bin] = 0;
  }
  KOKKOS_FUNCTION void join(value_type counts, std::uint64_t const* others) const {
    for (int bin = 0; bin < num_bins; ++bin) counts[bin] += others[bin];
  }
};

/// The items of one bin, in their order.
template <class Items, class BinOf>
struct ListBin {
  Items items;
  BinOf bin_of;
  int bin;
  std::size_t first;

  KOKKOS_FUNCTION void operator()(std::size_t i, std::size_t& before, bool is_final) const {
    if (bin_of(i) != bin) return;
    if (is_final) items(first + before) = static_cast<typename Items::value_type>(i);
    ++before;
  }
};

}  // namespace detail

/// The bins of `count` items; bin_of(i) in [0, num_bins) is a functor for kernels. Memory: an Index an item,
/// none where one bin has them all. 1 launch and 1 for each bin that is not empty; fences exec. Throws
/// OutOfMemory.
template <int num_bins, class Index, class Device, class Exec, class BinOf>
Bins<num_bins, Index, Device> make_bins(Exec const& exec, std::size_t count, BinOf const& bin_of) {
  Bins<num_bins, Index, Device> bins;
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>> const all(exec, 0, count);
  std::uint64_t counts[num_bins] = {};
  Kokkos::parallel_reduce("einkorn::bins[count]", all, detail::CountBins<num_bins, BinOf>{num_bins, bin_of},
                          counts);
  exec.fence("einkorn::bins: the host needs the counts");
  bool one_has_all = false;
  for (std::size_t bin = 0; bin < num_bins; ++bin) {
    bins.offsets[bin + 1] = bins.offsets[bin] + counts[bin];
    one_has_all = one_has_all || counts[bin] == count;
  }
  if (one_has_all) return bins;
  bins.items = allocate<Kokkos::View<Index*, Device>>(exec, "einkorn::bins", count);
  for (int bin = 0; bin < num_bins; ++bin)
    if (bins.size(bin) > 0)
      Kokkos::parallel_scan("einkorn::bins[list]", all,
                            detail::ListBin<Kokkos::View<Index*, Device>, BinOf>{
                                bins.items, bin_of, bin, bins.offsets[static_cast<std::size_t>(bin)]});
  return bins;
}

}  // namespace einkorn
