// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/epilogue.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/formats/bdia/bdia_tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// A team computes contiguous rows with windows of x in team scratch (GPU).
///
/// For w diagonals of a band the team uses rows + w - 1 contiguous entries of x, the window, with zeros outside
/// the vector. All windows that fit in scratch are staged together; then each thread computes the diagonals of
/// its rows. Values are loaded in batches: the first before the windows are staged, each further one before its
/// predecessor is used. The k columns of a multivector have adjacent windows and share the values. one_band:
/// the matrix has one band, whose width is known without reading band_widths.
/// Source: Wang, Ren & Tian, 2012 (see bdia.hpp), figure 7; departures: several bands; bands wider than scratch
/// are divided into segments; several rows per thread; batches.
template <BdiaTuning tuning, bool one_band, int k, class Exec, class Format, class X, class Y, class EpilogueOp>
struct SpmvWindows {
  using Sum = typename EpilogueOp::sum_type;
  using Accumulators = typename EpilogueOp::Accumulators;
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  using XScalar = typename X::non_const_value_type;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tuning.team_size, tuning.min_teams_per_sm>>;
  using L = Lanes<Exec>;

  static constexpr int team_size = tuning.team_size, rows_per_thread = tuning.rows_per_thread;
  static constexpr int rows = team_size * rows_per_thread;
  static constexpr int stage_batch = k > 2 ? 1 : 4 / k;  // entries of x that a thread loads before it stores

  Format F;
  X x;
  Y y;
  EpilogueOp epilogue;
  int row_teams;  // teams per pass over the rows
  int capacity;   // entries of scratch per column, at least `rows`
  Offset num_diagonals;
  CacheHint<Exec> hint;

  template <class Team>
  KOKKOS_FUNCTION void run(Team const& team, Accumulators& accumulators) const {
    Ordinal const first_offset = F.band_offset(0);
    int const column_tile = Y::rank() == 1 ? 0 : team.league_rank() / row_teams;
    auto const column = static_cast<std::size_t>(column_tile) * k;
    auto const first_row = static_cast<std::int64_t>(team.league_rank() - column_tile * row_teams) * rows;
    int const thread = team.team_rank();
    std::size_t const bytes = sizeof(XScalar) * k * static_cast<std::size_t>(capacity);
    auto* const window = static_cast<XScalar*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(XScalar)));

    Scalar const* row_values[rows_per_thread];
    for (int q = 0; q < rows_per_thread; ++q) {  // clamped to the last row
      auto const row = first_row + thread + q * team_size, last = static_cast<std::int64_t>(F.num_rows) - 1;
      row_values[q] = F.values.data() + static_cast<Offset>(row < last ? row : last);
    }
    typename EpilogueOp::Prefetched prefetched[rows_per_thread]{};
    for (int q = 0; q < rows_per_thread; ++q)
      if (first_row + thread + q * team_size < static_cast<std::int64_t>(F.num_rows))
        prefetched[q] = epilogue.prefetch(first_row + thread + q * team_size);
    Sum sum[rows_per_thread][k];
    for (int q = 0; q < rows_per_thread; ++q)
      for (int c = 0; c < k; ++c) sum[q][c] = Sum(0);
    Batch next{};
    Offset diagonal = 0, unstaged_diagonals = num_diagonals;
    load_batch(row_values, diagonal, unstaged_diagonals, next);
    Segment segment = segment_at(0, 0, 0);
    while (segment.length > 0) {
      int staged = stage(thread, first_row, column, first_offset, segment, window);
      unstaged_diagonals -= static_cast<Offset>(staged);
      team.team_barrier();
      int at = thread;  // position in the window for this thread's first row and the next diagonal
      int inner = 0;    // index of that diagonal in its segment
      while (staged > 0) {
        int const count = staged < tuning.unroll ? staged : tuning.unroll;
        staged -= count;
        diagonal += static_cast<Offset>(count);
        Offset const left = staged > 0 ? static_cast<Offset>(staged) : unstaged_diagonals;
        Batch const current = next;
        if (left > 0) load_batch(row_values, diagonal, left, next);
        add_batch(current, count, window, segment, inner, at, sum);
      }
      segment = segment_at(segment.band, segment.begin, 0);
      if (segment.length > 0) team.team_barrier();
    }
    for (int q = 0; q < rows_per_thread; ++q) {
      auto const row = first_row + thread + q * team_size;
      if (row >= static_cast<std::int64_t>(F.num_rows)) continue;
      for (int c = 0; c < k; ++c)
        if (is_column(column, c))
          epilogue(accumulators, entry(y, row, column + static_cast<std::size_t>(c)), row, sum[q][c],
                   prefetched[q]);
    }
  }

 private:
  struct Batch {
    Scalar values[rows_per_thread][tuning.unroll];
  };
  /// Diagonals begin .. begin + length - 1 of a band, whose window begins at `start` of scratch. Length 0:
  /// scratch is full or no band is left; band and begin are then the next diagonal to stage.
  struct Segment {
    Ordinal band, begin;
    int start, length;
  };

  KOKKOS_FORCEINLINE_FUNCTION bool is_column(std::size_t column, int c) const {
    return k == 1 || column + static_cast<std::size_t>(c) < y.extent(1);
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal width(Ordinal band) const {
    return one_band ? static_cast<Ordinal>(num_diagonals) : F.band_width(band);
  }
  KOKKOS_FORCEINLINE_FUNCTION Segment segment_at(Ordinal band, Ordinal begin, int start) const {
    int const max_length = capacity - start - (rows - 1);
    if (band >= (one_band ? Ordinal(1) : F.num_bands()) || max_length <= 0) return {band, begin, start, 0};
    Ordinal const left = width(band) - begin;
    return {band, begin, start, left < static_cast<Ordinal>(max_length) ? static_cast<int>(left) : max_length};
  }
  KOKKOS_FORCEINLINE_FUNCTION Segment next_segment(Segment const& segment) const {
    Ordinal const end = segment.begin + static_cast<Ordinal>(segment.length);
    bool const is_whole = end >= width(segment.band);
    return segment_at(is_whole ? segment.band + 1 : segment.band, is_whole ? Ordinal(0) : end,
                      segment.start + segment.length + rows - 1);
  }

  /// Loads the values of min(unroll, left) diagonals.
  KOKKOS_FORCEINLINE_FUNCTION void load_batch(Scalar const* const (&row_values)[rows_per_thread], Offset first,
                                              Offset left, Batch& batch) const {
    for (int u = 0; u < tuning.unroll; ++u)
      if (static_cast<Offset>(u) < left)
        for (int q = 0; q < rows_per_thread; ++q)
          batch.values[q][u] =
              L::load_streaming(row_values[q] + (first + static_cast<Offset>(u)) * F.stride, hint);
  }

  /// Stages the windows of `segment` and of the segments after it that fit in scratch; returns the number of
  /// their diagonals. A window is at least as long as a step of the team, so that a step enters at most one
  /// further segment.
  KOKKOS_FORCEINLINE_FUNCTION int stage(int thread, std::int64_t first_row, std::size_t column,
                                        Ordinal first_offset, Segment segment, XScalar* window) const {
    int diagonals = 0, used = 0;
    for (Segment p = segment; p.length > 0; p = next_segment(p)) {
      diagonals += p.length;
      used = p.start + p.length + rows - 1;
    }
    auto const last = static_cast<std::int64_t>(F.num_cols) - 1;
    for (int base = thread; base < used; base += team_size * stage_batch) {
      XScalar x_values[stage_batch][k];
      for (int u = 0; u < stage_batch; ++u) {
        int const at = base + u * team_size;
        if (at < used && at >= segment.start + segment.length + rows - 1) segment = next_segment(segment);
        Ordinal const offset = one_band ? first_offset : F.band_offset(segment.band);
        auto const index = first_row + static_cast<std::int64_t>(offset) +
                           static_cast<std::int64_t>(segment.begin) + (at - segment.start);
        auto const clamped = index < 0 ? 0 : index > last ? last : index;
        for (int c = 0; c < k; ++c)
          if (is_column(column, c)) {
            XScalar const value = entry(x, clamped, column + static_cast<std::size_t>(c));
            x_values[u][c] = index == clamped ? value : XScalar(0);
          } else {
            x_values[u][c] = XScalar(0);
          }
      }
      for (int u = 0; u < stage_batch; ++u) {
        int const at = base + u * team_size;
        if (at < used)
          for (int c = 0; c < k; ++c) window[c * capacity + at] = x_values[u][c];
      }
    }
    return diagonals;
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_batch(Batch const& batch, int count, XScalar const* window,
                                             Segment& segment, int& inner, int& at,
                                             Sum (&sum)[rows_per_thread][k]) const {
    for (int u = 0; u < tuning.unroll; ++u) {
      if (u >= count) return;
      for (int q = 0; q < rows_per_thread; ++q)
        for (int c = 0; c < k; ++c)
          sum[q][c] += Sum(batch.values[q][u]) * Sum(window[c * capacity + at + q * team_size]);
      ++at;
      if (++inner < segment.length) continue;
      at += rows - 1;
      inner = 0;
      segment = next_segment(segment);
    }
  }
};

/// y <- alpha A x + beta y. 1 launch.
/// @pre num_cols > 0 and there is at least one band.
template <BdiaTuning tuning, bool one_band, class Exec, class Format, class X, class Y, class EpilogueOp>
void spmv_windows(Exec const& exec, char const* label, EpilogueOp const& epilogue, Format const& F, X const& x,
                  Y const& y) {
  constexpr int k = Y::rank() == 1 ? 1 : tuning.columns_at_once;
  using Functor = SpmvWindows<tuning, one_band, k, Exec, Format, X, Y, EpilogueOp>;
  constexpr auto entry_bytes = sizeof(typename Functor::XScalar) * k;
  constexpr auto rows_per_team = static_cast<std::size_t>(Functor::rows);
  auto const row_teams = ceil_div(static_cast<std::size_t>(F.num_rows), rows_per_team);
  auto const tiles = Y::rank() == 1 ? std::size_t(1) : ceil_div(y.extent(1), k);
  auto const all_windows = static_cast<std::size_t>(F.num_bands()) * (rows_per_team - 1) +
                           static_cast<std::size_t>(F.num_diagonals());
  auto const capacity = std::max(
      rows_per_team, std::min(all_windows, static_cast<std::size_t>(tuning.window_bytes) / entry_bytes));
  auto policy = typename Functor::Policy(exec, static_cast<int>(row_teams * tiles), tuning.team_size);
  policy.set_scratch_size(
      0, Kokkos::PerTeam(static_cast<int>(capacity * entry_bytes + alignof(typename Functor::XScalar))));
  epilogue.launch(label, policy,
                  Functor{F, x, y, epilogue, static_cast<int>(row_teams), static_cast<int>(capacity),
                          F.num_diagonals(), cache_hint(exec, F, x, y)});
}

}  // namespace einkorn::detail
