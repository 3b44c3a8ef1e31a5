// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/staging.hpp>
#include <einkorn/formats/bsr/detail/scatter_values.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Every value of the blocks of F, zeros included, whatever was there before. No position of A repeats; its
/// rows may be unsorted.
///
/// A team takes some block rows. It copies the values of their entries, which are one piece of A, to scratch,
/// notes for each place of its blocks which entry belongs there, then writes the blocks from end to end. What
/// does not fit scratch is zeroed and scattered, entry after entry, whatever the row lengths.
template <class Exec, class Format, class Matrix>
struct FillBlocks {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Note = std::uint16_t;
  static constexpr int team_size = is_gpu<Exec> ? 256 : 1;
  static constexpr Note no_entry = 0xffff;

  Format F;
  Matrix A;
  int block_rows_per_team;
  int entry_capacity, slot_capacity;  // of scratch

  static std::size_t scratch_bytes(int entries, int places) {
    return static_cast<std::size_t>(entries) * sizeof(Scalar) +
           static_cast<std::size_t>(places) * sizeof(Note) + 64;
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const values_bytes = static_cast<std::size_t>(entry_capacity) * sizeof(Scalar);
    auto const notes_bytes = static_cast<std::size_t>(slot_capacity) * sizeof(Note);
    auto* const values =
        static_cast<Scalar*>(team.team_scratch(0).get_shmem_aligned(values_bytes, alignof(Scalar)));
    auto* const notes = static_cast<Note*>(team.team_scratch(0).get_shmem_aligned(notes_bytes, alignof(Note)));
    auto const size = static_cast<Ordinal>(F.block_size);
    Ordinal const first = static_cast<Ordinal>(team.league_rank()) * static_cast<Ordinal>(block_rows_per_team);
    Ordinal const left = F.num_block_rows - first;
    Ordinal const block_rows =
        left < static_cast<Ordinal>(block_rows_per_team) ? left : Ordinal(block_rows_per_team);
    Ordinal const first_row = first * size, rows_left = F.num_rows - first_row;
    Ordinal const rows = rows_left < block_rows * size ? rows_left : block_rows * size;
    Offset const begin = A.row_begin(first_row), end = A.row_begin(first_row + rows);
    Offset const place = F.row_offsets(first) * F.entries_per_block();  // where the team's blocks begin
    Offset const places = F.row_offsets(first + block_rows) * F.entries_per_block() - place;
    if (end - begin > static_cast<Offset>(entry_capacity) || places > static_cast<Offset>(slot_capacity))
      return scatter(team, first_row, rows, place, places);

    for (int i = team.team_rank(); i < static_cast<int>(places); i += team.team_size()) notes[i] = no_entry;
    for (int i = team.team_rank(); i < static_cast<int>(end - begin); i += team.team_size())
      values[i] = static_cast<Scalar>(A.values(begin + static_cast<Offset>(i)));
    team.team_barrier();
    int const threads = team.team_size();
    int const lanes = static_cast<Ordinal>(threads) > rows ? threads / static_cast<int>(rows) : 1;
    int const at_once = threads / lanes, lane = team.team_rank() / at_once;
    if (lane < lanes)
      for (Ordinal r = static_cast<Ordinal>(team.team_rank() - lane * at_once); r < rows;
           r += static_cast<Ordinal>(at_once))
        note(first_row + r, lane, lanes, begin, place, notes);
    team.team_barrier();
    for (int i = team.team_rank(); i < static_cast<int>(places); i += team.team_size())
      F.values(place + static_cast<Offset>(i)) = notes[i] == no_entry ? Scalar(0) : values[notes[i]];
  }

 private:
  /// Some entries of a row.
  KOKKOS_FORCEINLINE_FUNCTION void note(Ordinal row, int lane, int lanes, Offset begin, Offset place,
                                        Note* notes) const {
    PlaceInBlocks<Format> find(F, row);
    Offset const end = A.row_end(row);
    for (Offset k = A.row_begin(row) + static_cast<Offset>(lane); k < end; k += static_cast<Offset>(lanes))
      notes[find(A.columns(k)) - place] = static_cast<Note>(k - begin);
  }

  KOKKOS_FUNCTION void scatter(Member const& team, Ordinal first_row, Ordinal rows, Offset place,
                               Offset places) const {
    for (Offset i = static_cast<Offset>(team.team_rank()); i < places;
         i += static_cast<Offset>(team.team_size()))
      F.values(place + i) = Scalar(0);
    team.team_barrier();
    Offset const end = A.row_begin(first_row + rows);
    for (Offset k = A.row_begin(first_row) + static_cast<Offset>(team.team_rank()); k < end;
         k += static_cast<Offset>(team.team_size())) {
      Ordinal const row = row_of_entry(A.row_offsets, first_row, first_row + rows, k);
      F.values(PlaceInBlocks<Format>(F, row)(A.columns(k))) = static_cast<Scalar>(A.values(k));
    }
  }
};

/// 1 launch, asynchronous on exec.
template <class Exec, class Format, class Matrix>
void fill_blocks_in_teams(Exec const& exec, char const* label, Format const& F, Matrix const& A) {
  using Functor = FillBlocks<Exec, Format, Matrix>;
  using Scalar = typename Functor::Scalar;
  if (F.num_block_rows == 0) return;
  constexpr double room = (is_gpu<Exec> ? 36 : 28) * 1024;  // bytes: 6 teams share a multiprocessor of 228 KB
  auto const block_rows = static_cast<double>(F.num_block_rows);
  double const entries = 1.1 * static_cast<double>(A.nnz()) / block_rows;  // of a block row, a tenth to spare
  double const places = 1.1 * static_cast<double>(F.values.extent(0)) / block_rows;
  double const bytes = std::max(1.0, entries * sizeof(Scalar) + places * sizeof(typename Functor::Note));
  int const a_team = std::clamp(static_cast<int>(room / std::max(bytes, room / 256)), 1, 256);
  bool const fits = bytes <= room;
  int const entry_capacity = fits ? static_cast<int>(a_team * entries) + 1 : 0;
  int const slot_capacity = fits ? static_cast<int>(a_team * places) + 1 : 0;
  auto const league = (static_cast<std::int64_t>(F.num_block_rows) + a_team - 1) / a_team;
  auto policy = Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(league), Functor::team_size);
  policy.set_scratch_size(
      0, Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes(entry_capacity, slot_capacity))));
  Kokkos::parallel_for(label, light_weight(policy), Functor{F, A, a_team, entry_capacity, slot_capacity});
}

/// F.values <- A.values. is_new: F.values hold anything; otherwise they hold values on the same structure. 1
/// launch, and the zeroing where positions repeat, or on the host where is_new.
template <class Exec, class Format, class Matrix>
void fill_blocks(Exec const& exec, char const* label, Format const& F, Matrix const& A, bool is_new) {
  if constexpr (is_gpu<Exec>)
    if (!F.has_repeats) return fill_blocks_in_teams(exec, label, F, A);
  if (is_new || F.has_repeats) Kokkos::deep_copy(exec, F.values, typename Format::scalar_type(0));
  scatter_values(exec, label, F, A);
}

}  // namespace einkorn::detail
