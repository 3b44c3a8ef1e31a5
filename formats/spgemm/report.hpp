// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace einkorn {

/// Counters of a product, returned by SpgemmPlan::report().
struct SpgemmReport {
  std::uint64_t products = 0;  ///< multiplications; 2 flops each
  /// (key, 32-bit mask) pairs that the rows of B were compressed to; 0: B was not compressed.
  std::uint64_t compressed_nnz_B = 0;
  std::size_t workspace = 0;  ///< peak bytes of temporaries and of the plan, C excluded
  /// row_teams: classes of translation-equivalent rows of C, each computed once; 0: every row was computed.
  std::uint64_t num_row_classes = 0;
  bool has_scatter_map = false;  ///< the numeric phase reads the positions of its products from a scatter map
  /// row_teams: rows of C by symbolic accumulator (formats/spgemm/tuning.hpp): five hash tables of a group of
  /// lanes, two of a team, a bitmap.
  std::array<std::uint64_t, 8> symbolic_bins{};
  /// Rows counted a second time because their first hash table was too small; counted twice in symbolic_bins.
  std::uint64_t num_recounted_rows = 0;
  /// row_teams: rows of C by numeric accumulator: four sizes, each with adjacent and with scattered columns; last,
  /// longer rows, which are computed in chunks.
  std::array<std::uint64_t, 9> numeric_bins{};
};

}  // namespace einkorn
