// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Positions of the slots of small matrices; what from_csr and validate refuse.

#include "../support/battery.hpp"
#include "../support/near.hpp"
#include "../support/throws.hpp"
#include "../support/watch.hpp"

#include <einkorn/formats/sell/from_csr.hpp>
#include <einkorn/formats/sell/sell_tuning.hpp>
#include <einkorn/formats/sell/spmv.hpp>
#include <einkorn/formats/sell/to_csr.hpp>
#include <einkorn/formats/sell/validate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

using Matrix = Sell<double, int, int, Device>;

/// Rows of lengths 1, 3, 0, 2, 1.
HostMatrix<double> five_rows() {
  return from_dense<double>({{0, 1, 0, 0}, {2, 0, 3, 4}, {}, {5, 0, 0, 6}, {0, 0, 7, 0}}, 4);
}

TEST(SellLayout, UnsortedSlicesOfTwoRows) {
  auto const F = from_csr<Sell>(Space(), five_rows().on_device(), {.slice_rows = 2, .sigma = 1});

  EXPECT_EQ(F.num_slices(), 3);
  EXPECT_EQ(F.nnz(), 7);
  EXPECT_EQ(F.rows.extent(0), 0u);
  EXPECT_EQ(to_host(F.slice_offsets), (std::vector<int>{0, 6, 10, 12}));
  EXPECT_EQ(to_host(F.columns), (std::vector<int>{1, 0, -1, 2, -1, 3, -1, 0, -1, 3, 2, -1}));
  EXPECT_EQ(to_host(F.values), (std::vector<double>{1, 2, 0, 3, 0, 4, 0, 5, 0, 6, 7, 0}));
  EXPECT_EQ(F.bytes(), 12 * (sizeof(double) + sizeof(int)) + 4 * sizeof(int));
}

TEST(SellLayout, LongestRowsOfAWindowComeFirst) {
  auto const all = from_csr<Sell>(Space(), five_rows().on_device(), {.slice_rows = 2, .sigma = 6});
  auto const windows = from_csr<Sell>(Space(), five_rows().on_device(), {.slice_rows = 2, .sigma = 4});

  EXPECT_EQ(to_host(all.rows), (std::vector<int>{1, 3, 0, 4, 2}));
  EXPECT_EQ(to_host(all.slice_offsets), (std::vector<int>{0, 6, 8, 8}));
  EXPECT_EQ(to_host(all.columns), (std::vector<int>{0, 0, 2, 3, 3, -1, 1, 2}));
  EXPECT_EQ(to_host(all.values), (std::vector<double>{2, 5, 3, 6, 4, 0, 1, 7}));
  EXPECT_EQ(all.bytes(), 8 * (sizeof(double) + sizeof(int)) + 4 * sizeof(int) + 5 * sizeof(int));
  EXPECT_EQ(to_host(windows.rows), (std::vector<int>{1, 3, 0, 2, 4}));
  EXPECT_EQ(to_host(windows.slice_offsets), (std::vector<int>{0, 6, 8, 10}));
}

TEST(SellLayout, SortsOnlyUnequalRows) {
  std::vector<std::int64_t> const equal(1000, 9);
  std::vector<std::int64_t> unequal(1000);
  for (std::size_t i = 0; i < unequal.size(); ++i) unequal[i] = i % 2 ? 9 : 1;
  auto const make = [](std::vector<std::int64_t> const& lengths) {
    return from_csr<Sell>(Space(),
                          with_numbers<double>(from_lengths("", lengths, 50), Numbers::reals).on_device());
  };

  auto const plain = make(equal);
  auto const sorted = make(unequal);

  EXPECT_EQ(plain.slice_rows, (sell_slice_rows<Space, double>));
  EXPECT_EQ(plain.rows.extent(0), 0u);
  auto const rows = to_host(sorted.rows);
  ASSERT_EQ(rows.size(), 1000u);
  auto const window = std::min(std::size_t(1000), static_cast<std::size_t>(sell_window<Space>(5000)));
  for (std::size_t begin = 0; begin < 1000; begin += window) {  // the odd rows of a window, then the even ones
    auto const half = std::min(window, 1000 - begin) / 2;
    for (std::size_t p = 0; p < half; ++p) {
      EXPECT_EQ(rows[begin + p], static_cast<int>(begin + 2 * p + 1));
      EXPECT_EQ(rows[begin + half + p], static_cast<int>(begin + 2 * p));
    }
  }
}

TEST(SellLayout, DefaultConstructedIsEmpty) {
  Matrix const F;
  Kokkos::View<double*, Device> const x("x", 0), y("y", 0);

  validate(Space(), F);
  spmv(Space(), 1.0, F, x, 0.0, y);

  EXPECT_EQ(to_csr(Space(), F).nnz(), 0);
}

TEST(SellOptions, InvalidOptionsAreRefused) {
  auto const A = five_rows().on_device();
  auto const refused = [&](SellOptions const& options, std::vector<std::string> const& parts) {
    EXPECT_TRUE(throws<InvalidArgument>([&] { (void)from_csr<Sell>(Space(), A, options); }, parts));
  };
  refused({.slice_rows = -1}, {"slice_rows = -1", "1 .. 1024"});
  refused({.slice_rows = 1025}, {"slice_rows = 1025", "1 .. 1024"});
  refused({.slice_rows = 8, .sigma = 12}, {"sigma = 12", "slice_rows = 8"});
  refused({.slice_rows = 8, .sigma = -8}, {"sigma = -8"});
}

TEST(SellOptions, SlicesOf1024Rows) {
  auto const host = with_numbers<double>(random_pattern(3000, 200, 3), Numbers::integers);
  auto const x = numbers<double>(Numbers::integers, 200, 2);
  std::vector<double> const before(3000, not_a_number<double>());
  auto const y = to_device(before);

  auto const F = from_csr<Sell>(Space(), host.on_device(), {.slice_rows = 1024, .sigma = 2048});
  spmv(Space(), 1.0, F, to_device(x), 0.0, y);

  validate(Space(), F);
  EXPECT_TRUE(agrees(to_host(y), expected<double>(host, x, 1.0, 0.0), before, true));
}

TEST(SellFill, RefusedAboveAndAcceptedAtTheLimit) {
  auto const A = five_rows().on_device();  // 11 slots of rows for 7 entries: 6 + 4 + 1
  EXPECT_TRUE(throws<FillLimit>(
      [&] { (void)from_csr<Sell>(Space(), A, {.slice_rows = 2, .sigma = 1, .fill_limit = 1.5}); },
      {"SELL", "11", "7", "1.57", "limit is 1.5"}));
  EXPECT_NO_THROW((void)from_csr<Sell>(Space(), A, {.slice_rows = 2, .sigma = 1, .fill_limit = 11.0 / 7.0}));
}

/// Rows that fit in scratch, rows that do not, and both; slices that cross teams.
std::vector<Pattern> rows_around_scratch() {
  std::vector<Pattern> all;
  auto const add = [&](std::string const& name, std::size_t rows, auto const& length) {
    std::vector<std::int64_t> lengths(rows);
    for (std::size_t i = 0; i < rows; ++i) lengths[i] = static_cast<std::int64_t>(length(i));
    all.push_back(from_lengths(name, lengths, 4000));
  };
  add("7 per row", 1003, [](auto) { return 7; });
  add("27 per row", 517, [](auto) { return 27; });
  add("81 per row", 161, [](auto) { return 81; });
  add("16 and 17 per row", 389, [](auto i) { return 16 + i % 2; });
  add("0 to 9 per row", 2049, [](auto i) { return i * 7 % 10; });
  add("one of 4000", 1001, [](auto i) { return i == 700 ? 4000 : i % 4; });
  add("some of 3000", 333, [](auto i) { return i % 100 == 3 ? 3000 : 30; });
  add("200 per row", 77, [](auto) { return 200; });
  add("empty at both ends", 900, [](auto i) { return i < 290 || i > 600 ? 0 : i % 50; });
  add("one row", 1, [](auto) { return 3; });
  return all;
}

// The GPU kernel in the test space, compared with a serial loop.
template <class S, class O, class P>
void expect_same_slots(Pattern const& pattern, SellOptions const& options) {
  auto const A = with_numbers<S, O, P>(pattern, Numbers::reals).on_device();
  auto const B = with_numbers<S, O, P>(pattern, Numbers::reals, 9).on_device();
  auto const F = from_csr<Sell>(Space(), A, options);
  auto const host = to_host(A);
  auto const widths = to_host(F.slice_offsets);
  auto const given = to_host(B.values);
  std::vector<O> columns(F.columns.extent(0), O(-1));
  std::vector<S> values(F.values.extent(0), S(0)), new_values = values;
  auto const rows = to_host(F.rows);
  auto const C = static_cast<std::size_t>(F.slice_rows);
  for (std::size_t p = 0; p < host.rows(); ++p) {
    auto const row = rows.empty() ? p : static_cast<std::size_t>(rows[p]);
    for (auto k = host.begin(row); k < host.end(row); ++k) {
      auto const at = static_cast<std::size_t>(widths[p / C]) + (k - host.begin(row)) * C + p % C;
      columns[at] = host.columns[k];
      values[at] = host.values[k];
      new_values[at] = given[k];
    }
  }
  for (bool const wide_tiles : {false, true}) {
    Kokkos::deep_copy(F.columns, O(77));
    Kokkos::deep_copy(F.values, S(77));
    if (wide_tiles)
      detail::fill_slices_in_teams<false, 32>(Space(), F, A);
    else
      detail::fill_slices_in_teams<false, 8>(Space(), F, A);
    EXPECT_TRUE(to_host(F.columns) == columns) << "wide tiles: " << wide_tiles;
    EXPECT_TRUE(to_host(F.values) == values) << "wide tiles: " << wide_tiles;
    if (wide_tiles)
      detail::fill_slices_in_teams<true, 32>(Space(), F, B);
    else
      detail::fill_slices_in_teams<true, 8>(Space(), F, B);
    EXPECT_TRUE(to_host(F.columns) == columns) << "wide tiles: " << wide_tiles;
    EXPECT_TRUE(to_host(F.values) == new_values) << "wide tiles: " << wide_tiles;
  }
}

TEST(SellConversion, FillsSlotsInTeams) {
  for (auto const& pattern : rows_around_scratch())
    for (int const C : {1, 3, 32, 64, 1024})
      for (std::int64_t const sigma : {1, 4 * C}) {
        SCOPED_TRACE(pattern.name + ", C = " + std::to_string(C) + ", sigma = " + std::to_string(sigma));
        SellOptions const options{.slice_rows = C, .sigma = sigma, .fill_limit = 1e30};
        if (C < 1024 || pattern.nnz() < 9000) expect_same_slots<double, int, int>(pattern, options);
        if (C == 32) expect_same_slots<Complex, std::int64_t, std::size_t>(pattern, options);
      }
}

TEST(SellConversion, CopiesFewNumbersToTheHost) {
  auto const A = with_numbers<double>(random_pattern(3000, 2500, 1), Numbers::reals).on_device();
  Kokkos::fence();
  Watch const watch;
  auto const F = from_csr<Sell>(Space(), A);
  auto const back = to_csr(Space(), F);
  update_values(Space(), F, back);
  EXPECT_LE(watch.copied_bytes(), 512u);
}

/// Checks the message of validate for five_rows() with sorting, modified by `spoil`.
template <class Spoil>
testing::AssertionResult refused_layout(std::vector<std::string> const& parts, Spoil const& spoil) {
  Matrix F = from_csr<Sell>(Space(), five_rows().on_device(), {.slice_rows = 2, .sigma = 6});
  validate(Space(), F);
  spoil(F);
  return throws<InvalidStructure>([&] { validate(Space(), F); }, parts);
}

TEST(SellValidate, Sizes) {
  EXPECT_TRUE(refused_layout({"negative size -5 x 4"}, [](Matrix& F) { F.num_rows = -5; }));
  EXPECT_TRUE(refused_layout({"slice_rows is 0", "1 .. 1024"}, [](Matrix& F) { F.slice_rows = 0; }));
  EXPECT_TRUE(refused_layout({"slice_rows is 2000"}, [](Matrix& F) { F.slice_rows = 2000; }));
  EXPECT_TRUE(
      refused_layout({"columns has 7 slots, values 8"}, [](Matrix& F) { Kokkos::resize(F.columns, 7); }));
  EXPECT_TRUE(
      refused_layout({"rows has extent 4", "num_rows = 5"}, [](Matrix& F) { Kokkos::resize(F.rows, 4); }));
  EXPECT_TRUE(refused_layout({"slice_offsets has extent 3", "slices + 1 = 4"},
                             [](Matrix& F) { Kokkos::resize(F.slice_offsets, 3); }));
  EXPECT_TRUE(refused_layout({"entries, but no rows"}, [](Matrix& F) {
    F.num_rows = 0;
    F.rows = {};
    F.slice_offsets = {};
  }));
  EXPECT_TRUE(refused_layout({"num_entries is 6", "7 slots"}, [](Matrix& F) { F.num_entries = 6; }));
}

TEST(SellValidate, SliceOffsets) {
  EXPECT_TRUE(
      refused_layout({"slice_offsets(0) is 2", "expected 0"}, [](Matrix& F) { set(F.slice_offsets, 0, 2); }));
  EXPECT_TRUE(refused_layout({"slice_offsets(3) is 10", "8"}, [](Matrix& F) { set(F.slice_offsets, 3, 10); }));
  EXPECT_TRUE(refused_layout({"slice 0 has slots 0 to 5", "multiple of slice_rows = 2"},
                             [](Matrix& F) { set(F.slice_offsets, 1, 5); }));
  EXPECT_TRUE(refused_layout({"slice 1 has slots 10 to 8"}, [](Matrix& F) { set(F.slice_offsets, 1, 10); }));
}

TEST(SellValidate, RowsMustBeAPermutation) {
  EXPECT_TRUE(refused_layout({"rows(2) is 5", "0 .. 5 - 1"}, [](Matrix& F) { set(F.rows, 2, 5); }));
  EXPECT_TRUE(refused_layout({"rows(2) is -1"}, [](Matrix& F) { set(F.rows, 2, -1); }));
  EXPECT_TRUE(refused_layout({"rows(3) is 1", "twice"}, [](Matrix& F) { set(F.rows, 3, 1); }));
}

TEST(SellValidate, Columns) {
  EXPECT_TRUE(refused_layout({"slot 3 has column 4", "0 .. 4 - 1"}, [](Matrix& F) { set(F.columns, 3, 4); }));
  EXPECT_TRUE(refused_layout({"slot 5 has column -2"}, [](Matrix& F) { set(F.columns, 5, -2); }));
  EXPECT_TRUE(refused_layout({"slot 4 has column 3", "after a row's entries"},
                             [](Matrix& F) { set(F.columns, 2, -1); }));  // a gap before slot 4
}

TEST(SellValidate, EntryAfterTheLastRow) {
  Matrix F = from_csr<Sell>(Space(), five_rows().on_device(), {.slice_rows = 2, .sigma = 1});
  set(F.columns, 11, 0);
  EXPECT_TRUE(throws<InvalidStructure>([&] { validate(Space(), F); }, {"slot 11 has column 0", "last row"}));
}

}  // namespace
}  // namespace einkorn::test
