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

/// The distribution of work of an SpMV in CSR. All but atomic_scatter are deterministic.
enum class SpmvAlgorithm {
  automatic,      ///< selected from the row lengths
  row_thread,     ///< one thread per row
  row_team,       ///< `lanes` threads per row; on the host SIMD lanes within a row
  sorted_rows,    ///< row_team with the rows sorted by length; x and y keep their order (needs a plan)
  row_bins,       ///< groups of lanes, warps or teams by row length; the longest rows are cut (needs a plan)
  segmented_sum,  ///< equal parts of the entries and rows (needs a plan)
  nonzero_split,  ///< equal numbers of entries per thread, in one launch; on the host row_team (needs a plan)
  atomic_scatter  ///< transposed op without a stored transpose; not deterministic, so never automatic
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
    case SpmvAlgorithm::nonzero_split:
      return "nonzero_split";
    case SpmvAlgorithm::atomic_scatter:
      return "atomic_scatter";
    default:
      return "automatic";
  }
}

struct SpmvOptions {
  Op op = Op::none;
  SpmvAlgorithm algorithm = SpmvAlgorithm::automatic;
  /// Lanes per row, a power of two; 0: from a table. row_team, sorted_rows: up to 64 (32 where a warp has 32
  /// lanes); row_bins: 2 to 16, for short rows.
  int lanes = 0;
  /// Columns of the buffer of a plan for a Csr on a GPU, to which multivectors that are not row-major are
  /// copied row by row: one sum per row of x and of y for each column. Faster where the columns of a row are
  /// far apart. More columns are computed in several passes. 0: no buffer.
  int columns = 0;
};

}  // namespace einkorn
