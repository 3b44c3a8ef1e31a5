// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/range_launch.hpp>

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

/// Items per bin: the value of a scan over all bins at once. Small, because a GPU scans it in shared memory.
template <int num_bins, class Index>
struct BinCounts {
  Index of[num_bins];
};

/// Lists the items of every bin in ascending order.
template <int num_bins, class Items, class BinOf>
struct ListBins {
  using value_type = BinCounts<num_bins, typename Items::value_type>;

  Items items;
  BinOf bin_of;
  value_type first;  // of each bin in items

  KOKKOS_FUNCTION void operator()(std::size_t i, value_type& before, bool is_final) const {
    int const bin = bin_of(i);
    if (is_final) items(first.of[bin] + before.of[bin]) = static_cast<typename Items::value_type>(i);
    ++before.of[bin];
  }
  KOKKOS_FUNCTION void init(value_type& counts) const {
    for (int bin = 0; bin < num_bins; ++bin) counts.of[bin] = 0;
  }
  KOKKOS_FUNCTION void join(value_type& counts, value_type const& others) const {
    for (int bin = 0; bin < num_bins; ++bin) counts.of[bin] += others.of[bin];
  }
};

}  // namespace detail

/// Groups `count` items by bin.
/// @param counts items per bin, [num_bins]
/// @param bin_of functor for kernels: bin_of(i) in [0, num_bins)
/// @param memory for `count` items; allocated if it is empty
/// @throws OutOfMemory
///
/// Memory: one Index per item, none if one bin holds all. 1 scan, asynchronous.
template <int num_bins, class Index, class Device, class Exec, class BinOf>
Bins<num_bins, Index, Device> list_bins(Exec const& exec, std::size_t count, std::uint64_t const* counts,
                                        BinOf const& bin_of, Kokkos::View<Index*, Device> const& memory = {}) {
  using Items = Kokkos::View<Index*, Device>;
  Bins<num_bins, Index, Device> bins;
  detail::BinCounts<num_bins, Index> first{};
  bool one_bin_has_all = false;
  for (std::size_t bin = 0; bin < num_bins; ++bin) {
    first.of[bin] = static_cast<Index>(bins.offsets[bin]);
    bins.offsets[bin + 1] = bins.offsets[bin] + counts[bin];
    one_bin_has_all = one_bin_has_all || counts[bin] == count;
  }
  if (one_bin_has_all) return bins;
  bins.items = memory.extent(0) > 0 ? memory : allocate<Items>(exec, "einkorn::bins", count);
  range_scan<std::size_t>("einkorn::bins[list]", exec, count,
                          detail::ListBins<num_bins, Items, BinOf>{bins.items, bin_of, first});
  return bins;
}

/// As list_bins(); counts the items first. 1 launch and 1 scan; fences exec.
template <int num_bins, class Index, class Device, class Exec, class BinOf>
Bins<num_bins, Index, Device> make_bins(Exec const& exec, std::size_t count, BinOf const& bin_of) {
  std::uint64_t counts[num_bins] = {};
  range_reduce<std::size_t>("einkorn::bins[count]", exec, count,
                            detail::CountBins<num_bins, BinOf>{num_bins, bin_of}, counts);
  exec.fence("einkorn::bins: read the counts on the host");
  return list_bins<num_bins, Index, Device>(exec, count, counts, bin_of);
}

}  // namespace einkorn
