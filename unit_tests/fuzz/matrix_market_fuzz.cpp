// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors

// libFuzzer target for the Matrix Market parser: whatever the bytes, it returns a matrix that keeps its
// invariants or throws an einkorn::Error. Seeds: unit_tests/io/matrix_market_cases. Run with
// -malloc_limit_mb=256, so that an allocation on the word of a size line is found too:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -I... matrix_market_fuzz.cpp -lz -pthread

#include <einkorn/core/error.hpp>
#include <einkorn/core/io/matrix_market.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string_view>
#include <utility>

namespace {

using einkorn::DuplicatePolicy, einkorn::TrianglePolicy;
using einkorn::MatrixMarketOptions, einkorn::MatrixMarketReport, einkorn::Triplets;

void check(bool condition, char const* what) {
  if (condition) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

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
  parse<double, std::int32_t>(text, strict);
  parse<double, std::int32_t>(text, lenient);
  parse<float, std::int32_t>(text, strict);
  parse<std::int32_t, std::int32_t>(text, strict);
  parse<std::complex<double>, std::int64_t>(text, strict);
  parse<std::complex<double>, std::int64_t>(text, lenient);
  return 0;
}
