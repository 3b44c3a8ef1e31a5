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

/// The contents of the banner and the size line.
/// Invariants: all counts are >= 0; num_rows == num_cols unless the symmetry is general.
struct MatrixMarketHeader {
  MatrixMarketFormat format = MatrixMarketFormat::coordinate;
  MatrixMarketField field = MatrixMarketField::real;
  MatrixMarketSymmetry symmetry = MatrixMarketSymmetry::general;
  std::int64_t num_rows = 0, num_cols = 0;
  std::int64_t num_entries = 0;  // stored in the file: one triangle only unless the symmetry is general
  std::size_t size_line = 0;     // counted from 1
};

/// The treatment of positions that the file stores more than once.
enum class DuplicatePolicy {
  sum,     // one entry with the sum at the position of the first; in a pattern the count
  reject,  // ParseError with the line of the second
  keep     // keep all: repeated triplets mean the sum
};

/// Which triangle a symmetric, skew-symmetric or hermitian file may store.
enum class TrianglePolicy {
  lower,   // as the format requires
  either,  // the lower or the upper triangle
  both     // as either; a file with entries in both triangles holds the whole matrix and is not expanded
};

/// Options of the readers. The defaults accept only what the format defines.
struct MatrixMarketOptions {
  DuplicatePolicy duplicates = DuplicatePolicy::sum;
  TrianglePolicy triangle = TrianglePolicy::lower;
  bool expand_symmetry = true;                // false: return only the stored triangle
  bool allow_nonfinite = false;               // accept nan, inf and infinity in upper or lower case
  bool allow_overflow = false;                // read 1e999 as infinity; allow infinite sums of duplicates
  bool allow_contradicting_diagonal = false;  // keep nonzero (skew-symmetric), non-real (hermitian) entries
  bool allow_hermitian_real = false;          // read hermitian with a real or integer field as symmetric
  bool ignore_trailing_text = false;          // after the last field of an entry
  bool ignore_extra_entries = false;          // and any text after the last declared entry
  unsigned max_threads = 8;                   // for parsing; 0: as many as the host has
  std::size_t max_text_bytes = std::numeric_limits<std::size_t>::max();  // uncompressed; more: OutOfMemory
};

/// What a reader found. Counts refer to stored entries, before a symmetry is expanded.
struct MatrixMarketReport {
  MatrixMarketHeader header;
  bool gzip = false;
  std::size_t text_bytes = 0;         // uncompressed
  std::size_t duplicates_summed = 0;  // entries added to an earlier one of the same position
  std::size_t explicit_zeros = 0;     // after sums of duplicates; kept in the result
  std::size_t nonfinite = 0;          // read as nan or infinity, including overflows
  std::size_t underflows = 0;         // nonzero in the text, signed zero in the scalar
  std::size_t mirrored = 0;           // entries added by expanding a symmetry
};

/// Options of the writers. Values are written in the shortest form that reads back bit for bit.
struct MatrixMarketWriteOptions {
  /// Unless general: checks that the matrix has the symmetry and writes its lower triangle.
  MatrixMarketSymmetry symmetry = MatrixMarketSymmetry::general;
  /// false: the triplets hold only the lower triangle, as read with expand_symmetry = false.
  bool symmetry_expanded = true;
  /// Default: the field of the scalar. Also possible: pattern (drops the values), complex, real for integers.
  std::optional<MatrixMarketField> field;
  bool allow_nonfinite = false;  // write nan and infinity, which the format does not define
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
