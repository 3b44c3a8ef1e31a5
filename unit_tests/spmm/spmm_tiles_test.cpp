// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The GPU kernels for multivectors, called directly, on hosts too: long and short rows, teams that search few
// and many rows.

#include "../support/battery.hpp"
#include "../support/multivectors.hpp"

#include <einkorn/formats/sell/from_csr.hpp>
#include <einkorn/formats/spmm/detail/column_tile.hpp>
#include <einkorn/formats/spmm/detail/row_tile.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace einkorn::test {
namespace {

using namespace einkorn::detail;

constexpr LongRowsTuning tuning = long_rows(arch_of<Space>);

/// Short and empty rows, and some around the bounds of long_rows().
Pattern pattern() {
  std::vector<std::int64_t> lengths;
  for (int i = 0; i < 700; ++i) lengths.push_back(i % 6);
  lengths[0] = 5000;
  for (std::size_t const d : {0u, 1u, 2u}) {
    lengths[3 + d] = tuning.bound + 1 - static_cast<int>(d);
    lengths[100 + 9 * d] = tuning.max_warp_row - 1 + static_cast<int>(d);
    lengths[697 + d] = 3 * tuning.bound + 7 * static_cast<int>(d);
  }
  return from_lengths("", lengths, 5000);
}

template <class Rows>
auto multiply_by(Rows const& rows) {
  return [rows](double alpha, auto const& X, double beta, auto const& Y) {
    spmm_row_tile<false>(Space(), "einkorn::test", Epilogue<double>{alpha, beta}, rows, X, Y);
  };
}

/// check(host, multiply) for the matrix in CSR and in SELL, whose slices have rows of very different lengths.
template <class Check>
void both_ways(Numbers kind, Check const& check) {
  auto const host = with_numbers<double>(pattern(), kind);
  auto const A = host.on_device();
  {
    SCOPED_TRACE("CSR");
    check(host, multiply_by(StridedCsrRows<std::decay_t<decltype(A)>>{A}));
  }
  SCOPED_TRACE("SELL");
  auto const F = from_csr<Sell>(Space(), A, {.fill_limit = std::numeric_limits<double>::infinity()});
  check(host, multiply_by(StridedPaddedRows<std::decay_t<decltype(F)>>{F}));
}

TEST(SpmmTiles, OfAnyWidthAndAlignment) {
  both_ways(Numbers::integers, [](auto const& host, auto const& multiply) {
    Multivectors<double, std::decay_t<decltype(host)>> const vectors(host, Numbers::integers, false, 130);
    for (std::size_t const k : {4u, 5u, 7u, 8u, 10u, 16u, 17u, 31u, 32u, 36u, 64u, 65u, 128u, 130u}) {
      vectors.template expect<Kokkos::LayoutRight, Kokkos::LayoutRight>(k, multiply);
      vectors.expect_parts(k, multiply);
    }
  });
}

TEST(SpmmTiles, KeepsNaNInTheRowsThatUseIt) {
  both_ways(Numbers::integers, [](auto const& host, auto const& multiply) {
    Multivectors<double, std::decay_t<decltype(host)>> const vectors(host, Numbers::integers, false, 66);
    for (std::size_t const k : {4u, 9u, 18u, 66u})
      for (std::size_t const row : {std::size_t(0), host.cols() - 1})
        vectors.expect_nan_isolated(host, row, k, multiply);
  });
}

TEST(SpmmTiles, IsWithinTheRoundingErrorBoundAndDeterministic) {
  both_ways(Numbers::reals, [](auto const& host, auto const& multiply) {
    Multivectors<double, std::decay_t<decltype(host)>> const vectors(host, Numbers::reals, false, 33);
    for (std::size_t const k : {5u, 17u, 33u})
      vectors.template expect<Kokkos::LayoutRight, Kokkos::LayoutRight>(k, multiply);
    expect_repeatability<double, Kokkos::LayoutRight>(host, multiply);
  });
}

/// Limits below all row lengths, and few teams.
constexpr LongRowsTuning many_long = [] {
  LongRowsTuning few = long_rows(arch_of<Space>);
  few.bound = 2;
  few.mean_factor = 0;
  few.max_warp_row = 10;
  few.warp_bytes = 32;
  few.team_bytes = 16;
  few.min_teams = 3;
  return few;
}();
constexpr RowTile eight_columns = einkorn::row_tile(arch_of<Space>, 8, 1, EntryOrder::by_row);

TEST(SpmmTiles, WithFewTeamsForManyLongRows) {
  auto const host = with_numbers<double>(random_pattern(3000, 400, 5), Numbers::integers);
  auto const A = host.on_device();
  Multivectors<double, std::decay_t<decltype(host)>> const vectors(host, Numbers::integers, false, 15);
  auto const multiply = [&](double alpha, auto const& X, double beta, auto const& Y) {
    launch_row_tile<eight_columns, many_long, false>(Space(), "einkorn::test", Epilogue<double>{alpha, beta},
                                                     StridedCsrRows<std::decay_t<decltype(A)>>{A}, X, Y,
                                                     std::numeric_limits<int>::max());
  };
  for (std::size_t const k : {8u, 9u, 15u}) vectors.expect_parts(k, multiply);
}

/// Calls check(host, multiply) for the kernel of any strides (CSR only).
template <class Check>
void by_columns(Numbers kind, Check const& check) {
  auto const host = with_numbers<double>(pattern(), kind);
  auto const A = host.on_device();
  StridedCsrRows<std::decay_t<decltype(A)>> const rows{A};
  check(host, [&](double alpha, auto const& X, double beta, auto const& Y) {
    spmm_column_tile<false>(Space(), "einkorn::test", Epilogue<double>{alpha, beta}, rows, X, Y);
  });
}

TEST(SpmmColumnTile, OfAnyWidthAndLayout) {
  by_columns(Numbers::integers, [](auto const& host, auto const& multiply) {
    Multivectors<double, std::decay_t<decltype(host)>> const vectors(host, Numbers::integers, false, 33);
    expect_products_of_any_width(vectors, 33, multiply);
  });
}

TEST(SpmmColumnTile, KeepsNaNInTheRowsThatUseIt) {
  by_columns(Numbers::integers,
             [](auto const& host, auto const& multiply) { check_nan<double>(host)(multiply); });
}

TEST(SpmmColumnTile, IsWithinTheRoundingErrorBoundAndDeterministic) {
  by_columns(Numbers::reals, [](auto const& host, auto const& multiply) {
    check_rounding<double>(host)(multiply);
    check_repeatability<double>(host)(multiply);
  });
}

}  // namespace
}  // namespace einkorn::test
