// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>
#include <einkorn/core/io/detail/matrix_market_duplicates.hpp>
#include <einkorn/core/io/detail/matrix_market_entries.hpp>
#include <einkorn/core/io/detail/matrix_market_header.hpp>
#include <einkorn/core/io/matrix_market_types.hpp>
#include <einkorn/core/io/triplets.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace einkorn::detail {

/// Throws TextError at the line of an entry, which it finds by scanning the text again.
[[noreturn]] inline void fail_entry(std::string_view body, std::size_t entry, std::string reason) {
  fail(data_line(body.data(), body.data() + body.size(), entry), std::move(reason));
}

template <class Ordinal>
std::string position(Ordinal row, Ordinal column) {
  return "(" + std::to_string(row + std::int64_t{1}) + ", " + std::to_string(column + std::int64_t{1}) + ")";
}

/// Checks that the types can represent what the header declares.
template <class Scalar, class Ordinal>
void check_types(std::string_view text, ParsedHeader const& parsed) {
  auto const& header = parsed.header;
  if (header.field == MatrixMarketField::complex && !ComplexScalar<Scalar>)
    fail(text.data(), "the field is complex and " + type_name<Scalar>() +
                          " has no imaginary part; read it as std::complex<double>");
  auto const largest = std::max(header.num_rows, header.num_cols);
  if (largest > std::numeric_limits<Ordinal>::max())
    fail_overflow(parsed.size_line, std::to_string(header.num_rows) + " x " + std::to_string(header.num_cols) +
                                        " does not fit indices of type " + type_name<Ordinal>() +
                                        "; read it with Ordinal = int64_t");
}

/// Sets the positions of the values of an array: column-major, from the diagonal down unless the symmetry is
/// general.
template <class Scalar, class Ordinal>
void set_array_positions(Triplets<Scalar, Ordinal>& matrix, MatrixMarketSymmetry symmetry) {
  matrix.rows.reserve(matrix.size());
  matrix.columns.reserve(matrix.size());
  if (matrix.values.empty()) return;  // one extent may still be huge
  for (Ordinal j = 0; j < matrix.num_cols; ++j) {
    Ordinal const first = symmetry == MatrixMarketSymmetry::general          ? 0
                          : symmetry == MatrixMarketSymmetry::skew_symmetric ? j + 1
                                                                             : j;
    for (Ordinal i = first; i < matrix.num_rows; ++i) {
      matrix.rows.push_back(i);
      matrix.columns.push_back(j);
    }
  }
}

/// Checks the triangles of a file with symmetry. False if the file has entries in both, and the policy allows
/// it.
template <class Scalar, class Ordinal>
bool stores_one_triangle(Triplets<Scalar, Ordinal> const& matrix, std::string_view body,
                         TrianglePolicy policy) {
  bool lower = false, upper = false;
  for (std::size_t k = 0; k < matrix.size(); ++k) {
    bool const is_upper = matrix.rows[k] < matrix.columns[k];
    upper |= is_upper;
    lower |= matrix.rows[k] > matrix.columns[k];
    if (is_upper && policy == TrianglePolicy::lower)
      fail_entry(body, k,
                 "entry " + position(matrix.rows[k], matrix.columns[k]) +
                     " is above the diagonal; a symmetric file stores the lower triangle only "
                     "(see TrianglePolicy)");
    if (upper && lower && policy == TrianglePolicy::either)
      fail_entry(
          body, k,
          "entry " + position(matrix.rows[k], matrix.columns[k]) +
              " is not in the triangle of the entries before; a symmetric file stores one triangle only");
  }
  return !(upper && lower);
}

template <class Scalar, class Ordinal>
void check_diagonal(Triplets<Scalar, Ordinal> const& matrix, std::string_view body,
                    MatrixMarketSymmetry symmetry) {
  bool const skew = symmetry == MatrixMarketSymmetry::skew_symmetric;
  for (std::size_t k = 0; k < matrix.size(); ++k) {
    if (matrix.rows[k] != matrix.columns[k]) continue;
    bool is_invalid = skew && !is_zero(matrix.values[k]);
    if constexpr (ComplexScalar<Scalar>) is_invalid |= !skew && matrix.values[k].imag() != 0;
    if (is_invalid)
      fail_entry(body, k,
                 "diagonal entry " + position(matrix.rows[k], matrix.columns[k]) +
                     (skew ? " of a skew-symmetric matrix is not zero" : " of a hermitian matrix is not real") +
                     "; allow_contradicting_diagonal keeps it");
  }
}

/// Sums or rejects entries of repeated positions. Returns the number of entries added to an earlier one.
template <class Scalar, class Ordinal>
std::size_t combine_duplicates(Triplets<Scalar, Ordinal>& matrix, std::string_view body,
                               MatrixMarketOptions const& options) {
  std::vector<bool> is_removed;
  std::size_t count = 0;
  auto const combine = [&](std::size_t first, std::size_t repeated) {
    auto const where = [&] { return "entry " + position(matrix.rows[repeated], matrix.columns[repeated]); };
    if (options.duplicates == DuplicatePolicy::reject)
      fail_entry(body, repeated, where() + " is stored more than once; DuplicatePolicy::sum adds the values");
    bool const finite = is_finite(matrix.values[first]) && is_finite(matrix.values[repeated]);
    bool const fits = add_to(matrix.values[first], matrix.values[repeated]);
    if (!fits || (finite && !options.allow_overflow && !is_finite(matrix.values[first])))
      fail_overflow(data_line(body.data(), body.data() + body.size(), repeated),
                    where() + ": the sum with the earlier entries of this position does not fit " +
                        type_name<Scalar>() + (sizeof(Scalar) == 4 ? "; read it as double" : ""));
    if (is_removed.empty()) is_removed.resize(matrix.size());
    is_removed[repeated] = true;
    ++count;
  };
  for_each_duplicate(matrix, combine);
  if (count) remove_entries(matrix, is_removed);
  return count;
}

/// Appends the mirror image of each off-diagonal entry, in the order of the entries. Returns their number.
/// @param at the position for the error of a value without a negative, the minimal integer
template <class Scalar, class Ordinal>
std::size_t expand_symmetry(Triplets<Scalar, Ordinal>& matrix, char const* at, MatrixMarketSymmetry symmetry) {
  std::size_t const stored = matrix.size();
  std::size_t mirrored = 0;  // at most stored; stored entries took bytes of the text, so that no sum overflows
  for (std::size_t k = 0; k < stored; ++k) mirrored += matrix.rows[k] != matrix.columns[k];
  matrix.rows.reserve(stored + mirrored);
  matrix.columns.reserve(stored + mirrored);
  matrix.values.reserve(stored + mirrored);
  for (std::size_t k = 0; k < stored; ++k) {
    auto const row = matrix.rows[k], column = matrix.columns[k];
    if (row == column) continue;
    Scalar value = matrix.values[k];
    if (symmetry == MatrixMarketSymmetry::hermitian) value = conjugate_on_host(matrix.values[k]);
    if (symmetry == MatrixMarketSymmetry::skew_symmetric && !negate(matrix.values[k], value))
      fail_overflow(at, "the negative of entry " + position(row, column) + " does not fit " +
                            type_name<Scalar>() + ", and skew-symmetric needs it; read it as double");
    matrix.rows.push_back(column);
    matrix.columns.push_back(row);
    matrix.values.push_back(value);
  }
  return mirrored;
}

/// Parses the text of a file. Throws TextError.
template <MatrixMarketScalar Scalar, MatrixMarketOrdinal Ordinal>
Triplets<Scalar, Ordinal> parse_text(std::string_view text, MatrixMarketOptions const& options,
                                     MatrixMarketReport& report) {
  require_enumerator(options.duplicates, DuplicatePolicy::keep, "parse_matrix_market: duplicates");
  require_enumerator(options.triangle, TrianglePolicy::both, "parse_matrix_market: triangle");
  auto const parsed = parse_header(text, options.allow_hermitian_real);
  auto const& header = parsed.header;
  check_types<Scalar, Ordinal>(text, parsed);
  auto const body = text.substr(static_cast<std::size_t>(parsed.body - text.data()));
  report = {};
  report.header = header;
  report.text_bytes = text.size();

  Triplets<Scalar, Ordinal> matrix;
  matrix.num_rows = static_cast<Ordinal>(header.num_rows);
  matrix.num_cols = static_cast<Ordinal>(header.num_cols);
  {
    auto parts = read_parts<Scalar, Ordinal>(body, header, options);
    check_count(parts, header, body, options);
    using Part = EntryPart<Scalar, Ordinal>;
    matrix.values = join<Scalar>(parts, &Part::values);
    matrix.rows = join<Ordinal>(parts, &Part::rows);
    matrix.columns = join<Ordinal>(parts, &Part::columns);
    for (auto const& part : parts) {
      report.nonfinite += part.rules.nonfinite;
      report.underflows += part.rules.underflows;
    }
  }
  bool const coordinate = header.format == MatrixMarketFormat::coordinate;
  if (!coordinate) set_array_positions(matrix, header.symmetry);

  bool expands = header.symmetry != MatrixMarketSymmetry::general;
  if (expands && coordinate) expands = stores_one_triangle(matrix, body, options.triangle);
  if ((header.symmetry == MatrixMarketSymmetry::skew_symmetric ||
       header.symmetry == MatrixMarketSymmetry::hermitian) &&
      !options.allow_contradicting_diagonal)
    check_diagonal(matrix, body, header.symmetry);
  if (coordinate && options.duplicates != DuplicatePolicy::keep)
    report.duplicates_summed = combine_duplicates(matrix, body, options);
  for (auto const& value : matrix.values) report.explicit_zeros += is_zero(value);
  if (expands && options.expand_symmetry)
    report.mirrored = expand_symmetry(matrix, parsed.size_line, header.symmetry);
  return matrix;
}

/// Calls parse and translates its TextError and std exceptions to errors with the name and, if known, the line.
template <class Parse>
auto with_location(std::string_view text, std::string const& name, Parse&& parse) {
  try {
    return parse();
  } catch (TextError const& error) {
    auto const line = line_number(text, error.at);
    if (error.overflow) throw OverflowError(name + ":" + std::to_string(line) + ": " + error.what());
    throw ParseError(name, line, error.what());
  } catch (std::bad_alloc const&) {
    throw OutOfMemory(name + ": no memory for the entries of " + std::to_string(text.size()) +
                      " bytes of text");
  } catch (std::length_error const&) {
    throw OutOfMemory(name + ": more entries than a vector can hold");
  }
}

}  // namespace einkorn::detail
