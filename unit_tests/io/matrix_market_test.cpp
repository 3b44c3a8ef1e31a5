// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors

// What the parser makes of text: formats, fields, symmetries, numbers, options, and types that are too small.

#include "matrix_market_support.hpp"

#include <einkorn/core/io/matrix_market.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

using List = std::vector<double>;
using Indices = std::vector<std::int32_t>;
using Complex = std::complex<double>;

std::string const real_general = "%%MatrixMarket matrix coordinate real general\n";

template <class Scalar = double>
Thrown error_of(std::string const& text, MatrixMarketOptions const& options = {}) {
  return thrown_by([&] { (void)parse<Scalar>(text, options); });
}

/// The one value of a 1 x 1 matrix.
template <class Scalar = double>
Scalar value_of(std::string const& value, std::string const& field = "real",
                MatrixMarketOptions const& options = {}, MatrixMarketReport* report = nullptr) {
  auto const text = "%%MatrixMarket matrix coordinate " + field + " general\n1 1 1\n1 1 " + value + "\n";
  auto const A = parse<Scalar>(text, options, report);
  EXPECT_EQ(A.size(), 1u);
  return A.values.at(0);
}

TEST(MatrixMarketFormats, CommentsAndBlankLinesBetweenAllLines) {
  auto const A = parse(
      "%%MatrixMarket matrix coordinate real general\n% c\n\n  % c\n \t\r\n 2\t3  2 \n%\n\n1 3 5\n% x\n2 1 -7");

  EXPECT_EQ(A.num_rows, 2);
  EXPECT_EQ(A.num_cols, 3);
  EXPECT_EQ(A.rows, (Indices{0, 1}));
  EXPECT_EQ(A.columns, (Indices{2, 0}));
  EXPECT_EQ(A.values, (List{5, -7}));
}

TEST(MatrixMarketFormats, SymmetricIsExpandedAfterTheStoredEntries) {
  auto const text = "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n3 1 5\n2 2 4\n3 2 6\n";
  MatrixMarketReport report;

  auto const A = parse(text, {}, &report);

  EXPECT_EQ(A.rows, (Indices{2, 1, 2, 0, 1}));
  EXPECT_EQ(A.columns, (Indices{0, 1, 1, 2, 2}));
  EXPECT_EQ(A.values, (List{5, 4, 6, 5, 6}));
  EXPECT_EQ(report.mirrored, 2u);
  EXPECT_EQ(report.header.num_entries, 3);
  EXPECT_EQ(report.header.symmetry, MatrixMarketSymmetry::symmetric);

  MatrixMarketOptions stored;
  stored.expand_symmetry = false;
  EXPECT_EQ(parse(text, stored).rows, (Indices{2, 1, 2}));
}

TEST(MatrixMarketFormats, SkewAndHermitianChangeTheMirrorImage) {
  auto const K = parse("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 5\n");
  EXPECT_EQ(K.rows, (Indices{1, 0}));
  EXPECT_EQ(K.values, (List{5, -5}));

  auto const H =
      parse<Complex>("%%MatrixMarket matrix coordinate complex Hermitian\n2 2 2\n1 1 4 0\n2 1 5 -6\n");
  EXPECT_EQ(H.rows, (Indices{0, 1, 0}));
  EXPECT_EQ(H.columns, (Indices{0, 0, 1}));
  EXPECT_EQ(H.values, (std::vector<Complex>{{4, 0}, {5, -6}, {5, 6}}));

  auto const S = parse<Complex>("%%MatrixMarket matrix coordinate complex symmetric\n2 2 1\n2 1 5 -6\n");
  EXPECT_EQ(S.values, (std::vector<Complex>{{5, -6}, {5, -6}}));
}

TEST(MatrixMarketFormats, PatternIsOne) {
  auto const A = parse<float>("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n");
  EXPECT_EQ(A.rows, (Indices{0, 1, 0}));
  EXPECT_EQ(A.values, (std::vector<float>{1, 1, 1}));
}

TEST(MatrixMarketFormats, ArraysAreColumnMajor) {
  auto const A = parse("%%MatrixMarket matrix array real general\n2 3\n1\n0\n3\n4\n\n5\n6");
  EXPECT_EQ(A.rows, (Indices{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(A.columns, (Indices{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(A.values, (List{1, 0, 3, 4, 5, 6}));

  auto const S = parse("%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n");
  EXPECT_EQ(S.rows, (Indices{0, 1, 1, 0}));
  EXPECT_EQ(S.columns, (Indices{0, 0, 1, 1}));
  EXPECT_EQ(S.values, (List{1, 2, 3, 2}));

  auto const K = parse("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n");
  EXPECT_EQ(K.rows, (Indices{1, 2, 2, 0, 0, 1}));
  EXPECT_EQ(K.columns, (Indices{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(K.values, (List{1, 2, 3, -1, -2, -3}));

  auto const H = parse<Complex>("%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 3\n4 0\n");
  EXPECT_EQ(H.values, (std::vector<Complex>{{1, 0}, {2, 3}, {4, 0}, {2, -3}}));
}

TEST(MatrixMarketFormats, EmptyMatrices) {
  for (std::string const sizes : {"0 0 0", "0 5 0", "5 0 0", "2147483647 2147483647 0"})
    EXPECT_EQ(parse(real_general + sizes).size(), 0u) << sizes;
  for (std::string const sizes : {"0 0", "0 5", "2147483647 0"})
    EXPECT_EQ(parse("%%MatrixMarket matrix array real general\n" + sizes + "\n").size(), 0u) << sizes;
}

TEST(MatrixMarketFormats, HeaderErrors) {
  struct {
    std::string text;
    std::size_t line;
    std::vector<std::string> words;
  } const all[] = {
      {"", 1, {"empty"}},
      {"hello", 1, {"'hello'", "%%MatrixMarket"}},
      {"\n" + real_general + "1 1 0\n", 1, {"banner"}},
      {"%MatrixMarket matrix coordinate real general\n1 1 0\n", 1, {"'%MatrixMarket'"}},
      {"%%MatrixMarket vector coordinate real general\n", 1, {"'vector'", "'matrix'"}},
      {"%%MatrixMarket matrix sparse real general\n", 1, {"'sparse'", "coordinate, array"}},
      {"%%MatrixMarket matrix coordinate real\n", 1, {"symmetry is missing", "general, symmetric"}},
      {"%%MatrixMarket matrix coordinate real generic\n", 1, {"'generic'"}},
      {"%%MatrixMarket matrix coordinate real general x\n", 1, {"after the banner", "'x'"}},
      {"%%MatrixMarket matrix array pattern general\n", 1, {"array cannot be a pattern"}},
      {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n", 1, {"no signs"}},
      {"%%MatrixMarket matrix coordinate pattern hermitian\n", 1, {"hermitian needs the field complex"}},
      {real_general + "%\n\n3 3\n", 4, {"has 2 numbers", "'rows columns entries'"}},
      {real_general + "3 3 1 1\n", 2, {"'1' after the sizes"}},
      {real_general + "3 3.0 1\n", 2, {"columns '3.0'", "whole number"}},
      {real_general + "3 3 18446744073709551615\n", 2, {}},
      {"%%MatrixMarket matrix array real general\n3 3 9\n", 2, {"'9' after the sizes", "'rows columns'"}},
      {"\xef\xbb\xbf" + real_general, 1, {"UTF-8 byte order mark"}},
      {std::string("\xff\xfe%\0%\0", 6), 1, {"UTF-16"}},
      {real_general + std::string("% a\0b\n", 6) + "1 1 0\n", 2, {"NUL"}},
      {real_general + std::string("1 1 1\n% a\0b\n1 1 1\n", 19), 3, {"NUL"}},
      {real_general + std::string("1 1 1\n1 1 \0\n", 12), 3, {"'\\x00'"}},
      {"PK\x03\x04", 1, {"zip"}},
      {"\x1f\x8b\x08", 1, {"gzip"}},
  };
  for (auto const& want : all) {
    SCOPED_TRACE(want.text);
    if (want.words.empty())  // beyond every integer type, hence an overflow
      expect_error(error_of(want.text), Thrown::Kind::overflow, {":2: ", "int64_t"});
    else
      expect_parse_error(error_of(want.text), want.line, want.words);
  }
}

TEST(MatrixMarketFormats, EntryErrors) {
  struct {
    std::string entry;
    std::vector<std::string> words;
  } const all[] = {
      {"1", {"column index is missing"}},
      {"x 1 1", {"row index 'x'"}},
      {"4 1 1", {"row index '4'", "out of range", "from 1 to 3"}},
      {"1 4 1", {"column index '4'", "from 1 to 3"}},
      {"1 0 1", {"column index '0'", "count from 1"}},
      {"+1 1 1", {"'+1'", "sign"}},
      {"0x1 1 1", {"'0x1'"}},
      {"1 1e0 1", {"column index '1e0'"}},
      {"1 18446744073709551617 1", {"column index '18446744073709551617'", "from 1 to 3"}},
      {"1 1 1,5", {"'1,5'", "not a number"}},
      {"1 1 0x1p3", {"'0x1p3'"}},
      {"1 1 1e", {"'1e'"}},
      {"1 1 1.5D+00", {"'1.5D+00'"}},
      {"1 1 +-1", {"'+-1'"}},
      {"1 1 .", {"'.'"}},
      {"1 1 -", {"'-'"}},
      {"1 1 1 % no", {"text after the last field", "'%'"}},
      {"1 1 -inf", {"'-inf'", "not finite"}},
      {"1 1 1\r1", {"text after the last field"}},
      {"1 1 " + std::string(5000, 'z'), {"'" + std::string(40, 'z') + "...'"}},
  };
  for (auto const& want : all) {
    SCOPED_TRACE(want.entry.substr(0, 60));
    expect_parse_error(error_of(real_general + "3 3 2\n2 2 1\n\n" + want.entry + "\n"), 5, want.words);
  }
}

TEST(MatrixMarketFormats, CommentsDoNotLookLikeArchives) {
  for (std::size_t const blanks : {255, 256, 257, 258}) {  // a tar archive has "ustar" at byte 257
    auto const text =
        real_general + "%" + std::string(blanks - real_general.size(), ' ') + "ustar\n1 1 1\n1 1 2\n";
    EXPECT_EQ(parse(text).values, (List{2})) << blanks;
  }
  std::string tar = "A/A.mtx" + std::string(250, '\0') + "ustar";
  ASSERT_EQ(tar.find("ustar"), 257u);
  expect_parse_error(error_of(tar), 1, {"a tar archive"});
}

TEST(MatrixMarketFormats, LeadingZeros) {
  for (std::size_t const count : {1, 17, 18, 19, 28, 5000}) {
    std::string const zeros(count, '0');
    auto const A = parse(real_general + zeros + "12 " + zeros + "11 " + zeros + "1\n" + zeros + "12 " + zeros +
                         "10 " + zeros + "3\n");
    EXPECT_EQ(A.num_rows, 12) << count;
    EXPECT_EQ(A.num_cols, 11) << count;
    EXPECT_EQ(A.rows, (Indices{11})) << count;
    EXPECT_EQ(A.columns, (Indices{9})) << count;
    EXPECT_EQ(A.values, (List{3})) << count;
    auto const integers =
        parse<std::int64_t>("%%MatrixMarket matrix array integer general\n1 1\n-" + zeros + "7\n");
    EXPECT_EQ(integers.values, (std::vector<std::int64_t>{-7})) << count;
    auto const bad = [&](std::string const& index) {
      return error_of(real_general + "3 3 1\n" + zeros + index + " 1 1\n");
    };
    expect_parse_error(bad(""), 3, {"count from 1"});
    expect_parse_error(bad("4"), 3, {"out of range"});
    expect_parse_error(bad("18446744073709551617"), 3, {"out of range"});  // 1 modulo 2^64
    expect_parse_error(bad("1x"), 3, {"not a whole number"});
  }
}

TEST(MatrixMarketFormats, DeclaredSizesDoNotAllocate) {
  auto const huge = "9223372036854775807";
  auto const array = "%%MatrixMarket matrix array real ";
  expect_parse_error(error_of(real_general + "3 3 " + huge + "\n1 1 1\n"), 3, {"after 1 entries", huge});
  expect_parse_error(error_of(std::string(array) + "general\n2147483647 2147483647\n1\n"), 3,
                     {"after 1 entries"});
  for (std::string const symmetry : {"general", "symmetric", "skew-symmetric"}) {
    auto const got =
        thrown_by([&] { (void)parse<double, std::int64_t>(array + symmetry + "\n" + huge + " " + huge); });
    expect_error(got, Thrown::Kind::overflow, {"test.mtx:2: ", "more entries than int64_t"});
  }
  auto const A =
      parse("%%MatrixMarket matrix coordinate real general\n2147483647 2147483647 2\n2 2 1\n1 1 1\n");
  EXPECT_EQ(A.size(), 2u);
}

TEST(MatrixMarketNumbers, DecimalsAreRoundedAsInTheStandardLibrary) {
  std::mt19937_64 random(1);
  char text[64];
  for (int i = 0; i < 20000; ++i) {
    auto const digits = static_cast<int>(random() % 20);
    auto const value = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 280) - 220);
    std::snprintf(text, sizeof text, random() % 2 ? "%.*e" : "%.*g", digits, random() % 2 ? value : -value);
    ASSERT_EQ(bits(value_of<double>(text)), bits(std::strtod(text, nullptr))) << text;
    ASSERT_EQ(bits(value_of<float>(text)), bits(std::strtof(text, nullptr))) << text;
  }
}

TEST(MatrixMarketNumbers, WrittenFormsOfDecimals) {
  for (std::string const text : {"0",
                                 "-0",
                                 "-0.0",
                                 "+1.5",
                                 "1.",
                                 ".5",
                                 "-.5e-3",
                                 "1E5",
                                 "1e+05",
                                 "0001",
                                 "9007199254740993",
                                 "9007199254740992",
                                 "1e22",
                                 "1e23",
                                 "123456789012345678901234567890",
                                 "4.9e-324",
                                 "2.2250738585072011e-308",
                                 "1.7976931348623157e308",
                                 "1e-0005",
                                 "0e99999",
                                 "0.000000000000000000000000000000123"})
    EXPECT_EQ(bits(value_of(text)), bits(std::strtod(text.c_str(), nullptr))) << text;
}

TEST(MatrixMarketNumbers, RangeOfFloatingScalars) {
  MatrixMarketReport report;
  EXPECT_EQ(bits(value_of("-1e-999", "real", {}, &report)), bits(-0.0));
  EXPECT_EQ(report.underflows, 1u);
  EXPECT_EQ(bits(value_of<float>("1e-60", "real", {}, &report)), bits(0.0f));
  EXPECT_EQ(report.underflows, 1u);
  EXPECT_EQ(value_of("4.9e-324", "real", {}, &report), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(report.underflows, 0u);
  for (auto const& text : std::vector<std::string>{"1e309", "-2e308", "1" + std::string(400, '0'), "0.1e310"})
    expect_parse_error(thrown_by([&] { (void)value_of(text); }), 3, {"overflows double"});
  expect_parse_error(thrown_by([&] { (void)value_of<float>("1e39"); }), 3, {"overflows float"});

  MatrixMarketOptions options;
  options.allow_overflow = true;
  EXPECT_EQ(value_of("-1e309", "real", options, &report), -INFINITY);
  EXPECT_EQ(report.nonfinite, 1u);
  EXPECT_EQ(bits(value_of("0.000e999999999999999999999", "real", {}, &report)), bits(0.0));
  EXPECT_EQ(report.underflows, 0u);
}

TEST(MatrixMarketNumbers, NonfiniteByOption) {
  MatrixMarketOptions options;
  options.allow_nonfinite = true;
  MatrixMarketReport report;
  for (std::string const text : {"nan", "NaN", "-NAN"})
    EXPECT_TRUE(std::isnan(value_of(text, "real", options))) << text;
  EXPECT_EQ(value_of("-Inf", "real", options, &report), -INFINITY);
  EXPECT_EQ(value_of("+infinity", "real", options), INFINITY);
  EXPECT_EQ(report.nonfinite, 1u);
  expect_parse_error(thrown_by([&] { (void)value_of("1e999", "real", options); }), 3, {"overflows"});
}

TEST(MatrixMarketScalars, IntegersAcceptWholeNumbersInRange) {
  EXPECT_EQ(value_of<std::int32_t>("-2147483648", "integer"), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(value_of<std::int64_t>("9223372036854775807", "real"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(value_of<std::int32_t>("+2.0"), 2);
  EXPECT_EQ(value_of<std::int32_t>("-1e3"), -1000);
  EXPECT_EQ(value_of<double>("+12", "integer"), 12.0);
  auto const error = [](auto scalar, char const* value, char const* field) {
    return thrown_by([&] { (void)value_of<decltype(scalar)>(value, field); });
  };
  expect_parse_error(error(0, "1.5", "real"), 3, {"'1.5'", "fraction", "int32_t"});
  expect_parse_error(error(0, "1e-400", "real"), 3, {"fraction"});
  expect_parse_error(error(0, "1.0", "integer"), 3, {"'1.0'", "the banner says integer"});
  expect_parse_error(error(0.0, "1.0", "integer"), 3, {"the banner says integer"});
  expect_parse_error(error(0.0, "nan", "integer"), 3, {"the banner says integer"});
  expect_error(error(0, "2147483648", "integer"), Thrown::Kind::overflow, {":3: ", "int32_t", "as int64_t"});
  expect_error(error(0, "1e10", "real"), Thrown::Kind::overflow, {":3: ", "int32_t", "as double"});
  expect_error(error(std::int64_t{}, "9223372036854775808", "integer"), Thrown::Kind::overflow, {"as double"});
}

TEST(MatrixMarketScalars, ComplexFieldsNeedComplexScalars) {
  auto const text = "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 2 -3\n";
  expect_parse_error(error_of(text), 1, {"complex", "double", "std::complex<double>"});
  expect_parse_error(error_of<std::int32_t>(text), 1, {"int32_t", "std::complex<double>"});
  EXPECT_EQ(parse<Complex>(text).values.at(0), Complex(2, -3));
  auto const other = parse<OtherComplex<float>>(text).values.at(0);
  EXPECT_EQ(other.real(), 2.0f);
  EXPECT_EQ(other.imag(), -3.0f);
  EXPECT_EQ(value_of<Complex>("7", "integer"), Complex(7, 0));
  expect_parse_error(error_of<Complex>("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 2\n"), 3,
                     {"imaginary part is missing"});
}

TEST(MatrixMarketScalars, HermitianDiagonalIsReal) {
  auto const text = "%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 2 -3\n";
  expect_parse_error(error_of<Complex>(text), 3, {"(1, 1)", "hermitian", "not real"});
  MatrixMarketOptions options;
  options.allow_contradicting_diagonal = true;
  EXPECT_EQ(parse<Complex>(text, options).values, (std::vector<Complex>{{2, -3}}));
}

}  // namespace
}  // namespace einkorn::test
