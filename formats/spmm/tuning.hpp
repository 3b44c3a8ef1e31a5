// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>

#include <cstddef>

namespace einkorn {

/// The shape of the kernel of row-major multivectors. A structural type: kernels take it as a template
/// argument.
struct RowTile {
  int lanes;             ///< that take a row together, a power of two
  int packs;             ///< of columns a lane
  int pack;              ///< columns side by side that a lane reads and writes as one
  int held;              ///< entries of a row that a lane keeps for its group
  int unroll;            ///< rows of X that a group asks for before it uses the first
  int team_size;         ///< threads
  int min_teams_per_sm;  ///< that a multiprocessor must have registers for

  [[nodiscard]] constexpr int columns() const { return lanes * packs * pack; }
};

/// Columns of 16 bytes, the most that a lane loads as one.
template <class T>
inline constexpr int columns_per_pack = sizeof(T) >= 16 ? 1 : static_cast<int>(16 / sizeof(T));

/// How the entries of a row lie: in Csr side by side, in padded rows with those of other rows between.
enum class EntryOrder { by_row, by_slot };

/// The shape for tiles of so many packs (1, 2, 4, .. 64) of 16 bytes on a GPU.
///
/// NVIDIA H200, 2026-11, warm, the best by the geometric mean over gen:stencil27:100, gen:elasticity:50,
/// gen:stencil7:150 and gen:longrows:1000000:1000000:16 among 2 to 10 shapes, double and float. With 16 packs
/// (32 columns in double) 8 lanes with 2 rows of X in flight and 4 teams took 511 us on stencil27:100, with 4
/// rows and 3 teams 543, with 8 rows and 2 teams 622; 4 lanes with 4 packs each 616. With 2 packs 8 rows in
/// flight at 3 teams took 191 us, 4 rows at 4 teams 244: short rows of X need more of them. In padded rows,
/// where the entries of neighbouring rows lie side by side, fewer lanes are enough. The other shapes are from
/// an earlier version of the kernel that needed more registers, that of 8 packs from one with 3 teams: not
/// measured again.
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

/// The shape for tiles of 4, 8, .. 128 columns, `pack` of them read as one. Single columns, what a host has and
/// AMD GPUs: analytical, not measured.
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

/// Rows that are not for one group: those of more than `bound` entries and of more than `means` times the mean.
/// Teams of their own look through the rows for them, `side_by_side` at a time; there are min_teams or more.
/// Up to `of_one_warp` entries are for one of their warps, with warp_bytes of their columns; longer rows for
/// all of a team, with team_bytes, so that the longest spread over more multiprocessors. A structural type.
///
/// NVIDIA H200, 2026-11, warm, 4 and 32 columns in double: a bound of 64 gave 349 us where 128 gave 395
/// (gen:powerlaw:1000000:16), 256 threads with 8 rows of X in flight 404 where 512 with 4 gave 513
/// (gen:rmat:18), rows looked at one at a time by 1024 teams 132 where 4 at a time by 512 gave 159
/// (gen:rmat:18), but 198 where those gave 191 (gen:stencil27:100). 2 at a time, of_one_warp and warp_bytes:
/// analytical, not measured. Rows whose numbers have many zero bits are the longest of some matrices, and with
/// 1024 teams or a little more, all of a team's are alike in that: its slowest team then took twice the mean of
/// the kernel (gen:rmat:18; ncu: multiprocessors active for 52 % of the time). 1485 and its quotients by 2, 4
/// and 8 are nowhere near a power of two: 129 us where 174, 342 where 406 (8 and 32 columns).
struct LongRowsTuning {
  int bound, means, of_one_warp;
  int warp_bytes, team_bytes;
  int side_by_side, min_teams;
  int unroll, team_size, min_teams_per_sm;

  /// The shape for so many bytes of columns, beside that of the groups.
  [[nodiscard]] constexpr RowTile tile(RowTile of_groups, std::size_t scalar_bytes, int bytes) const {
    int const most = bytes / (of_groups.pack * static_cast<int>(scalar_bytes));
    int lanes = 1;
    while (team_size > 1 && lanes * 2 <= most && lanes * 2 <= of_groups.lanes * of_groups.packs) lanes *= 2;
    return {lanes, 1, of_groups.pack, lanes < unroll ? unroll / lanes : 1, unroll, team_size, min_teams_per_sm};
  }
};

/// are_many: no row has more than 1 / max_of_a_long_row of the entries, so that what takes longest is not one
/// row. Smaller teams are then shared out more evenly: 118 us where 131, 274 where 344 (gen:rmat:18, 8 and 32
/// columns in double), 1101 where 1424 (gen:rmat:20, 32), 1419 where 1571 (gen:powerlaw:1000000:16, 32); but
/// 515 where 329, and 659 where 485, on gen:circuit:1000000, whose longest rows wait for nobody else.
constexpr LongRowsTuning long_rows(Arch arch, bool are_many = false) {
  switch (arch) {
    case Arch::hopper:
    case Arch::cuda:
      if (are_many) return {64, 4, 512, 128, 64, 2, 2970, 8, 128, 4};
      return {64, 4, 512, 128, 64, 2, 1485, 8, 256, 2};
    case Arch::hip:
    case Arch::mi300:
      return {64, 4, 512, 128, 64, 2, 1485, 8, 256, 2};  // analytical, not measured
    default:
      return {64, 4, 512, 128, 64, 2, 16, 8, 1, 1};
  }
}

/// The shape of the kernel of multivectors of any strides. A structural type: kernels take it as a template
/// argument.
struct ColumnTile {
  int columns;           ///< of a thread
  int long_columns;      ///< of a warp, in rows that are not for one thread
  int held;              ///< entries of each row that a warp brings to its lanes at once, a power of two
  int unroll;            ///< entries of a row whose products a thread adds together
  int team_size;         ///< threads
  int min_teams_per_sm;  ///< that a multiprocessor must have registers for
};

/// The shape for tiles of 4 or 8 columns.
///
/// NVIDIA H200, 2026-11, warm, double, among 5 to 8 shapes, on gen:stencil27:128, gen:elasticity:40,
/// gen:stencil7:150, gen:longrows:1000000:1000000:16, gen:rmat:18. 8 columns with 128 threads and 7 teams took
/// 576, 174, 350, 1282, 340 us, with 256 threads and 3 teams 588, 172, 391, 1271, 386; 8 entries in the
/// products of a thread at 2 teams 723 on stencil27:128; 16 columns at 3 teams, for 32 of them, 2605 where 8
/// took 2099. 4 columns with 8 entries in the products at 3 teams took 377 us on stencil27:128, with 4 at 4
/// teams 482.
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
