// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/csr/detail/spgemm_columns.hpp>
#include <einkorn/formats/csr/detail/spgemm_schedule.hpp>
#include <einkorn/formats/csr/detail/spgemm_sums.hpp>
#include <einkorn/formats/csr/detail/spgemm_words.hpp>
#include <einkorn/formats/csr/spgemm_report.hpp>
#include <einkorn/formats/csr/spgemm_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Lanes that go through a row of B together: the power of two that its mean length reaches, up to a warp's.
template <class Exec>
int lanes_for(double mean_length) {
  int const most = std::min(32, lockstep_lanes(arch_of<Exec>));
  int lanes = 1;
  while (lanes < most && lanes < mean_length) lanes *= 2;
  return lanes;
}

/// One launch of a functor whose groups, of `lanes` lanes or a whole team, take an item each.
template <bool whole_team, class Exec, class Functor>
void launch_groups(Exec const& exec, char const* label, Functor const& functor, std::int64_t num_items,
                   int lanes, std::size_t bytes) {
  if (num_items == 0) return;
  SpgemmTuning const tuning = spgemm_tuning(arch_of<Exec>);
  int groups = 1, team_size = std::min(2, static_cast<int>(exec.concurrency()));
  if constexpr (is_gpu<Exec>) team_size = tuning.threads / lanes;
  if constexpr (!whole_team) {
    if constexpr (is_gpu<Exec>) {
      int const of_a_warp = std::max(1, lockstep_lanes(arch_of<Exec>) / lanes);
      groups = std::clamp(static_cast<int>(tuning.scratch / bytes), 1, team_size);
      if (groups > of_a_warp) groups -= groups % of_a_warp;  // whole warps
    }
    team_size = groups;
  }
  auto const teams = (num_items + groups - 1) / groups;
  typename Functor::Policy policy(exec, static_cast<int>(teams), team_size, lanes);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes * static_cast<std::size_t>(groups) + 16)));
  Kokkos::parallel_for(label, light_weight(policy), functor);
}

/// Rows of C by where their columns are gathered.
template <class Bounds>
struct ColumnsBin {
  Bounds bounds;  // [rows], words
  SpgemmTuning tuning;
  std::uint64_t words_of_all_columns;
  KOKKOS_FUNCTION int operator()(std::size_t i) const {
    return columns_bin(tuning, static_cast<std::uint64_t>(bounds(i)), words_of_all_columns);
  }
};

/// bounds(i) <- the words that row first + i may have.
template <class Costs, class Bounds, class Ordinal>
struct BoundWords {
  Costs costs;
  Bounds bounds;
  Ordinal first;
  std::uint64_t words_of_all_columns;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto const words = costs.words(first + static_cast<Ordinal>(i));
    bounds(i) =
        static_cast<typename Bounds::value_type>(words < words_of_all_columns ? words : words_of_all_columns);
  }
};

/// What is the same for every row of A B.
struct ProductShape {
  bool sorted_B = true;
  std::uint64_t words_of_all_columns = 0;
  int lanes_of_words = 1, lanes_of_entries = 1;
};

/// Counts or writes the columns of rows first .. first + count - 1, which go by the words that they may have
/// while they are counted, and after that by those that they do have. While they run, 4 to 8 bytes a row twice.
template <class Exec, class Rows, class Costs>
void columns_of_rows(Exec const& exec, Rows on, Costs const& costs, ProductShape const& shape,
                     typename Rows::Ordinal first, std::size_t count, SpgemmReport& report) {
  using Ordinal = typename Rows::Ordinal;
  using Device = typename Rows::Device;
  constexpr SpgemmTuning tuning = spgemm_tuning(arch_of<Exec>);
  using Bounds = Kokkos::View<Ordinal*, Device>;
  Bounds bounds;
  if (on.counting) {
    bounds = allocate<Bounds>(exec, "einkorn::spgemm::bounds", count);
    Kokkos::parallel_for("einkorn::spgemm[bounds]",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, count),
                         BoundWords<Costs, Bounds, Ordinal>{costs, bounds, first, shape.words_of_all_columns});
  } else {
    auto const begin = static_cast<std::size_t>(first);
    bounds = Kokkos::subview(on.words_of_C, Kokkos::make_pair(begin, begin + count));
  }
  auto const bins = make_bins<5, Ordinal, Device>(
      exec, count, ColumnsBin<Bounds>{bounds, tuning, shape.words_of_all_columns});
  on.first_row = first;
  for (int bin = 0; bin < 5; ++bin) {
    on.rows = bins.of(bin);
    on.num_items = static_cast<std::int64_t>(bins.size(bin));
    if (on.counting) report.rows_by_columns[static_cast<std::size_t>(bin)] += bins.size(bin);
    if (bin < 2) {
      using Functor = HashedColumns<Exec, Rows, false>;
      int const slots = tuning.group_slots[bin];
      launch_groups<false>(exec, "einkorn::spgemm[columns,group]", Functor{on, slots}, on.num_items,
                           shape.lanes_of_words, Functor::bytes(slots, on.counting));
    } else if (bin < 4) {
      using Functor = HashedColumns<Exec, Rows, true>;
      int const slots = tuning.team_slots[bin - 2];
      launch_groups<true>(exec, "einkorn::spgemm[columns,team]", Functor{on, slots}, on.num_items,
                          shape.lanes_of_words, Functor::bytes(slots, on.counting));
    } else {
      using Functor = BitmapColumns<Exec, Rows>;
      launch_groups<true>(
          exec, "einkorn::spgemm[columns,bitmap]",
          Functor{on, tuning.bitmap_words, static_cast<Ordinal>(shape.words_of_all_columns), shape.sorted_B},
          on.num_items, shape.lanes_of_words, Functor::bytes(tuning.bitmap_words, on.counting));
    }
  }
  exec.fence("einkorn::spgemm: the lists of this chunk are freed");
}

/// Rows of C by where their sums are taken.
template <class Offsets, class WordCounts>
struct SumsBin {
  Offsets offsets;
  WordCounts words;
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
  std::uint64_t most_sums;
  KOKKOS_FUNCTION void operator()(std::size_t place) const {
    auto const row = rows.extent(0) > 0 ? static_cast<std::size_t>(rows(place)) : place;
    auto const length = static_cast<std::uint64_t>(offsets(row + 1) - offsets(row));
    pieces(place) = static_cast<std::uint32_t>((length + most_sums - 1) / most_sums);
  }
};

template <class Exec, class Ordinal, class COffset, class Device>
SumsSchedule<Ordinal, Device> sums_schedule(Exec const& exec, std::size_t num_rows,
                                            Kokkos::View<COffset*, Device> const& offsets,
                                            Kokkos::View<Ordinal*, Device> const& words_of_C) {
  constexpr SpgemmTuning tuning = spgemm_tuning(arch_of<Exec>);
  SumsSchedule<Ordinal, Device> schedule;
  if (num_rows == 0) return schedule;
  schedule.bins = make_bins<6, Ordinal, Device>(
      exec, num_rows,
      SumsBin<Kokkos::View<COffset*, Device>, Kokkos::View<Ordinal*, Device>>{offsets, words_of_C, tuning});
  std::size_t const longest = schedule.bins.size(5);
  if (longest == 0) return schedule;
  using Pieces = Kokkos::View<std::uint32_t*, Device>;
  schedule.piece_offsets = allocate<Pieces>(exec, "einkorn::spgemm::piece_offsets", longest + 1);
  auto const rows = schedule.bins.of(5);
  Kokkos::parallel_for(
      "einkorn::spgemm[pieces]", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, longest),
      CountPieces<Kokkos::View<Ordinal const*, Device>, Kokkos::View<COffset*, Device>, Pieces>{
          rows, offsets, schedule.piece_offsets, static_cast<std::uint64_t>(tuning.sums[2])});
  schedule.num_pieces = static_cast<std::int64_t>(counts_to_offsets(exec, schedule.piece_offsets));
  return schedule;
}

/// All values of C. At most 6 launches, asynchronous on exec. One lane a group where B's rows repeat a column:
/// two lanes would meet there.
template <bool ordered, class Exec, class AMatrix, class BMatrix, class CMatrix, class Schedule>
void sum_values(Exec const& exec, AMatrix const& A, BMatrix const& B, CMatrix const& C,
                Schedule const& schedule, int lanes, bool narrow) {
  using Functor = RowSumsOfC<Exec, AMatrix, BMatrix, CMatrix, ordered>;
  constexpr SpgemmTuning tuning = spgemm_tuning(arch_of<Exec>);
  for (int bin = 0; bin < 6; ++bin) {
    int const sums = tuning.sums[bin / 2], slots = slots_for_sums(sums, bin % 2 == 1);
    Functor functor{
        A,    B,     C,     schedule.bins.of(bin), {}, static_cast<std::int64_t>(schedule.bins.size(bin)),
        sums, slots, narrow};
    if (bin == 5 && functor.num_items > 0) {
      functor.piece_offsets = schedule.piece_offsets;
      functor.num_items = schedule.num_pieces;
    }
    launch_groups<!ordered>(exec, "einkorn::spgemm[values]", functor, functor.num_items, lanes,
                            Functor::bytes(sums, slots));
  }
}

}  // namespace einkorn::detail
