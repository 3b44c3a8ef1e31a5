// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace einkorn {

/// The features from which a surrogate matrix (Surrogate) is made. rows, cols, nnz, longest_row and
/// length_deviation (standard deviation of the row lengths; 0: unknown) are published. The other members say
/// how row lengths and columns are drawn so that these figures result. half_band is published for some
/// matrices; otherwise it is estimated from the kind of problem.
struct SurrogateFeatures {
  std::string_view name;
  std::int64_t rows, cols, nnz, longest_row;
  double length_deviation;
  // Row lengths: `longest_groups` groups of rows have length longest_row. A power law follows, over
  // `num_octaves` doublings of the rank, down to `body_max`. The remaining lengths fall linearly from body_max
  // to body_min, with the middle value that nnz requires.
  std::int64_t longest_groups, num_octaves, body_max, body_min;
  // Columns: near_percent of a row lie within half_window of the diagonal, the others within half_band, where
  // runs start at every `stride`th multiple of run_length. A run has run_length adjacent columns.
  // rows_per_group consecutive rows have the same columns.
  std::int64_t near_percent, half_window, half_band, stride, run_length, rows_per_group;
};

/// The matrices of Liu and Vinter, ICS 2015 (CSR5): 14 regular ones, then 10 irregular ones. Names, rows,
/// columns and entries are those of the SuiteSparse collection; "dense" is a full matrix. Longest rows,
/// deviations, half_band and run lengths are quoted from SpMV studies of these matrices, among them
/// SpMV-Research (CSLab, NTUA), not computed from the files. The other columns are chosen to reproduce those.
// clang-format off
inline constexpr std::array<SurrogateFeatures, 24> surrogate_features{{
  // Columns: name; rows, cols, nnz, longest_row, length_deviation; longest_groups, num_octaves, body_max,
  // body_min; near_percent, half_window, half_band, stride, run_length, rows_per_group.
  {"dense",              2000,    2000,  4000000,    2000,       0,    0,  0, 2000, 2000, 100, 2000,    2000,   1,  1, 1},
  {"pdb1HYS",           36417,   36417,  4344765,     204,   31.86,   64,  4,  162,   69,  50,  200,    2366,   1, 12, 3},
  {"consph",            83334,   83334,  6010480,      81,   19.08, 2048,  3,   80,    3,  60,  250,    2909,   1,  6, 3},
  {"cant",              62451,   62451,  4007383,      78,   14.06,    0,  0,   78,   33,  60,   60,     268,   1,  6, 3},
  {"pwtk",             217918,  217918, 11634424,     180,    4.74,    8,  5,   59,   48,  60,  120,    6463,   1, 12, 6},
  {"conf5_4-8x8-10",    49152,   49152,  1916928,      39,       0,    0,  0,   39,   39,  30,  200,   49152,   1,  3, 3},
  {"mc2depi",          525825,  525825,  2100225,       4,    0.08,    0,  0,    4,    4,  75,    2,     256,   1,  2, 1},
  {"rma10",             46835,   46835,  2374001,     145,   27.78,    2,  9,   87,    4,  60,  100,    4397,   1,  5, 5},
  {"shipsec1",         140874,  140874,  7813404,     102,   11.07,   16,  9,   62,   36,  60,  120,    3231,   1,  6, 6},
  {"mac_econ_fwd500",  206500,  206500,  1273389,      44,    4.43,  256,  7,    9,    1,  50,   20,     200,   1,  1, 1},
  {"cop20k_A",         121192,  121192,  2624331,      81,   13.79,  512,  5,   27,    4,  30, 1000,   37754,   1,  2, 2},
  {"scircuit",         170998,  170998,   958936,     353,    4.39,   12,  6,    7,    4,  80,   50,  170998,   4,  2, 1},
  {"Ga41As41H72",      268096,  268096, 18488476,     702,  105.39, 1024,  3,   69,   18,  70,  600,   23092,   1,  2, 4},
  {"Si41Ge41H72",      185639,  185639, 15011265,     662,  126.97, 2048,  0,   90,   19,  70,  600,   17966,   1,  2, 4},
  {"webbase-1M",      1000005, 1000005,  3105536,    4700,   25.35,    5,  5,    5,    1,  60,   30, 1000005,  64,  1, 4},
  {"rail4284",           4284, 1096894, 11284032,   56181, 4209.26,   16,  2, 4479,    1,   0,    0, 1096894,   1,  4, 1},
  {"in-2004",         1382908, 1382908, 16917053,    7753,   37.23,    2, 13,   19,    1,  80,  300,   14867,   8,  4, 4},
  {"eu-2005",          862664,  862664, 19235140,    6985,   29.33,    1, 12,   31,   11,  70,  300,  107359,  16,  3, 4},
  {"circuit5M",       5558326, 5558326, 59524291, 1290501, 1356.62,    5,  4,   14,    4,  80,   20, 5558326, 256,  2, 1},
  {"FullChip",        2987012, 2987012, 26621990, 2312481,  1806.8,    1, 14,   10,    2,  70,   30, 2987012, 256,  2, 1},
  {"mip1",              66463,   66463, 10352819,   66395,  350.74,    1,  0,  172,  136,  60,  200,   19615,   1, 26, 2},
  {"ASIC_680k",        682862,  682862,  3871773,  395259,  659.81,    2,  0,    8,    1,  85,   30,  682862,  64,  2, 1},
  {"dc2",              116835,  116835,   766396,  114190,   361.5,    1,  8,    8,    1,  85,   30,  116835,  64,  2, 1},
  {"ins2",             309412,  309412,  2751484,  309412,       0,    2,  0,   10,    5,  85,  100,  309412,  64,  2, 1},
}};
// clang-format on

/// The features of a larger or smaller relative: `percent` of the rows, columns, entries and groups of longest
/// rows (at least one group). Row lengths stay, limited to the number of columns; windows and bands stay.
[[nodiscard]] constexpr SurrogateFeatures scaled(SurrogateFeatures features, std::int64_t percent) {
  auto const scale = [&](std::int64_t count) {
    return count == 0 ? 0 : std::max<std::int64_t>(1, count * percent / 100);
  };
  auto const limit_to_columns = [&](std::int64_t length) { return std::min(length, features.cols); };
  // The part of the rows that is longer than the body must not exceed 6 of 10.
  auto const is_too_much = [&](std::int64_t groups) {
    return groups * features.rows_per_group * 10 > features.rows * 6;
  };
  bool const has_full_band = features.half_band >= features.cols;
  features.rows = scale(features.rows);
  features.cols = scale(features.cols);
  if (has_full_band) features.half_band = features.cols;
  features.longest_row = limit_to_columns(features.longest_row);
  features.body_max = limit_to_columns(features.body_max);
  features.body_min = limit_to_columns(features.body_min);
  features.nnz = std::min(scale(features.nnz), features.rows * features.cols);
  features.longest_groups = scale(features.longest_groups);
  while (features.num_octaves > 0 && is_too_much(features.longest_groups << features.num_octaves))
    --features.num_octaves;
  if (is_too_much(features.longest_groups)) features.longest_groups = 0;
  return features;
}

}  // namespace einkorn
