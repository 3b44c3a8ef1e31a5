// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/io/detail/matrix_market_lines.hpp>
#include <einkorn/core/io/detail/matrix_market_number.hpp>
#include <einkorn/core/io/matrix_market_types.hpp>

#include <array>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

namespace einkorn::detail {

/// A header with the positions of its size line and of the first line of entries.
struct ParsedHeader {
  MatrixMarketHeader header;
  char const* size_line = nullptr;
  char const* body = nullptr;
};

inline bool equal_in_any_case(std::string_view a, std::string_view b) {
  auto const lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

/// The enumerator with the name `word`, in upper or lower case.
template <class Enum>
Enum read_keyword(std::string_view word, char const* what, std::initializer_list<Enum> known) {
  std::string names;
  for (Enum const value : known) {
    if (equal_in_any_case(word, to_string(value))) return value;
    (names += names.empty() ? "" : ", ") += to_string(value);
  }
  fail(word.data(), std::string("the ") + what + " " +
                        (word.empty() ? "is missing" : quoted(word) + " is unknown") + "; expected one of " +
                        names);
}

inline constexpr std::string_view banner_word = "%%MatrixMarket";

/// Throws with a specific message for common files without a banner.
inline void reject_other_file_types(std::string_view text) {
  if (equal_in_any_case(text.substr(0, banner_word.size()), banner_word)) return;
  char const* const at = text.data();
  if (text.empty()) fail(at, "the file is empty; expected '%%MatrixMarket matrix ...'");
  if (text.starts_with("\x1f\x8b")) fail(at, "gzip data inside the text; expected plain text here");
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    fail(at, "a UTF-16 byte order mark; expected plain ASCII text");
  if (text.starts_with("\xef\xbb\xbf"))
    fail(at, "a UTF-8 byte order mark; expected '%%MatrixMarket' as the first bytes");
  if (text.starts_with("PK\x03\x04") || text.starts_with("BZh") ||
      text.starts_with("\xfd"
                       "7zXZ") ||
      text.starts_with("\x28\xb5\x2f\xfd"))
    fail(at, "a zip, bzip2, xz or zstd file; only plain text and gzip are read");
  if (text.size() >= 262 && text.substr(257, 5) == "ustar") fail(at, "a tar archive; unpack it first");
}

inline void read_banner(std::string_view text, MatrixMarketHeader& header, bool allow_hermitian_real) {
  reject_other_file_types(text);
  char const* const end = text.data() + text.size();
  char const* const stop = line_end(text.data(), end);
  reject_nul(text.data(), stop);
  char const* p = text.data();
  auto const next_word = [&] {
    p = skip_blanks(p, stop);
    auto const word = field_at(p, stop);
    p += word.size();
    return word;
  };
  if (auto const word = next_word(); word.data() != text.data() || !equal_in_any_case(word, banner_word))
    fail(text.data(),
         "the banner begins with " + quoted(word) + "; expected '%%MatrixMarket' as the first word");
  if (auto const word = next_word(); !equal_in_any_case(word, "matrix"))
    fail(word.data(), "the object is " + quoted(word) + "; expected 'matrix'");
  using Format = MatrixMarketFormat;
  using Field = MatrixMarketField;
  using Symmetry = MatrixMarketSymmetry;
  header.format = read_keyword(next_word(), "format", {Format::coordinate, Format::array});
  auto const field = next_word();
  header.field = read_keyword(field, "field", {Field::real, Field::complex, Field::integer, Field::pattern});
  auto const symmetry = next_word();
  header.symmetry =
      read_keyword(symmetry, "symmetry",
                   {Symmetry::general, Symmetry::symmetric, Symmetry::skew_symmetric, Symmetry::hermitian});
  p = skip_blanks(p, stop);
  if (!at_line_end(p, end)) fail(p, "text after the banner: " + quoted(field_at(p, stop)));
  if (header.field == Field::pattern && header.format == Format::array)
    fail(field.data(), "an array cannot be a pattern: it has no indices; expected real, complex or integer");
  if (header.field == Field::pattern && header.symmetry == Symmetry::skew_symmetric)
    fail(symmetry.data(), "a pattern cannot be skew-symmetric: it has no signs; expected general or symmetric");
  if (header.symmetry == Symmetry::hermitian && header.field != Field::complex) {
    bool const has_values = header.field != Field::pattern;
    if (!(allow_hermitian_real && has_values))
      fail(symmetry.data(), "hermitian needs the field complex; found " + quoted(field) +
                                (has_values ? " (allow_hermitian_real reads it as symmetric)" : ""));
    header.symmetry = Symmetry::symmetric;
  }
}

/// A count of the size line: a non-negative integer.
inline std::int64_t read_count(char const* p, char const* end, std::string const& what) {
  auto const field = field_at(p, end);
  auto const found = "the " + what + " " + quoted(field);
  if (!is_whole_number(field)) fail(p, found + " is not a whole number");
  if (field.front() == '-') fail(p, found + " is negative; expected 0 or more");
  std::int64_t value = 0;
  char const* const first = field.data() + (field.front() == '+');
  if (std::from_chars(first, field.data() + field.size(), value).ec != std::errc())
    fail_overflow(p, found + " exceeds " + std::to_string(std::numeric_limits<std::int64_t>::max()) +
                         ", the maximum of int64_t");
  return value;
}

/// Computes the number of entries that an array of this symmetry stores; false if it overflows int64_t.
inline bool array_entries(MatrixMarketHeader const& header, std::int64_t& count) {
  auto const product = [&](std::int64_t a, std::int64_t b) {
    if (a != 0 && b > std::numeric_limits<std::int64_t>::max() / a) return false;
    count = a * b;
    return true;
  };
  std::int64_t const n = header.num_rows;
  if (header.symmetry == MatrixMarketSymmetry::general) return product(n, header.num_cols);
  bool const diagonal =
      header.symmetry != MatrixMarketSymmetry::skew_symmetric;  // n (n + 1) / 2 or n (n - 1) / 2
  auto const half = n / 2;
  if (n % 2 == 0) return diagonal ? (n == 0 || product(half, n + 1)) : (n == 0 || product(half, n - 1));
  return diagonal ? product(half + 1, n) : product(half, n);
}

/// Parses the size line: the first line after the banner that is neither blank nor a comment.
inline void read_sizes(std::string_view text, ParsedHeader& parsed) {
  auto& header = parsed.header;
  char const* const end = text.data() + text.size();
  char const* const banner_end = line_end(text.data(), end);
  char const* const start = banner_end == end ? end : next_data_line(banner_end + 1, end);
  bool const coordinate = header.format == MatrixMarketFormat::coordinate;
  auto const expected = std::string(coordinate ? "'rows columns entries'" : "'rows columns'");
  if (start == end) fail(end, "the file ends before the size line; expected " + expected);
  char const* const stop = line_end(start, end);
  std::array<std::int64_t, 3> counts{};
  std::array<char const*, 3> const names{"number of rows", "number of columns", "number of entries"};
  std::size_t const num_counts = coordinate ? 3 : 2;
  char const* p = start;
  for (std::size_t i = 0; i < num_counts; ++i) {
    if (at_line_end(p, end))
      fail(start, "the size line has " + std::to_string(i) + " numbers; expected " + expected);
    counts[i] = read_count(p, stop, names[i]);
    p = skip_blanks(p + field_at(p, stop).size(), stop);
  }
  if (!at_line_end(p, end)) fail(p, quoted(field_at(p, stop)) + " after the sizes; expected " + expected);
  header.num_rows = counts[0];
  header.num_cols = counts[1];
  header.num_entries = counts[2];
  header.size_line = line_number(text, start);
  if (header.symmetry != MatrixMarketSymmetry::general && header.num_rows != header.num_cols)
    fail(start, "a " + std::string(to_string(header.symmetry)) + " matrix must be square; found " +
                    std::to_string(header.num_rows) + " rows and " + std::to_string(header.num_cols) +
                    " columns");
  if (!coordinate && !array_entries(header, header.num_entries))
    fail_overflow(start, "an array of " + std::to_string(header.num_rows) + " x " +
                             std::to_string(header.num_cols) + " has more entries than int64_t can count");
  parsed.size_line = start;
  parsed.body = stop == end ? end : stop + 1;
}

inline ParsedHeader parse_header(std::string_view text, bool allow_hermitian_real) {
  ParsedHeader result;
  read_banner(text, result.header, allow_hermitian_real);
  read_sizes(text, result);
  return result;
}

/// True if parse_header has the same result for this beginning of a file as for the whole file: the text
/// extends past the size line or contains a NUL byte before its end.
inline bool holds_header(std::string_view text) noexcept {
  auto const nul = text.find('\0');
  if (nul != std::string_view::npos) text = text.substr(0, nul);
  char const* const end = text.data() + text.size();
  char const* const banner_end = line_end(text.data(), end);
  if (banner_end != end) {
    auto const accept_comment = [](char const*, char const*) {};
    if (line_end(next_data_line(banner_end + 1, end, accept_comment), end) != end) return true;
  }
  return nul != std::string_view::npos;
}

}  // namespace einkorn::detail
