// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>

#include <cstddef>
#include <limits>

namespace einkorn {

enum class SpgemmAlgorithm {
  automatic,  ///< row_teams on a GPU, host_rows elsewhere
  row_teams,  ///< hash tables and bitmaps in team scratch; GPUs. On the host only with SpgemmTeamOptions
  host_rows,  ///< Gustavson's algorithm, one thread per row; host memory only
};

/// The order of the columns within a row of C.
enum class SpgemmRows {
  sorted,   ///< ascending
  unsorted  ///< no sort: any order, which may differ from run to run
};

/// The order in which the products of one entry of C are added.
enum class SpgemmSums {
  ordered,   ///< that of A's entries: the same bits on every run and for any number of threads
  unordered  ///< atomic additions. On the host and with a scatter map the same as `ordered`
};

/// Whether row_teams uses classes of translation-equivalent rows: rows of C whose columns are equal up to a
/// constant shift, as nearly all are on a structured grid.
enum class SpgemmRowClasses {
  /// The pattern and the positions of the products are computed once per class, if there are few. With
  /// SpgemmAlgorithm::automatic only above 2^25 multiplications: new values for a plan of fewer, which is used often,
  /// are faster with SpgemmAlgorithm::row_teams.
  detect,
  off  ///< every row is computed separately
};

struct SpgemmOptions {
  SpgemmAlgorithm algorithm = SpgemmAlgorithm::automatic;
  SpgemmRows rows = SpgemmRows::sorted;
  SpgemmSums sums = SpgemmSums::ordered;
  SpgemmRowClasses row_classes = SpgemmRowClasses::detect;
  /// On: A and B are validated (O(nnz)), and spgemm_numeric() compares the structure of its operands with that
  /// of the plan. Off: sizes only.
  Checks checks = Checks::on;
  /// Maximum bytes of temporaries, C excluded. If it is reached, B is not compressed, rows are processed in
  /// chunks and dense accumulators are replaced by hash tables; if this does not suffice, OutOfMemory reports
  /// the required bytes.
  std::size_t workspace_limit = std::numeric_limits<std::size_t>::max();
};

/// As SpgemmOptions. A call with this type also compiles row_teams for matrices in host memory, which tests the
/// algorithm of GPUs without a GPU and takes several times as long to compile. On a GPU both types are the same.
struct SpgemmTeamOptions : SpgemmOptions {};

}  // namespace einkorn
