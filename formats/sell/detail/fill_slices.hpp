// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/staging.hpp>

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

  static std::size_t scratch_bytes(int staged) {
    auto const slots = static_cast<std::size_t>(std::max(bank_padded_index(staged), tile_entries));
    return slots * (sizeof(Scalar) + (values_only ? 0 : sizeof(Ordinal))) + 64;
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const staged_slots = bank_padded_index(staged_entries);
    auto const slots = static_cast<std::size_t>(staged_slots > tile_entries ? staged_slots : tile_entries);
    auto* const values =
        static_cast<Scalar*>(team.team_scratch(0).get_shmem_aligned(slots * sizeof(Scalar), alignof(Scalar)));
    Ordinal* columns = nullptr;
    if constexpr (!values_only)
      columns = static_cast<Ordinal*>(
          team.team_scratch(0).get_shmem_aligned(slots * sizeof(Ordinal), alignof(Ordinal)));
    std::int64_t const first = static_cast<std::int64_t>(team.league_rank()) * positions_per_team;
    std::int64_t const last =
        first + positions_per_team < num_positions ? first + positions_per_team : num_positions;
    if (staged_entries > 0) {
      Offset const begin = A.row_begin(static_cast<Ordinal>(first)), end = A.row_begin(row_or_end(last));
      if (end - begin <= static_cast<Offset>(staged_entries))
        return fill_staged(team, first, last, begin, static_cast<int>(end - begin), values, columns);
    }
    for (std::int64_t p = first; p < last; p += tile_rows) fill_tiled(team, p, last, values, columns);
  }

 private:
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

  KOKKOS_FUNCTION void fill_tiled(Member const& team, std::int64_t first, std::int64_t last, Scalar* values,
                                  Ordinal* columns) const {
    Offset const max_slots = max_width(first, last);
    constexpr int tile = tile_rows * tile_width;
    for (Offset j = 0; j < max_slots; j += tile_width) {
      for (int i = team.team_rank(); i < tile; i += team.team_size())
        read(first + i / tile_width, j + static_cast<Offset>(i % tile_width),
             i / tile_width * pitch + i % tile_width, values, columns);
      team.team_barrier();
      for (int i = team.team_rank(); i < tile; i += team.team_size())
        write(first + i % tile_rows, last, j + static_cast<Offset>(i / tile_rows),
              i % tile_rows * pitch + i / tile_rows, values, columns);
      team.team_barrier();
    }
  }
  KOKKOS_FUNCTION Offset max_width(std::int64_t first, std::int64_t last) const {
    Offset max_slots = 0;
    auto const C = static_cast<std::int64_t>(F.slice_rows);
    for (std::int64_t p = first; p < first + tile_rows && p < last; p = (p / C + 1) * C) {
      Offset const count = F.slot_count(static_cast<Ordinal>(p));
      max_slots = count > max_slots ? count : max_slots;
    }
    return max_slots;
  }
  /// The row at this position if rows are not sorted; num_rows beyond the last row.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal row_or_end(std::int64_t position) const {
    return position < static_cast<std::int64_t>(F.num_rows) ? static_cast<Ordinal>(position) : F.num_rows;
  }
  KOKKOS_FUNCTION void read(std::int64_t position, Offset j, int to, Scalar* values,
                            [[maybe_unused]] Ordinal* columns) const {
    bool is_entry = false;
    Offset k = 0;
    if (position < static_cast<std::int64_t>(F.num_rows)) {
      Ordinal const row = F.row_at(static_cast<Ordinal>(position));
      k = A.row_begin(row) + j;
      is_entry = k < A.row_end(row);
    }
    values[to] = is_entry ? Scalar(A.values(k)) : Scalar(0);
    if constexpr (!values_only) columns[to] = is_entry ? Ordinal(A.columns(k)) : Ordinal(-1);
  }
  KOKKOS_FUNCTION void write(std::int64_t position, std::int64_t last, Offset j, int from, Scalar const* values,
                             [[maybe_unused]] Ordinal const* columns) const {
    auto const p = static_cast<Ordinal>(position);
    if (position >= last || j >= F.slot_count(p)) return;
    Offset const at = F.slot_begin(p) + j * F.slot_stride();
    F.values(at) = values[from];
    if constexpr (!values_only) F.columns(at) = columns[from];
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
void fill_slices_in_teams(Exec const& exec, Format const& F, Matrix const& A) {
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
                       light_weight(policy), Functor{F, A, positions, positions_per_team, staged});
}

/// Fills the slots of F from A; values_only: only F.values. 1 launch, asynchronous on exec.
template <bool values_only, class Exec, class Format, class Matrix>
void fill_slices(Exec const& exec, Format const& F, Matrix const& A) {
  if constexpr (!is_gpu<Exec>) {
    char const* const label = values_only ? "einkorn::update_values[sell]" : "einkorn::from_csr[sell]";
    range_for<typename Format::ordinal_type>(label, exec, F.num_slices(),
                                             FillSlicesHost<values_only, Format, Matrix>{F, A});
  } else if (static_cast<double>(A.nnz()) <= 8.0 * static_cast<double>(F.num_rows)) {
    fill_slices_in_teams<values_only, 8>(exec, F, A);
  } else {
    fill_slices_in_teams<values_only, 32>(exec, F, A);
  }
}

}  // namespace einkorn::detail
