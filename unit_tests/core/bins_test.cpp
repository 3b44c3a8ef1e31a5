// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/host_matrix.hpp"

#include <einkorn/core/balance/bins.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace einkorn::test {
namespace {

struct BinOf {
  Kokkos::View<int*, Device> bins;
  KOKKOS_FUNCTION int operator()(std::size_t i) const { return bins(i); }
};

TEST(Bins, ItemsOfABinAreAscending) {
  std::vector<int> bin_of(1000);
  for (std::size_t i = 0; i < bin_of.size(); ++i)
    bin_of[i] = static_cast<int>((i * i + i / 7) % 3 * 2);  // 1, 3 empty

  auto const bins = make_bins<5, int, Device>(Space(), bin_of.size(), BinOf{to_device(bin_of)});

  std::size_t seen = 0;
  for (int bin = 0; bin < 5; ++bin) {
    std::vector<int> want;
    for (std::size_t i = 0; i < bin_of.size(); ++i)
      if (bin_of[i] == bin) want.push_back(static_cast<int>(i));
    EXPECT_EQ(bins.size(bin), want.size());
    EXPECT_EQ(to_host(bins.of(bin)), want);
    seen += want.size();
  }
  EXPECT_EQ(seen, bin_of.size());
}

TEST(Bins, NoListIfOneBinHasAllItems) {
  auto const bins = make_bins<3, int, Device>(Space(), 50, BinOf{to_device(std::vector<int>(50, 1))});

  EXPECT_EQ(bins.size(1), 50u);
  EXPECT_EQ(bins.size(0) + bins.size(2), 0u);
  EXPECT_EQ(bins.items.extent(0), 0u);
}

TEST(Bins, NoItems) {
  auto const bins = make_bins<2, int, Device>(Space(), 0, BinOf{});

  EXPECT_EQ(bins.size(0) + bins.size(1), 0u);
}

}  // namespace
}  // namespace einkorn::test
