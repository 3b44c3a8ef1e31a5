// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// Helpers of format_contract.hpp.

#include "battery.hpp"
#include "near.hpp"
#include "vectors.hpp"

#include <einkorn/core/arch.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::test {

/// A with sorted rows, summed duplicates and without stored zeros: what a format without one index per entry
/// can return.
template <class Host>
Host sorted_without_zeros(Host const& A) {
  using S = typename Host::Scalar;
  Host B{A.num_rows, A.num_cols, {typename Host::Offset(0)}, {}, {}};
  for (std::size_t i = 0; i < A.rows(); ++i) {
    std::map<typename Host::Ordinal, S> row;
    for (auto k = A.begin(i); k < A.end(i); ++k) {
      auto const [at, is_new] = row.try_emplace(A.columns[k], A.values[k]);
      if (!is_new) at->second += A.values[k];
    }
    for (auto const& [column, value] : row)
      if (value != S(0)) {
        B.columns.push_back(column);
        B.values.push_back(value);
      }
    B.offsets.push_back(static_cast<typename Host::Offset>(B.values.size()));
  }
  return B;
}

namespace contract {

/// Slots; larger padded matrices are skipped.
#ifdef EINKORN_TEST_FEW_TYPES
inline constexpr double max_stored = 1e6;
#else
inline constexpr double max_stored = is_gpu<Space> ? 2e7 : 4e6;
#endif

template <class Options>
Options without_fill_limit(Options options) {
  if constexpr (requires { options.fill_limit; }) options.fill_limit = 1e30;
  return options;
}

/// Calls body(host, make, kind) for the battery in every variant within max_stored; make() returns the format.
template <class Subject, class Body>
void for_each_in_battery(std::vector<Numbers> const& kinds, Body const& body) {
  for (auto const& pattern : battery())
    for (auto const kind : kinds) {
      auto const host = with_numbers_of<typename Subject::Config>(pattern, kind);
      auto const A = host.on_device();
      for (auto const& [name, options] : Subject::variants()) {
        if (Subject::stored(host, options) > max_stored) continue;
        SCOPED_TRACE(pattern.name + (kind == Numbers::integers ? ", integers, " : ", reals, ") + name);
        body(host, [&, options = without_fill_limit(options)] { return Subject::make(A, options); }, kind);
      }
    }
}

/// Compares y <- alpha F x + beta y, with and without a plan, with the row sums of `host`. scalings: (alpha, beta).
template <class Format, class Host, class S = typename Host::Scalar>
void expect_products(Format const& F, Host const& host, Numbers kind,
                     std::vector<std::pair<S, S>> const& scalings = {
                         {S(1), S(0)}, {S(-2.5), S(0.5)}, {S(0), S(2)}}) {
  auto const x = numbers<S>(kind, host.cols(), 2);
  auto const device_x = to_device(x);
  auto const plan = make_spmv_plan(Space(), F);
  Expected<S> expected{row_sums<S>(host, x), S(0), S(0)};
  for (auto const& [alpha, beta] : scalings) {
    auto const before =
        beta == S(0) ? std::vector<S>(host.rows(), not_a_number<S>()) : numbers<S>(kind, host.rows(), 3);
    auto const y = to_device(before), planned_y = to_device(before);

    spmv(Space(), alpha, F, device_x, beta, y);
    spmv(Space(), plan, alpha, device_x, beta, planned_y);

    expected.alpha = alpha;
    expected.beta = beta;
    EXPECT_TRUE(agrees(to_host(y), expected, before, kind == Numbers::integers))
        << "no plan, alpha " << alpha << ", beta " << beta;
    EXPECT_TRUE(agrees(to_host(planned_y), expected, before, kind == Numbers::integers))
        << "plan, alpha " << alpha << ", beta " << beta;
  }
}

template <class Subject>
auto of(HostMatrixOf<typename Subject::Config> const& host) {
  return Subject::make(host.on_device(), without_fill_limit(Subject::variants()[0].second));
}

template <class Host>
testing::AssertionResult same_matrix(Host const& got, Host const& want) {
  if (got.num_rows != want.num_rows || got.num_cols != want.num_cols)
    return testing::AssertionFailure() << got.num_rows << " x " << got.num_cols;
  if (got.offsets != want.offsets) return testing::AssertionFailure() << "row_offsets differ";
  if (got.columns != want.columns) return testing::AssertionFailure() << "columns differ";
  if (got.values != want.values) return testing::AssertionFailure() << "values differ";
  return testing::AssertionSuccess();
}

}  // namespace contract

}  // namespace einkorn::test
