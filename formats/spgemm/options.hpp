// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/csr/validate.hpp>

#include <cstddef>
#include <limits>

namespace einkorn {

enum class SpgemmAlgorithm {
  automatic,  ///< row_teams on a GPU, host_rows elsewhere
  row_teams,  ///< hash tables and bitmaps in team scratch; any backend, made for GPUs
  host_rows,  ///< Gustavson's algorithm, a row at a time on one thread; host memory only
};

/// The order of the columns in a row of C.
enum class SpgemmRows {
  sorted,   ///< ascending
  unsorted  ///< as they come out: sorted only where that costs nothing; may differ from run to run
};

/// The order in which the products of one entry of C are added.
enum class SpgemmSums {
  ordered,   ///< that of A's entries: the same bits on every run and any number of threads
  unordered  ///< with atomic additions; by name only. On the host the same as `ordered`
};

/// Rows of C that have the same columns but for a shift of all of them, as nearly all have on a structured
/// grid.
enum class SpgemmRowClasses {
  together,   ///< row_teams: their pattern is worked out once, and with it where each product is added
  one_by_one  ///< every row for itself
};

struct SpgemmOptions {
  SpgemmAlgorithm algorithm = SpgemmAlgorithm::automatic;
  SpgemmRows rows = SpgemmRows::sorted;
  SpgemmSums sums = SpgemmSums::ordered;
  SpgemmRowClasses row_classes = SpgemmRowClasses::together;
  /// On: A and B are validated (O(nnz)), and spgemm_numeric() compares what it is given with what the plan was
  /// made for. Off: sizes only.
  Checks checks = Checks::on;
  /// Bytes of temporaries, C excluded, that may be allocated. Beyond it B's words are not kept, rows are taken
  /// in chunks, dense accumulators become hash tables; where that is not enough, OutOfMemory says what is
  /// needed.
  std::size_t workspace_limit = std::numeric_limits<std::size_t>::max();
};

}  // namespace einkorn
