// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/staging.hpp>
#include <einkorn/formats/csr/detail/inspect.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Copies entry j of each row of the CSR to slot j of its position and pads the rest (values_only: columns are
/// not written). Entries pass through team scratch, so that reads are coalesced along the CSR and writes along
/// the slices. If rows are not sorted and the entries of a team's slices fit in scratch, they are read
/// contiguously; otherwise the team copies its positions in tiles of tile_rows x tile_width entries.
template <bool values_only, int tile_width, class Exec, class Format, class Matrix>
struct FillSlices {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr int team_size = is_gpu<Exec> ? 256 : 1;
  static constexpr int tile_rows = 1024 / tile_width, pitch = tile_width + 1, tile_entries = tile_rows * pitch;

  Format F;
  Matrix A;
  std::int64_t num_positions;  // slices times C
  int positions_per_team;      // a multiple of C, or of tile_rows where staged_entries is 0
  int staged_entries;          // capacity of scratch; 0: tiles
  InspectionErrors errors;     // with errors nothing is copied

  static std::size_t scratch_bytes(int staged) {
    constexpr std::size_t slot = sizeof(Scalar) + (values_only ? 0 : sizeof(Ordinal));
    return std::max(static_cast<std::size_t>(bank_padded_index(staged)) * slot,
                    tile_entries * slot + 4 * tile_rows * sizeof(Offset)) +
           64;
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    if (errors.any()) return;
    std::int64_t const first = static_cast<std::int64_t>(team.league_rank()) * positions_per_team;
    std::int64_t const last =
        first + positions_per_team < num_positions ? first + positions_per_team : num_positions;
    Scalar* values = nullptr;
    Ordinal* columns = nullptr;
    if (staged_entries > 0) {
      Offset const begin = A.row_begin(static_cast<Ordinal>(first)), end = A.row_begin(row_or_end(last));
      if (end - begin <= static_cast<Offset>(staged_entries)) {
        take_scratch(team, bank_padded_index(staged_entries), values, columns);
        return fill_staged(team, first, last, begin, static_cast<int>(end - begin), values, columns);
      }
    }
    take_scratch(team, tile_entries, values, columns);
    std::size_t const bytes = 4 * tile_rows * sizeof(Offset);
    auto* const positions =
        static_cast<Offset*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(Offset)));
    TilePositions const tile{positions, positions + tile_rows, positions + 2 * tile_rows,
                             positions + 3 * tile_rows};
    for (std::int64_t p = first; p < last; p += tile_rows) fill_tiled(team, p, last, values, columns, tile);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static void take_scratch(Member const& team, int slots, Scalar*& values,
                                                       [[maybe_unused]] Ordinal*& columns) {
    auto const size = static_cast<std::size_t>(slots);
    values =
        static_cast<Scalar*>(team.team_scratch(0).get_shmem_aligned(size * sizeof(Scalar), alignof(Scalar)));
    if constexpr (!values_only)
      columns = static_cast<Ordinal*>(
          team.team_scratch(0).get_shmem_aligned(size * sizeof(Ordinal), alignof(Ordinal)));
  }

  /// If there are fewer positions than threads, several threads share the slots of a position, interleaved.
  KOKKOS_FUNCTION void fill_staged(Member const& team, std::int64_t first, std::int64_t last, Offset begin,
                                   int count, Scalar* values, [[maybe_unused]] Ordinal* columns) const {
    int const threads = team.team_size(), rank = team.team_rank();
    copy_batched<4>(
        team, count,
        [&](int i) {
          Offset const k = begin + static_cast<Offset>(i);
          StagedEntry<Scalar, Ordinal> entry{Scalar(A.values(k)), 0};
          if constexpr (!values_only) entry.column = A.columns(k);
          return entry;
        },
        [&](int i, StagedEntry<Scalar, Ordinal> const& entry) {
          values[bank_padded_index(i)] = entry.value;
          if constexpr (!values_only) columns[bank_padded_index(i)] = entry.column;
        });
    team.team_barrier();
    int const positions = static_cast<int>(last - first);
    int const threads_per_position = positions < threads ? threads / positions : 1;
    if (rank >= positions * threads_per_position) return;
    int const part = rank / positions;
    for (int i = rank - part * positions; i < positions; i += threads) {
      auto const p = static_cast<Ordinal>(first + i);
      int row = 0, length = 0;  // row: its first entry in scratch
      if (first + i < static_cast<std::int64_t>(F.num_rows)) {
        row = static_cast<int>(A.row_begin(p) - begin);
        length = static_cast<int>(A.row_end(p) - begin) - row;
      }
      Offset const stride = F.slot_stride(), width = F.slot_count(p), start = F.slot_begin(p);
      for (Offset j = static_cast<Offset>(part); j < width; j += static_cast<Offset>(threads_per_position)) {
        bool const is_entry = j < static_cast<Offset>(length);
        int const from = is_entry ? bank_padded_index(row + static_cast<int>(j)) : 0;
        F.values(start + j * stride) = is_entry ? values[from] : Scalar(0);
        if constexpr (!values_only) F.columns(start + j * stride) = is_entry ? columns[from] : Ordinal(-1);
      }
    }
  }

  /// The rows and slots of the positions of a tile, in scratch.
  struct TilePositions {
    Offset *row_begins, *row_ends, *slots, *counts;  // [tile_rows]; counts: slots, 0 beyond the last position
  };

  KOKKOS_FUNCTION void fill_tiled(Member const& team, std::int64_t first, std::int64_t last, Scalar* values,
                                  Ordinal* columns, TilePositions const& tile) const {
    Offset const max_slots = load_positions(team, first, last, tile);
    constexpr int size = tile_rows * tile_width;
    Offset const stride = F.slot_stride();
    for (Offset j = 0; j < max_slots; j += tile_width) {
      copy_batched<4>(
          team, size,
          [&](int i) {
            int const row = i / tile_width;
            Offset const k = tile.row_begins[row] + j + static_cast<Offset>(i % tile_width);
            StagedEntry<Scalar, Ordinal> entry{Scalar(0), Ordinal(-1)};
            if (k < tile.row_ends[row]) {
              entry.value = Scalar(A.values(k));
              if constexpr (!values_only) entry.column = A.columns(k);
            }
            return entry;
          },
          [&](int i, StagedEntry<Scalar, Ordinal> const& entry) {
            int const to = i / tile_width * pitch + i % tile_width;
            values[to] = entry.value;
            if constexpr (!values_only) columns[to] = entry.column;
          });
      team.team_barrier();
      for (int i = team.team_rank(); i < size; i += team.team_size()) {
        int const row = i % tile_rows, column = i / tile_rows, from = row * pitch + column;
        Offset const slot = j + static_cast<Offset>(column);
        if (slot >= tile.counts[row]) continue;
        Offset const at = tile.slots[row] + slot * stride;
        F.values(at) = values[from];
        if constexpr (!values_only) F.columns(at) = columns[from];
      }
      team.team_barrier();
    }
  }
  /// Writes `tile` for the positions from `first` on. Returns the maximal number of slots of a position.
  KOKKOS_FUNCTION Offset load_positions(Member const& team, std::int64_t first, std::int64_t last,
                                        TilePositions const& tile) const {
    Offset most = 0;
    for (int i = team.team_rank(); i < tile_rows; i += team.team_size()) {
      std::int64_t const position = first + i;
      Offset begin = 0, end = 0, slot = 0, count = 0;
      if (position < last) {
        auto const p = static_cast<Ordinal>(position);
        slot = F.slot_begin(p);
        count = F.slot_count(p);
        if (position < static_cast<std::int64_t>(F.num_rows)) {
          Ordinal const row = F.row_at(p);
          begin = A.row_begin(row);
          end = A.row_end(row);
        }
      }
      tile.row_begins[i] = begin;
      tile.row_ends[i] = end;
      tile.slots[i] = slot;
      tile.counts[i] = count;
      most = count > most ? count : most;
    }
    team.team_reduce(Kokkos::Max<Offset>(most));
    team.team_barrier();
    return most;
  }
  /// The row at this position if rows are not sorted; num_rows beyond the last row.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal row_or_end(std::int64_t position) const {
    return position < static_cast<std::int64_t>(F.num_rows) ? static_cast<Ordinal>(position) : F.num_rows;
  }
};

/// FillSlices on the host: one thread per slice, row after row.
template <bool values_only, class Format, class Matrix>
struct FillSlicesHost {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;

  Format F;
  Matrix A;

  void operator()(Ordinal slice) const {
    Offset const stride = F.slot_stride(), end = F.slice_offsets(slice + 1);
    for (Ordinal i = 0; i < F.slice_rows; ++i) {
      Offset at = F.slice_offsets(slice) + static_cast<Offset>(i);
      if (i < F.num_rows - slice * F.slice_rows) {
        Ordinal const row = F.row_at(slice * F.slice_rows + i);
        for (Offset k = A.row_begin(row); k < A.row_end(row); ++k, at += stride) {
          F.values(at) = Scalar(A.values(k));
          if constexpr (!values_only) F.columns(at) = A.columns(k);
        }
      }
      if constexpr (!values_only) {  // braces: without them nvcc 13 refuses the function for Serial
        for (; at < end; at += stride) {
          F.values(at) = Scalar(0);
          F.columns(at) = -1;
        }
      }
    }
  }
};

template <bool values_only, int tile_width, class Exec, class Format, class Matrix>
void fill_slices_in_teams(Exec const& exec, Format const& F, Matrix const& A, InspectionErrors errors = {}) {
  using Functor = FillSlices<values_only, tile_width, Exec, Format, Matrix>;
  constexpr int scratch_entries =
      staging_capacity<Exec>(sizeof(typename Format::scalar_type) + sizeof(typename Format::ordinal_type));
  auto const positions = static_cast<std::int64_t>(F.num_slices()) * static_cast<std::int64_t>(F.slice_rows);
  if (positions == 0) return;
  double const mean = static_cast<double>(A.nnz()) / static_cast<double>(F.num_rows);
  double const entries_per_slice = 1.1 * mean * static_cast<double>(F.slice_rows);  // 10 % margin
  int positions_per_team = Functor::tile_rows, staged = 0;
  if (F.rows.extent(0) == 0 && entries_per_slice <= scratch_entries) {
    int const max_slices = std::max(1, 256 / static_cast<int>(F.slice_rows));  // one position per thread
    int const slices =
        std::clamp(static_cast<int>(scratch_entries / std::max(entries_per_slice, 1.0)), 1, max_slices);
    positions_per_team = slices * static_cast<int>(F.slice_rows);
    staged = std::min(scratch_entries, static_cast<int>(1.2 * slices * entries_per_slice) + 64);
  }
  auto const league = ceil_div(positions, positions_per_team);
  auto policy = Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(league), Functor::team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes(staged))));
  Kokkos::parallel_for(values_only ? "einkorn::update_values[sell]" : "einkorn::from_csr[sell]",
                       light_weight(policy), Functor{F, A, positions, positions_per_team, staged, errors});
}

/// Fills the slots of F from A; values_only: only F.values. 1 launch, asynchronous on exec.
/// @param errors  GPU: of an inspection of A; with errors nothing is copied
template <bool values_only, class Exec, class Format, class Matrix>
void fill_slices(Exec const& exec, Format const& F, Matrix const& A, InspectionErrors errors = {}) {
  (void)errors;
  if constexpr (!is_gpu<Exec>) {
    char const* const label = values_only ? "einkorn::update_values[sell]" : "einkorn::from_csr[sell]";
    range_for<typename Format::ordinal_type>(label, exec, F.num_slices(),
                                             FillSlicesHost<values_only, Format, Matrix>{F, A});
  } else if (static_cast<double>(A.nnz()) <= 8.0 * static_cast<double>(F.num_rows)) {
    fill_slices_in_teams<values_only, 8>(exec, F, A, errors);
  } else {
    fill_slices_in_teams<values_only, 32>(exec, F, A, errors);
  }
}

}  // namespace einkorn::detail
