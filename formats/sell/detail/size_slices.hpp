// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/detail/result_memory.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/csr/detail/sort_windows_by_length.hpp>
#include <einkorn/formats/sell/detail/slice_widths.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Slots of SELL: those of rows, and all, with those of the positions after the last row.
struct SliceSlots {
  std::uint64_t of_rows = 0, all = 0;

  /// Adds a slice of C positions, `rows` of which, or all if it is more than C, have a row. Returns its slots.
  template <class Count, class Width>
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t add(Count rows, Count C, Width width) {
    auto const w = static_cast<std::uint64_t>(width), size = static_cast<std::uint64_t>(C) * w;
    of_rows += static_cast<std::uint64_t>(rows < C ? rows : C) * w;
    all += size;
    return size;
  }
};

/// GPU: adds the slots that the threads of a team have counted to words[0] and words[1].
template <class Member>
KOKKOS_FUNCTION void add_slots(Member const& team, SliceSlots slots, std::uint64_t* words) {
  team.team_reduce(Kokkos::Sum<std::uint64_t>(slots.of_rows));
  team.team_reduce(Kokkos::Sum<std::uint64_t>(slots.all));
  if (team.team_rank() != 0 || slots.all == 0) return;
  Kokkos::atomic_add(&words[0], slots.of_rows);
  Kokkos::atomic_add(&words[1], slots.all);
}

/// Host: stores the slots of each slice of F and counts them. If the rows of each slice are sorted by descending length
/// (is_sorted), its first row is the longest.
template <bool is_sorted, class Format, class Matrix>
struct SizeSlices {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;

  Format F;
  Matrix A;
  decltype(Format::slice_offsets) sizes;

  KOKKOS_FUNCTION void operator()(Ordinal slice, std::uint64_t& slots_of_rows, std::uint64_t& all_slots) const {
    Ordinal const candidates = is_sorted ? Ordinal(1) : F.slice_rows;
    auto const extent = slice_extent(A, slice, F.slice_rows, candidates,
                                     [this](Ordinal position) { return F.row_at(position); });
    SliceSlots slots;
    sizes(slice) = static_cast<Offset>(slots.add(extent.rows, F.slice_rows, extent.width));
    slots_of_rows += slots.of_rows;
    all_slots += slots.all;
  }
};

/// GPU: the same by warps, whose lanes read the lengths of adjacent positions, sorted or not. Warps process slices
/// cyclically, four at a time. An invalid structure gives wrong sizes, without other effects.
template <class Exec, class Format, class Matrix>
struct SizeSlicesByWarps {
  using L = Lanes<Exec>;
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr int team_size = 256, batch = 4;

  Format F;
  Matrix A;
  decltype(Format::slice_offsets) sizes;
  std::uint64_t* words;  // of SliceSlots, zeros at first

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const lane = team.team_rank() % L::size;
    auto const C = static_cast<std::int64_t>(F.slice_rows);
    std::int64_t const slices = F.num_slices(), rows = A.num_rows,
                       warps = static_cast<std::int64_t>(team.league_size()) * (team_size / L::size);
    SliceSlots slots;
    for (std::int64_t first =
             static_cast<std::int64_t>(team.league_rank()) * (team_size / L::size) + team.team_rank() / L::size;
         first < slices; first += batch * warps) {
      Offset widths[batch];
      for (int u = 0; u < batch; ++u) {
        widths[u] = 0;
        std::int64_t const slice = first + u * warps;
        for (std::int64_t i = lane; i < C; i += L::size)
          if (slice < slices && slice * C + i < rows) {
            auto const row = static_cast<std::size_t>(F.row_at(static_cast<Ordinal>(slice * C + i)));
            Offset const length = A.row_offsets(row + 1) - A.row_offsets(row);
            widths[u] = length > widths[u] ? length : widths[u];
          }
      }
      for (int u = 0; u < batch; ++u) {
        std::int64_t const slice = first + u * warps;
        Offset const width = max_over_lanes<L>(widths[u]);
        if (lane != 0 || slice >= slices) continue;
        sizes(static_cast<std::size_t>(slice)) = static_cast<Offset>(slots.add(rows - slice * C, C, width));
      }
    }
    add_slots(team, slots, words);
  }
};

/// GPU, with sort_windows_by_length(): the same from the sorted lengths of a window, a multiple of C rows or all.
template <class Format>
struct SizeSortedSlices {
  using Offset = typename Format::offset_type;

  decltype(Format::slice_offsets) sizes;
  int slice_rows;
  std::uint64_t num_rows;
  std::uint64_t* words;  // of SliceSlots, zeros at first
  SliceSlots slots = {};

  KOKKOS_FUNCTION void visit(std::uint64_t first, int i, std::uint64_t length) {
    if (i % slice_rows != 0) return;  // not the longest of its slice
    auto const C = static_cast<std::uint64_t>(slice_rows);
    std::uint64_t const position = first + static_cast<std::uint64_t>(i);
    sizes(static_cast<std::size_t>(position / C)) =
        static_cast<Offset>(slots.add(num_rows - position, C, length));
  }
  template <class Member>
  KOKKOS_FUNCTION void finish(Member const& team) const {
    add_slots(team, slots, words);
  }
};

/// F.rows <- the rows of A, in windows of `window` rows by descending length; F.slice_offsets as size_slices().
/// Asynchronous on exec.
/// @param words  of SliceSlots, zeros at first
/// @pre window is a multiple of C, or num_rows; at most max_window_in_scratch
template <class Exec, class Format, class Matrix>
void launch_sort_and_size(Exec const& exec, Format const& F, Matrix const& A, std::uint64_t window,
                          std::uint64_t* words) {
  sort_windows_by_length(exec, A, window, F.rows,
                         SizeSortedSlices<Format>{F.slice_offsets, static_cast<int>(F.slice_rows),
                                                  static_cast<std::uint64_t>(A.num_rows), words});
}

/// Launches SizeSlicesByWarps. Asynchronous on exec.
template <class Exec, class Format, class Matrix>
void launch_size_slices(Exec const& exec, Format const& F, Matrix const& A, std::uint64_t* words) {
  using Functor = SizeSlicesByWarps<Exec, Format, Matrix>;
  constexpr int slices_per_team = Functor::team_size / Functor::L::size * Functor::batch;
  std::int64_t const teams = ceil_div(static_cast<std::int64_t>(F.num_slices()), slices_per_team);
  if (teams == 0) return;
  Kokkos::TeamPolicy<Exec> const policy(exec, static_cast<int>(std::min(teams, max_resident_teams)),
                                        Functor::team_size);
  Kokkos::parallel_for("einkorn::from_csr[sell,sizes]", light_weight(policy),
                       Functor{F, A, F.slice_offsets, words});
}

/// The slots that launch(words) stores. Fences exec.
template <class Exec, class Launch>
SliceSlots slots_of_launch(Exec const& exec, Launch const& launch) {
  ResultMemory<Exec> memory(exec, 2);
  launch(memory.data());
  auto const words = memory.template read<2>();
  return {words[0], words[1]};
}

/// F.slice_offsets(s) <- C times the length of the longest row of slice s, in the order of F.rows. Fences exec.
template <bool is_sorted, class Exec, class Format, class Matrix>
SliceSlots size_slices(Exec const& exec, Format const& F, Matrix const& A) {
  if constexpr (is_gpu<Exec>) {
    return slots_of_launch(exec, [&](std::uint64_t* words) { launch_size_slices(exec, F, A, words); });
  } else {
    SliceSlots slots;
    range_reduce<typename Format::ordinal_type>("einkorn::from_csr[sell,sizes]", exec, F.num_slices(),
                                                SizeSlices<is_sorted, Format, Matrix>{F, A, F.slice_offsets},
                                                slots.of_rows, slots.all);
    return slots;
  }
}

}  // namespace einkorn::detail
