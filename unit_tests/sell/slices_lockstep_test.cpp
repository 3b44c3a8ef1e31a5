// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The GPU kernels that size slices and sort their rows, emulated on the host, against the conversion on the host.

#include "../support/battery.hpp"
#include "../support/lockstep.hpp"

#include <einkorn/formats/sell/from_csr.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

using SellMatrix = Sell<double, int, int, Device>;
using SlotCounts = std::vector<std::uint64_t>;

/// The slots of rows, and all, of a SELL converted on the host.
SlotCounts slots_of(SellMatrix const& F, std::vector<int> const& sizes) {
  SlotCounts slots(2, 0);
  for (int s = 0; s < F.num_slices(); ++s) {
    int const left = F.num_rows - s * F.slice_rows, rows = left < F.slice_rows ? left : F.slice_rows;
    auto const size = static_cast<std::uint64_t>(sizes[static_cast<std::size_t>(s)]);
    slots[0] += size / static_cast<std::uint64_t>(F.slice_rows) * static_cast<std::uint64_t>(rows);
    slots[1] += size;
  }
  return slots;
}

void expect_slices_of_host(Pattern const& pattern, int slice_rows, int sigma) {
  SCOPED_TRACE(pattern.name + ", C = " + std::to_string(slice_rows) + ", sigma = " + std::to_string(sigma));
  auto const A = with_numbers<double>(pattern, Numbers::integers).on_device();
  auto const expected =
      from_csr<Sell>(Space(), A, {.slice_rows = slice_rows, .sigma = sigma, .fill_limit = 1e9});
  auto const offsets = to_host(expected.slice_offsets);
  std::vector<int> sizes;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) sizes.push_back(offsets[s + 1] - offsets[s]);
  SellMatrix F = expected;
  F.slice_offsets = Kokkos::View<int*, Device>("sizes", offsets.size());
  auto const sizes_of_F = [&] {
    auto result = to_host(F.slice_offsets);
    result.pop_back();
    return result;
  };

  SlotCounts words(2, 0);
  detail::launch_size_slices(Lockstep(), F, A, words.data());
  EXPECT_EQ(sizes_of_F(), sizes);
  EXPECT_EQ(words, slots_of(F, sizes));

  if (sigma == 1) return;
  F.rows = Kokkos::View<int*, Device>("rows", expected.rows.extent(0));
  Kokkos::deep_copy(F.slice_offsets, -1);
  words.assign(2, 0);
  detail::launch_sort_and_size(Lockstep(), F, A, static_cast<std::uint64_t>(std::min(sigma, A.num_rows)),
                               words.data());
  EXPECT_EQ(to_host(F.rows), to_host(expected.rows));
  EXPECT_EQ(sizes_of_F(), sizes);
  EXPECT_EQ(words, slots_of(F, sizes));
}

TEST(SellLockstep, SizesAndRowsOfTheHost) {
  std::vector<std::int64_t> lengths(1500);
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = static_cast<std::int64_t>(i * 2654435761u % 23);
  auto const mixed = from_lengths("1500 rows of 0 to 22", lengths, 50);
  auto const few = from_lengths("5 rows", {1, 3, 0, 2, 1}, 5);
  auto const empty = from_lengths("empty rows", std::vector<std::int64_t>(70, 0), 5);
  for (auto const& pattern : {mixed, few, empty})
    for (int const slice_rows : {1, 2, 32, 33, 100})
      for (int const windows : {0, 1, 3, 40})
        expect_slices_of_host(pattern, slice_rows, windows == 0 ? 1 : windows * slice_rows);
}

}  // namespace
}  // namespace einkorn::test
