// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors

// libFuzzer target for the Matrix Market parser: for any input it returns a valid matrix or throws an
// einkorn::Error. A prefix of a file for which holds_header() is true gives the same header as the whole file,
// or an error in the same line. Seeds: unit_tests/io/matrix_market_cases. Run with -malloc_limit_mb=256 to find
// allocations of a size that only the size line declares.

#include "fuzz.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/core/io/matrix_market.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace {

using einkorn::DuplicatePolicy, einkorn::TrianglePolicy;
using einkorn::MatrixMarketOptions, einkorn::MatrixMarketReport, einkorn::Triplets;
using einkorn::fuzz::check;

template <class Scalar, class Ordinal>
void check_result(Triplets<Scalar, Ordinal> const& matrix, MatrixMarketOptions const& options,
                  MatrixMarketReport const& report) {
  check(matrix.rows.size() == matrix.size() && matrix.columns.size() == matrix.size(), "lists of one length");
  check(matrix.num_rows == report.header.num_rows && matrix.num_cols == report.header.num_cols,
        "the declared size");
  auto const stored = static_cast<std::size_t>(report.header.num_entries);
  check(matrix.size() == stored - report.duplicates_summed + report.mirrored, "the declared number of entries");
  std::set<std::pair<Ordinal, Ordinal>> positions;
  for (std::size_t k = 0; k < matrix.size(); ++k) {
    check(matrix.rows[k] >= 0 && matrix.rows[k] < matrix.num_rows, "row in range");
    check(matrix.columns[k] >= 0 && matrix.columns[k] < matrix.num_cols, "column in range");
    bool const first = positions.emplace(matrix.rows[k], matrix.columns[k]).second;
    check(first || options.duplicates == DuplicatePolicy::keep, "no position twice");
    check(options.allow_nonfinite || einkorn::detail::is_finite(matrix.values[k]), "finite values");
  }
  if (report.mirrored > 0)
    for (auto const& [row, column] : positions)
      check(positions.count({column, row}) == 1, "a symmetric pattern");
}

template <class Scalar, class Ordinal>
void parse(std::string_view text, MatrixMarketOptions const& options) {
  try {
    MatrixMarketReport report;
    auto const matrix = einkorn::parse_matrix_market<Scalar, Ordinal>(text, "fuzz", options, &report);
    check_result(matrix, options, report);
  } catch (einkorn::ParseError const& error) {
    check(error.line() >= 1, "an error with a line");
  } catch (einkorn::Error const&) {
  }
}

/// The header as text, or the line of the error. The rest of the message may depend on the end of the text.
std::string header_of(std::string_view text, MatrixMarketOptions const& options) {
  try {
    auto const header = einkorn::parse_matrix_market_header(text, "fuzz", options);
    check(header.num_rows >= 0 && header.num_cols >= 0 && header.num_entries >= 0, "counts of 0 or more");
    return std::string(to_string(header.format)) + std::string(to_string(header.field)) +
           std::string(to_string(header.symmetry)) + std::to_string(header.num_rows) + " " +
           std::to_string(header.num_cols) + " " + std::to_string(header.num_entries) + " " +
           std::to_string(header.size_line);
  } catch (einkorn::Error const& error) {
    std::string const message = error.what(), name = "fuzz:";
    check(message.starts_with(name), "an error with a line");
    return message.substr(0, message.find(':', name.size()));
  }
}

/// Checks the property on which read_matrix_market_header() relies: it stops reading when holds_header() is
/// true.
void check_header(std::string_view text, MatrixMarketOptions const& options) {
  auto const whole = header_of(text, options);
  for (std::size_t const cut : {text.size() / 4, text.size() / 2, text.size() - text.size() / 4, text.size()}) {
    auto const part = text.substr(0, cut);
    if (einkorn::detail::holds_header(part))
      check(header_of(part, options) == whole,
            "the part and the whole have one header, or an error in one line");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text(reinterpret_cast<char const*>(data), size);
  MatrixMarketOptions const strict;
  MatrixMarketOptions lenient;
  lenient.duplicates = DuplicatePolicy::keep;
  lenient.triangle = TrianglePolicy::both;
  lenient.allow_nonfinite = lenient.allow_overflow = true;
  lenient.allow_contradicting_diagonal = lenient.allow_hermitian_real = true;
  lenient.ignore_trailing_text = lenient.ignore_extra_entries = true;
  check_header(text, strict);
  check_header(text, lenient);
  parse<double, std::int32_t>(text, strict);
  parse<double, std::int32_t>(text, lenient);
  parse<float, std::int32_t>(text, strict);
  parse<std::int32_t, std::int32_t>(text, strict);
  parse<std::complex<double>, std::int64_t>(text, strict);
  parse<std::complex<double>, std::int64_t>(text, lenient);
  return 0;
}
