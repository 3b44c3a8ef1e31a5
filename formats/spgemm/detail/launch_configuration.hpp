// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/spgemm/detail/compress_b.hpp>
#include <einkorn/formats/spgemm/detail/launch.hpp>
#include <einkorn/formats/spgemm/detail/numeric_hash.hpp>
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

/// Rows of C by where their columns are gathered; past the last bin, rows that need not be.
template <class Words, class Offsets>
struct ColumnsBin {
  Words words;      // [rows], at most
  Offsets offsets;  // [rows]
  SpgemmTuning tuning;
  std::uint64_t words_of_all_columns;
  double share = 1.0;  // of their words that rows are thought to have
  int min_bin = 0;
  bool overflowed_only = false;

  KOKKOS_FUNCTION int operator()(std::size_t i) const {
    if (overflowed_only && offsets(i) != overflowed<typename Offsets::non_const_value_type>)
      return SpgemmTuning::columns_bins;
    auto const most = static_cast<std::uint64_t>(words(i));
    auto const thought = static_cast<std::uint64_t>(1.25 * share * static_cast<double>(most)) + 8;
    int const bin = columns_bin(tuning, share < 1.0 && thought < most ? thought : most, words_of_all_columns);
    return bin < min_bin ? min_bin : bin;
  }
};

/// What is the same for every row of A B.
struct SymbolicConfig {
  bool sorted_B = true;
  std::uint64_t words_of_all_columns = 0;
  int lanes_of_words = 1;
  double share = 1.0;  ///< of the words that a row may have, those that it is thought to have
  /// Few rows take as long as the longest of them: they are for teams.
  int min_bin = 0;
};

/// The columns of the rows in `on.rows`, all of one bin.
template <class Exec, class Rows>
void columns_of_bin(Exec const& exec, Rows const& on, SymbolicConfig const& shape, int bin) {
  using Ordinal = typename Rows::Ordinal;
  constexpr SpgemmTuning tuning = spgemm_tuning(arch_of<Exec>);
  int const run_lanes = shape.lanes_of_words;
  if (bin < tuning.group_bins) {
    using Functor = HashedColumns<Exec, Rows, false>;
    int const slots = tuning.group_slots[bin];
    int const lanes = bin < tuning.narrow_bins ? run_lanes : lanes_for<Exec>(slots);
    launch_groups<false>(exec, "einkorn::spgemm[columns,group]", Functor{on, slots, lanes, run_lanes},
                         on.num_items, Functor::bytes(slots, on.counting));
  } else if (bin < tuning.bitmap_bin) {
    using Functor = HashedColumns<Exec, Rows, true>;
    int const slots = tuning.team_slots[bin - tuning.group_bins];
    launch_groups<true>(exec, "einkorn::spgemm[columns,team]", Functor{on, slots, 0, run_lanes}, on.num_items,
                        Functor::bytes(slots, on.counting));
  } else {
    using Functor = BitmapColumns<Exec, Rows>;
    launch_groups<true>(exec, "einkorn::spgemm[columns,bitmap]",
                        Functor{on, tuning.bitmap_words, 0, run_lanes,
                                static_cast<Ordinal>(shape.words_of_all_columns), shape.sorted_B},
                        on.num_items, Functor::bytes(tuning.bitmap_words, on.counting));
  }
}

/// Counts or writes the columns of rows first .. first + count - 1, which go by words_of_C: the words that they
/// may have, which counting replaces by those that they do have. While it runs, 4 or 8 bytes a row.
template <class Exec, class Rows>
void columns_of_rows(Exec const& exec, Rows on, SymbolicConfig const& shape, typename Rows::Ordinal first,
                     std::size_t count, SpgemmReport& report) {
  using Ordinal = typename Rows::Ordinal;
  using Device = typename Rows::Device;
  auto const begin = static_cast<std::size_t>(first);
  auto const these = Kokkos::make_pair(begin, begin + count);
  Kokkos::View<Ordinal*, Device> const words = Kokkos::subview(on.words_of_C, these);
  Kokkos::View<typename Rows::Offset*, Device> const offsets = Kokkos::subview(on.offsets, these);
  ColumnsBin<decltype(words), decltype(offsets)> bin_of{words,
                                                        offsets,
                                                        spgemm_tuning(arch_of<Exec>),
                                                        shape.words_of_all_columns,
                                                        on.counting ? shape.share : 1.0,
                                                        shape.min_bin};
  on.first_row = first;
  auto const run = [&] {
    constexpr int num_bins = SpgemmTuning::columns_bins;
    auto const bins = make_bins<num_bins + 1, Ordinal, Device>(exec, count, bin_of);
    for (int bin = 0; bin < num_bins; ++bin) {
      on.rows = bins.of(bin);
      on.num_items = static_cast<std::int64_t>(bins.size(bin));
      if (on.counting) report.rows_by_columns[static_cast<std::size_t>(bin)] += bins.size(bin);
      if (on.counting && bin_of.overflowed_only) report.rows_again += bins.size(bin);
      columns_of_bin(exec, on, shape, bin);
    }
    exec.fence("einkorn::spgemm: the lists of this chunk are freed");
  };
  run();
  if (bin_of.share == 1.0) return;
  bin_of.share = 1.0;
  bin_of.overflowed_only = true;
  run();
}

/// Every so-many-th row, and the words that it may have.
template <class Words>
struct TakeSample {
  Words words_of_C, rows, most;
  std::size_t num_rows;
  KOKKOS_FUNCTION void operator()(std::size_t s) const {
    auto const row = s * num_rows / rows.extent(0);
    rows(s) = static_cast<typename Words::value_type>(row);
    most(s) = words_of_C(row);
  }
};
/// The part of them that each row of the sample has; words_of_C is what it was.
template <class Words, class Shares>
struct SharesOfSample {
  Words words_of_C, rows, most;
  Shares shares;
  KOKKOS_FUNCTION void operator()(std::size_t s) const {
    auto const row = rows(s);
    shares(s) = most(s) == 0 ? 0.0f : static_cast<float>(words_of_C(row)) / static_cast<float>(most(s));
    words_of_C(row) = most(s);
  }
};
template <class Lists, class Items>
struct RowsOfItems {
  Lists rows, of_items;
  Items items;
  KOKKOS_FUNCTION void operator()(std::size_t p) const { of_items(p) = rows(items(p)); }
};

/// What part of the words that a row may have nearly all rows of a sample have at most; 1 where it would make
/// no difference. 4 indices and a float a row of the sample at most. Fences exec.
template <class Exec, class Rows>
double share_of_words(Exec const& exec, Rows on, SymbolicConfig const& shape, std::size_t num_rows) {
  using Ordinal = typename Rows::Ordinal;
  using Device = typename Rows::Device;
  using List = Kokkos::View<Ordinal*, Device>;
  constexpr SpgemmTuning tuning = spgemm_tuning(arch_of<Exec>);
  constexpr auto size = static_cast<std::size_t>(tuning.sample);
  if (num_rows < 32 * size) return 1.0;
  auto const list = [&] { return allocate<List>(exec, "einkorn::spgemm::sample", size); };
  List const rows = list(), most = list();
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>> const all(exec, 0, size);
  Kokkos::parallel_for("einkorn::spgemm[sample]", all, TakeSample<List>{on.words_of_C, rows, most, num_rows});
  auto const bins = make_bins<SpgemmTuning::columns_bins, Ordinal, Device>(
      exec, size, ColumnsBin<List, decltype(on.offsets)>{most, on.offsets, tuning, shape.words_of_all_columns});
  List of_bins = rows;
  if (bins.items.extent(0) > 0) {
    of_bins = list();
    Kokkos::parallel_for("einkorn::spgemm[sample]", all,
                         RowsOfItems<List, decltype(bins.items)>{rows, of_bins, bins.items});
  }
  for (int bin = 0; bin < SpgemmTuning::columns_bins; ++bin) {
    auto const place = static_cast<std::size_t>(bin);
    on.rows = Kokkos::subview(of_bins, Kokkos::make_pair(bins.offsets[place], bins.offsets[place + 1]));
    on.num_items = static_cast<std::int64_t>(bins.size(bin));
    columns_of_bin(exec, on, shape, bin);
  }
  using Shares = Kokkos::View<float*, Device>;
  auto const shares = allocate<Shares>(exec, "einkorn::spgemm::sample", size);
  Kokkos::parallel_for("einkorn::spgemm[share]", all,
                       SharesOfSample<List, Shares>{on.words_of_C, rows, most, shares});
  std::array<float, size> sorted;
  Kokkos::deep_copy(exec, Kokkos::View<float*, Kokkos::HostSpace>(sorted.data(), size), shares);
  exec.fence("einkorn::spgemm: the sample is looked at");
  std::sort(sorted.begin(), sorted.end());
  double const share = sorted[size - 1 - size / 16];
  return share > 0.0 && share < 0.5 ? share : 1.0;
}

/// Rows of C by where their sums are taken.
template <class Offsets, class CompressedCounts>
struct SumsBin {
  Offsets offsets;
  CompressedCounts words;
  SpgemmTuning tuning;
  KOKKOS_FUNCTION int operator()(std::size_t i) const {
    return sums_bin(tuning, static_cast<std::uint64_t>(offsets(i + 1) - offsets(i)),
                    static_cast<std::uint64_t>(words(i)));
  }
};

/// pieces(p) <- pieces of the row at place p of a bin.
template <class Rows, class Offsets, class Pieces>
struct CountPieces {
  Rows rows;
  Offsets offsets;
  Pieces pieces;
  std::uint64_t max_sums;
  KOKKOS_FUNCTION void operator()(std::size_t place) const {
    auto const row = rows.extent(0) > 0 ? static_cast<std::size_t>(rows(place)) : place;
    auto const length = static_cast<std::uint64_t>(offsets(row + 1) - offsets(row));
    pieces(place) = static_cast<std::uint32_t>((length + max_sums - 1) / max_sums);
  }
};

template <class Exec, class Ordinal, class COffset, class Device>
SumsSchedule<Ordinal, Device> sums_schedule(Exec const& exec, std::size_t num_rows,
                                            Kokkos::View<COffset*, Device> const& offsets,
                                            Kokkos::View<Ordinal*, Device> const& words_of_C) {
  constexpr SpgemmTuning tuning = spgemm_tuning(arch_of<Exec>);
  SumsSchedule<Ordinal, Device> schedule;
  if (num_rows == 0) return schedule;
  schedule.bins = make_bins<SpgemmTuning::sums_bins, Ordinal, Device>(
      exec, num_rows,
      SumsBin<Kokkos::View<COffset*, Device>, Kokkos::View<Ordinal*, Device>>{offsets, words_of_C, tuning});
  std::size_t const longest = schedule.bins.size(SpgemmTuning::sums_bins - 1);
  if (longest == 0) return schedule;
  using Pieces = Kokkos::View<std::uint32_t*, Device>;
  schedule.piece_offsets = allocate<Pieces>(exec, "einkorn::spgemm::piece_offsets", longest + 1);
  auto const rows = schedule.bins.of(SpgemmTuning::sums_bins - 1);
  Kokkos::parallel_for(
      "einkorn::spgemm[pieces]", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, longest),
      CountPieces<Kokkos::View<Ordinal const*, Device>, Kokkos::View<COffset*, Device>, Pieces>{
          rows, offsets, schedule.piece_offsets,
          static_cast<std::uint64_t>(tuning.sums[SpgemmTuning::sum_sizes - 1])});
  schedule.num_pieces = static_cast<std::int64_t>(counts_to_offsets(exec, schedule.piece_offsets));
  return schedule;
}

/// All values of C. At most 8 launches, asynchronous on exec. One lane a group where B's rows repeat a column:
/// two lanes would meet there.
template <bool ordered, class Exec, class AMatrix, class BMatrix, class CMatrix, class Schedule>
void sum_values(Exec const& exec, AMatrix const& A, BMatrix const& B, CMatrix const& C,
                Schedule const& schedule, int lanes, bool narrow) {
  using Functor = RowSumsOfC<Exec, AMatrix, BMatrix, CMatrix, ordered>;
  constexpr SpgemmTuning tuning = spgemm_tuning(arch_of<Exec>);
  for (int bin = 0; bin < SpgemmTuning::sums_bins; ++bin) {
    int const sums = tuning.sums[bin / 2], slots = slots_for_sums(sums, bin % 2 == 1);
    Functor functor{A,     B,
                    C,     schedule.bins.of(bin),
                    {},    static_cast<std::int64_t>(schedule.bins.size(bin)),
                    sums,  slots,
                    lanes, lanes,
                    narrow};
    if (bin == SpgemmTuning::sums_bins - 1 && functor.num_items > 0) {
      functor.piece_offsets = schedule.piece_offsets;
      functor.num_items = schedule.num_pieces;
      // A group's scratch leaves room for few groups, and rows that make a long row of C are mostly long.
      if (ordered && lanes > 1) functor.lanes = functor.run_lanes = lanes_for<Exec>(sums);
    }
    launch_groups<!ordered>(exec, "einkorn::spgemm[values]", functor, functor.num_items,
                            Functor::bytes(sums, slots));
  }
}

}  // namespace einkorn::detail
