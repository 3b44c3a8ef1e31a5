// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/battery.hpp"

#include <einkorn/core/balance/carry.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace einkorn::test {

/// A list of runs of partial sums.
struct ListedRuns {
  using offset_type = int;
  Kokkos::View<int*, Device> rows, counts;  // [num_parts]

  KOKKOS_FUNCTION CarryRun<int, int> operator()(int part) const { return {rows(part), part, counts(part)}; }
};

namespace {

/// Runs of the given lengths, with one unused partial sum in between; run r belongs to row 2 r.
void expect_rows_completed(std::vector<int> const& lengths, bool has_long_runs) {
  std::vector<int> rows, counts;
  std::vector<double> pieces, y, want;
  for (std::size_t r = 0; r < lengths.size(); ++r) {
    y.insert(y.end(), {number<double>(Numbers::integers, r, 5), 1000.0});
    double sum = 0;
    for (int i = 0; i <= lengths[r]; ++i) {  // the last is in no run
      rows.push_back(static_cast<int>(2 * r));
      counts.push_back(i == 0 ? lengths[r] : 0);
      pieces.push_back(number<double>(Numbers::integers, pieces.size(), 6));
      if (i < lengths[r]) sum += pieces.back();
    }
    want.insert(want.end(), {y[2 * r] - 2 * sum, 1000.0});
  }
  auto const device_y = to_device(y);

  add_carry(Space(), ListedRuns{to_device(rows), to_device(counts)}, static_cast<int>(rows.size()),
            has_long_runs, to_device(pieces), device_y, Epilogue<double>{-2.0, 0.5});

  EXPECT_EQ(to_host(device_y), want);
}

TEST(AddCarry, AddsShortAndLongRuns) {
  expect_rows_completed({1}, false);
  expect_rows_completed({0, 1, 2, 3, 0, 0, 31, 32}, false);
  expect_rows_completed({0, 1, 2, 3, 0, 0, 31, 32}, true);
  expect_rows_completed({33}, true);
  expect_rows_completed({5, 33, 1, 1000, 0, 64, 5000, 2}, true);
  expect_rows_completed({5, 33, 1, 1000, 0, 64, 5000, 2}, false);
}

TEST(AddCarry, AddsRunsInMoreThanOneTeam) {
  std::vector<int> lengths;
  for (std::size_t i = 0; i < 700; ++i)
    lengths.push_back(static_cast<int>(noise(i, 7) % (i % 50 == 0 ? 300 : 4)));
  expect_rows_completed(lengths, true);
  expect_rows_completed(std::vector<int>(1000, 1), false);
}

TEST(AddCarry, SameBitsInEveryRun) {
  auto const pieces = to_device(numbers<float>(Numbers::reals, 3000, 8));
  std::vector<int> rows(3000, 0), counts(3000, 0);
  counts[1] = 2990;
  std::vector<float> first;
  for (int run = 0; run < 10; ++run) {
    auto const y = to_device(std::vector<float>{0.1f});
    add_carry(Space(), ListedRuns{to_device(rows), to_device(counts)}, 3000, true, pieces, y,
              Epilogue<float>{0.3f, 0});
    if (run == 0) first = to_host(y);
    EXPECT_EQ(to_host(y), first);
  }
}

}  // namespace
}  // namespace einkorn::test
