// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// 16-bit column codes: which slices have them, what is stored, bitwise equal products.

#include "../support/battery.hpp"
#include "../support/near.hpp"
#include "../support/throws.hpp"
#include "../support/watch.hpp"
#include "../support/windows.hpp"

#include <einkorn/formats/sell/from_csr.hpp>
#include <einkorn/formats/sell/spmv.hpp>
#include <einkorn/formats/sell/to_csr.hpp>
#include <einkorn/formats/sell/validate.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

using Matrix = Sell<double, int, int, Device>;

SellOptions coded(int slice_rows, std::int64_t sigma = 1) {
  return {.slice_rows = slice_rows, .sigma = sigma, .fill_limit = 1e30, .indices = Indices::compressed};
}
SellOptions full(int slice_rows, std::int64_t sigma = 1) {
  return {.slice_rows = slice_rows, .sigma = sigma, .fill_limit = 1e30};
}

template <class Format>
auto product(Format const& F) {
  using S = typename Format::scalar_type;
  auto const x = to_device(numbers<S>(Numbers::reals, static_cast<std::size_t>(F.num_cols), 2));
  auto const y = to_device(std::vector<S>(static_cast<std::size_t>(F.num_rows), not_a_number<S>()));
  spmv(Space(), S(0.75), F, x, S(0), y);
  return to_host(y);
}

TEST(SellCompressed, OneSliceByHand) {
  // Rows of 5 and 14 entries in one slice of 2: a plane at 7, one at 100007 and padding.
  std::vector<Columns> rows(2, run_of(7, 12));
  rows[0] = {100010, 9, 100007, 8, 20000};
  rows[1].insert(rows[1].end(), {16391, 100008});
  auto const host = with_numbers<double>(from_rows("", rows, 200000), Numbers::reals);

  auto const F = from_csr<Sell>(Space(), host.on_device(), coded(2));

  validate(Space(), F);
  EXPECT_EQ(F.compressed.num_tiles, 1);
  EXPECT_EQ(F.compressed.begins.extent(0), 0u);
  EXPECT_EQ(F.columns.extent(0), 0u);
  auto const windows = to_host(F.compressed.windows);
  ASSERT_EQ(windows.size(), 1u);
  EXPECT_EQ((std::vector<int>(windows[0].shift, windows[0].shift + 4)),
            (std::vector<int>{7, 16391 - 16384, 100007 - 32768, 100007 - 32768}));
  std::vector<std::uint16_t> const first{32768 + 3, 2, 32768, 1, 16384 + 20000 - 16391};
  auto const codes = to_host(F.compressed.codes);
  ASSERT_EQ(codes.size(), 28u);
  for (std::size_t j = 0; j < 14; ++j) {
    EXPECT_EQ(codes[2 * j], j < 5 ? first[j] : 0xffff) << j;
    EXPECT_EQ(codes[2 * j + 1], j < 12 ? j : j == 12 ? 16384 : 32768 + 1) << j;
  }
  EXPECT_EQ(F.bytes(), 28 * (sizeof(double) + 2) + 2 * sizeof(int) + 16);
}

TEST(SellCompressed, EdgesOfTheWindows) {
  auto const rows = edge_rows();
  for (auto const& row : rows) {
    auto const host = with_numbers<double>(from_rows("", {row}, 300000), Numbers::reals);
    auto const F = from_csr<Sell>(Space(), host.on_device(), coded(1));
    EXPECT_EQ(F.compressed.any(), has_windows(row)) << row[0] << " " << row[1] << " of " << row.size();
  }
  EXPECT_TRUE(has_windows(rows[2]) && has_windows(rows[9]) && !has_windows(rows[3]) && !has_windows(rows[10]));

  auto const host = with_numbers<double>(from_rows("", rows, 300000), Numbers::reals);
  auto const F = from_csr<Sell>(Space(), host.on_device(), coded(1));
  validate(Space(), F);
  int with_windows = 0;
  for (auto const& row : rows) with_windows += has_windows(row) ? 1 : 0;
  EXPECT_EQ(F.compressed.num_tiles, with_windows);
  EXPECT_EQ(to_host(to_csr(Space(), F)).columns, host.columns);
  EXPECT_EQ(product(F), product(from_csr<Sell>(Space(), host.on_device(), full(1))));
}

TEST(SellCompressed, EverySecondSliceHasNoCodes) {
  for (int const slice_rows : {1, 8, 32, 64}) {
    SCOPED_TRACE(slice_rows);
    auto pattern = near_and_far_rows(40, 64);
    std::vector<Columns> rows;
    for (std::size_t slice = 0; slice < 7; ++slice)
      for (int i = 0; i < slice_rows; ++i) {
        auto const row = (slice % 2 + 2 * (static_cast<std::size_t>(i) % 20)) * 64;
        auto const begin = pattern.columns.begin() + static_cast<std::ptrdiff_t>(row);
        rows.emplace_back(begin, begin + 64 - (i % 3));
      }
    auto const host = with_numbers<double>(from_rows("", rows, pattern.num_cols), Numbers::reals);
    auto const other = with_numbers<double>(from_rows("", rows, pattern.num_cols), Numbers::reals, 7);
    auto const F = from_csr<Sell>(Space(), host.on_device(), coded(slice_rows));
    auto const uncompressed = from_csr<Sell>(Space(), host.on_device(), full(slice_rows));

    validate(Space(), F);
    EXPECT_EQ(F.compressed.num_tiles, 4);
    EXPECT_EQ(F.compressed.begins.extent(0), 7u);
    EXPECT_EQ(F.columns.extent(0) + F.compressed.codes.extent(0), F.values.extent(0));
    EXPECT_LT(F.bytes(), uncompressed.bytes());
    EXPECT_EQ(product(F), product(uncompressed));
    EXPECT_EQ(to_host(to_csr(Space(), F)).columns, host.columns);
    update_values(Space(), F, other.on_device());
    EXPECT_EQ(to_host(to_csr(Space(), F)).values, other.values);
  }
}

template <class S, class O, class F>
void expect_equal_products() {
  std::size_t with_codes = 0;
  for (auto const& pattern : battery())
    for (int const slice_rows : {0, 1, 5, 32}) {
      auto const host = with_numbers<S, O, F>(pattern, Numbers::reals);
      auto const longest = [&] {
        std::size_t longest_row = 0;
        for (std::size_t i = 0; i < host.rows(); ++i)
          longest_row = std::max(longest_row, host.end(i) - host.begin(i));
        return longest_row;
      }();
      if (longest * (host.rows() + 32) > 20000000) continue;
      SCOPED_TRACE(pattern.name + ", C " + std::to_string(slice_rows));
      auto const compressed = from_csr<Sell>(Space(), host.on_device(), coded(slice_rows));
      auto const uncompressed = from_csr<Sell>(Space(), host.on_device(), full(slice_rows));
      with_codes += compressed.compressed.any() ? 1 : 0;
      EXPECT_TRUE(same_numbers(product(compressed), product(uncompressed)));
      EXPECT_LE(compressed.bytes(), uncompressed.bytes());
    }
  EXPECT_GT(with_codes, battery().size());
}

TEST(SellCompressed, BitwiseEqualToUncompressedDouble) {
  expect_equal_products<double, int, int>();
}
TEST(SellCompressed, BitwiseEqualToUncompressedFloatInt64) {
  expect_equal_products<float, std::int64_t, std::size_t>();
}

template <class O, class F>
void expect_columns_up_to(O num_cols) {
  for (std::int64_t const back : {std::int64_t(64), std::int64_t(16384), std::int64_t(65535)}) {
    auto const last = static_cast<std::int64_t>(num_cols) - 1;
    auto row = run_of(last - 63, 64);
    row.push_back(last - back + 1);
    auto const host = with_numbers<double, O, F>(
        from_rows("", {row, run_of(0, 64), row}, static_cast<std::int64_t>(num_cols)), Numbers::reals);
    auto const made = from_csr<Sell>(Space(), host.on_device(), coded(1));
    validate(Space(), made);
    EXPECT_EQ(made.compressed.num_tiles, 3u);
    EXPECT_EQ(to_host(to_csr(Space(), made)).columns, host.columns);
    auto const both = from_csr<Sell>(Space(), host.on_device(), coded(2));
    validate(Space(), both);
    EXPECT_EQ(to_host(to_csr(Space(), both)).columns, host.columns);
  }
}

TEST(SellCompressed, ColumnsUpToTheMaximumOfOrdinal) {
  expect_columns_up_to<int, int>(std::numeric_limits<int>::max());
  expect_columns_up_to<int, std::size_t>(std::numeric_limits<int>::max());
  expect_columns_up_to<std::int64_t, std::size_t>(std::numeric_limits<std::int64_t>::max());
}

TEST(SellCompressed, NotCompressedWithoutSavings) {
  auto const empty = from_csr<Sell>(Space(), HostMatrix<double>{}.on_device(), coded(0));
  auto const few = with_numbers<double>(from_lengths("", {3, 2, 8}, 100), Numbers::reals);
  HostMatrix<double> const no_entries{5, 3, {0, 0, 0, 0, 0, 0}, {}, {}};
  for (auto const& host : {few, no_entries}) {
    auto const F = from_csr<Sell>(Space(), host.on_device(), coded(1));
    EXPECT_FALSE(F.compressed.any());
    EXPECT_EQ(F.compressed.bytes(), 0u);
    EXPECT_EQ(F.columns.extent(0), host.nnz());
    validate(Space(), F);
  }
  EXPECT_FALSE(empty.compressed.any());
  std::vector<Columns> const one_column(100, Columns(9, 0));
  auto const host = with_numbers<double>(from_rows("", one_column, 1), Numbers::reals);
  auto const F = from_csr<Sell>(Space(), host.on_device(), coded(0));
  EXPECT_EQ(F.compressed.num_tiles, F.num_slices());
  EXPECT_EQ(to_host(to_csr(Space(), F)).columns, host.columns);
}

TEST(SellCompressed, CopiesFewNumbersToTheHost) {
  auto const A = with_numbers<double>(near_and_far_rows(3000, 64), Numbers::reals).on_device();
  Kokkos::fence();
  Watch const watch;
  auto const F = from_csr<Sell>(Space(), A, coded(1));
  (void)to_csr(Space(), F);
  EXPECT_TRUE(F.compressed.any());
  EXPECT_LE(watch.copied_bytes(), 512u);
}

/// Checks the message of validate for two slices with codes and one without, modified by `spoil`.
template <class Spoil>
testing::AssertionResult refused(std::vector<std::string> const& parts, Spoil const& spoil) {
  std::vector<Columns> const rows{run_of(3, 64), run_of(9, 40), near_and_far_rows(2, 64).columns};
  auto const host = with_numbers<double>(from_rows("", rows, 1100000), Numbers::reals);
  Matrix F = from_csr<Sell>(Space(), host.on_device(), coded(1));
  validate(Space(), F);
  spoil(F);
  return throws<InvalidStructure>([&] { validate(Space(), F); }, parts);
}

TEST(SellCompressed, ValidateChecksCodesAndWindows) {
  EXPECT_TRUE(refused({"compressed.windows has extent 2", "3"},
                      [](Matrix& F) { Kokkos::resize(F.compressed.windows, 2); }));
  EXPECT_TRUE(refused({"compressed.begins has extent 1", "3"},
                      [](Matrix& F) { Kokkos::resize(F.compressed.begins, 1); }));
  EXPECT_TRUE(refused({"slice 1 has codes outside"}, [](Matrix& F) { set(F.compressed.begins, 1, 65); }));
  EXPECT_TRUE(refused({"slice 2 has codes outside"},
                      [](Matrix& F) { set(F.compressed.begins, 2, F.compressed.in_columns | 1); }));
  EXPECT_TRUE(refused({"slice 0", "invalid windows"},
                      [](Matrix& F) { set(F.compressed.windows, 0, ColumnWindows<int>{{5, 4, 4, 4}}); }));
  EXPECT_TRUE(refused({"slot 71 has column 16", "after a row's entries"},
                      [](Matrix& F) { set(F.compressed.codes, 70, 0xffff); }));  // a gap before slot 71
  EXPECT_TRUE(refused({"num_entries is 232", "231 slots"},
                      [](Matrix& F) { set(F.compressed.codes, 63, 0xffff); }));  // the last of its row
  EXPECT_TRUE(refused({"slot 5 has column 1100003"}, [](Matrix& F) {
    set(F.compressed.windows, 0, ColumnWindows<int>{{3, 3, 3, 1100003 - 49152}});
    set(F.compressed.codes, 5, 49152);
  }));
}

}  // namespace
}  // namespace einkorn::test
