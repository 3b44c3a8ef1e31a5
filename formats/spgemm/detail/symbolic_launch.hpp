// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/bins.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/spgemm/choose.hpp>
#include <einkorn/formats/spgemm/detail/launch_batches.hpp>
#include <einkorn/formats/spgemm/detail/schedule.hpp>
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
  Counts upper_bounds;  // [rows], which may exceed num_keys
  Counts inserts;       // [rows], if it is known that more are inserted; or empty
  Offsets offsets;      // [rows]
  SpgemmTuning tuning;
  std::uint64_t num_keys;
  double compression = 1.0;
  int min_bin = 0;
  bool overflowed_only = false;

  KOKKOS_FUNCTION int operator()(std::size_t i) const {
    if (overflowed_only && offsets(i) != overflowed<typename Offsets::non_const_value_type>)
      return SpgemmTuning::num_symbolic_bins;
    auto const upper_bound = static_cast<std::uint64_t>(upper_bounds(i));
    auto const bound = upper_bound < num_keys ? upper_bound : num_keys;
    auto const work = inserts.extent(0) > 0 ? static_cast<std::uint64_t>(inserts(i)) : upper_bound;
    auto const estimate = static_cast<std::uint64_t>(1.25 * compression * static_cast<double>(bound)) + 8;
    int const bin =
        symbolic_bin(tuning, compression < 1.0 && estimate < bound ? estimate : bound, num_keys, work);
    return bin < min_bin ? min_bin : bin;
  }
};

/// Items first_item .. first_item + num_items - 1, all of one bin, with its accumulator.
template <class Exec, class Args>
RowBatch symbolic_batch(SymbolicConfig const& config, int bin, std::size_t first_item, std::size_t num_items) {
  constexpr SpgemmTuning tuning = spgemm_tuning(arch_of<Exec>);
  RowBatch batch;
  batch.first_item = static_cast<std::int64_t>(first_item);
  batch.num_items = static_cast<std::int64_t>(num_items);
  batch.segment_lanes = config.segment_lanes;
  if (bin < tuning.group_bins) {
    batch.kind = group_table;
    batch.slots = tuning.group_slots[bin];
    batch.rank_words = SymbolicHashRow<Exec, Args, false>::rank_words(batch.slots, config.num_keys);
    batch.lanes = bin < tuning.short_row_bins ? config.segment_lanes : lanes_for_mean<Exec>(batch.slots);
  } else if (bin < tuning.bitmap_bin) {
    batch.kind = team_table;
    batch.slots = tuning.team_slots[bin - tuning.group_bins];
  } else {
    batch.kind = team_bitmap;
    batch.slots = static_cast<int>(
        std::min(static_cast<std::uint64_t>(tuning.bitmap_words), std::max(config.num_keys, std::uint64_t(1))));
  }
  return batch;
}

/// Counts or writes the columns of args.rows, grouped by bin: bin b begins at item offsets[b]. Asynchronous.
template <class Exec, class Args, class Offsets>
void launch_symbolic(Exec const& exec, Args const& args, SymbolicConfig const& config, Offsets const& offsets) {
  SymbolicKernel<Exec, Args> kernel{args, {}, config.num_keys, config.sorted_B};
  for (int bin = SpgemmTuning::num_symbolic_bins - 1; bin >= 0; --bin) {  // the longest rows first
    auto const first = offsets[static_cast<std::size_t>(bin)], end = offsets[static_cast<std::size_t>(bin) + 1];
    kernel.batches.add(symbolic_batch<Exec, Args>(config, bin, first, end - first));
  }
  launch_batches(exec, "einkorn::spgemm[symbolic]", kernel);
}

/// Counts or writes the columns of rows first .. first + count - 1. args.compressed_counts are upper bounds
/// before counting and exact afterwards. inserts: the upper bounds, for writing; or empty. Temporaries: one Ordinal per
/// row. Fences exec.
template <class Exec, class Args>
void run_symbolic(Exec const& exec, Args args, SymbolicConfig const& config, typename Args::Ordinal first,
                  std::size_t count, SpgemmReport& report,
                  Kokkos::View<typename Args::Ordinal*, typename Args::Device> const& inserts = {}) {
  using Ordinal = typename Args::Ordinal;
  using Device = typename Args::Device;
  auto const begin = static_cast<std::size_t>(first);
  auto const range = Kokkos::make_pair(begin, begin + count);
  Kokkos::View<Ordinal*, Device> const counts = Kokkos::subview(args.compressed_counts, range);
  Kokkos::View<typename Args::Offset*, Device> const offsets = Kokkos::subview(args.offsets, range);
  SymbolicBin<Kokkos::View<Ordinal*, Device>, decltype(offsets)> bin_of{
      counts,          {},
      offsets,         spgemm_tuning(arch_of<Exec>),
      config.num_keys, args.counting ? config.compression : 1.0,
      config.min_bin};
  if (!args.counting && inserts.extent(0) > 0) bin_of.inserts = Kokkos::subview(inserts, range);
  args.first_row = first;
  auto const run = [&] {
    constexpr int num_bins = SpgemmTuning::num_symbolic_bins;
    auto const bins = make_bins<num_bins + 1, Ordinal, Device>(exec, count, bin_of);
    args.rows = bins.items;
    launch_symbolic(exec, args, config, bins.offsets);
    for (int bin = 0; bin < num_bins; ++bin) {
      if (args.counting) report.symbolic_bins[static_cast<std::size_t>(bin)] += bins.size(bin);
      if (args.counting && bin_of.overflowed_only) report.num_recounted_rows += bins.size(bin);
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
/// counted first, which fences exec. memory: one Ordinal per row, or empty.
template <class Exec, class Args>
SymbolicBins<Args> make_symbolic_bins(
    Exec const& exec, Args const& args, SymbolicConfig const& config, std::uint64_t const* counts,
    Kokkos::View<typename Args::Ordinal*, typename Args::Device> const& memory) {
  using Ordinal = typename Args::Ordinal;
  using Device = typename Args::Device;
  constexpr int num_bins = SpgemmTuning::num_symbolic_bins;
  SymbolicBin<decltype(args.compressed_counts), decltype(args.offsets)> const bin_of{
      args.compressed_counts, {},  args.offsets,  spgemm_tuning(arch_of<Exec>),
      config.num_keys,        1.0, config.min_bin};
  std::size_t const rows = args.compressed_counts.extent(0);
  return counts == nullptr ? make_bins<num_bins, Ordinal, Device>(exec, rows, bin_of)
                           : list_bins<num_bins, Ordinal, Device>(exec, rows, counts, bin_of, memory);
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
/// ratios(s) <- compressed columns of sample s over their upper bound, at most num_keys; restores compressed_counts.
template <class List, class Ratios>
struct CompressionOfSample {
  List compressed_counts, rows, upper_bounds;
  Ratios ratios;
  std::uint64_t num_keys;
  KOKKOS_FUNCTION void operator()(std::size_t s) const {
    auto const row = rows(s);
    auto const inserts = upper_bounds(s);
    auto const bound = static_cast<std::uint64_t>(inserts) < num_keys ? static_cast<float>(inserts)
                                                                      : static_cast<float>(num_keys);
    ratios(s) = inserts == 0 ? 0.0f : static_cast<float>(compressed_counts(row)) / bound;
    compressed_counts(row) = inserts;
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
      SymbolicBin<List, decltype(args.offsets)>{upper_bounds, {}, args.offsets, tuning, config.num_keys});
  List binned_rows = rows;
  if (bins.items.extent(0) > 0) {
    binned_rows = list();
    range_for<std::size_t>("einkorn::spgemm[sample]", exec, size,
                           RowsOfItems<List, decltype(bins.items)>{rows, binned_rows, bins.items});
  }
  args.rows = binned_rows;
  launch_symbolic(exec, args, config, bins.offsets);
  using Ratios = Kokkos::View<float*, Device>;
  auto const ratios = allocate<Ratios>(exec, "einkorn::spgemm::sample", size);
  range_for<std::size_t>(
      "einkorn::spgemm[compression]", exec, size,
      CompressionOfSample<List, Ratios>{args.compressed_counts, rows, upper_bounds, ratios, config.num_keys});
  std::array<float, size> sorted;
  Kokkos::deep_copy(exec, Kokkos::View<float*, Kokkos::HostSpace>(sorted.data(), size), ratios);
  exec.fence("einkorn::spgemm: the host reads the sample");
  std::sort(sorted.begin(), sorted.end());
  return choose_compression(sorted[size - 1 - size / 16]);
}

}  // namespace einkorn::detail
