// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors

// The case files beside this test: each legal one has to be read right, each malformed one rejected at its
// line, each policy case obey INDEX.tsv by default and its option where there is one.

#include "../support/data_folder.hpp"
#include "matrix_market_support.hpp"

#include <einkorn/core/io/matrix_market.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

using List = std::vector<double>;
using Indices = std::vector<std::int32_t>;

std::filesystem::path const folder = data_folder("io/matrix_market_cases");

struct Case {
  std::string file, kind, verdict, rule;
};

std::vector<Case> index() {
  std::vector<Case> cases;
  std::ifstream file(folder / "INDEX.tsv");
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    Case c;
    std::getline(fields, c.file, '\t');
    std::getline(fields, c.kind, '\t');
    std::getline(fields, c.verdict, '\t');
    std::getline(fields, c.rule, '\t');
    cases.push_back(c);
  }
  return cases;
}

/// Where the error of a rejected file is, and what its message has to say: the value found, and what was
/// expected.
struct Rejection {
  std::size_t line;
  std::vector<std::string> words;
};

std::map<std::string, Rejection> const rejections{
    {"02_col_out_of_range.mtx", {4, {"column index '9'", "from 1 to 3"}}},
    {"03_row_out_of_range.mtx", {4, {"row index '9'", "from 1 to 3"}}},
    {"04_zero_row_index.mtx", {3, {"row index '0'", "count from 1"}}},
    {"05_negative_row.mtx", {3, {"row index '-4'", "negative", "from 1 to 3"}}},
    {"06_truncated_entries.mtx", {4, {"after 2 entries", "line 2 declares 3"}}},
    {"07_extra_entries.mtx", {5, {"more entries than the 2", "line 2"}}},
    {"09_missing_size_line.mtx", {2, {"before the size line", "'rows columns entries'"}}},
    {"10_nonnumeric_value.mtx", {3, {"value 'abc'", "not a number"}}},
    {"11_missing_value.mtx", {3, {"value is missing", "expected a number"}}},
    {"12_nan_value.mtx", {3, {"'nan'", "not finite", "allow_nonfinite"}}},
    {"13_value_overflow.mtx", {3, {"'1e999'", "overflows double", "allow_overflow"}}},
    {"15_negative_nnz.mtx", {2, {"number of entries '-3'", "negative"}}},
    {"16_negative_dims.mtx", {2, {"number of rows '-3'", "negative"}}},
    {"17_index_overflow_int32.mtx", {3, {"row index '99999999999'", "from 1 to 3"}}},
    {"18_dims_overflow_int32.mtx", {2, {"99999999999 x 3", "int32_t", "int64_t"}}},
    {"19_bad_banner.mtx", {1, {"'%%NotMarket'", "expected '%%MatrixMarket'"}}},
    {"20_bad_field.mtx", {1, {"field 'quaternion'", "real, complex, integer, pattern"}}},
    {"21_symmetric_upper_and_lower.mtx", {5, {"(1, 2)", "above the diagonal", "lower triangle"}}},
    {"22_skew_nonzero_diag.mtx", {3, {"(1, 1)", "skew-symmetric", "not zero"}}},
    {"23_symmetric_nonsquare.mtx", {2, {"symmetric matrix must be square", "3 rows and 4 columns"}}},
    {"25_trailing_garbage_in_line.mtx", {3, {"'xyz'", "after the last field"}}},
    {"26_hermitian_real.mtx", {1, {"hermitian needs the field complex", "'real'"}}},
    {"27_fractional_index.mtx", {3, {"row index '1.5'", "whole number"}}},
};

TEST(MatrixMarketCases, IndexAndFilesAgree) {
  std::set<std::string> listed, found;
  std::map<std::string, int> kinds;
  for (auto const& c : index()) {
    listed.insert(c.file);
    ++kinds[c.kind];
    EXPECT_TRUE(c.verdict == "accept" || c.verdict == "reject") << c.file;
  }
  for (auto const& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".mtx") found.insert(entry.path().filename());

  EXPECT_EQ(listed, found);
  EXPECT_EQ(kinds, (std::map<std::string, int>{{"legal", 6}, {"malformed", 16}, {"policy", 8}}));
}

TEST(MatrixMarketCases, LegalFilesAreReadCorrectly) {
  for (auto const& c : index()) {
    if (c.kind != "legal") continue;
    SCOPED_TRACE(c.file);
    MatrixMarketReport report;

    auto const A = read_matrix_market<double, std::int32_t>(folder / c.file, {}, &report);

    EXPECT_EQ(A.num_rows, 3);
    EXPECT_EQ(A.num_cols, 3);
    EXPECT_EQ(A.rows, (Indices{0, 1, 2}));
    EXPECT_EQ(A.columns, (Indices{0, 1, 2}));
    EXPECT_EQ(A.values, (List{1, 2, 3}));
    EXPECT_EQ(report.duplicates_summed, 0u);
  }
}

TEST(MatrixMarketCases, RejectedFilesNameLineAndReason) {
  for (auto const& c : index()) {
    if (c.verdict != "reject") continue;
    SCOPED_TRACE(c.file + ": " + c.rule);
    ASSERT_TRUE(rejections.contains(c.file));
    auto const& want = rejections.at(c.file);

    auto const got = thrown_by([&] { (void)read_matrix_market<double, std::int32_t>(folder / c.file); });

    if (c.file == "18_dims_overflow_int32.mtx") {  // right, and too large for the type asked for
      expect_error(got, Thrown::Kind::overflow, want.words);
      EXPECT_NE(got.message.find(c.file + ":2: "), std::string::npos) << got;
    } else {
      expect_parse_error(got, want.line, want.words);
      EXPECT_NE(got.message.find(c.file + ":"), std::string::npos) << got;
    }
  }
}

TEST(MatrixMarketCases, EveryRejectionIsInTheIndex) {
  std::size_t rejected = 0;
  for (auto const& c : index()) rejected += c.verdict == "reject";
  EXPECT_EQ(rejected, rejections.size());
}

TEST(MatrixMarketCases, DuplicatesAreSummedAndCounted) {
  MatrixMarketReport report;
  auto const A = read_matrix_market<double, std::int32_t>(folder / "14_duplicate_entry.mtx", {}, &report);

  EXPECT_EQ(A.rows, (Indices{0, 1, 2}));
  EXPECT_EQ(A.columns, (Indices{0, 1, 2}));
  EXPECT_EQ(A.values, (List{6, 2, 3}));
  EXPECT_EQ(report.duplicates_summed, 1u);
}

TEST(MatrixMarketCases, DuplicatesAreRejectedOrKeptByOption) {
  MatrixMarketOptions options;
  options.duplicates = DuplicatePolicy::reject;
  expect_parse_error(
      thrown_by(
          [&] { (void)read_matrix_market<double, std::int32_t>(folder / "14_duplicate_entry.mtx", options); }),
      4, {"(1, 1)", "stored more than once"});

  options.duplicates = DuplicatePolicy::keep;
  auto const A = read_matrix_market<double, std::int32_t>(folder / "14_duplicate_entry.mtx", options);
  EXPECT_EQ(A.rows, (Indices{0, 0, 1, 2}));
  EXPECT_EQ(A.values, (List{1, 5, 2, 3}));
}

/// A policy case that an option lets pass, and what is read then.
struct Permitted {
  std::string file;
  std::function<void(MatrixMarketOptions&)> permit;
  Indices rows, columns;
  List values;
};

TEST(MatrixMarketCases, OptionsAcceptPolicyCases) {
  double const inf = INFINITY, nan = NAN;
  std::vector<Permitted> const all{
      {"07_extra_entries.mtx", [](auto& o) { o.ignore_extra_entries = true; }, {0, 1}, {0, 1}, {1, 2}},
      {"12_nan_value.mtx", [](auto& o) { o.allow_nonfinite = true; }, {0, 1, 2}, {0, 1, 2}, {nan, 2, 3}},
      {"13_value_overflow.mtx", [](auto& o) { o.allow_overflow = true; }, {0, 1, 2}, {0, 1, 2}, {inf, 2, 3}},
      {"21_symmetric_upper_and_lower.mtx",
       [](auto& o) { o.triangle = TrianglePolicy::both; },
       {0, 1, 0, 2},
       {0, 0, 1, 2},
       {1, 5, 7, 3}},
      {"22_skew_nonzero_diag.mtx",
       [](auto& o) { o.allow_contradicting_diagonal = true; },
       {0, 1, 0},
       {0, 0, 1},
       {4, 5, -5}},
      {"25_trailing_garbage_in_line.mtx",
       [](auto& o) { o.ignore_trailing_text = true; },
       {0, 1, 2},
       {0, 1, 2},
       {1, 2, 3}},
      {"26_hermitian_real.mtx",
       [](auto& o) { o.allow_hermitian_real = true; },
       {0, 1, 0},
       {0, 0, 1},
       {4, 5, 5}},
  };
  for (auto const& want : all) {
    SCOPED_TRACE(want.file);
    MatrixMarketOptions options;
    want.permit(options);

    auto const A = read_matrix_market<double, std::int32_t>(folder / want.file, options);

    EXPECT_EQ(A.rows, want.rows);
    EXPECT_EQ(A.columns, want.columns);
    ASSERT_EQ(A.size(), want.values.size());
    for (std::size_t k = 0; k < A.size(); ++k)
      EXPECT_TRUE(A.values[k] == want.values[k] || (std::isnan(A.values[k]) && std::isnan(want.values[k])))
          << A.values[k] << " for " << want.values[k];
  }
}

TEST(MatrixMarketCases, EitherTriangleRejectsBoth) {
  MatrixMarketOptions options;
  options.triangle = TrianglePolicy::either;
  expect_parse_error(thrown_by([&] {
                       (void)read_matrix_market<double, std::int32_t>(
                           folder / "21_symmetric_upper_and_lower.mtx", options);
                     }),
                     5, {"(1, 2)", "not in the triangle of the entries before"});
}

TEST(MatrixMarketCases, Int64IndicesAcceptLargeSizes) {
  auto const A = read_matrix_market<double, std::int64_t>(folder / "18_dims_overflow_int32.mtx");

  EXPECT_EQ(A.num_rows, 99999999999);
  EXPECT_EQ(A.num_cols, 3);
  EXPECT_EQ(A.rows, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(A.values, (List{1, 2, 3}));
}

}  // namespace
}  // namespace einkorn::test
