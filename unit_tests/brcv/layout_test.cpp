// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The arrays of BRCV, the stripes of a matrix, prefers_brcv(), and validate() on inconsistent arrays.

#include "../support/near.hpp"
#include "../support/throws.hpp"
#include "../support/watch.hpp"
#include "striped.hpp"

#include <einkorn/formats/brcv/from_csr.hpp>
#include <einkorn/formats/brcv/spmv.hpp>
#include <einkorn/formats/brcv/stripes.hpp>
#include <einkorn/formats/brcv/to_csr.hpp>
#include <einkorn/formats/brcv/validate.hpp>
#include <einkorn/formats/generate/generate.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

using Format = Brcv<double, int, int, Device>;

template <class View>
std::vector<std::int64_t> wide(View const& view) {
  auto const host = to_host(view);
  return {host.begin(), host.end()};
}

/// Rows 0 to 2 have the columns 1, 3; row 3 two others; rows 4, 5 are empty; rows 6, 7 have 0, 1, 2.
HostMatrix<double> by_hand() {
  return from_dense<double>({{0, 1, 0, 2, 0},
                             {0, 3, 0, 4, 0},
                             {0, 5, 0, 6, 0},
                             {0, 7, 8, 0, 0},
                             {0, 0, 0, 0, 0},
                             {0, 0, 0, 0, 0},
                             {9, 10, 11, 0, 0},
                             {12, 13, 14, 0, 0}},
                            5);
}

TEST(BrcvLayout, HasTheFiveArraysOfThePatent) {
  auto const F = from_csr<Brcv>(Space(), by_hand().on_device());

  EXPECT_EQ(F.num_rows, 8);
  EXPECT_EQ(F.num_cols, 5);
  EXPECT_EQ(F.nnz(), 14);
  EXPECT_EQ(F.num_stripes(), 4);
  EXPECT_EQ(to_host(F.b), (std::vector<int>{0, 3, 4, 6, 8}));
  EXPECT_EQ(to_host(F.rc), (std::vector<int>{0, 2, 4, 4, 7}));
  EXPECT_EQ(to_host(F.rv), (std::vector<int>{0, 6, 8, 8}));
  EXPECT_EQ(to_host(F.c), (std::vector<int>{1, 3, 1, 2, 0, 1, 2}));
  EXPECT_EQ(to_host(F.values), (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}));
  EXPECT_EQ(F.bytes(), 14 * 8 + 7 * 4 + (3 * 4 + 2) * 4u);
}

TEST(BrcvLayout, OrderAndLengthOfListsDistinguishStripes) {
  // columns 0 1 | 1 0 | 1 0 | 1 | 1 1 | 1 1
  HostMatrix<double> const A{
      6, 2, {0, 2, 4, 6, 7, 9, 11}, {0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1}, {1, 2, 3, 4, 5, 0, 7, 8, 9, 10, 11}};

  auto const F = from_csr<Brcv>(Space(), A.on_device());

  EXPECT_EQ(to_host(F.b), (std::vector<int>{0, 1, 3, 4, 6}));
  EXPECT_EQ(to_host(F.rc), (std::vector<int>{0, 2, 4, 5, 7}));
  EXPECT_EQ(to_host(F.rv), (std::vector<int>{0, 2, 6, 7}));
  EXPECT_EQ(to_host(F.c), (std::vector<int>{0, 1, 1, 0, 1, 1, 1}));
}

TEST(BrcvLayout, EqualsTheSequentialConversion) {
  auto all = battery();
  for (auto& pattern : striped_patterns()) all.push_back(std::move(pattern));
  for (auto const& pattern : all) {
    SCOPED_TRACE(pattern.name);
    auto const want = stripe_arrays(pattern);
    auto const host = with_numbers<double, std::int64_t, std::size_t>(pattern, Numbers::reals);
    auto const A = host.on_device();

    auto const F = from_csr<Brcv>(Space(), A);
    auto const counts = stripes(Space(), A);

    EXPECT_EQ(wide(F.b), want.b);
    EXPECT_EQ(wide(F.rc), want.rc);
    EXPECT_EQ(wide(F.rv), want.rv);
    EXPECT_EQ(wide(F.c), want.c);
    EXPECT_EQ(to_host(F.values), host.values);
    EXPECT_EQ(counts.p, static_cast<std::int64_t>(want.rv.size()));
    EXPECT_EQ(counts.list_entries, want.c.size());
    EXPECT_NO_THROW(validate(Space(), F));
    auto const back = to_host(to_csr(Space(), F));
    EXPECT_EQ(back.offsets, host.offsets);
    EXPECT_EQ(back.columns, host.columns);
    EXPECT_EQ(back.values, host.values);
  }
}

TEST(BrcvLayout, FindsTheStripesOfTheGenerator) {
  for (int const height : {1, 7, 10}) {
    auto const A =
        generate<double, int, int, Device>(Space(), "gen:stripes:1003:" + std::to_string(height) + ":9");
    auto const counts = stripes(Space(), A);
    EXPECT_EQ(counts.p, (1003 + height - 1) / height);
    EXPECT_EQ(counts.list_entries, 9 * counts.p);
    EXPECT_EQ(prefers_brcv(Space(), A), height > 1);
  }
}

TEST(BrcvLayout, ConversionCopiesNoArrayToTheHost) {
  auto const A = generate<double, int, int, Device>(Space(), "gen:stripes:20000:8:16");
  Watch const watch;

  auto const F = from_csr<Brcv>(Space(), A, {.checks = Checks::off});

  for (auto const& copy : watch.seen().copies)
    EXPECT_TRUE(copy.to_space == copy.from_space || copy.bytes < 64) << copy.label << ", " << copy.bytes;
  EXPECT_EQ(F.num_stripes(), 2500);
}

static_assert(!prefers_brcv(0, 0) && !prefers_brcv(1, 1) && !prefers_brcv(2, 1) && !prefers_brcv(2, 2));
static_assert(prefers_brcv(3, 1) && !prefers_brcv(3, 2) && !prefers_brcv(4, 2) && prefers_brcv(5, 2));

TEST(BrcvRule, IsThatOfThePatent) {
  for (int m = 0; m <= 70; ++m)
    for (int p = m > 0; p <= m; ++p) EXPECT_EQ(prefers_brcv(m, p), p < (2.0 * m - 1.0) / 4.0) << m << ", " << p;
}

TEST(BrcvRule, DoesNotOverflow) {
  constexpr int max = std::numeric_limits<int>::max();
  EXPECT_TRUE(prefers_brcv(max, max / 2));
  EXPECT_FALSE(prefers_brcv(max, max / 2 + 1));
  EXPECT_FALSE(prefers_brcv(max, max));
  constexpr auto wide_max = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(prefers_brcv(wide_max, wide_max / 2));
  EXPECT_FALSE(prefers_brcv(wide_max, wide_max / 2 + 1));
}

TEST(BrcvRule, CountsTheStripesOfAMatrix) {
  Space const exec;
  auto const of = [&](std::vector<std::pair<std::int64_t, std::int64_t>> const& some) {
    return prefers_brcv(exec, with_numbers<double>(striped("", some, 20), Numbers::integers).on_device());
  };
  EXPECT_FALSE(prefers_brcv(exec, Csr<double, int, int, Device>()));
  EXPECT_FALSE(of({{1, 3}}));
  EXPECT_FALSE(of({{2, 3}}));          // 1 < 3/4
  EXPECT_TRUE(of({{3, 3}}));           // 1 < 5/4
  EXPECT_FALSE(of({{2, 3}, {2, 4}}));  // 2 < 7/4
  EXPECT_TRUE(of({{2, 3}, {3, 4}}));   // 2 < 9/4
}

TEST(BrcvEmpty, DefaultConstructedIs0By0) {
  Format const F;
  Kokkos::View<double*, Device> const x("x", 0), y("y", 0);
  Kokkos::View<double**, Kokkos::LayoutRight, Device> const X("X", 0, 5), Y("Y", 0, 5);
  auto const plan = make_spmv_plan(Space(), F);

  EXPECT_NO_THROW(spmv(Space(), 1, F, x, 0, y));
  EXPECT_NO_THROW(spmv(Space(), plan, 1, x, 0, y));
  EXPECT_NO_THROW(spmv(Space(), 1, F, X, 0, Y));
  EXPECT_NO_THROW(validate(Space(), F));
  EXPECT_EQ(to_csr(Space(), F).nnz(), 0);
  EXPECT_EQ(F.bytes(), 0u);
  auto const made = from_csr<Brcv>(Space(), Csr<double, int, int, Device>{0, 7, {}, {}, {}});
  EXPECT_EQ(to_host(made.b), std::vector<int>{0});
  EXPECT_EQ(to_host(made.rc), std::vector<int>{0});
  EXPECT_EQ(made.num_stripes(), 0);
}

/// The arrays of by_hand(), of which each test invalidates one.
class BrcvByHand : public testing::Test {
 protected:
  std::vector<int> b{0, 3, 4, 6, 8}, rc{0, 2, 4, 4, 7}, rv{0, 6, 8, 8}, c{1, 3, 1, 2, 0, 1, 2};
  std::vector<double> values = by_hand().values;
  int num_rows = 8, num_cols = 5, num_entries = 14;

  [[nodiscard]] Format format() const {
    return {num_rows,     num_cols,          to_device(b), to_device(rc), to_device(rv),
            to_device(c), to_device(values), {},           num_entries};
  }
  void expect_refused(std::vector<std::string> const& parts) const {
    EXPECT_TRUE(throws<InvalidStructure>([&] { validate(Space(), format()); }, parts));
  }
};

TEST_F(BrcvByHand, ValidArraysMultiply) {
  auto const F = format();
  EXPECT_NO_THROW(validate(Space(), F));
  auto const host = by_hand();
  auto const x = numbers<double>(Numbers::integers, 5, 2);
  auto const before = std::vector<double>(8, not_a_number<double>());
  auto const y = to_device(before);
  spmv(Space(), 1, F, to_device(x), 0, y);
  EXPECT_TRUE(agrees(to_host(y), expected<double>(host, x, 1.0, 0.0), before, true));
}

TEST_F(BrcvByHand, NeighbouringStripesMayHaveEqualLists) {
  b = {0, 1, 3, 4, 6, 8};
  rc = {0, 2, 4, 6, 6, 9};
  rv = {0, 2, 6, 8, 8};
  c = {1, 3, 1, 3, 1, 2, 0, 1, 2};
  EXPECT_NO_THROW(validate(Space(), format()));
  EXPECT_EQ(to_host(to_csr(Space(), format())).columns, by_hand().columns);
}

TEST_F(BrcvByHand, BNotIncreasing) {
  b[2] = 3;
  expect_refused({"stripe 1 has no rows"});
}
TEST_F(BrcvByHand, LastOfBIsNotNumRows) {
  b[4] = 9;
  expect_refused({"b(4) is 9", "expected 8"});
}
TEST_F(BrcvByHand, FirstOfBIsNotZero) {
  b[0] = 1;
  expect_refused({"b(0) is 1", "expected 0"});
}
TEST_F(BrcvByHand, RcDecreases) {
  rc[2] = 1;
  expect_refused({"stripe 1", "rc decreases"});
}
TEST_F(BrcvByHand, LastOfRcIsNotTheExtentOfC) {
  c.pop_back();
  expect_refused({"rc(4) is 7", "expected 6"});
}
TEST_F(BrcvByHand, RvContradictsTheNumberOfValues) {
  rv[2] = 9;
  expect_refused({"values of stripe 1"});
}
TEST_F(BrcvByHand, TooManyValues) {
  values.push_back(15);
  expect_refused({"num_entries is 14", "expected 15"});
  num_entries = 15;
  expect_refused({"values of stripe 3"});
}
TEST_F(BrcvByHand, ArraysOfTheWrongLength) {
  b.push_back(8);
  expect_refused({"extent of b is 6", "expected 5"});
  b.pop_back();
  rc.pop_back();
  expect_refused({"extent of rc is 4", "expected 5"});
}
TEST_F(BrcvByHand, RowsWithoutStripes) {
  b = rc = {0};
  rv = c = {};
  expect_refused({"no stripes"});
}
TEST_F(BrcvByHand, ColumnsOutOfRange) {
  c[5] = 5;
  expect_refused({"c(5) is 5", "0 .. 5 - 1"});
  c[5] = -2;
  expect_refused({"c(5) is -2"});
}
TEST_F(BrcvByHand, NegativeSizes) {
  num_cols = -1;
  expect_refused({"negative size 8 x -1"});
}

}  // namespace
}  // namespace einkorn::test
