// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/battery.hpp"
#include "../support/near.hpp"
#include "../support/throws.hpp"

#include <einkorn/core/epilogue.hpp>
#include <einkorn/formats/any_matrix.hpp>

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

namespace einkorn::test {
namespace {

using Any = AnyMatrix<double, int, int, Device>;

template <class Host>
void expect_products(Any const& A, Host const& host) {
  auto const x = numbers<double>(Numbers::integers, host.cols(), 2);
  auto const before = numbers<double>(Numbers::integers, host.rows(), 3);
  auto const y = to_device(before);

  spmv(Space(), 2.0, A, to_device(x), -1.0, y);

  EXPECT_TRUE(agrees(to_host(y), expected<double>(host, x, 2.0, -1.0), before, true));
}

TEST(AnyMatrix, MultipliesInEveryFormat) {
  for (auto const* const name :
       {"random, seed 1", "diagonal", "rows of 33", "every second row empty", "0 x n", "n x 0"})
    for (auto const& pattern : battery())
      for (auto const format : all_formats) {
        if (pattern.name != name) continue;
        SCOPED_TRACE(pattern.name + ", " + name_of(format));
        auto const host = with_numbers<double>(pattern, Numbers::integers);
        auto const newer = with_numbers<double>(pattern, Numbers::integers, 8);

        auto A = make_any_matrix(Space(), host.on_device(), format, {.fill_limit = 1e9});

        EXPECT_EQ(A.format(), format);
        EXPECT_EQ(A.num_rows(), host.num_rows);
        EXPECT_EQ(A.num_cols(), host.num_cols);
        expect_products(A, host);
        Any const copy = A;
        update_values(Space(), A, newer.on_device());
        expect_products(A, newer);
        if (format != FormatName::csr) expect_products(copy, newer);
        auto const back = to_csr(Space(), A);
        EXPECT_EQ(back.num_rows, host.num_rows);
        auto const y = to_device(std::vector<double>(host.rows()));
        auto const x = numbers<double>(Numbers::integers, host.cols(), 2);
        spmv(Space(), 1.0, back, to_device(x), 0.0, y);
        EXPECT_TRUE(
            agrees(to_host(y), expected<double>(newer, x, 1.0, 0.0), std::vector<double>(host.rows()), true));
      }
}

TEST(AnyMatrix, FusedApplyIsStatedAsItIsImplemented) {
  auto const host = with_numbers<double>(random_pattern(5, 5, 3), Numbers::integers);
  auto const vector = to_device(std::vector<double>(5));
  for (auto const format : all_formats) {
    auto const A = make_any_matrix(Space(), host.on_device(), format, {.fill_limit = 1e9});
    auto const is_implemented = [&](auto const& plan) {
      return requires { spmv_fused(Space(), plan, Epilogue<double>{1, 0}, vector, vector); };
    };
    EXPECT_EQ(std::visit(is_implemented, A.plan()), BuiltInFormats::has_fused_apply(format)) << name_of(format);
  }
}

TEST(AnyMatrix, CompressedIndices) {
  auto const host = with_numbers<double>(random_pattern(500, 300, 3), Numbers::integers);
  for (auto const format : {FormatName::csr5, FormatName::sell, FormatName::csr, FormatName::ell}) {
    auto const A = make_any_matrix(Space(), host.on_device(), format, {.indices = Indices::compressed});
    expect_products(A, host);
    if (auto const* const csr5 = std::get_if<SpmvPlan<Csr5<double, int, int, Device>, double>>(&A.plan())) {
      EXPECT_TRUE(csr5->matrix().compressed.any());
    }
    if (auto const* const sell = std::get_if<SpmvPlan<Sell<double, int, int, Device>, double>>(&A.plan())) {
      EXPECT_TRUE(sell->matrix().compressed.any());
    }
  }
}

TEST(AnyMatrix, ThrowsAsItsFormat) {
  auto const host = with_numbers<double>(random_pattern(50, 50, 3), Numbers::integers);
  EXPECT_TRUE(
      throws<FillLimit>([&] { (void)make_any_matrix(Space(), host.on_device(), FormatName::dia); }, {"DIA"}));
  auto const other = with_numbers<double>(random_pattern(50, 50, 4), Numbers::integers);
  for (auto const format : all_formats) {
    auto A = make_any_matrix(Space(), host.on_device(), format, {.fill_limit = 1e9});
    EXPECT_TRUE(throws<StalePlan>([&] { update_values(Space(), A, other.on_device()); }, {}))
        << name_of(format);
    expect_products(A, host);
    Kokkos::View<double*, Device> const x("x", 49), y("y", 50);
    EXPECT_TRUE(throws<DimensionMismatch>([&] { spmv(Space(), 1.0, A, x, 0.0, y); }, {"49"}))
        << name_of(format);
  }
}

TEST(AnyMatrix, DefaultConstructedIsEmpty) {
  Any A;
  Kokkos::View<double*, Device> const none("none", 0), some("some", 3);
  EXPECT_EQ(A.num_rows(), 0);
  EXPECT_EQ(A.nnz(), 0);
  spmv(Space(), 1.0, A, none, 0.0, none);
  EXPECT_TRUE(throws<DimensionMismatch>([&] { spmv(Space(), 1.0, A, some, 0.0, none); }, {"3"}));
  EXPECT_EQ(to_csr(Space(), A).num_rows, 0);
  auto const host = with_numbers<double>(random_pattern(5, 5, 3), Numbers::integers);
  EXPECT_TRUE(throws<StalePlan>([&] { update_values(Space(), A, host.on_device()); }, {"0 x 0"}));
}

TEST(FormatName, ConvertsToItsNameAndBack) {
  for (auto const format : all_formats) EXPECT_EQ(format_of(name_of(format)), format);
  EXPECT_FALSE(format_of("CSR").has_value());
  EXPECT_FALSE(format_of("").has_value());
}

}  // namespace
}  // namespace einkorn::test
