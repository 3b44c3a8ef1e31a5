// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/formats/analysis/detail/rows.hpp>
#include <einkorn/formats/sell/detail/slice_widths.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

inline constexpr std::int64_t sorting_window = 4096, max_sampled_windows = 128;

/// Slots of one window of rows in slices of slice_rows, rows sorted by length, found from a histogram of the
/// lengths: position p of the sorted rows begins a slice when slice_rows divides it. Rows of `bins` entries and
/// more count as slices without padding.
template <class Exec, class Matrix, class Device>
struct LookAtWindow {
  using Ordinal = typename Matrix::ordinal_type;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr int bins = 2048, team_size = is_gpu<Exec> ? 256 : 1;
  static constexpr std::size_t scratch_bytes = bins * sizeof(int);

  Matrix A;
  StructureCounters<Device> found;
  int slice_rows;
  std::int64_t stride;  // rows between windows

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::size_t const bytes = scratch_bytes;
    auto* const rows_of = static_cast<int*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(int)));
    int const all = bins;
    for (int i = team.team_rank(); i < all; i += team.team_size()) rows_of[i] = 0;
    team.team_barrier();
    auto const first = static_cast<std::int64_t>(team.league_rank()) * stride;
    auto const last = Kokkos::min(first + sorting_window, static_cast<std::int64_t>(A.num_rows));
    std::int64_t slots = 0;
    for (auto row = first + team.team_rank(); row < last; row += team.team_size()) {
      auto const length = static_cast<std::int64_t>(A.row_end(static_cast<Ordinal>(row)) -
                                                    A.row_begin(static_cast<Ordinal>(row)));
      if (length >= all)
        slots += length;
      else
        Kokkos::atomic_inc(&rows_of[length]);
    }
    if (slots > 0) Kokkos::atomic_add(&found.counts(StructureCounters<Device>::window_slots), slots);
    team.team_barrier();
    if (team.team_rank() != 0) return;
    auto const entries = static_cast<std::int64_t>(A.row_offsets(last) - A.row_offsets(first));
    Kokkos::atomic_add(&found.counts(StructureCounters<Device>::window_entries), entries);
    int counted = 0;  // rows that have a bin
    for (int length = 0; length < all; ++length) counted += rows_of[length];
    int const begin_of_last = counted == 0 ? 0 : (counted - 1) / slice_rows * slice_rows;
    int position = 0, longest_of_last = 0;
    slots = 0;
    for (int length = all - 1; length > 0; --length) {
      int const rows = rows_of[length];
      if (rows == 0) continue;
      int const begins =
          (position + rows + slice_rows - 1) / slice_rows - (position + slice_rows - 1) / slice_rows;
      slots += static_cast<std::int64_t>(begins * slice_rows) * length;
      position += rows;
      longest_of_last = position > begin_of_last && longest_of_last == 0 ? length : longest_of_last;
    }
    slots -=
        static_cast<std::int64_t>(begin_of_last + slice_rows - counted) * longest_of_last;  // no rows there
    Kokkos::atomic_add(&found.counts(StructureCounters<Device>::window_slots), slots);
  }
};

/// Slots of SELL: the longest row of each slice, times its rows, with the rows as they are and sorted within
/// windows.
template <class Exec, class Matrix, class Device>
void analyze_slices(Exec const& exec, Matrix const& A, int slice_rows,
                    StructureCounters<Device> const& findings) {
  auto const rows = static_cast<std::int64_t>(A.num_rows);
  auto const slices = (rows + slice_rows - 1) / slice_rows;
  Kokkos::parallel_reduce(
      "einkorn::structure[slices]", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, slices),
      CountSliceSlots<Matrix>{A, static_cast<typename Matrix::ordinal_type>(slice_rows)},
      Kokkos::subview(findings.counts, static_cast<int>(StructureCounters<Device>::slice_slots)));

  using Functor = LookAtWindow<Exec, Matrix, Device>;
  auto const windows = (rows + sorting_window - 1) / sorting_window;
  auto const sampled = std::min(windows, max_sampled_windows);
  Kokkos::TeamPolicy<Exec> policy(exec, static_cast<int>(sampled), Functor::team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes + sizeof(int))));
  Kokkos::parallel_for("einkorn::structure[windows]", policy,
                       Functor{A, findings, slice_rows, windows / sampled * sorting_window});
}

}  // namespace einkorn::detail
