// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The kernels of row-major multivectors in the shapes that a GPU has, stepped through on the host.

#include "../support/battery.hpp"
#include "../support/lockstep.hpp"
#include "../support/multivectors.hpp"

#include <einkorn/formats/detail/spmm_row_tile.hpp>
#include <einkorn/formats/sell/from_csr.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

using namespace einkorn::detail;

constexpr Arch gpu = arch_of<Lockstep>;
constexpr int longest_of_a_warp = 100;
/// Long rows of which some are for a warp and some for a team.
constexpr LongRowsTuning few_long = [] {
  LongRowsTuning tuning = long_rows(gpu);
  tuning.bound = 20;
  tuning.of_one_warp = longest_of_a_warp;
  tuning.least_teams = 3;
  return tuning;
}();

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

/// Tiles of so many columns, `pack` of them side by side, in CSR and in SELL.
template <int columns, int pack>
void check(std::vector<std::size_t> const& widths) {
  auto const host = with_numbers<double>(pattern(), Numbers::integers);
  auto const A = host.on_device();
  auto const F = from_csr<Sell>(Space(), A, {.fill_limit = std::numeric_limits<double>::infinity()});
  Multivectors<double, std::decay_t<decltype(host)>> const vectors(host, Numbers::integers, false, 40);
  auto const with = [&](std::string const& name, auto const& rows) {
    using Rows = std::decay_t<decltype(rows)>;
    constexpr RowTile tile = row_tile(gpu, columns, pack, Rows::order);
    for (auto const k : widths) {
      SCOPED_TRACE(name + ", tiles of " + std::to_string(columns));
      vectors.template expect<Kokkos::LayoutRight, Kokkos::LayoutRight>(
          k, [&](double alpha, auto const& X, double beta, auto const& Y) {
            launch_row_tile<tile, few_long, false>(Lockstep(), "einkorn::test", Update<double>{alpha, beta},
                                                   rows, X, Y, std::numeric_limits<int>::max());
          });
    }
  };
  with("CSR", RowsOfCsr<std::decay_t<decltype(A)>>{A});
  with("SELL", RowsOfPadded<std::decay_t<decltype(F)>>{F});
}

TEST(SpmmLockstep, SumsByPacksOfColumns) {
  check<4, 2>({6});
  check<32, 2>({38});
}

TEST(SpmmLockstep, SumsBySingleColumns) {
  check<8, 1>({11});
}

}  // namespace
}  // namespace einkorn::test
