// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/bank_padding.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/core/detail/result_memory.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/core/staging.hpp>
#include <einkorn/formats/diagonals/detail/host_tuning.hpp>
#include <einkorn/formats/diagonals/detail/scatter.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>

namespace einkorn::detail {

/// A row of the CSR, copied to scratch.
template <class Scalar, class Ordinal>
struct ScratchRow {
  Scalar const* values;
  Ordinal const* columns;
  int begin, length;

  KOKKOS_FORCEINLINE_FUNCTION Ordinal column(int i) const { return columns[bank_padded_index(begin + i)]; }
  KOKKOS_FORCEINLINE_FUNCTION Scalar value(int i) const { return values[bank_padded_index(begin + i)]; }
};

/// A row of the CSR in global memory.
template <class Matrix>
struct UnstagedRow {
  using Offset = typename Matrix::offset_type;
  Matrix const& A;
  Offset begin, length;

  KOKKOS_FORCEINLINE_FUNCTION typename Matrix::ordinal_type column(Offset i) const {
    return A.columns(begin + i);
  }
  KOKKOS_FORCEINLINE_FUNCTION typename Matrix::scalar_type value(Offset i) const { return A.values(begin + i); }
};

/// Writes every slot of some rows, zeros included.
///
/// A team copies the entries of its rows, which are contiguous in A, to team scratch. Each thread then merges one row with
/// a part of the list of diagonals, so that adjacent threads write adjacent slots. Rows that do not fit in scratch are read
/// from global memory. Rows num_rows .. stride - 1 are set to 0. Adds the number of written entries to num_written, unless
/// it is null.
/// @pre The rows of A are sorted, their positions unique and their diagonals in the list. Otherwise not all entries are written,
/// none of them twice.
template <class Exec, class Format, class List, class Matrix>
struct FillDiagonals {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr int team_size = is_gpu<Exec> ? 256 : 1, counters = 64;

  Format F;
  List list;  // [num_diagonals]: column - row, ascending
  Matrix A;
  int rows_per_team;
  int staged_entries;  // capacity of scratch
  std::uint64_t*
      num_written;  // [counters], because atomic additions to one word take longer than the rest; their sum counts

  static std::size_t scratch_bytes(int staged) {
    return static_cast<std::size_t>(bank_padded_index(staged)) * (sizeof(Scalar) + sizeof(Ordinal)) + 64;
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const capacity = static_cast<std::size_t>(bank_padded_index(staged_entries));
    auto* const values = static_cast<Scalar*>(
        team.team_scratch(0).get_shmem_aligned(capacity * sizeof(Scalar), alignof(Scalar)));
    auto* const columns = static_cast<Ordinal*>(
        team.team_scratch(0).get_shmem_aligned(capacity * sizeof(Ordinal), alignof(Ordinal)));
    auto const first = static_cast<std::int64_t>(team.league_rank()) * rows_per_team;
    std::int64_t const left = static_cast<std::int64_t>(F.stride) - first;
    int const rows = left < rows_per_team ? static_cast<int>(left) : rows_per_team;
    Offset const begin = begin_of(first), count = begin_of(first + rows) - begin;
    bool const fits = count <= static_cast<Offset>(staged_entries);
    if (fits) {
      copy_batched<4>(
          team, static_cast<int>(count),
          [&](int i) {
            Offset const k = begin + static_cast<Offset>(i);
            return StagedEntry<Scalar, Ordinal>{static_cast<Scalar>(A.values(k)), A.columns(k)};
          },
          [&](int i, StagedEntry<Scalar, Ordinal> const& entry) {
            values[bank_padded_index(i)] = entry.value;
            columns[bank_padded_index(i)] = entry.column;
          });
      team.team_barrier();
    }
    int const threads_per_row = rows_per_team < team.team_size() ? team.team_size() / rows_per_team : 1;
    int const part = team.team_rank() / rows_per_team;
    int written = 0;
    for (int i = team.team_rank() - part * rows_per_team; part < threads_per_row && i < rows;
         i += team.team_size()) {
      std::int64_t const row = first + i;
      Offset const from = begin_of(row), length = begin_of(row + 1) - from;
      if (fits)
        written += fill(row, part, threads_per_row, int(0),
                        ScratchRow<Scalar, Ordinal>{values, columns, static_cast<int>(from - begin),
                                                    static_cast<int>(length)});
      else
        written += fill(row, part, threads_per_row, Offset(0), UnstagedRow<Matrix>{A, from, length});
    }
    if (num_written == nullptr) return;
    using L = Lanes<Exec>;
    written = sum_over_lanes<L, L::size>(written);
    int const warp = team.league_rank() * (team.team_size() / L::size) + team.team_rank() / L::size;
    if (team.team_rank() % L::size == 0)
      Kokkos::atomic_add(num_written + warp % counters, static_cast<std::uint64_t>(written));
  }

 private:
  /// Writes the slots of a row on the diagonals of one of `parts` parts. `at` is the next entry of the row,
  /// `diagonal` its diagonal. Returns the number of written entries.
  template <class Index, class Row>
  KOKKOS_FORCEINLINE_FUNCTION int fill(std::int64_t row, int part, int parts, Index at,
                                       Row const& A_row) const {
    auto const count = static_cast<std::int64_t>(list.extent(0));
    auto const from = static_cast<Ordinal>(count * part / parts);
    auto const to = static_cast<Ordinal>(count * (part + 1) / parts);
    if (from == to) return 0;
    auto const i = static_cast<Ordinal>(row);
    if (part > 0) {
      Ordinal const lowest = list(from);
      at = lower_bound_index([&](Index e) { return A_row.column(e) - i; }, at, A_row.length, lowest);
    }
    constexpr Ordinal none = Kokkos::Experimental::finite_max_v<Ordinal>;
    Ordinal diagonal = at < A_row.length ? A_row.column(at) - i : none;
    Offset slot = static_cast<Offset>(from) * F.stride + static_cast<Offset>(row);
    int written = 0;
    for (Ordinal d = from; d < to; ++d, slot += F.stride) {
      bool const is_entry = diagonal == list(d);
      F.values(slot) = is_entry ? static_cast<Scalar>(A_row.value(at)) : Scalar(0);
      if (!is_entry) continue;
      ++at;
      ++written;
      diagonal = at < A_row.length ? A_row.column(at) - i : none;
    }
    return written;
  }
  KOKKOS_FORCEINLINE_FUNCTION Offset begin_of(std::int64_t row) const {
    return A.row_offsets(row < static_cast<std::int64_t>(F.num_rows) ? static_cast<Ordinal>(row) : F.num_rows);
  }
};

/// Writes every slot of F from A; `list` contains the diagonals. 1 launch, asynchronous on exec.
/// @pre The rows of A are sorted and their positions unique.
template <class Exec, class Format, class List, class Matrix>
void fill_diagonals_in_teams(Exec const& exec, char const* label, Format const& F, List const& list,
                             Matrix const& A, std::uint64_t* num_written) {
  using Functor = FillDiagonals<Exec, Format, List, Matrix>;
  constexpr int capacity =
      staging_capacity<Exec>(sizeof(typename Functor::Scalar) + sizeof(typename Functor::Ordinal));
  double const entries_per_row =
      1.1 * static_cast<double>(A.nnz()) / static_cast<double>(A.num_rows);  // 10 % margin
  int rows = 256;
  while (rows > 8 && rows * entries_per_row > capacity) rows /= 2;
  int staged =
      std::min(capacity, static_cast<int>(1.1 * rows * std::min(entries_per_row, 1.0 * capacity)) + 64);
  if (rows * entries_per_row > capacity) {
    rows = 32;
    staged = 0;
  }
  auto const league = ceil_div(static_cast<std::int64_t>(F.stride), rows);
  auto policy = Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(league), Functor::team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes(staged))));
  Kokkos::parallel_for(label, light_weight(policy), Functor{F, list, A, rows, staged, num_written});
}

/// Whether a tile of fill_diagonals_by_tiles() has at least 32 rows. With 10500 diagonals and 8 rows per tile, scattering the
/// entries instead took 0.03 (bDIA) and 0.3 (DIA) of the time.
template <class Scalar>
bool fits_tile(std::size_t diagonals) {
  return 32 * diagonals * sizeof(Scalar) <= diagonal_tile_bytes;
}

/// Host: writes every slot of F from A; `list` contains the diagonals. A thread writes the entries of some rows to a tile
/// of all diagonals that stays in its caches, then copies the tile, because the same row on all diagonals is often in one
/// set of a cache: their distance is a multiple of 256 bytes, often of a power of two.
/// @pre The rows of A are sorted and their positions unique; fits_tile<Scalar>(list.extent(0)).
template <class Exec, class Format, class List, class Matrix>
void fill_diagonals_by_tiles(Exec const& exec, char const* label, Format const& F, List const& list,
                             Matrix const& A) {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  auto const diagonals = list.extent(0), stride = static_cast<std::size_t>(F.stride);
  auto const num_rows = static_cast<std::size_t>(F.num_rows);
  std::size_t const tile_rows =
      std::min<std::size_t>(diagonal_tile_bytes / (diagonals * sizeof(Scalar)) / 8 * 8, 512);
  std::size_t const tile_stride = tile_rows + 8;  // no power of two, for the same reason
  std::size_t const tile_size = diagonals * tile_stride;
  auto const tiles = allocate<Kokkos::View<Scalar*, typename Format::device_type>>(
      exec, label, tile_size * static_cast<std::size_t>(exec.concurrency()));
  auto const* const row_offsets = A.row_offsets.data();
  auto const* const columns = A.columns.data();
  auto const* const values = A.values.data();
  auto const* const diagonal_of = list.data();
  Scalar* const slots = F.values.data();
  for_each_chunk(label, exec, static_cast<std::int64_t>(ceil_div(stride, tile_rows)),
                 [&](std::size_t thread, std::int64_t begin, std::int64_t end) {
                   Scalar* const tile = tiles.data() + thread * tile_size;
                   for (auto b = static_cast<std::size_t>(begin); b < static_cast<std::size_t>(end); ++b) {
                     std::size_t const first = b * tile_rows, rows = std::min(tile_rows, stride - first);
                     std::fill_n(tile, tile_size, Scalar(0));
                     for (std::size_t row = first; row < std::min(first + rows, num_rows); ++row) {
                       std::size_t d = 0;
                       for (Offset k = row_offsets[row]; k < row_offsets[row + 1]; ++k) {
                         auto const diagonal = static_cast<Ordinal>(columns[k] - static_cast<Ordinal>(row));
                         while (d < diagonals && diagonal_of[d] < diagonal) ++d;
                         if (d < diagonals && diagonal_of[d] == diagonal)
                           tile[d * tile_stride + (row - first)] = static_cast<Scalar>(values[k]);
                       }
                     }
                     for (std::size_t d = 0; d < diagonals; ++d)
                       std::copy_n(tile + d * tile_stride, rows, slots + d * stride + first);
                   }
                 });
}

/// Writes the entries of A to their slots of F.values. `list` contains F's diagonals or is empty. is_new: the
/// other slots are set to 0; otherwise they are 0 already, from an A of the same structure. `num_written`: see FillDiagonals.
/// Asynchronous on exec; 1 launch, and a fill with zeros if slots are scattered to.
template <class Exec, class Format, class List, class Matrix>
void fill_diagonals(Exec const& exec, char const* label, Format const& F, List const& list, Matrix const& A,
                    bool is_new, [[maybe_unused]] std::uint64_t* num_written = nullptr) {
  if (F.sorted_unique_rows && list.extent(0) > 0) {
    if constexpr (is_gpu<Exec>)
      return fill_diagonals_in_teams(exec, label, F, list, A, num_written);
    else if (fits_tile<typename Format::scalar_type>(list.extent(0)))
      return fill_diagonals_by_tiles(exec, label, F, list, A);
  }
  if (is_new) fill_vector(exec, F.values, typename Format::scalar_type(0));
  scatter_to_diagonals(exec, label, F, A);
}

/// GPU: builds F from the diagonals of a sample of rows, as if rows were sorted and positions unique. False if not all entries
/// could be written. Fences exec.
template <class Exec, class Format, class Matrix, class Search, class Build>
bool fill_from_sample(Exec const& exec, char const* label, Format& F, Matrix const& A, Search const& search,
                      Build const& build) {
  try {
    auto const list = build(search.marks);
    F.sorted_unique_rows = true;
    constexpr int counters = FillDiagonals<Exec, Format, std::remove_const_t<decltype(list)>, Matrix>::counters;
    ResultMemory<Exec> num_written(exec, counters);
    fill_diagonals(exec, label, F, list, A, true, num_written.data());
    auto const counts = num_written.template read<counters>();
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t(0)) ==
           static_cast<std::uint64_t>(A.nnz());
  } catch (Error const&) {  // the error of all diagonals has their number
    return false;
  }
}

/// Builds F, new, from the diagonals that `search` has found. Fences exec.
/// @param build  (marks) -> list of the diagonals: checks sizes, allocates F
template <class Exec, class Format, class Matrix, class Search, class Build>
void build_from_diagonals(Exec const& exec, char const* label, Format& F, Matrix const& A, Search& search,
                          Build const& build) {
  if constexpr (is_gpu<Exec>) {
    if (search.marks.is_sample) {
      if (fill_from_sample(exec, label, F, A, search, build)) return;
      search.search_all();
    }
  }
  F.sorted_unique_rows = search.has_sorted_unique_rows();
  fill_diagonals(exec, label, F, build(search.marks), A, true);
  exec.fence(std::string(label) + ": A may change from here on");
}

}  // namespace einkorn::detail
