// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <cstddef>

namespace einkorn {

/// Configuration of the kernel for row-major multivectors. A structural type: kernels take it as a template
/// argument.
struct RowTile {
  int lanes;             ///< lanes per row of A, a power of two
  int packs;             ///< packs of columns per lane
  int pack;              ///< neighbouring columns that a lane reads and writes by one instruction
  int depth;             ///< entries of A that a lane holds in registers
  int unroll;            ///< rows of X that a group loads before it uses the first
  int team_size;         ///< threads per team
  int min_teams_per_sm;  ///< resident teams per multiprocessor (launch bounds)

  [[nodiscard]] constexpr int columns() const { return lanes * packs * pack; }
};

/// Columns per 16 bytes, the largest load of a lane.
template <class T>
inline constexpr int columns_per_pack = sizeof(T) >= 16 ? 1 : static_cast<int>(16 / sizeof(T));

/// The order of entries in memory: row by row (CSR), or slot by slot over the rows (padded rows).
enum class EntryOrder { by_row, by_slot };

/// The configuration for tiles of `packs` packs (1, 2, 4, .. 64) of 16 bytes on a GPU.
///
/// H200, 2026-11, warm, best geometric mean over gen:stencil27:100, gen:elasticity:50, gen:stencil7:150 and
/// gen:longrows:1000000:1000000:16 among 2 to 10 configurations, double and float. 16 packs (32 columns in
/// double): 8 lanes with 2 rows of X in flight and 4 teams took 511 us on stencil27:100, 4 rows and 3 teams
/// 543, 8 rows and 2 teams 622; 4 lanes with 4 packs each 616. 2 packs: 8 rows in flight at 3 teams took 191
/// us, 4 rows at 4 teams 244: short rows of X need more in flight. In padded rows, where entries of
/// neighbouring rows are adjacent, fewer lanes suffice. The other configurations are from an earlier version of
/// the kernel that needed more registers (8 packs: with 3 teams): not measured again.
constexpr RowTile row_tile_of_packs(int packs, int pack, EntryOrder order) {
  bool const by_row = order == EntryOrder::by_row;
  switch (packs) {
    case 1:
      return by_row ? RowTile{1, 1, pack, 8, 8, 256, 2} : RowTile{1, 1, pack, 4, 4, 256, 2};
    case 2:
      return by_row ? RowTile{2, 1, pack, 4, 8, 256, 3} : RowTile{1, 2, pack, 2, 2, 256, 3};
    case 4:
      return by_row ? RowTile{2, 2, pack, 4, 8, 256, 2} : RowTile{2, 2, pack, 1, 2, 256, 3};
    case 8:
      return {4, 2, pack, 1, 2, 256, 4};
    case 16:
      return {8, 2, pack, 1, 2, 256, 4};
    case 32:
      return {8, 4, pack, 1, 4, 256, 2};
    default:
      return {16, packs / 16, pack, 1, 4, 256, 2};
  }
}

/// The configuration for tiles of 4, 8, .. 128 columns in packs of `pack`. Packs of 1, the host and AMD GPUs:
/// analytical, not measured.
constexpr RowTile row_tile(Arch arch, int columns, int pack, EntryOrder order) {
  int const packs = columns / pack;
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
    case Arch::hip:
    case Arch::mi300:
      if (pack > 1) return row_tile_of_packs(packs, pack, order);
      return packs <= 4 ? RowTile{packs, 1, pack, 2, 8, 256, 3} : RowTile{8, packs / 8, pack, 1, 4, 256, 2};
    default:
      return {1, packs, pack, 4, 2, 1, 1};
  }
}

/// Rows that are too long for one group: of more than `bound` entries and more than mean_factor times the mean.
/// At least min_teams teams search the rows for them, block_rows adjacent rows at a time. One warp sums a row
/// of up to max_warp_row entries, warp_bytes of its columns at a time; a whole team sums a longer one, with
/// team_bytes, so that the longest rows are spread over more multiprocessors. A structural type.
///
/// H200, 2026-11, warm, 4 and 32 columns in double: a bound of 64 took 349 us, 128 took 395
/// (gen:powerlaw:1000000:16); 256 threads with 8 rows of X in flight 404, 512 with 4 513 (gen:rmat:18); rows
/// searched one at a time by 1024 teams 132, 4 at a time by 512 159 (gen:rmat:18), but 198 and 191
/// (gen:stencil27:100). block_rows 2, max_warp_row and warp_bytes: analytical, not measured. In some matrices
/// rows whose indices have many zero bits are the longest; near 1024 teams all rows of a team share that
/// property, and the slowest team then took twice the mean (gen:rmat:18; ncu: multiprocessors active for 52 %
/// of the time). 1485 and its quotients by 2, 4 and 8 are not near a power of two: 129 us instead of 174, 342
/// instead of 406 (8 and 32 columns).
struct LongRowsTuning {
  int bound, mean_factor, max_warp_row;
  int warp_bytes, team_bytes;
  int block_rows, min_teams;
  int unroll, team_size, min_teams_per_sm;

  /// The tile for `bytes` of columns per row of X, derived from the tile of the groups.
  [[nodiscard]] constexpr RowTile tile(RowTile groups, std::size_t scalar_bytes, int bytes) const {
    int const max_lanes = bytes / (groups.pack * static_cast<int>(scalar_bytes));
    int lanes = 1;
    while (team_size > 1 && lanes * 2 <= max_lanes && lanes * 2 <= groups.lanes * groups.packs) lanes *= 2;
    return {lanes, 1, groups.pack, lanes < unroll ? unroll / lanes : 1, unroll, team_size, min_teams_per_sm};
  }
};

/// no_dominant_row: see has_no_dominant_row(). Smaller teams then balance the load better: 118 us instead of
/// 131, 274 instead of 344 (gen:rmat:18, 8 and 32 columns in double), 1101 instead of 1424 (gen:rmat:20, 32),
/// 1419 instead of 1571 (gen:powerlaw:1000000:16, 32); but 515 instead of 329, and 659 instead of 485, on
/// gen:circuit:1000000, whose time is that of its longest rows.
constexpr LongRowsTuning long_rows(Arch arch, bool no_dominant_row = false) {
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      if (no_dominant_row) return {64, 4, 512, 128, 64, 2, 2970, 8, 128, 4};
      return {64, 4, 512, 128, 64, 2, 1485, 8, 256, 2};
    case Arch::hip:
    case Arch::mi300:
      return {64, 4, 512, 128, 64, 2, 1485, 8, 256, 2};  // analytical, not measured
    default:
      return {64, 4, 512, 128, 64, 2, 16, 8, 1, 1};
  }
}

/// Configuration of the kernel for multivectors of any strides. A structural type: kernels take it as a
/// template argument.
struct ColumnTile {
  int columns;           ///< columns per thread
  int long_columns;      ///< columns per warp in long rows
  int depth;             ///< entries of each row that a warp stages at a time, a power of two
  int unroll;            ///< entries of a row per batch of products
  int team_size;         ///< threads per team
  int min_teams_per_sm;  ///< resident teams per multiprocessor (launch bounds)
};

/// The configuration for tiles of 4 or 8 columns.
///
/// H200, 2026-11, warm, double, among 5 to 8 configurations, on gen:stencil27:128, gen:elasticity:40,
/// gen:stencil7:150, gen:longrows:1000000:1000000:16, gen:rmat:18. 8 columns with 128 threads and 7 teams took
/// 576, 174, 350, 1282, 340 us, 256 threads and 3 teams 588, 172, 391, 1271, 386; unroll 8 at 2 teams 723 on
/// stencil27:128; tiles of 16 at 3 teams, for 32 columns, 2605 where tiles of 8 took 2099. 4 columns with
/// unroll 8 at 3 teams took 377 us on stencil27:128, unroll 4 at 4 teams 482.
constexpr ColumnTile column_tile(Arch arch, int columns, std::size_t sum_bytes) {
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      if (sum_bytes > 8) return {columns, 4, 4, 4, 128, 4};  // analytical, not measured
      return columns > 4 ? ColumnTile{columns, 4, 8, 4, 128, 7} : ColumnTile{columns, 4, 8, 8, 256, 3};
    case Arch::hip:
    case Arch::mi300:
      return {columns, 4, 8, 4, 128, 4};  // analytical, not measured
    default:
      return {columns, 4, 1, 1, 1, 1};
  }
}

}  // namespace einkorn
