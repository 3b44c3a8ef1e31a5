// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/staging.hpp>
#include <einkorn/formats/bsr/bsr_tuning.hpp>
#include <einkorn/formats/bsr/detail/block_column_of.hpp>
#include <einkorn/formats/bsr/detail/fill_full_blocks.hpp>
#include <einkorn/formats/bsr/detail/scatter_values.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Writes all values of the blocks of F, including zeros. A has no repeated positions; its rows may be
/// unsorted.
///
/// A team fills some block rows. It copies their entries, which are contiguous in A, to scratch, stores the source entry
/// of each value of its blocks, then writes the blocks contiguously. If they do not fit
/// in scratch, the blocks are zeroed and the entries scattered, balanced for any row lengths.
template <class Exec, class Format, class Matrix>
struct FillBlocks {
  using Ordinal = typename Format::ordinal_type;
  using Offset = typename Format::offset_type;
  using Scalar = typename Format::scalar_type;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Source = std::uint16_t;  // index of an entry of the team
  static constexpr int team_size = is_gpu<Exec> ? 256 : 1;
  static constexpr Source no_entry = 0xffff;

  Format F;
  Matrix A;
  int block_rows_per_team;
  int max_entries, max_values;  // that fit in scratch
  BlockColumnOf<Ordinal> block_column_of;

  static std::size_t scratch_bytes(int entries, int values) {
    return static_cast<std::size_t>(entries) * (sizeof(Scalar) + sizeof(Ordinal)) +
           static_cast<std::size_t>(values) * sizeof(Source) + 64;
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const values_bytes = static_cast<std::size_t>(max_entries) * sizeof(Scalar);
    auto const columns_bytes = static_cast<std::size_t>(max_entries) * sizeof(Ordinal);
    auto const sources_bytes = static_cast<std::size_t>(max_values) * sizeof(Source);
    auto* const values =
        static_cast<Scalar*>(team.team_scratch(0).get_shmem_aligned(values_bytes, alignof(Scalar)));
    auto* const columns =
        static_cast<Ordinal*>(team.team_scratch(0).get_shmem_aligned(columns_bytes, alignof(Ordinal)));
    auto* const sources =
        static_cast<Source*>(team.team_scratch(0).get_shmem_aligned(sources_bytes, alignof(Source)));
    auto const size = static_cast<Ordinal>(F.block_size);
    Ordinal const first = static_cast<Ordinal>(team.league_rank()) * static_cast<Ordinal>(block_rows_per_team);
    Ordinal const left = F.num_block_rows - first;
    Ordinal const block_rows =
        left < static_cast<Ordinal>(block_rows_per_team) ? left : Ordinal(block_rows_per_team);
    Ordinal const first_row = first * size, rows_left = F.num_rows - first_row;
    Ordinal const rows = rows_left < block_rows * size ? rows_left : block_rows * size;
    Offset const begin = A.row_begin(first_row), end = A.row_begin(first_row + rows);
    Offset const first_value = F.row_offsets(first) * F.entries_per_block();  // of the blocks of the team
    Offset const num_values = F.row_offsets(first + block_rows) * F.entries_per_block() - first_value;
    if (end - begin > static_cast<Offset>(max_entries) || num_values > static_cast<Offset>(max_values))
      return scatter(team, first_row, rows, first_value, num_values);

    for (int i = team.team_rank(); i < static_cast<int>(num_values); i += team.team_size())
      sources[i] = no_entry;
    copy_batched<4>(
        team, static_cast<int>(end - begin),
        [&](int i) {
          Offset const k = begin + static_cast<Offset>(i);
          return StagedEntry<Scalar, Ordinal>{static_cast<Scalar>(A.values(k)), A.columns(k)};
        },
        [&](int i, StagedEntry<Scalar, Ordinal> const& entry) {
          values[i] = entry.value;
          columns[i] = entry.column;
        });
    team.team_barrier();
    int const threads = team.team_size();
    int const lanes = static_cast<Ordinal>(threads) > rows ? threads / static_cast<int>(rows) : 1;
    int const rows_at_once = threads / lanes, lane = team.team_rank() % lanes;
    auto r = static_cast<Ordinal>(team.team_rank() / lanes);
    if (r < static_cast<Ordinal>(rows_at_once))
      for (; r < rows; r += static_cast<Ordinal>(rows_at_once))
        store_sources(first_row + r, lane, lanes, begin, first_value, columns, sources);
    team.team_barrier();
    for (int i = team.team_rank(); i < static_cast<int>(num_values); i += team.team_size())
      F.values(first_value + static_cast<Offset>(i)) = sources[i] == no_entry ? Scalar(0) : values[sources[i]];
  }

 private:
  /// Stores the sources of one of `lanes` parts of a row.
  KOKKOS_FORCEINLINE_FUNCTION void store_sources(Ordinal row, int lane, int lanes, Offset begin,
                                                 Offset first_value, Ordinal const* columns,
                                                 Source* sources) const {
    Ordinal const block_row = block_column_of(row), size = static_cast<Ordinal>(F.block_size);
    auto const entries = static_cast<int>(F.entries_per_block());
    Offset const begin_of_blocks = F.row_offsets(block_row);
    auto const blocks = static_cast<int>(F.row_offsets(block_row + 1) - begin_of_blocks);
    // Relative to the first value of the team.
    int const in_team = static_cast<int>(begin_of_blocks * F.entries_per_block() - first_value) +
                        static_cast<int>((row - block_row * size) * size);
    auto const column_of = [&](int block) { return F.columns(begin_of_blocks + static_cast<Offset>(block)); };
    int block = -1;
    Ordinal block_column = -1;
    auto const first = static_cast<int>(A.row_begin(row) - begin);
    int const length = static_cast<int>(A.row_end(row) - begin) - first, part = ceil_div(length, lanes);
    int const from = first + lane * part, to = lane * part + part < length ? from + part : first + length;
    for (int i = from; i < to; ++i) {
      Ordinal const wanted = block_column_of(columns[i]);
      if (wanted != block_column) {  // the next block, or, at the first entry or in an unsorted row, any
        block = block >= 0 && block + 1 < blocks && column_of(block + 1) == wanted
                    ? block + 1
                    : lower_bound_index(column_of, 0, blocks, wanted);
        block_column = wanted;
      }
      sources[in_team + block * entries + static_cast<int>(columns[i] - wanted * size)] =
          static_cast<Source>(i);
    }
  }

  KOKKOS_FUNCTION void scatter(Member const& team, Ordinal first_row, Ordinal rows, Offset first_value,
                               Offset num_values) const {
    for (Offset i = static_cast<Offset>(team.team_rank()); i < num_values;
         i += static_cast<Offset>(team.team_size()))
      F.values(first_value + i) = Scalar(0);
    team.team_barrier();
    Offset const end = A.row_begin(first_row + rows);
    for (Offset k = A.row_begin(first_row) + static_cast<Offset>(team.team_rank()); k < end;
         k += static_cast<Offset>(team.team_size())) {
      Ordinal const row = row_of_entry(A.row_offsets, first_row, first_row + rows, k);
      F.values(PositionInBlocks<Format>(F, block_column_of, row)(A.columns(k))) =
          static_cast<Scalar>(A.values(k));
    }
  }
};

/// 1 launch, asynchronous on exec.
template <class Exec, class Format, class Matrix>
void fill_blocks_in_teams(Exec const& exec, char const* label, Format const& F, Matrix const& A) {
  using Functor = FillBlocks<Exec, Format, Matrix>;
  using Scalar = typename Functor::Scalar;
  if (F.num_block_rows == 0) return;
  constexpr double scratch =
      (is_gpu<Exec> ? 36 : 28) * 1024;  // bytes: 6 teams share a multiprocessor of 228 KB
  auto const block_rows = static_cast<double>(F.num_block_rows);
  double const entries =
      1.1 * static_cast<double>(A.nnz()) / block_rows;  // per block row, with a margin of a tenth
  double const values = 1.1 * static_cast<double>(F.values.extent(0)) / block_rows;
  double const bytes = std::max(1.0, entries * (sizeof(Scalar) + sizeof(typename Functor::Ordinal)) +
                                         values * sizeof(typename Functor::Source));
  int const per_team = std::clamp(static_cast<int>(scratch / std::max(bytes, scratch / 256)), 1, 256);
  bool const fits = bytes <= scratch;
  int const max_entries = fits ? static_cast<int>(per_team * entries) + 1 : 0;
  int const max_values = fits ? static_cast<int>(per_team * values) + 1 : 0;
  auto const league = ceil_div(static_cast<std::int64_t>(F.num_block_rows), per_team);
  auto policy = Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(league), Functor::team_size);
  policy.set_scratch_size(0,
                          Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes(max_entries, max_values))));
  Kokkos::parallel_for(
      label, light_weight(policy),
      Functor{F, A, per_team, max_entries, max_values, BlockColumnOf<typename Functor::Ordinal>(F.block_size)});
}

/// F.values <- A.values. 1 launch; on a GPU with repeated positions 2: the blocks are zeroed first. On the host each block
/// row is zeroed before its entries are written, if positions repeat or is_new.
/// @param is_new whether F.values is uninitialized; otherwise it has values of the same structure
template <class Exec, class Format, class Matrix>
void fill_blocks(Exec const& exec, char const* label, Format const& F, Matrix const& A, bool is_new) {
  if constexpr (is_gpu<Exec>) {
    if (F.has_full_blocks && is_known_block_size(F.block_size))
      return fill_full_blocks<false>(exec, label, F, A);
    if (!F.has_repeats) return fill_blocks_in_teams(exec, label, F, A);
  }
  scatter_values(exec, label, F, A, F.has_repeats || is_new);
}

}  // namespace einkorn::detail
