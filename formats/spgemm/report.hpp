// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace einkorn {

/// What a product took.
struct SpgemmReport {
  std::uint64_t products = 0;    ///< multiplications; 2 flops each
  std::uint64_t words_of_B = 0;  ///< words of 32 columns that B's rows were compressed to; 0: not compressed
  std::size_t workspace = 0;     ///< bytes of temporaries and of what the plan keeps, C excluded, at their most
  /// row_teams: kinds of rows of C, alike but for a shift of their columns, whose first row only was worked
  /// out; 0: every row was, as there are too many kinds.
  std::uint64_t kinds_of_rows = 0;
  bool places_known = false;  ///< and the values find the places of their sums by these kinds
  /// row_teams: rows of C by the place in which their columns were gathered (csr/spgemm_tuning.hpp): five
  /// hash tables a group of lanes, two a team, a bitmap.
  std::array<std::uint64_t, 8> rows_by_columns{};
  std::uint64_t rows_again = 0;  ///< of them counted again, since a first table was too small: there twice
  /// And by that of their sums: four sizes, each for neighbouring columns and for scattered ones; rows longer
  /// than the last are there too, taken in pieces.
  std::array<std::uint64_t, 8> rows_by_sums{};
};

}  // namespace einkorn
