// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Options of an enumeration type reject values without an enumerator.

#include "../support/throws.hpp"
#include "../support/types.hpp"

#include <einkorn/core/io/matrix_market.hpp>
#include <einkorn/formats/any_matrix.hpp>
#include <einkorn/formats/csr/expand_symmetric.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/generate/stencil.hpp>
#include <einkorn/formats/interop/upload.hpp>
#include <einkorn/formats/spgemm/spgemm.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/scaled_system.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>

namespace einkorn::test {
namespace {

/// Calls with the values next to the range of an enumeration of `count` enumerators; the error names the
/// option.
template <class Enum, class Call>
void expect_refused(int count, std::string const& option, Call const& call) {
  for (int const value : {count, 99, -1, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()})
    EXPECT_TRUE(
        throws<InvalidArgument>([&] { (void)call(static_cast<Enum>(value)); },
                                {option + " is " + std::to_string(value), "0 to " + std::to_string(count - 1)}))
        << option << ' ' << value;
}

class Enumerators : public testing::Test {
 protected:
  Csr<double, int, int, Device> A{1, 1, offsets(), Kokkos::View<int*, Device>("columns", 1),
                                  Kokkos::View<double*, Device>("values", 1)};
  Kokkos::View<double*, Device> x{"x", 1}, y{"y", 1};

  static Kokkos::View<int*, Device> offsets() {
    Kokkos::View<int*, Device> const offsets("offsets", 2);
    Kokkos::deep_copy(Kokkos::subview(offsets, 1), 1);
    return offsets;
  }
};

TEST_F(Enumerators, Spmv) {
  expect_refused<SpmvAlgorithm>(8, "algorithm",
                                [&](auto value) { spmv(Space(), 1, A, x, 0, y, {.algorithm = value}); });
  expect_refused<SpmvAlgorithm>(8, "algorithm",
                                [&](auto value) { return make_spmv_plan(Space(), A, {.algorithm = value}); });
  expect_refused<Op>(4, "op", [&](auto value) { spmv(Space(), 1, A, x, 0, y, {.op = value}); });
  expect_refused<Op>(4, "op", [&](auto value) { return make_spmv_plan(Space(), A, {.op = value}); });
  expect_refused<Checks>(2, "checks", [&](auto value) { return make_spmv_plan(Space(), A, {}, value); });
}

TEST_F(Enumerators, Spgemm) {
  auto const product = [&](SpgemmOptions const& options) { return spgemm_symbolic(Space(), A, A, options); };
  expect_refused<SpgemmAlgorithm>(3, "algorithm", [&](auto value) { return product({.algorithm = value}); });
  expect_refused<SpgemmRows>(2, "rows", [&](auto value) { return product({.rows = value}); });
  expect_refused<SpgemmSums>(2, "sums", [&](auto value) { return product({.sums = value}); });
  expect_refused<SpgemmRowClasses>(2, "row_classes",
                                   [&](auto value) { return product({.row_classes = value}); });
  expect_refused<Checks>(2, "checks", [&](auto value) { return product({.checks = value}); });
}

TEST_F(Enumerators, Formats) {
  int const first_absent = static_cast<int>(all_formats.size());  // a build without a GPU has no column blocks
  for (int const value :
       {first_absent, 99, -1, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()})
    EXPECT_TRUE(throws<InvalidArgument>([&] { (void)make_any_matrix(Space(), A, FormatName(value)); },
                                        {"format is " + std::to_string(value), "one of csr, csr5, coo"}));
  EXPECT_STREQ(name_of(FormatName(99)), "unknown");
  for (auto const format : all_formats) {
    SCOPED_TRACE(name_of(format));
    expect_refused<Checks>(2, "checks",
                           [&](auto value) { return make_any_matrix(Space(), A, format, {.checks = value}); });
    if (format == FormatName::csr) continue;  // its values are the plan's matrix, compared always
    auto F = make_any_matrix(Space(), A, format, {.fill_limit = 10});
    expect_refused<Checks>(2, "checks", [&](auto value) { update_values(Space(), F, A, value); });
  }
  for (auto const format : {FormatName::csr5, FormatName::sell})
    expect_refused<Indices>(
        2, "indices", [&](auto value) { return make_any_matrix(Space(), A, format, {.indices = value}); });
  expect_refused<StencilShape>(
      2, "shape", [&](auto value) { return Stencil(2, 2, 1, value, 1, SymmetricValues(1, false)); });
}

TEST_F(Enumerators, MatrixOperations) {
  UploadOptions options;
  expect_refused<Checks>(2, "checks", [&](auto value) {
    options.checks = value;
    detail::check_upload_options(options);
  });
  expect_refused<Checks>(2, "checks",
                         [&](auto value) { return expand_symmetric(Space(), A, {.checks = value}); });
  expect_refused<ScaledSides>(2, "sides", [&](auto value) {
    return make_jacobi_scaled(Space(), A, value, [](auto const& scaled) { return scaled; });
  });
}

TEST_F(Enumerators, Solvers) {
  auto const check = [](auto member, auto value) {
    SolverOptions options;
    options.*member = value;
    detail::check_options(options);
  };
  expect_refused<RelativeTo>(2, "relative_to", [&](auto value) { check(&SolverOptions::relative_to, value); });
  expect_refused<Recurrence>(2, "recurrence", [&](auto value) { check(&SolverOptions::recurrence, value); });
  expect_refused<Execution>(4, "execution", [&](auto value) { check(&SolverOptions::execution, value); });
}

TEST_F(Enumerators, MatrixMarketFiles) {
  std::string const text = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n";
  auto const parse = [&](MatrixMarketOptions const& options) {
    return parse_matrix_market<double, int>(text, "a text", options);
  };
  auto const matrix = parse({});
  auto const write = [&](auto member, auto value) {
    MatrixMarketWriteOptions options;
    options.*member = value;
    write_matrix_market("not_written.mtx", matrix, options);
  };
  using Write = MatrixMarketWriteOptions;
  expect_refused<DuplicatePolicy>(3, "duplicates", [&](auto value) {
    MatrixMarketOptions options;
    options.duplicates = value;
    return parse(options);
  });
  expect_refused<TrianglePolicy>(3, "triangle", [&](auto value) {
    MatrixMarketOptions options;
    options.triangle = value;
    return parse(options);
  });
  expect_refused<MatrixMarketSymmetry>(4, "symmetry", [&](auto value) { write(&Write::symmetry, value); });
  expect_refused<MatrixMarketField>(4, "field", [&](auto value) { write(&Write::field, value); });
}

}  // namespace
}  // namespace einkorn::test
