// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors

// The writer: what it writes is read back bit for bit, and what it cannot write it refuses before touching the
// file.

#include "matrix_market_support.hpp"

#include <einkorn/core/io/matrix_market.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace einkorn::test {
namespace {

using Symmetry = MatrixMarketSymmetry;
using Field = MatrixMarketField;
using Kind = Thrown::Kind;

/// Values that are hard to print: the ends of the range, thirds, subnormals, both zeros.
template <class Scalar>
std::vector<Scalar> hard_values() {
  using Limits = std::numeric_limits<Scalar>;
  if constexpr (std::is_integral_v<Scalar>) {
    return {Limits::max(), Limits::min() + 1, 0, -1, 1000000007, 5};
  } else if constexpr (std::is_floating_point_v<Scalar>) {
    return {Limits::max(), -Limits::min(),     Limits::denorm_min(), Scalar(1) / 3, Scalar(-0.1),
            Scalar(0),     -Limits::epsilon(), Scalar(-0.0),         Scalar(1e22),  Scalar(16777217)};
  } else {
    auto const parts = hard_values<typename Scalar::value_type>();
    std::vector<Scalar> values;
    for (std::size_t k = 0; k < parts.size(); ++k)
      values.emplace_back(parts[k], parts[(k * 3 + 1) % parts.size()]);
    return values;
  }
}

/// Lower-triangle entries with hard values, the diagonal in accord with the symmetry, then their mirror images.
template <class Scalar, class Ordinal>
Triplets<Scalar, Ordinal> hard_matrix(Symmetry symmetry) {
  Triplets<Scalar, Ordinal> A;
  A.num_rows = A.num_cols = 40;
  auto const values = hard_values<Scalar>();
  for (std::size_t k = 0; k < 60; ++k) {
    auto const column = static_cast<Ordinal>(k % 20), row = static_cast<Ordinal>(column + Ordinal(k / 20) * 7);
    auto value = values[k % values.size()];
    if (row == column && symmetry == Symmetry::skew_symmetric) value = Scalar(0);
    if (row == column && symmetry == Symmetry::hermitian) value = Scalar(std::real(value));
    A.rows.push_back(row);
    A.columns.push_back(column);
    A.values.push_back(value);
  }
  for (std::size_t k = 0; k < 60 && symmetry != Symmetry::general; ++k) {
    if (A.rows[k] == A.columns[k]) continue;
    A.rows.push_back(A.columns[k]);
    A.columns.push_back(A.rows[k]);
    auto const value = A.values[k];
    A.values.push_back(symmetry == Symmetry::skew_symmetric ? -value
                       : symmetry == Symmetry::hermitian    ? detail::conjugate_on_host(value)
                                                            : value);
  }
  return A;
}

template <class Pair>
class MatrixMarketRoundTrip : public testing::Test {};

template <class S, class O>
struct Types {
  using Scalar = S;
  using Ordinal = O;
};
using AllTypes =
    testing::Types<Types<float, std::int32_t>, Types<double, std::int64_t>, Types<std::int32_t, std::int32_t>,
                   Types<std::int64_t, std::int64_t>, Types<std::complex<float>, std::int64_t>,
                   Types<std::complex<double>, std::int32_t>>;
TYPED_TEST_SUITE(MatrixMarketRoundTrip, AllTypes);

TYPED_TEST(MatrixMarketRoundTrip, KeepsEveryBit) {
  using Scalar = typename TypeParam::Scalar;
  using Ordinal = typename TypeParam::Ordinal;
  for (auto const symmetry :
       {Symmetry::general, Symmetry::symmetric, Symmetry::skew_symmetric, Symmetry::hermitian}) {
    if (symmetry == Symmetry::hermitian && !detail::ComplexScalar<Scalar>) continue;
    for (std::string const name : {"a.mtx", "a.mtx.gz"}) {
      SCOPED_TRACE(std::string(to_string(symmetry)) + " " + name);
      TemporaryPath const file(name);
      auto const A = hard_matrix<Scalar, Ordinal>(symmetry);
      MatrixMarketWriteOptions options;
      options.symmetry = symmetry;

      write_matrix_market(file.path(), A, options);

      MatrixMarketReport report;
      expect_same_bits(read_matrix_market<Scalar, Ordinal>(file.path(), {}, &report), A);
      EXPECT_EQ(report.gzip, file.path().extension() == ".gz");
      EXPECT_EQ(report.header.symmetry, symmetry);
      EXPECT_EQ(report.header.num_entries, 60);
    }
  }
}

TYPED_TEST(MatrixMarketRoundTrip, KeepsEveryBitOfAnArray) {
  using Scalar = typename TypeParam::Scalar;
  using Ordinal = typename TypeParam::Ordinal;
  auto const values = hard_values<Scalar>();
  std::size_t const num_cols = 2, num_rows = values.size() / num_cols;
  for (std::string const name : {"a.mtx", "a.mtx.gz"}) {
    SCOPED_TRACE(name);
    TemporaryPath const file(name);
    Triplets<Scalar, Ordinal> expected{
        static_cast<Ordinal>(num_rows), static_cast<Ordinal>(num_cols), {}, {}, values};
    for (std::size_t k = 0; k < values.size(); ++k) {
      expected.rows.push_back(static_cast<Ordinal>(k % num_rows));
      expected.columns.push_back(static_cast<Ordinal>(k / num_rows));
    }

    write_matrix_market_array(file.path(), std::span<Scalar const>(values), num_cols);

    MatrixMarketReport report;
    expect_same_bits(read_matrix_market<Scalar, Ordinal>(file.path(), {}, &report), expected);
    EXPECT_EQ(report.header.format, MatrixMarketFormat::array);
    EXPECT_EQ(report.gzip, file.path().extension() == ".gz");
  }
}

TYPED_TEST(MatrixMarketRoundTrip, KeepsASingleTriangle) {
  using Scalar = typename TypeParam::Scalar;
  using Ordinal = typename TypeParam::Ordinal;
  TemporaryPath const first("a.mtx"), second("b.mtx");
  MatrixMarketWriteOptions options;
  options.symmetry = Symmetry::symmetric;
  write_matrix_market(first.path(), hard_matrix<Scalar, Ordinal>(Symmetry::symmetric), options);
  MatrixMarketOptions stored;
  stored.expand_symmetry = false;
  auto const triangle = read_matrix_market<Scalar, Ordinal>(first.path(), stored);
  EXPECT_EQ(triangle.size(), 60u);

  options.symmetry_expanded = false;
  write_matrix_market(second.path(), triangle, options);

  EXPECT_EQ(read_bytes(second.path()), read_bytes(first.path()));
}

Triplets<double, std::int32_t> const two{2, 2, {0, 1, 0}, {0, 0, 1}, {1.5, 2, 2}};

Thrown error_of(Triplets<double, std::int32_t> const& A, MatrixMarketWriteOptions const& options = {}) {
  TemporaryPath const file("untouched.mtx");
  auto const got = thrown_by([&] { write_matrix_market(file.path(), A, options); });
  EXPECT_FALSE(std::filesystem::exists(file.path())) << "the file was touched";
  return got;
}

TEST(MatrixMarketWriter, CoordinateText) {
  TemporaryPath const file("a.mtx");
  MatrixMarketWriteOptions options;
  options.symmetry = Symmetry::symmetric;
  options.comment = "two\nlines";
  write_matrix_market(file.path(), two, options);
  EXPECT_EQ(read_bytes(file.path()),
            "%%MatrixMarket matrix coordinate real symmetric\n% two\n% lines\n2 2 2\n1 1 1.5\n2 1 2\n");

  options = {};
  options.field = Field::pattern;
  write_matrix_market(file.path(), two, options);
  EXPECT_EQ(read_bytes(file.path()),
            "%%MatrixMarket matrix coordinate pattern general\n2 2 3\n1 1\n2 1\n1 2\n");

  options.field = Field::complex;
  write_matrix_market(file.path(), two, options);
  EXPECT_EQ(read_bytes(file.path()),
            "%%MatrixMarket matrix coordinate complex general\n2 2 3\n1 1 1.5 0\n2 1 2 0\n1 2 2 0\n");
}

TEST(MatrixMarketWriter, LargestIndicesAndEmptyMatrices) {
  TemporaryPath const file("a.mtx");
  auto const most = std::numeric_limits<std::int64_t>::max();
  Triplets<OtherComplex<double>, std::int64_t> A{most, most, {most - 1}, {most - 1}, {{1, 2}}};
  write_matrix_market(file.path(), A);
  expect_same_bits(read_matrix_market<OtherComplex<double>, std::int64_t>(file.path()), A);

  A = {0, 7, {}, {}, {}};
  write_matrix_market(file.path(), A);
  expect_same_bits(read_matrix_market<OtherComplex<double>, std::int64_t>(file.path()), A);
}

TEST(MatrixMarketWriter, RejectsInvalidTriplets) {
  expect_error(error_of({2, 2, {0}, {0, 1}, {1}}), Kind::structure, {"1 rows, 2 columns, 1 values"});
  expect_error(error_of({2, -2, {}, {}, {}}), Kind::structure, {"2 x -2"});
  expect_error(error_of({2, 2, {2}, {0}, {1}}), Kind::structure, {"entry 0", "(3, 1)", "2 x 2"});
  expect_error(error_of({2, 2, {0}, {-1}, {1}}), Kind::structure, {"(1, 0)"});
}

TEST(MatrixMarketWriter, RejectsAWrongSymmetry) {
  MatrixMarketWriteOptions options;
  options.symmetry = Symmetry::symmetric;
  expect_error(error_of({2, 3, {}, {}, {}}, options), Kind::argument, {"2 x 3", "not square"});
  expect_error(error_of({2, 2, {1}, {0}, {1}}, options), Kind::argument, {"(2, 1)", "no mirror image"});
  expect_error(error_of({3, 3, {1, 0, 0}, {0, 1, 2}, {1, 1, 1}}, options), Kind::argument,
               {"(1, 3)", "no mirror"});
  expect_error(error_of({3, 3, {2, 0}, {0, 1}, {1, 1}}, options), Kind::argument, {"no mirror image"});
  expect_error(error_of({2, 2, {1, 0}, {0, 1}, {1, 2}}, options), Kind::argument, {"(1, 2)", "differs"});
  options.symmetry_expanded = false;
  expect_error(error_of(two, options), Kind::argument, {"(1, 2)", "above the diagonal"});
  options.symmetry_expanded = true;
  options.symmetry = Symmetry::skew_symmetric;
  expect_error(error_of(two, options), Kind::argument, {"(1, 1)", "not zero on the diagonal"});
  expect_error(error_of({2, 2, {1, 0}, {0, 1}, {1, 1}}, options), Kind::argument,
               {"differs", "skew-symmetric"});
  options.symmetry = Symmetry::hermitian;
  expect_error(error_of(two, options), Kind::argument, {"hermitian", "field real"});
  options.field = Field::complex;
  TemporaryPath const file("a.mtx");
  write_matrix_market(file.path(), two, options);
  Triplets<std::complex<double>, std::int32_t> const H{1, 1, {0}, {0}, {{1, 2}}};
  expect_error(thrown_by([&] { write_matrix_market(file.path(), H, options); }), Kind::argument,
               {"is not real"});
}

TEST(MatrixMarketWriter, RejectsFieldsThatLoseInformation) {
  MatrixMarketWriteOptions options;
  options.field = Field::integer;
  expect_error(error_of(two, options), Kind::argument, {"field integer", "double"});
  options.field = Field::real;
  Triplets<std::complex<double>, std::int32_t> const C{1, 1, {0}, {0}, {{1, 2}}};
  TemporaryPath const file("a.mtx");
  expect_error(thrown_by([&] { write_matrix_market(file.path(), C, options); }), Kind::argument,
               {"field real", "std::complex<double>"});
  options.field = Field::pattern;
  options.symmetry = Symmetry::skew_symmetric;
  expect_error(error_of({1, 1, {}, {}, {}}, options), Kind::argument, {"field pattern"});
  options = {};
  options.comment = std::string("a\0b", 3);
  expect_error(error_of(two, options), Kind::argument, {"NUL"});
}

TEST(MatrixMarketWriter, NonfiniteByOption) {
  Triplets<double, std::int32_t> const A{1, 3, {0, 0, 0}, {0, 1, 2}, {NAN, INFINITY, -INFINITY}};
  expect_error(error_of(A), Kind::argument, {"entry 0", "not finite", "allow_nonfinite"});
  TemporaryPath const file("a.mtx");
  MatrixMarketWriteOptions options;
  options.allow_nonfinite = true;

  write_matrix_market(file.path(), A, options);

  MatrixMarketOptions lenient;
  lenient.allow_nonfinite = true;
  auto const B = read_matrix_market<double, std::int32_t>(file.path(), lenient);
  EXPECT_TRUE(std::isnan(B.values.at(0)));
  EXPECT_EQ(B.values.at(1), INFINITY);
  EXPECT_EQ(B.values.at(2), -INFINITY);
}

TEST(MatrixMarketWriter, ArrayText) {
  TemporaryPath const file("x.mtx");
  std::vector<double> const values{1, 0.1, -2};
  MatrixMarketWriteOptions options;
  options.comment = "x";

  write_matrix_market_array(file.path(), std::span<double const>(values), 1, options);

  EXPECT_EQ(read_bytes(file.path()), "%%MatrixMarket matrix array real general\n% x\n3 1\n1\n0.1\n-2\n");
}

TEST(MatrixMarketWriter, RejectsInvalidArrays) {
  std::vector<double> const values{1, std::nan(""), 3};
  auto const error_with = [&](std::size_t num_cols, MatrixMarketWriteOptions const& options) {
    TemporaryPath const file("untouched.mtx");
    auto const got = thrown_by(
        [&] { write_matrix_market_array(file.path(), std::span<double const>(values), num_cols, options); });
    EXPECT_FALSE(std::filesystem::exists(file.path())) << "the file was touched";
    EXPECT_EQ(got.kind, Kind::argument);
    return got.message;
  };
  MatrixMarketWriteOptions finite_or_not, symmetric, pattern, narrow;
  finite_or_not.allow_nonfinite = true;
  symmetric.symmetry = Symmetry::symmetric;
  pattern.field = Field::pattern;
  narrow.field = Field::integer;

  EXPECT_NE(error_with(1, {}).find("value 1 is not finite"), std::string::npos);
  EXPECT_NE(error_with(2, finite_or_not).find("3 values cannot be divided into 2 columns"), std::string::npos);
  EXPECT_NE(error_with(0, finite_or_not).find("0 columns"), std::string::npos);
  EXPECT_NE(error_with(1, symmetric).find("general"), std::string::npos);
  EXPECT_NE(error_with(1, pattern).find("general"), std::string::npos);
  EXPECT_NE(error_with(1, narrow).find("cannot represent"), std::string::npos);
}

}  // namespace
}  // namespace einkorn::test
