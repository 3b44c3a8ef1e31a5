// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/staging.hpp>
#include <einkorn/formats/bsr/detail/block_column_of.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace einkorn::detail {

/// The block columns of the entries of consecutive rows, staged in scratch. Row indices are relative to the first row.
template <class Ordinal>
struct StagedBlockColumns {
  using Index = int;
  Ordinal const* block_columns;
  int const* begins;

  KOKKOS_FORCEINLINE_FUNCTION int begin(int row) const { return begins[row]; }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal operator()(int i) const { return block_columns[bank_padded_index(i)]; }
};

/// The same, read from A.
template <class Matrix>
struct BlockColumnsInPlace {
  using Index = typename Matrix::offset_type;
  using Ordinal = typename Matrix::ordinal_type;
  Matrix const& A;
  BlockColumnOf<Ordinal> const& block_column_of;
  Ordinal first_row;

  KOKKOS_FORCEINLINE_FUNCTION Index begin(int row) const {
    return A.row_begin(first_row + static_cast<Ordinal>(row));
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal operator()(Index i) const { return block_column_of(A.columns(i)); }
};

/// The blocks of the block rows of A, whose rows are sorted. fill: writes the block columns, increasing, from
/// columns(offsets(block row)) on. Otherwise stores their number in offsets(block row).
///
/// A team copies the block columns of the entries of its rows to scratch. In most matrices with blocks all rows of a block
/// row have the same block columns: a warp compares them, and counts those of the first row. If any block row of the team
/// differs, the threads of a block row divide it at equal parts of its longest row; each thread merges the rows of its
/// part. (Blocks of more than 8 rows: it finds the next block by binary search in each row.) A team processes as many block
/// rows at once as fit in scratch. It reads the columns of a block row that does not fit alone from A.
template <bool fill, class Exec, class Matrix, class Offsets, class Columns>
struct FindBlocks {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using L = Lanes<Exec>;
  static constexpr int team_size = is_gpu<Exec> ? 128 : 1, max_merged_rows = 8, max_kept = 12, batch = 8;
  static constexpr int capacity =  // entries in scratch: 24 KB on a GPU, 22 KB on a host
      static_cast<int>((is_gpu<Exec> ? 24 : 22) * std::size_t(1024) / sizeof(Ordinal) * 16 / 17);
  static constexpr Ordinal none = std::numeric_limits<Ordinal>::max();

  Matrix A;
  int block_size;
  Ordinal num_block_rows;
  Offsets offsets;
  Columns columns;
  int block_rows_per_team;
  int max_staged;  // entries that fit in scratch
  BlockColumnOf<Ordinal> block_column_of;

  static std::size_t scratch_bytes(int staged, int rows) {
    return static_cast<std::size_t>(bank_padded_index(staged)) * sizeof(Ordinal) + team_size * sizeof(Offset) +
           static_cast<std::size_t>(rows + 2) * sizeof(int) + 64;
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const counts_bytes = static_cast<std::size_t>(team.team_size()) * sizeof(Offset);
    auto const staged_bytes = static_cast<std::size_t>(bank_padded_index(max_staged)) * sizeof(Ordinal);
    auto const begins_bytes = static_cast<std::size_t>(block_rows_per_team * block_size + 2) * sizeof(int);
    auto* const counts =
        static_cast<Offset*>(team.team_scratch(0).get_shmem_aligned(counts_bytes, alignof(Offset)));
    auto* const staged =
        static_cast<Ordinal*>(team.team_scratch(0).get_shmem_aligned(staged_bytes, alignof(Ordinal)));
    auto* const begins = static_cast<int*>(team.team_scratch(0).get_shmem_aligned(begins_bytes, alignof(int)));

    Ordinal first = static_cast<Ordinal>(team.league_rank()) * static_cast<Ordinal>(block_rows_per_team);
    int left = num_block_rows - first < static_cast<Ordinal>(block_rows_per_team)
                   ? static_cast<int>(num_block_rows - first)
                   : block_rows_per_team;
    while (left > 0) {  // at once: the block rows that fit, or one
      int block_rows = left;
      while (block_rows > 1 && entries_of(first, block_rows) > static_cast<Offset>(max_staged))
        block_rows = (block_rows + 1) / 2;
      visit_block_rows(team, first, block_rows, counts, staged, begins);
      team.team_barrier();
      first += static_cast<Ordinal>(block_rows);
      left -= block_rows;
    }
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int rows_of(Ordinal first, int block_rows) const {
    Ordinal const rows_left = A.num_rows - first * static_cast<Ordinal>(block_size);
    return rows_left < static_cast<Ordinal>(block_rows * block_size) ? static_cast<int>(rows_left)
                                                                     : block_rows * block_size;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset entries_of(Ordinal first, int block_rows) const {
    Ordinal const first_row = first * static_cast<Ordinal>(block_size);
    return A.row_begin(first_row + static_cast<Ordinal>(rows_of(first, block_rows))) - A.row_begin(first_row);
  }

  /// Counts or writes the blocks of the block rows first .. first + block_rows - 1.
  KOKKOS_FUNCTION void visit_block_rows(Member const& team, Ordinal first, int block_rows, Offset* counts,
                                        Ordinal* staged, int* begins) const {
    Ordinal const first_row = first * static_cast<Ordinal>(block_size);
    int const rows = rows_of(first, block_rows);
    Offset const begin = A.row_begin(first_row), count = entries_of(first, block_rows);
    if (count > static_cast<Offset>(max_staged))
      return find_blocks(team, BlockColumnsInPlace<Matrix>{A, block_column_of, first_row}, first, 0, 1, rows,
                         counts);
    for (int i = team.team_rank(); i <= rows; i += team.team_size())
      begins[i] = static_cast<int>(A.row_begin(first_row + static_cast<Ordinal>(i)) - begin);
    copy_batched<batch>(
        team, static_cast<int>(count), [&](int i) { return A.columns(begin + static_cast<Offset>(i)); },
        [&](int i, Ordinal column) { staged[bank_padded_index(i)] = block_column_of(column); });
    int* const differs = begins + (block_rows_per_team * block_size + 1);  // whether rows of a block row differ
    if (team.team_rank() == 0) *differs = 0;
    team.team_barrier();
    StagedBlockColumns<Ordinal> const source{staged, begins};
    bool are_equal = true;
    int const warps = team.team_size() / L::size, warp = team.team_rank() / L::size,
              lane = team.team_rank() % L::size;
    for (int i = 0; i < block_rows_per_team; i += warps) {  // with block_rows as limit nvcc 13 exceeds it
      if (i + warp >= block_rows) continue;
      are_equal = find_blocks_of_equal_rows(source, first, i + warp, rows, lane) && are_equal;
    }
    if (!are_equal) *differs = 1;  // threads store the same
    team.team_barrier();
    if (*differs == 0) return;
    int const at_once = block_rows < team.team_size() ? block_rows : team.team_size();
    for (int g = 0; g < block_rows; g += at_once) find_blocks(team, source, first, g, at_once, rows, counts);
  }

  /// Counts or writes the blocks of block row g of the team, by a warp, if its rows have the same block columns. Otherwise
  /// returns false.
  KOKKOS_FUNCTION bool find_blocks_of_equal_rows(StagedBlockColumns<Ordinal> const& source, Ordinal first,
                                                 int g, int rows, int lane) const {
    int const from = g * block_size, to = from + block_size < rows ? from + block_size : rows;
    int const begin = source.begin(from), length = source.begin(from + 1) - begin, end = source.begin(to);
    bool is_equal = true;
    for (int r = lane; r < block_size; r += L::size) {  // as in divide()
      if (from + r >= to) continue;
      is_equal = is_equal && source.begin(from + r + 1) - source.begin(from + r) == length;
    }
    if (L::ballot(!is_equal) != 0) return false;
    for (int i = begin + length + lane; i < end; i += L::size)
      is_equal = is_equal && source(i) == source(i - length);
    if (L::ballot(!is_equal) != 0) return false;
    Ordinal const block_row = first + static_cast<Ordinal>(g);
    Offset count = 0;
    for (int i = 0; i < length; i += L::size) {
      int const at = begin + i + lane;
      bool const is_first = i + lane < length && (i + lane == 0 || source(at) != source(at - 1));
      auto const firsts = L::ballot(is_first);
      if constexpr (fill) {
        auto const before = static_cast<Offset>(Kokkos::popcount(firsts & ((typename L::Mask(1) << lane) - 1)));
        if (is_first) columns(offsets(block_row) + count + before) = source(at);
      }
      count += static_cast<Offset>(Kokkos::popcount(firsts));
    }
    if constexpr (!fill)
      if (lane == 0) offsets(block_row) = count;
    return true;
  }

  /// Counts or writes the blocks of the block rows g .. g + at_once - 1 of the team.
  /// @param first the first block row of the team
  template <class Source>
  KOKKOS_FUNCTION void find_blocks(Member const& team, Source const& source, Ordinal first, int g, int at_once,
                                   int rows, Offset* counts) const {
    int const threads = team.team_size() / at_once;  // per block row
    int const local = team.team_rank() / threads;    // block row of the calling thread, from g on
    int const part = team.team_rank() - local * threads;
    int const from = (g + local) * block_size, to = from + block_size < rows ? from + block_size : rows;
    bool const has_work = local < at_once && from < to;
    Ordinal low = 0, high = 0;
    if (has_work) divide(source, from, to, part, threads, low, high);
    [[maybe_unused]] Ordinal first_blocks[max_kept];  // fill: of this thread
    Offset const count = visit_blocks(source, from, to, low, high, [&](Offset i, Ordinal block) {
      if constexpr (fill)
        if (i < max_kept) first_blocks[i] = block;
      (void)i, (void)block;
    });
    counts[team.team_rank()] = count;
    team.team_barrier();
    Offset const* const counts_of_parts = counts + local * threads;
    Ordinal const block_row = first + static_cast<Ordinal>(g + local);
    if constexpr (fill) {
      if (has_work) {
        Offset position = offsets(block_row);
        for (int p = 0; p < part; ++p) position += counts_of_parts[p];
        if (count <= max_kept)
          for (Offset i = 0; i < count; ++i) columns(position + i) = first_blocks[i];
        else
          visit_blocks(source, from, to, low, high,
                       [&](Offset i, Ordinal block) { columns(position + i) = block; });
      }
    } else if (has_work && part == 0) {
      Offset sum = 0;
      for (int p = 0; p < threads; ++p) sum += counts_of_parts[p];
      offsets(block_row) = sum;
    }
    team.team_barrier();
  }

  /// Computes the block columns low .. high - 1 of one of `parts` parts of a block row.
  template <class Source>
  KOKKOS_FORCEINLINE_FUNCTION void divide(Source const& source, int from, int to, int part, int parts,
                                          Ordinal& low, Ordinal& high) const {
    using Index = typename Source::Index;
    Index begin = source.begin(from), length = source.begin(from + 1) - begin;
    // Not for (row = from + 1; row < to; ++row): nvcc 13.0 goes beyond `to`, a minimum.
    for (int r = 1; r < block_size; ++r) {
      if (from + r >= to) continue;
      Index const here = source.begin(from + r), other = source.begin(from + r + 1) - here;
      if (other <= length) continue;
      begin = here;
      length = other;
    }
    auto const block_at = [&](int p) {
      auto const i = static_cast<std::int64_t>(length) * p / parts;
      return source(begin + static_cast<Index>(i));
    };
    if (length == 0) return;
    low = part == 0 ? Ordinal(0) : block_at(part);
    high = part + 1 == parts ? none : block_at(part + 1);
  }

  /// visit(i, block column) for the blocks low .. high - 1, i = 0, 1, .... Returns their number.
  template <class Source, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION Offset visit_blocks(Source const& source, int from_row, int to_row, Ordinal low,
                                                  Ordinal high, Visit const& visit) const {
    if (low >= high) return 0;
    if (block_size <= max_merged_rows) return merge(source, from_row, to_row, low, high, visit);
    Offset count = 0;
    for (Ordinal block = next(source, from_row, to_row, low); block < high;
         block = next(source, from_row, to_row, block + 1))
      visit(count++, block);
    return count;
  }

  template <class Source, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION Offset merge(Source const& source, int from_row, int to_row, Ordinal low,
                                           Ordinal high, Visit const& visit) const {
    using Index = typename Source::Index;
    int const rows = to_row - from_row;
    Index at[max_merged_rows], end[max_merged_rows];
    Ordinal block[max_merged_rows];  // of entry at[r] of row r, or none
    for (int r = 0; r < max_merged_rows; ++r) {
      if (r >= rows) continue;
      end[r] = source.begin(from_row + r + 1);
      at[r] = source.begin(from_row + r);
      if (low > 0) at[r] = lower_bound_index(source, at[r], end[r], low);
      block[r] = at[r] < end[r] ? source(at[r]) : none;
    }
    for (Offset count = 0;; ++count) {
      Ordinal lowest = none;
      for (int r = 0; r < max_merged_rows; ++r)
        if (r < rows) lowest = block[r] < lowest ? block[r] : lowest;
      if (lowest >= high) return count;
      visit(count, lowest);
      for (int r = 0; r < max_merged_rows; ++r)
        if (r < rows)
          while (block[r] == lowest) block[r] = ++at[r] < end[r] ? source(at[r]) : none;
    }
  }

  /// The first block column >= block in which a row has an entry, or none.
  template <class Source>
  KOKKOS_FORCEINLINE_FUNCTION Ordinal next(Source const& source, int from_row, int to_row,
                                           Ordinal block) const {
    using Index = typename Source::Index;
    Ordinal lowest = none;
    for (int r = 0; r < block_size; ++r) {  // as in divide()
      int const row = from_row + r;
      if (row >= to_row) continue;
      Index const end = source.begin(row + 1), k = lower_bound_index(source, source.begin(row), end, block);
      Ordinal const first = k == end ? none : source(k);
      lowest = first < lowest ? first : lowest;
    }
    return lowest;
  }
};

/// 1 launch, asynchronous on exec.
template <bool fill, class Exec, class Matrix, class Offsets, class Columns>
void find_blocks_in_teams(Exec const& exec, char const* label, Matrix const& A, int block_size,
                          typename Matrix::ordinal_type num_block_rows, Offsets const& offsets,
                          Columns const& columns) {
  using Functor = FindBlocks<fill, Exec, Matrix, Offsets, Columns>;
  if (num_block_rows == 0) return;
  constexpr int capacity = Functor::capacity;
  double const entries_per_block_row =  // with a margin of a tenth
      std::max(1.0, 1.1 * block_size * static_cast<double>(A.nnz()) / static_cast<double>(A.num_rows));
  bool const fits = entries_per_block_row <= capacity;
  int const max_block_rows = std::min(64, 1024 / block_size);
  int const block_rows =
      fits ? std::clamp(static_cast<int>(capacity / entries_per_block_row), 1, max_block_rows) : 1;
  int const staged =
      fits ? std::min(capacity, static_cast<int>(1.2 * block_rows * entries_per_block_row) + 64) : 0;
  auto const league = ceil_div(static_cast<std::int64_t>(num_block_rows), block_rows);
  auto policy = Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(league), Functor::team_size);
  policy.set_scratch_size(
      0, Kokkos::PerTeam(static_cast<int>(Functor::scratch_bytes(staged, block_rows * block_size))));
  Kokkos::parallel_for(label, light_weight(policy),
                       Functor{A, block_size, num_block_rows, offsets, columns, block_rows, staged,
                               BlockColumnOf<typename Matrix::ordinal_type>(block_size)});
}

}  // namespace einkorn::detail
