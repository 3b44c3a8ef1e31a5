// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Products of SELL and ELL with multivectors of any width: sorted and padded rows, compressed columns.

#include "../support/battery.hpp"
#include "../support/multivectors.hpp"

#include <einkorn/formats/ell/from_csr.hpp>
#include <einkorn/formats/ell/spmv.hpp>
#include <einkorn/formats/sell/from_csr.hpp>
#include <einkorn/formats/sell/spmv.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

constexpr double any_fill = std::numeric_limits<double>::infinity();

std::vector<Pattern> patterns() {
  std::vector<Pattern> some;
  for (auto const& pattern : battery())
    for (char const* name : {"1 x n", "n x 1", "rows of 31, 32, 33, 63, 64, 65 in turn", "all rows empty",
                             "half of the rows empty, at random", "leading and trailing empty rows",
                             "random, seed 1", "positions that repeat"})
      if (pattern.name == name) some.push_back(pattern);
  return some;
}

/// check_of(host)(multiply) for every pattern, as ELL and as several variants of SELL.
template <class S, class VS, class CheckOf>
void for_each_variant(CheckOf const& check_of, Numbers kind = Numbers::integers) {
  for (auto const& pattern : patterns()) {
    auto const host = with_numbers<S>(pattern, kind);
    auto const A = host.on_device();
    auto const check = check_of(host);
    auto const as = [&](std::string const& name, auto const& F) {
      SCOPED_TRACE(pattern.name + ", " + name);
      check([&](auto alpha, auto const& X, auto beta, auto const& Y) { spmv(Space(), alpha, F, X, beta, Y); });
    };
    as("ELL", from_csr<Ell>(Space(), A, {.fill_limit = any_fill}));
    as("SELL", from_csr<Sell>(Space(), A, {.fill_limit = any_fill}));
    as("SELL of slices of 3", from_csr<Sell>(Space(), A, {.slice_rows = 3, .fill_limit = any_fill}));
    as("SELL with codes", from_csr<Sell>(Space(), A, {.fill_limit = any_fill, .indices = Indices::compressed}));
  }
}

TEST(SellSpmm, Double) {
  for_each_variant<double, double>([](auto const& host) { return check_every_width<double>(host, 129); });
}
#ifndef EINKORN_TEST_FEW_TYPES  // see TestTypes
TEST(SellSpmm, FloatMatrixWithDoubleVectors) {
  for_each_variant<float, double>([](auto const& host) { return check_every_width<double>(host, 33); });
}
#endif

TEST(SellSpmm, WithinRoundingErrorBound) {
  for_each_variant<double, double>([](auto const& host) { return check_rounding<double>(host); },
                                   Numbers::reals);
}

TEST(SellSpmm, NaNAffectsOnlyRowsThatUseIt) {
  for_each_variant<double, double>([](auto const& host) { return check_nan<double>(host); });
}

TEST(SellSpmm, IsRepeatable) {
  for_each_variant<double, double>([](auto const& host) { return check_repeatability<double>(host); },
                                   Numbers::reals);
}

}  // namespace
}  // namespace einkorn::test
