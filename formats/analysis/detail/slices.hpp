// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/analysis/detail/rows.hpp>
#include <einkorn/formats/sell/detail/slice_widths.hpp>
#include <einkorn/formats/sell/sell_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

inline constexpr std::int64_t max_sampled_windows = 128;

/// Host: the interface of a team, for one thread.
struct TeamOfOneThread {
  KOKKOS_FUNCTION static constexpr int team_rank() { return 0; }
  KOKKOS_FUNCTION static constexpr int team_size() { return 1; }
  KOKKOS_FUNCTION static constexpr void team_barrier() {}
};

/// Counts the slots of one window of rows, sorted by length and cut into slices of slice_rows rows, from the
/// histogram of the row lengths: a slice begins at each position of the sorted rows that slice_rows divides.
/// Rows of at least `bins` entries count without padding.
template <class Exec, class Matrix, class Device>
struct AnalyzeWindow {
  using Ordinal = typename Matrix::ordinal_type;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr int bins = 2048, team_size = is_gpu<Exec> ? 256 : 1;
  static constexpr std::size_t scratch_bytes = (bins + 1) * sizeof(int);

  Matrix A;
  StructureCounters<Device> counters;
  int slice_rows;
  std::int64_t window, stride;  // rows per window, and from one to the next

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::size_t const bytes = scratch_bytes;
    count(team, team.league_rank(),
          static_cast<int*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(int))));
  }
  /// @param rows_of_length  [bins + 1]
  template <class Team>
  KOKKOS_FUNCTION void count(Team const& team, int sample, int* rows_of_length) const {
    int const num_bins = bins;
    int* const num_used = rows_of_length + num_bins;  // bins
    for (int i = team.team_rank(); i <= num_bins; i += team.team_size()) rows_of_length[i] = 0;
    team.team_barrier();
    auto const first = static_cast<std::int64_t>(sample) * stride;
    auto const last = Kokkos::min(first + window, static_cast<std::int64_t>(A.num_rows));
    std::int64_t slots = 0;
    int longest = 0;
    for (auto row = first + team.team_rank(); row < last; row += team.team_size()) {
      auto const length = static_cast<std::int64_t>(A.row_end(static_cast<Ordinal>(row)) -
                                                    A.row_begin(static_cast<Ordinal>(row)));
      if (length >= num_bins) {
        slots += length;
      } else {
        add_in_team<Exec>(&rows_of_length[length], 1);
        longest = Kokkos::max(longest, static_cast<int>(length));
      }
    }
    if constexpr (is_gpu<Exec>)
      Kokkos::atomic_max(num_used, longest + 1);
    else
      *num_used = longest + 1;
    if (slots > 0) Kokkos::atomic_add(&counters.counts(StructureCounters<Device>::window_slots), slots);
    team.team_barrier();
    if (team.team_rank() != 0) return;
    auto const entries = static_cast<std::int64_t>(A.row_offsets(last) - A.row_offsets(first));
    Kokkos::atomic_add(&counters.counts(StructureCounters<Device>::window_entries), entries);
    int counted = 0;  // rows with less than num_bins entries
    for (int length = 0; length < *num_used; ++length) counted += rows_of_length[length];
    int const last_slice = counted == 0 ? 0 : (counted - 1) / slice_rows * slice_rows;
    int position = 0, width_of_last = 0;
    slots = 0;
    for (int length = *num_used - 1; length > 0; --length) {
      int const rows = rows_of_length[length];
      if (rows == 0) continue;
      int const slices = ceil_div(position + rows, slice_rows) - ceil_div(position, slice_rows);
      slots += static_cast<std::int64_t>(slices * slice_rows) * length;
      position += rows;
      width_of_last = position > last_slice && width_of_last == 0 ? length : width_of_last;
    }
    // The last slice has fewer rows.
    slots -= static_cast<std::int64_t>(last_slice + slice_rows - counted) * width_of_last;
    Kokkos::atomic_add(&counters.counts(StructureCounters<Device>::window_slots), slots);
  }
};

/// Counts the slots of SELL (rows of a slice times its longest row): with the rows in order, and, for a sample
/// of windows, with the rows sorted by length within each window. 2 launches.
template <class Exec, class Matrix, class Device>
void analyze_slices(Exec const& exec, Matrix const& A, int slice_rows,
                    StructureCounters<Device> const& counters) {
  auto const rows = static_cast<std::int64_t>(A.num_rows);
  auto const slices = ceil_div(rows, std::int64_t(slice_rows));
  range_reduce<std::int64_t>(
      "einkorn::structure[slices]", exec, slices,
      CountSliceSlots<Matrix>{A, static_cast<typename Matrix::ordinal_type>(slice_rows)},
      Kokkos::subview(counters.counts, static_cast<int>(StructureCounters<Device>::slice_slots)));

  using Functor = AnalyzeWindow<Exec, Matrix, Device>;
  std::int64_t const window = sell_window<Exec>(static_cast<std::int64_t>(A.nnz()));
  auto const windows = ceil_div(rows, window);
  auto const sampled = std::min(windows, max_sampled_windows);
  char const* const label = "einkorn::structure[windows]";
  Functor const functor{A, counters, slice_rows, window, windows / sampled * window};
  if constexpr (is_gpu<Exec>) {
    Kokkos::TeamPolicy<Exec> policy(exec, static_cast<int>(sampled), Functor::team_size);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes + sizeof(int))));
    Kokkos::parallel_for(label, policy, functor);
  } else {
    for_each_part(exec, label, sampled, [&functor](std::int64_t sample) {
      int rows_of_length[Functor::bins + 1];
      functor.count(TeamOfOneThread(), static_cast<int>(sample), rows_of_length);
    });
  }
}

}  // namespace einkorn::detail
