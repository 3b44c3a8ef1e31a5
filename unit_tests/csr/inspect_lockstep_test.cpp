// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The GPU kernels that check a CSR and sort windows of rows, emulated on the host, against the functions of the host.

#include "../support/battery.hpp"
#include "../support/lockstep.hpp"

#include <einkorn/core/balance/search_by_warp.hpp>
#include <einkorn/formats/csr/rows_by_length.hpp>
#include <einkorn/formats/csr/validate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

using namespace einkorn::detail;
using Words = std::vector<std::uint64_t>;

template <Inspect what, class Matrix>
Words inspect(Matrix const& A) {
  Words words(InspectionWords::size, 0);
  launch_inspection<what>(Lockstep(), A, words.data());
  return words;
}

Pattern unsorted() {
  Pattern pattern = from_lengths("unsorted row, repeated position", {3, 0, 2, 4}, 9);
  pattern.columns = {4, 1, 2, 0, 0, 5, 6, 7, 8};
  return pattern;
}

TEST(InspectLockstep, FingerprintAndOrderAsOnTheHost) {
  auto patterns = battery();
  patterns.push_back(unsorted());
  for (auto const& pattern : patterns) {
    if (pattern.num_rows == 0 || pattern.is_large()) continue;
    SCOPED_TRACE(pattern.name);
    auto const A = with_numbers<double>(pattern, Numbers::integers).on_device();
    auto const expected = fingerprint(Space(), A);
    auto const order = row_order(Space(), A);

    auto const words = inspect<Inspect::order>(A);

    EXPECT_EQ(words[InspectionWords::at], 0u);
    EXPECT_EQ(words[InspectionWords::entry], 0u);
    EXPECT_EQ(words[InspectionWords::offsets_hash], expected.offsets);
    EXPECT_EQ(words[InspectionWords::columns_hash], expected.columns);
    EXPECT_EQ(words[InspectionWords::descents] == 0, order.is_sorted);
    EXPECT_EQ(words[InspectionWords::equals] != 0, order.repeats);
    auto const without_order = inspect<Inspect::structure>(A);
    EXPECT_EQ(without_order[InspectionWords::columns_hash], expected.columns);
    EXPECT_EQ(without_order[InspectionWords::descents], 0u);
  }
}

TEST(InspectLockstep, FirstErrors) {
  auto const pattern = from_lengths("rows of 5", std::vector<std::int64_t>(700, 5), 50);
  auto const errors_of = [](Pattern const& bad) {
    auto const words = inspect<Inspect::order>(with_numbers<double>(bad, Numbers::integers).on_device());
    return std::pair(~words[InspectionWords::at], ~words[InspectionWords::entry]);
  };
  std::uint64_t const none = ~std::uint64_t(0);
  EXPECT_EQ(errors_of(pattern), std::pair(none, none));
  auto bad = pattern;
  bad.columns[3000] = 50;
  bad.columns[2001] = -1;
  EXPECT_EQ(errors_of(bad), std::pair(none, std::uint64_t(2001)));
  bad = pattern;
  bad.offsets[601] = 2900;
  bad.offsets[303] = 1000;
  EXPECT_EQ(errors_of(bad), std::pair(std::uint64_t(2 + 302), none));
  bad.offsets[0] = 1;
  EXPECT_EQ(errors_of(bad), std::pair(std::uint64_t(0), none));
  bad = pattern;
  bad.offsets[700] = 3499;
  EXPECT_EQ(errors_of(bad), std::pair(std::uint64_t(1), none));
}

TEST(SortWindowsLockstep, OrderOfTheHost) {
  std::vector<std::int64_t> lengths(600);
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = static_cast<std::int64_t>(i * 2654435761u % 97);
  lengths[300] = std::int64_t(3) << 20;  // keys of 64 bits
  auto A = with_numbers<double>(from_lengths("lengths", {1}, 4), Numbers::integers).on_device();
  A.num_rows = static_cast<int>(lengths.size());
  A.row_offsets = Kokkos::View<int*, Device>("offsets", lengths.size() + 1);
  Kokkos::View<int*, Device> const offsets("offsets", lengths.size() + 1), rows("rows", lengths.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) offsets(i + 1) = offsets(i) + static_cast<int>(lengths[i]);
  A.row_offsets = offsets;
  for (std::uint64_t const window : {1, 64, 100, 128, 129, 256, 600, 4096}) {
    sort_windows_by_length(Lockstep(), A, window, rows);
    auto const expected = rows_by_length(Space(), A, static_cast<std::int64_t>(window));
    for (std::size_t p = 0; p < lengths.size(); ++p)
      ASSERT_EQ(rows(p), expected(p)) << "window " << window << ", position " << p;
  }
}

/// Searches each entry by the lanes of a warp.
struct SearchByWarp {
  using Member = LockstepMember;
  std::vector<int> const* offsets;
  bool* is_right;

  void operator()(Member const& team) const {
    using L = Lanes<Lockstep>;
    auto const at = [this](int i) { return (*offsets)[static_cast<std::size_t>(i)]; };
    int const rows = static_cast<int>(offsets->size()) - 1;
    for (int k = 0; k < offsets->back(); ++k) {
      int const row = row_of_entry_by_warp<L>(at, 0, rows, k, team.team_rank() % L::size);
      *is_right = *is_right && at(row) <= k && k < at(row + 1);
    }
  }
};

TEST(SearchByWarp, FindsTheRowOfEachEntry) {
  for (int const rows : {1, 2, 3, 33, 34, 35, 66, 67, 1089, 1200}) {
    std::vector<int> offsets{0};
    for (int i = 0; i < rows; ++i) offsets.push_back(offsets.back() + (i % 7 == 3 ? 0 : i % 3 + 1));
    bool is_right = true;
    run_in_lockstep(SearchByWarp{&offsets, &is_right}, 1, 32, 0);
    EXPECT_TRUE(is_right) << rows;
  }
}

}  // namespace
}  // namespace einkorn::test
