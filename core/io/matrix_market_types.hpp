// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace einkorn {

enum class MatrixMarketFormat { coordinate, array };
enum class MatrixMarketField { real, complex, integer, pattern };
enum class MatrixMarketSymmetry { general, symmetric, skew_symmetric, hermitian };

/// What the banner and the size line say; nothing below them has been looked at.
/// Invariants: all counts are >= 0; num_rows == num_cols unless the symmetry is general.
struct MatrixMarketHeader {
  MatrixMarketFormat format = MatrixMarketFormat::coordinate;
  MatrixMarketField field = MatrixMarketField::real;
  MatrixMarketSymmetry symmetry = MatrixMarketSymmetry::general;
  std::int64_t num_rows = 0, num_cols = 0;
  std::int64_t num_entries =
      0;                      // entries that the file stores: one triangle only unless the symmetry is general
  std::size_t size_line = 0;  // counted from 1
};

/// What becomes of a position that the file stores more than once.
enum class DuplicatePolicy {
  sum,     // one entry with the sum, at the place of the first; a pattern counts
  reject,  // ParseError with the line of the second
  keep     // every one stays: a repeated triplet means the sum
};

/// Which triangle a symmetric, skew-symmetric or hermitian file may store.
enum class TrianglePolicy {
  lower,   // the format's rule
  either,  // all entries in the lower or all in the upper one
  both     // as either; a file with entries in both is taken as the whole matrix, nothing is mirrored
};

/// What a reader lets pass. The defaults accept what the format defines and reject the rest.
struct MatrixMarketOptions {
  DuplicatePolicy duplicates = DuplicatePolicy::sum;
  TrianglePolicy triangle = TrianglePolicy::lower;
  bool expand_symmetry = true;                // false: only the triangle that the file stores
  bool allow_nonfinite = false;               // nan, inf and infinity as values, in any case
  bool allow_overflow = false;                // 1e999 is infinity, and so may a sum of duplicates be
  bool allow_contradicting_diagonal = false;  // skew-symmetric: not zero; hermitian: not real; kept as stored
  bool allow_hermitian_real = false;          // hermitian with a real or integer field is read as symmetric
  bool ignore_trailing_text = false;          // after the last field of an entry
  bool ignore_extra_entries = false;          // and all else after the last entry declared
  unsigned max_threads = 8;                   // that parse; 0: as many as the host has. The result is the same
  std::size_t max_text_bytes = std::numeric_limits<std::size_t>::max();  // uncompressed; OutOfMemory beyond
};

/// What a reader met. Counts are of stored entries, before a symmetry is expanded.
struct MatrixMarketReport {
  MatrixMarketHeader header;
  bool gzip = false;
  std::size_t text_bytes = 0;         // uncompressed
  std::size_t duplicates_summed = 0;  // entries added to an earlier one of the same position
  std::size_t explicit_zeros = 0;     // after the sums; they stay in the result
  std::size_t nonfinite = 0;          // read as nan or infinity, overflow included
  std::size_t underflows = 0;         // not zero in the text, too small for the scalar: zero with its sign
  std::size_t mirrored = 0;           // entries added by expanding a symmetry
};

/// How a writer says what it is given. The values are written in the shortest form that reads back bit for bit.
struct MatrixMarketWriteOptions {
  /// Other than general: the matrix is checked to have the symmetry, and its lower triangle is written.
  MatrixMarketSymmetry symmetry = MatrixMarketSymmetry::general;
  /// false: the triplets hold the lower triangle alone, as read with expand_symmetry = false.
  bool symmetry_expanded = true;
  /// That of the scalar when empty. Besides: pattern (drops the values), complex, and real for integers.
  std::optional<MatrixMarketField> field;
  bool allow_nonfinite = false;  // nan and infinity are not in the format; our reader takes them by its option
  std::string comment;           // may have several lines
};

[[nodiscard]] constexpr std::string_view to_string(MatrixMarketFormat format) {
  return format == MatrixMarketFormat::coordinate ? "coordinate" : "array";
}

[[nodiscard]] constexpr std::string_view to_string(MatrixMarketField field) {
  switch (field) {
    case MatrixMarketField::real:
      return "real";
    case MatrixMarketField::complex:
      return "complex";
    case MatrixMarketField::integer:
      return "integer";
    case MatrixMarketField::pattern:
      return "pattern";
  }
  return "unknown";
}

[[nodiscard]] constexpr std::string_view to_string(MatrixMarketSymmetry symmetry) {
  switch (symmetry) {
    case MatrixMarketSymmetry::general:
      return "general";
    case MatrixMarketSymmetry::symmetric:
      return "symmetric";
    case MatrixMarketSymmetry::skew_symmetric:
      return "skew-symmetric";
    case MatrixMarketSymmetry::hermitian:
      return "hermitian";
  }
  return "unknown";
}

}  // namespace einkorn
