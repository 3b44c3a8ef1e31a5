// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/bins.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/spgemm/choose.hpp>
#include <einkorn/formats/spgemm/detail/symbolic_gpu.hpp>
#include <einkorn/formats/spgemm/report.hpp>
#include <einkorn/formats/spgemm/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// The same for all rows of C.
struct SymbolicConfig {
  bool sorted_B = true;
  std::uint64_t num_keys = 0;  ///< of all columns of C
  int segment_lanes = 1;       ///< lanes per row of B
  /// Ratio of the compressed columns of a row to their upper bound, estimated from a sample; 1: not sampled.
  double compression = 1.0;
  int min_bin = 0;  ///< few rows take as long as the longest of them, so they start with teams
};

/// The symbolic bin of a row by its number of compressed columns; past the last bin, rows that are skipped.
template <class Counts, class Offsets>
struct SymbolicBin {
  Counts upper_bounds;  // [rows]
  Offsets offsets;      // [rows]
  SpgemmTuning tuning;
  std::uint64_t num_keys;
  double compression = 1.0;
  int min_bin = 0;
  bool overflowed_only = false;

  KOKKOS_FUNCTION int operator()(std::size_t i) const {
    if (overflowed_only && offsets(i) != overflowed<typename Offsets::non_const_value_type>)
      return SpgemmTuning::num_symbolic_bins;
    auto const bound = static_cast<std::uint64_t>(upper_bounds(i));
    auto const estimate = static_cast<std::uint64_t>(1.25 * compression * static_cast<double>(bound)) + 8;
    int const bin = symbolic_bin(tuning, compression < 1.0 && estimate < bound ? estimate : bound, num_keys);
    return bin < min_bin ? min_bin : bin;
  }
};

/// The symbolic kernel for the rows in `args.rows`, all of one bin. One launch, asynchronous.
template <class Exec, class Args>
void launch_symbolic_bin(Exec const& exec, Args const& args, SymbolicConfig const& config, int bin) {
  using Ordinal = typename Args::Ordinal;
  constexpr SpgemmTuning tuning = spgemm_tuning(arch_of<Exec>);
  int const segment_lanes = config.segment_lanes;
  if (bin < tuning.group_bins) {
    using Functor = SymbolicHashKernel<Exec, Args, false>;
    int const slots = tuning.group_slots[bin];
    int const lanes = bin < tuning.short_row_bins ? segment_lanes : lanes_for_mean<Exec>(slots);
    launch_groups<false>(exec, "einkorn::spgemm[symbolic,group]", Functor{args, slots, lanes, segment_lanes},
                         args.num_items, Functor::bytes(slots, args.counting));
  } else if (bin < tuning.bitmap_bin) {
    using Functor = SymbolicHashKernel<Exec, Args, true>;
    int const slots = tuning.team_slots[bin - tuning.group_bins];
    launch_groups<true>(exec, "einkorn::spgemm[symbolic,team]", Functor{args, slots, 0, segment_lanes},
                        args.num_items, Functor::bytes(slots, args.counting));
  } else {
    using Functor = SymbolicBitmapKernel<Exec, Args>;
    launch_groups<true>(exec, "einkorn::spgemm[symbolic,bitmap]",
                        Functor{args, tuning.bitmap_words, 0, segment_lanes,
                                static_cast<Ordinal>(config.num_keys), config.sorted_B},
                        args.num_items, Functor::bytes(tuning.bitmap_words, args.counting));
  }
}

/// Counts or writes the columns of rows first .. first + count - 1. args.compressed_counts are upper bounds
/// before counting and exact afterwards. Temporaries: one Ordinal per row. Fences exec.
template <class Exec, class Args>
void run_symbolic(Exec const& exec, Args args, SymbolicConfig const& config, typename Args::Ordinal first,
                  std::size_t count, SpgemmReport& report) {
  using Ordinal = typename Args::Ordinal;
  using Device = typename Args::Device;
  auto const begin = static_cast<std::size_t>(first);
  auto const range = Kokkos::make_pair(begin, begin + count);
  Kokkos::View<Ordinal*, Device> const counts = Kokkos::subview(args.compressed_counts, range);
  Kokkos::View<typename Args::Offset*, Device> const offsets = Kokkos::subview(args.offsets, range);
  SymbolicBin<decltype(counts), decltype(offsets)> bin_of{counts,
                                                          offsets,
                                                          spgemm_tuning(arch_of<Exec>),
                                                          config.num_keys,
                                                          args.counting ? config.compression : 1.0,
                                                          config.min_bin};
  args.first_row = first;
  auto const run = [&] {
    constexpr int num_bins = SpgemmTuning::num_symbolic_bins;
    auto const bins = make_bins<num_bins + 1, Ordinal, Device>(exec, count, bin_of);
    for (int bin = 0; bin < num_bins; ++bin) {
      args.rows = bins.of(bin);
      args.num_items = static_cast<std::int64_t>(bins.size(bin));
      if (args.counting) report.symbolic_bins[static_cast<std::size_t>(bin)] += bins.size(bin);
      if (args.counting && bin_of.overflowed_only) report.num_recounted_rows += bins.size(bin);
      launch_symbolic_bin(exec, args, config, bin);
    }
    exec.fence("einkorn::spgemm: the bins of this chunk are freed");
  };
  run();
  if (bin_of.compression == 1.0) return;
  bin_of.compression = 1.0;
  bin_of.overflowed_only = true;
  run();
}

/// Rows of C by symbolic bin of their upper bounds.
template <class Args>
using SymbolicBins = Bins<SpgemmTuning::num_symbolic_bins, typename Args::Ordinal, typename Args::Device>;

/// Bins for counting and for writing all rows. args.compressed_counts: upper bounds. counts: rows per bin; null:
/// counted first, which fences exec.
template <class Exec, class Args>
SymbolicBins<Args> make_symbolic_bins(Exec const& exec, Args const& args, SymbolicConfig const& config,
                                      std::uint64_t const* counts) {
  using Ordinal = typename Args::Ordinal;
  using Device = typename Args::Device;
  constexpr int num_bins = SpgemmTuning::num_symbolic_bins;
  SymbolicBin<decltype(args.compressed_counts), decltype(args.offsets)> const bin_of{
      args.compressed_counts, args.offsets, spgemm_tuning(arch_of<Exec>), config.num_keys, 1.0, config.min_bin};
  std::size_t const rows = args.compressed_counts.extent(0);
  return counts == nullptr ? make_bins<num_bins, Ordinal, Device>(exec, rows, bin_of)
                           : list_bins<num_bins, Ordinal, Device>(exec, rows, counts, bin_of);
}

/// Counts or writes the columns of all rows. At most one launch per bin, asynchronous. Few rows of a bin of
/// groups are computed with the next one: another launch would take longer than their larger tables.
template <class Exec, class Args>
void run_symbolic_bins(Exec const& exec, Args args, SymbolicConfig const& config,
                       SymbolicBins<Args> const& bins) {
  constexpr std::size_t min_rows = 2048;
  args.first_row = 0;
  for (int bin = 0, first = 0; bin < SpgemmTuning::num_symbolic_bins; ++bin) {
    auto const begin = bins.offsets[static_cast<std::size_t>(first)],
               end = bins.offsets[static_cast<std::size_t>(bin) + 1];
    bool const can_merge = bin + 1 < SpgemmTuning::group_bins && bins.size(bin + 1) > 0;
    if (can_merge && end - begin < min_rows) continue;
    first = bin + 1;
    if (begin == end) continue;
    args.rows = {};
    if (bins.items.extent(0) > 0) args.rows = Kokkos::subview(bins.items, Kokkos::make_pair(begin, end));
    args.num_items = static_cast<std::int64_t>(end - begin);
    launch_symbolic_bin(exec, args, config, bin);
  }
}

/// Sample s is row s num_rows / sample size, with its upper bound.
template <class List>
struct TakeSample {
  List compressed_counts, rows, upper_bounds;
  std::size_t num_rows;
  KOKKOS_FUNCTION void operator()(std::size_t s) const {
    auto const row = s * num_rows / rows.extent(0);
    rows(s) = static_cast<typename List::value_type>(row);
    upper_bounds(s) = compressed_counts(row);
  }
};
/// ratios(s) <- compressed columns of sample s over their upper bound; restores compressed_counts.
template <class List, class Ratios>
struct CompressionOfSample {
  List compressed_counts, rows, upper_bounds;
  Ratios ratios;
  KOKKOS_FUNCTION void operator()(std::size_t s) const {
    auto const row = rows(s);
    auto const bound = upper_bounds(s);
    ratios(s) = bound == 0 ? 0.0f : static_cast<float>(compressed_counts(row)) / static_cast<float>(bound);
    compressed_counts(row) = bound;
  }
};
/// binned_rows(p) <- rows(items(p)).
template <class Lists, class Items>
struct RowsOfItems {
  Lists rows, binned_rows;
  Items items;
  KOKKOS_FUNCTION void operator()(std::size_t p) const { binned_rows(p) = rows(items(p)); }
};

/// The ratio of compressed columns to their upper bound that 15 of 16 sampled rows do not exceed; 1 where it
/// would make no difference. Temporaries: at most 4 Ordinals and a float per sampled row. Fences exec.
template <class Exec, class Args>
double estimate_compression(Exec const& exec, Args args, SymbolicConfig const& config, std::size_t num_rows) {
  using Ordinal = typename Args::Ordinal;
  using Device = typename Args::Device;
  using List = Kokkos::View<Ordinal*, Device>;
  constexpr SpgemmTuning tuning = spgemm_tuning(arch_of<Exec>);
  constexpr auto size = static_cast<std::size_t>(tuning.sample_size);
  auto const list = [&] { return allocate<List>(exec, "einkorn::spgemm::sample", size); };
  List const rows = list(), upper_bounds = list();
  range_for<std::size_t>("einkorn::spgemm[sample]", exec, size,
                         TakeSample<List>{args.compressed_counts, rows, upper_bounds, num_rows});
  auto const bins = make_bins<SpgemmTuning::num_symbolic_bins, Ordinal, Device>(
      exec, size,
      SymbolicBin<List, decltype(args.offsets)>{upper_bounds, args.offsets, tuning, config.num_keys});
  List binned_rows = rows;
  if (bins.items.extent(0) > 0) {
    binned_rows = list();
    range_for<std::size_t>("einkorn::spgemm[sample]", exec, size,
                           RowsOfItems<List, decltype(bins.items)>{rows, binned_rows, bins.items});
  }
  for (int bin = 0; bin < SpgemmTuning::num_symbolic_bins; ++bin) {
    auto const i = static_cast<std::size_t>(bin);
    args.rows = Kokkos::subview(binned_rows, Kokkos::make_pair(bins.offsets[i], bins.offsets[i + 1]));
    args.num_items = static_cast<std::int64_t>(bins.size(bin));
    launch_symbolic_bin(exec, args, config, bin);
  }
  using Ratios = Kokkos::View<float*, Device>;
  auto const ratios = allocate<Ratios>(exec, "einkorn::spgemm::sample", size);
  range_for<std::size_t>("einkorn::spgemm[compression]", exec, size,
                         CompressionOfSample<List, Ratios>{args.compressed_counts, rows, upper_bounds, ratios});
  std::array<float, size> sorted;
  Kokkos::deep_copy(exec, Kokkos::View<float*, Kokkos::HostSpace>(sorted.data(), size), ratios);
  exec.fence("einkorn::spgemm: the host reads the sample");
  std::sort(sorted.begin(), sorted.end());
  return choose_compression(sorted[size - 1 - size / 16]);
}

}  // namespace einkorn::detail
