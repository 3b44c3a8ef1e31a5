// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>
#include <einkorn/core/io/detail/matrix_market_duplicates.hpp>
#include <einkorn/core/io/detail/matrix_market_scalar.hpp>
#include <einkorn/core/io/detail/text_file.hpp>
#include <einkorn/core/io/matrix_market_types.hpp>
#include <einkorn/core/io/triplets.hpp>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace einkorn::detail {

template <class Scalar>
constexpr MatrixMarketField natural_field = IntegerScalar<Scalar>   ? MatrixMarketField::integer
                                            : ComplexScalar<Scalar> ? MatrixMarketField::complex
                                                                    : MatrixMarketField::real;

/// The name of an entry in messages, with its position counted from 1 as in a file.
template <class Scalar, class Ordinal>
std::string entry_name(Triplets<Scalar, Ordinal> const& matrix, std::size_t k) {
  return "entry " + std::to_string(k) + ", (" + std::to_string(matrix.rows[k] + std::int64_t{1}) + ", " +
         std::to_string(matrix.columns[k] + std::int64_t{1}) + ") counted from 1,";
}

template <class Scalar, class Ordinal>
void check_triplets(Triplets<Scalar, Ordinal> const& matrix) {
  require<InvalidStructure>(matrix.rows.size() == matrix.size() && matrix.columns.size() == matrix.size(), [&] {
    return "write_matrix_market: the lists of the triplets differ in length: " +
           std::to_string(matrix.rows.size()) + " rows, " + std::to_string(matrix.columns.size()) +
           " columns, " + std::to_string(matrix.size()) + " values";
  });
  require<InvalidStructure>(matrix.num_rows >= 0 && matrix.num_cols >= 0, [&] {
    return "write_matrix_market: negative size " + std::to_string(matrix.num_rows) + " x " +
           std::to_string(matrix.num_cols);
  });
  for (std::size_t k = 0; k < matrix.size(); ++k) {
    bool const inside = matrix.rows[k] >= 0 && matrix.rows[k] < matrix.num_rows && matrix.columns[k] >= 0 &&
                        matrix.columns[k] < matrix.num_cols;
    require<InvalidStructure>(inside, [&] {
      return "write_matrix_market: " + entry_name(matrix, k) + " is outside the matrix of " +
             std::to_string(matrix.num_rows) + " x " + std::to_string(matrix.num_cols);
    });
  }
}

template <class Scalar>
MatrixMarketField checked_field(MatrixMarketWriteOptions const& options) {
  using Field = MatrixMarketField;
  using Symmetry = MatrixMarketSymmetry;
  auto const natural = natural_field<Scalar>;
  require_enumerator(options.symmetry, Symmetry::hermitian, "write_matrix_market: symmetry");
  require_enumerator(options.field.value_or(natural), Field::pattern, "write_matrix_market: field");
  auto const field = options.field.value_or(natural);
  bool const is_representable = field == natural || field == Field::pattern || field == Field::complex ||
                                (natural == Field::integer && field == Field::real);
  require<InvalidArgument>(is_representable, [&] {
    return "write_matrix_market: field " + std::string(to_string(field)) + " cannot represent values of type " +
           type_name<Scalar>();
  });
  bool const fits = options.symmetry == Symmetry::hermitian        ? field == Field::complex
                    : options.symmetry == Symmetry::skew_symmetric ? field != Field::pattern
                                                                   : true;
  require<InvalidArgument>(fits, [&] {
    return "write_matrix_market: a " + std::string(to_string(options.symmetry)) +
           " matrix cannot have the field " + std::string(to_string(field));
  });
  return field;
}

/// True if the value equals its mirror image under the symmetry. Zeros of both signs are equal, and NaNs are
/// equal.
template <class Scalar>
bool mirrors(Scalar const& value, Scalar const& image, MatrixMarketSymmetry symmetry) {
  Scalar expected = symmetry == MatrixMarketSymmetry::hermitian ? conjugate_on_host(image) : image;
  if (symmetry == MatrixMarketSymmetry::skew_symmetric && !negate(image, expected)) return false;
  auto const same = [](auto a, auto b) { return a == b || (a != a && b != b); };
  if constexpr (ComplexScalar<Scalar>)
    return same(value.real(), expected.real()) && same(value.imag(), expected.imag());
  else
    return same(value, expected);
}

/// Checks a symmetry: on the diagonal, and between the triangles or, if !expanded, that the upper one is empty.
/// @param values false for a pattern
///
/// O(entries) time and memory.
template <class Scalar, class Ordinal>
void check_symmetry(Triplets<Scalar, Ordinal> const& matrix, MatrixMarketSymmetry symmetry, bool expanded,
                    bool values) {
  auto const reject = [&](std::size_t k, char const* reason) {
    throw InvalidArgument("write_matrix_market: " + entry_name(matrix, k) + " " + reason +
                          "; the matrix is not " + std::string(to_string(symmetry)));
  };
  require<InvalidArgument>(matrix.num_rows == matrix.num_cols, [&] {
    return "write_matrix_market: " + std::to_string(matrix.num_rows) + " x " + std::to_string(matrix.num_cols) +
           " is not square, hence not " + std::string(to_string(symmetry));
  });
  Triplets<std::size_t, Ordinal> lower, upper;  // upper: transposed; values are indices of entries in matrix
  for (std::size_t k = 0; k < matrix.size(); ++k) {
    auto const row = matrix.rows[k], column = matrix.columns[k];
    if (row == column) {
      if (values && symmetry == MatrixMarketSymmetry::skew_symmetric && !is_zero(matrix.values[k]))
        reject(k, "is not zero on the diagonal");
      if (values && symmetry == MatrixMarketSymmetry::hermitian &&
          !mirrors(matrix.values[k], matrix.values[k], symmetry))
        reject(k, "is not real on the diagonal");
      continue;
    }
    if (!expanded && row < column) reject(k, "is above the diagonal, while symmetry_expanded is false");
    if (!expanded) continue;
    auto& triangle = row > column ? lower : upper;
    triangle.rows.push_back(std::max(row, column));
    triangle.columns.push_back(std::min(row, column));
    triangle.values.push_back(k);
  }
  auto const n = matrix.num_rows;
  auto const below = column_major_order(lower.rows, lower.columns, n, n);
  auto const above = column_major_order(upper.rows, upper.columns, n, n);
  for (std::size_t i = 0; i < std::max(below.size(), above.size()); ++i) {
    if (i >= below.size()) reject(upper.values[above[i]], "has no mirror image");
    if (i >= above.size()) reject(lower.values[below[i]], "has no mirror image");
    auto const a = below[i], b = above[i];
    if (lower.rows[a] != upper.rows[b] || lower.columns[a] != upper.columns[b]) {
      bool const a_first =
          std::pair(lower.columns[a], lower.rows[a]) < std::pair(upper.columns[b], upper.rows[b]);
      reject(a_first ? lower.values[a] : upper.values[b], "has no mirror image");
    }
    if (values && !mirrors(matrix.values[upper.values[b]], matrix.values[lower.values[a]], symmetry))
      reject(upper.values[b], "differs from its mirror image");
  }
}

/// A buffered writer of lines.
class LineWriter {
 public:
  explicit LineWriter(OutputFile& file) : file_(file), buffer_(buffer_bytes) {}

  void text(std::string_view text) {
    for (char const c : text) {
      reserve(1);
      buffer_[used_++] = c;
    }
  }

  /// Writes the shortest digits that read back as the same number, and a character after them.
  template <class Number>
  void number(Number value, char after) {
    reserve(max_digits + 1);
    char* const first = buffer_.data() + used_;
    auto const [stop, code] = std::to_chars(first, first + max_digits, value);
    require<Error>(code == std::errc(), "write_matrix_market: a number is longer than its buffer");
    used_ += static_cast<std::size_t>(stop - first);
    buffer_[used_++] = after;
  }

  void flush() {
    file_.write(buffer_.data(), used_);
    used_ = 0;
  }

 private:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 18, max_digits = 63;
  void reserve(std::size_t count) {
    if (buffer_.size() - used_ < count) flush();
  }

  OutputFile& file_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
};

inline void write_comment(LineWriter& out, std::string_view comment) {
  while (!comment.empty()) {
    auto const stop = comment.find('\n');
    out.text("% ");
    out.text(comment.substr(0, stop));
    out.text("\n");
    comment = stop == std::string_view::npos ? std::string_view() : comment.substr(stop + 1);
  }
}

template <class Scalar>
void write_value(LineWriter& out, Scalar const& value, MatrixMarketField field) {
  if constexpr (ComplexScalar<Scalar>) {
    out.number(value.real(), ' ');
    out.number(value.imag(), '\n');
  } else {
    out.number(value, field == MatrixMarketField::complex ? ' ' : '\n');
    if (field == MatrixMarketField::complex) out.text("0\n");
  }
}

template <class Scalar, class Ordinal>
void write_text(LineWriter& out, Triplets<Scalar, Ordinal> const& matrix, MatrixMarketField field,
                MatrixMarketWriteOptions const& options) {
  bool const general = options.symmetry == MatrixMarketSymmetry::general;
  auto const stored = [&](std::size_t k) { return general || matrix.rows[k] >= matrix.columns[k]; };
  std::size_t count = 0;
  for (std::size_t k = 0; k < matrix.size(); ++k) count += stored(k);

  for (std::string_view const word :
       {std::string_view("%%MatrixMarket matrix coordinate "), to_string(field), std::string_view(" "),
        to_string(options.symmetry), std::string_view("\n")})
    out.text(word);
  write_comment(out, options.comment);
  out.number(matrix.num_rows, ' ');
  out.number(matrix.num_cols, ' ');
  out.number(count, '\n');
  for (std::size_t k = 0; k < matrix.size(); ++k) {
    if (!stored(k)) continue;
    bool const pattern = field == MatrixMarketField::pattern;
    out.number(matrix.rows[k] + std::int64_t{1}, ' ');
    out.number(matrix.columns[k] + std::int64_t{1}, pattern ? '\n' : ' ');
    if (!pattern) write_value(out, matrix.values[k], field);
  }
  out.flush();
}

inline void check_comment(MatrixMarketWriteOptions const& options) {
  require<InvalidArgument>(options.comment.find('\0') == std::string::npos,
                           "write_matrix_market: the comment contains a NUL byte");
}

/// Checks all arguments. Called before the file is opened.
template <class Scalar, class Ordinal>
MatrixMarketField check_writable(Triplets<Scalar, Ordinal> const& matrix,
                                 MatrixMarketWriteOptions const& options) {
  check_triplets(matrix);
  auto const field = checked_field<Scalar>(options);
  bool const values = field != MatrixMarketField::pattern;
  if (options.symmetry != MatrixMarketSymmetry::general)
    check_symmetry(matrix, options.symmetry, options.symmetry_expanded, values);
  if (values && !options.allow_nonfinite)
    for (std::size_t k = 0; k < matrix.size(); ++k)
      require<InvalidArgument>(is_finite(matrix.values[k]), [&] {
        return "write_matrix_market: " + entry_name(matrix, k) + " is not finite; allow_nonfinite writes it";
      });
  check_comment(options);
  return field;
}

template <class Scalar>
MatrixMarketField check_writable_array(std::span<Scalar const> values, std::size_t num_cols,
                                       MatrixMarketWriteOptions const& options) {
  auto const field = checked_field<Scalar>(options);
  require<InvalidArgument>(
      field != MatrixMarketField::pattern && options.symmetry == MatrixMarketSymmetry::general,
      "write_matrix_market_array: an array file must be general and have values");
  require<InvalidArgument>(num_cols > 0 && values.size() % num_cols == 0, [&] {
    return "write_matrix_market_array: " + std::to_string(values.size()) + " values cannot be divided into " +
           std::to_string(num_cols) + " columns";
  });
  for (std::size_t k = 0; !options.allow_nonfinite && k < values.size(); ++k)
    require<InvalidArgument>(is_finite(values[k]), [&] {
      return "write_matrix_market_array: value " + std::to_string(k) +
             " is not finite; allow_nonfinite writes it";
    });
  check_comment(options);
  return field;
}

template <class Scalar>
void write_array_text(LineWriter& out, std::span<Scalar const> values, std::size_t num_cols,
                      MatrixMarketField field, MatrixMarketWriteOptions const& options) {
  for (std::string_view const word :
       {std::string_view("%%MatrixMarket matrix array "), to_string(field), std::string_view(" general\n")})
    out.text(word);
  write_comment(out, options.comment);
  out.number(values.size() / num_cols, ' ');
  out.number(num_cols, '\n');
  for (Scalar const& value : values) write_value(out, value, field);
  out.flush();
}

}  // namespace einkorn::detail
