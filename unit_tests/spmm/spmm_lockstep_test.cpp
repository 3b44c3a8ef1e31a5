// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The multivector kernels in GPU configurations, emulated on the host.

#include "../support/battery.hpp"
#include "../support/lockstep.hpp"
#include "../support/multivectors.hpp"

#include <einkorn/formats/sell/from_csr.hpp>
#include <einkorn/formats/spmm/detail/column_tile.hpp>
#include <einkorn/formats/spmm/detail/pack_columns.hpp>
#include <einkorn/formats/spmm/detail/row_tile.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace einkorn::test {
namespace {

using namespace einkorn::detail;

constexpr int longest_of_a_warp = 100;
/// Long rows of which some are for a warp and some for a team.
constexpr LongRowsTuning some_long(LongRowsTuning tuning) {
  tuning.bound = 20;
  tuning.max_warp_row = longest_of_a_warp;
  tuning.min_teams = 3;
  return tuning;
}
constexpr LongRowsTuning few_long = some_long(long_rows(arch_of<Lockstep>)),
                         many_long = some_long(long_rows(arch_of<Lockstep>, true));

/// Short and empty rows, and some around the bounds of few_long.
Pattern pattern() {
  std::vector<std::int64_t> lengths;
  for (int i = 0; i < 50; ++i) lengths.push_back(i % 6);
  lengths[0] = 400;
  for (std::size_t const d : {0u, 1u, 2u}) {
    lengths[3 + d] = few_long.bound + 1 - static_cast<int>(d);
    lengths[30 + 9 * d] = longest_of_a_warp - 1 + static_cast<int>(d);
  }
  return from_lengths("", lengths, 400);
}

/// Calls multiply(rows, epilogue, X, Y) for multivectors of these widths, in CSR and, if row-major, in SELL.
template <class Layout, class Multiply>
void check(std::vector<std::size_t> const& widths, Multiply const& multiply, Pattern const& of = pattern()) {
  auto const host = with_numbers<double>(of, Numbers::integers);
  auto const A = host.on_device();
  Multivectors<double, std::decay_t<decltype(host)>> const vectors(host, Numbers::integers, false, 40);
  auto const with = [&](char const* name, auto const& rows) {
    SCOPED_TRACE(name);
    for (auto const k : widths)
      vectors.template expect<Layout, Layout>(k, [&](double alpha, auto const& X, double beta, auto const& Y) {
        multiply(rows, Epilogue<double>{alpha, beta}, X, Y);
      });
  };
  with("CSR", StridedCsrRows<std::decay_t<decltype(A)>>{A});
  if constexpr (std::is_same_v<Layout, Kokkos::LayoutRight>) {
    auto const F = from_csr<Sell>(Space(), A, {.fill_limit = std::numeric_limits<double>::infinity()});
    with("SELL", StridedPaddedRows<std::decay_t<decltype(F)>>{F});
  }
}

constexpr int unknown = std::numeric_limits<int>::max();  // length of the longest row

/// Tiles of `columns` columns in packs of `pack`.
template <int columns, int pack, LongRowsTuning tuning = few_long>
void check_row_tile(std::vector<std::size_t> const& widths) {
  check<Kokkos::LayoutRight>(
      widths, []<class Rows>(Rows const& rows, auto const& epilogue, auto const& X, auto const& Y) {
        constexpr RowTile tile = row_tile(arch_of<Lockstep>, columns, pack, Rows::order);
        launch_row_tile<tile, tuning, false>(Lockstep(), "einkorn::test", epilogue, rows, X, Y, unknown);
      });
}

TEST(SpmmLockstep, SumsByPacksOfColumns) {
  check_row_tile<4, 2>({6});
  check_row_tile<32, 2>({38});
  check_row_tile<16, 2, many_long>({20});
}

TEST(SpmmLockstep, SumsBySingleColumns) {
  check_row_tile<8, 1>({11});
}

/// Column-major multivectors.
template <int columns>
void check_column_tile(std::vector<std::size_t> const& widths) {
  check<Kokkos::LayoutLeft>(
      widths, []<class Rows>(Rows const& rows, auto const& epilogue, auto const& X, auto const& Y) {
        constexpr ColumnTile tile = column_tile(arch_of<Lockstep>, columns, sizeof(double));
        launch_column_tile<tile, few_long, false>(Lockstep(), "einkorn::test", epilogue, rows, X, Y, unknown);
      });
}

TEST(SpmmLockstep, SumsByTilesOfColumns) {
  check_column_tile<4>({2, 4, 7});
  check_column_tile<8>({8, 19});
}

/// With a buffer for fewer, as many and more columns. No row is long.
TEST(SpmmLockstep, PacksColumns) {
  for (std::size_t const columns : {5u, 11u, 40u})
    check<Kokkos::LayoutLeft>(
        {4, 11},
        [columns](auto const& rows, auto const& epilogue, auto const& X, auto const& Y) {
          PackBuffer<double, Device> const buffer(Space(), Y.extent(0), X.extent(0), columns);
          spmm_packed<false>(Lockstep(), "einkorn::test", epilogue, rows, X, Y, buffer, 7);
        },
        from_lengths("", {3, 0, 7, 2, 1, 5, 4}, 30));
}

/// More rows and columns than a tile.
TEST(SpmmLockstep, TransposesTilesBothWays) {
  constexpr std::size_t rows = 1030, columns = 41;
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> const one("one", rows, columns),
      other("other", rows, columns), back("back", rows, columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) one(i, j) = static_cast<double>(i * 100 + j);
  using View = std::decay_t<decltype(one)>;
  for (std::size_t const some : {1u, 4u, 6u, 41u}) {
    SCOPED_TRACE(some);
    std::size_t const first = columns - some;
    transpose_tiles<true, double>(Lockstep(), "einkorn::test", rows, some,
                                  EntriesFrom<double, View>{one, first}, EntriesTo<View>{other});
    transpose_tiles<false, double>(Lockstep(), "einkorn::test", rows, some, EntriesFrom<double, View>{other, 0},
                                   SumsTo<double, View>{{1.0, 0.0}, back, first});
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < some; ++j) {
        ASSERT_EQ(other(i, j), one(i, first + j)) << "row " << i << ", column " << j;
        ASSERT_EQ(back(i, first + j), one(i, first + j)) << "row " << i << ", column " << j;
      }
  }
}

}  // namespace
}  // namespace einkorn::test
