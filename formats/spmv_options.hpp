// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

namespace einkorn {

/// op(A) in y <- alpha op(A) x + beta y: A, its transpose, its conjugate, its conjugate transpose. On real
/// scalars conjugation does nothing.
enum class Op { none, transpose, conjugate, conjugate_transpose };

constexpr bool is_transposed(Op op) {
  return op == Op::transpose || op == Op::conjugate_transpose;
}
constexpr bool is_conjugated(Op op) {
  return op == Op::conjugate || op == Op::conjugate_transpose;
}

/// How the work of an SpMV on CSR is divided. All but atomic_scatter give the same bits on every run.
enum class SpmvAlgorithm {
  automatic,      ///< chosen from the lengths of the rows
  row_thread,     ///< one row a thread
  row_team,       ///< one row a group of `lanes` threads; on the host SIMD lanes within a row
  sorted_rows,    ///< row_team with rows of like length side by side, y in its own order (needs a plan)
  row_bins,       ///< rows by length: groups of lanes, warps, teams; the longest are cut (needs a plan)
  segmented_sum,  ///< equal parts of the entries and rows, whatever the row lengths (needs a plan)
  atomic_scatter  ///< transposed only, without a transpose in memory: not repeatable, so only by name
};

constexpr char const* name_of(SpmvAlgorithm algorithm) {
  switch (algorithm) {
    case SpmvAlgorithm::row_thread:
      return "row_thread";
    case SpmvAlgorithm::row_team:
      return "row_team";
    case SpmvAlgorithm::sorted_rows:
      return "sorted_rows";
    case SpmvAlgorithm::row_bins:
      return "row_bins";
    case SpmvAlgorithm::segmented_sum:
      return "segmented_sum";
    case SpmvAlgorithm::atomic_scatter:
      return "atomic_scatter";
    default:
      return "automatic";
  }
}

struct SpmvOptions {
  Op op = Op::none;
  SpmvAlgorithm algorithm = SpmvAlgorithm::automatic;
  /// row_team, sorted_rows: lanes a row, a power of two from 2 to 64 (64 where wavefronts have them, else 32);
  /// row_bins: of short rows, 16 at most; 0: by table.
  int lanes = 0;
  /// Columns of multivectors that are not row-major for which the plan of a Csr keeps room on a GPU, where it
  /// copies them row by row: a sum a row of x and of y for each. That pays where the columns of a row are far
  /// apart. More columns are taken so many at a time. 0: no room.
  int columns = 0;
};

}  // namespace einkorn
