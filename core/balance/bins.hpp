// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace einkorn {

/// The items 0 .. count - 1 grouped by bin, in ascending order within a bin, which preserves locality.
template <int num_bins, class Index, class Device>
struct Bins {
  std::array<std::size_t, num_bins + 1> offsets{};  // of the bins in items
  Kokkos::View<Index*, Device> items;               // empty if one bin holds all items

  [[nodiscard]] std::size_t size(int bin) const {
    return offsets[static_cast<std::size_t>(bin) + 1] - offsets[static_cast<std::size_t>(bin)];
  }
  /// The items of a bin; empty if one bin holds all items: item i is then i.
  [[nodiscard]] Kokkos::View<Index const*, Device> of(int bin) const {
    if (items.extent(0) == 0) return {};
    auto const i = static_cast<std::size_t>(bin);
    return Kokkos::subview(items, Kokkos::make_pair(offsets[i], offsets[i + 1]));
  }
};

namespace detail {

/// Counts the items of each bin.
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

/// Lists the items of one bin in ascending order.
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

/// Groups `count` items by bin.
/// @param bin_of functor for kernels: bin_of(i) in [0, num_bins)
/// @throws OutOfMemory
///
/// Memory: one Index per item, none if one bin holds all. 1 launch and 1 per non-empty bin; fences exec.
template <int num_bins, class Index, class Device, class Exec, class BinOf>
Bins<num_bins, Index, Device> make_bins(Exec const& exec, std::size_t count, BinOf const& bin_of) {
  Bins<num_bins, Index, Device> bins;
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>> const all(exec, 0, count);
  std::uint64_t counts[num_bins] = {};
  Kokkos::parallel_reduce("einkorn::bins[count]", all, detail::CountBins<num_bins, BinOf>{num_bins, bin_of},
                          counts);
  exec.fence("einkorn::bins: read the counts on the host");
  bool one_bin_has_all = false;
  for (std::size_t bin = 0; bin < num_bins; ++bin) {
    bins.offsets[bin + 1] = bins.offsets[bin] + counts[bin];
    one_bin_has_all = one_bin_has_all || counts[bin] == count;
  }
  if (one_bin_has_all) return bins;
  bins.items = allocate<Kokkos::View<Index*, Device>>(exec, "einkorn::bins", count);
  for (int bin = 0; bin < num_bins; ++bin)
    if (bins.size(bin) > 0)
      Kokkos::parallel_scan("einkorn::bins[list]", all,
                            detail::ListBin<Kokkos::View<Index*, Device>, BinOf>{
                                bins.items, bin_of, bin, bins.offsets[static_cast<std::size_t>(bin)]});
  return bins;
}

}  // namespace einkorn
