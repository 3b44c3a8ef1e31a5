// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Rows ordered by column, and rows and columns in another order.

#include "../support/battery.hpp"
#include "../support/near.hpp"
#include "../support/sorted_rows.hpp"
#include "../support/throws.hpp"

#include <einkorn/formats/csr/permute.hpp>
#include <einkorn/formats/csr/rows_by_length.hpp>
#include <einkorn/formats/csr/sort_rows.hpp>
#include <einkorn/formats/csr/spmv.hpp>
#include <einkorn/formats/csr/validate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

template <class C>
class CsrSortRows : public testing::Test {};
using IndexPairs = Configs<double>;
TYPED_TEST_SUITE(CsrSortRows, IndexPairs);

template <class Host>
bool is_sorted(Host const& A) {
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (auto k = A.begin(i) + 1; k < A.end(i); ++k)
      if (A.columns[k - 1] > A.columns[k]) return false;
  return true;
}

template <class Host>
void expect_same(Host const& got, Host const& want) {
  EXPECT_EQ(got.num_rows, want.num_rows);
  EXPECT_EQ(got.num_cols, want.num_cols);
  EXPECT_TRUE(got.offsets == want.offsets);
  EXPECT_TRUE(got.columns == want.columns);
  EXPECT_TRUE(got.values == want.values);
}

TYPED_TEST(CsrSortRows, IsAStableSortOfEveryRow) {
  for (auto const& pattern : battery()) {
    SCOPED_TRACE(pattern.name);
    auto const host = with_numbers_of<TypeParam>(pattern, Numbers::reals);
    auto const A = host.on_device();

    auto const B = sort_rows(Space(), A);

    expect_same(to_host(B), sorted_by_column(host));
    expect_same(to_host(A), host);
    EXPECT_TRUE(is_sorted_by_column(Space(), B));
  }
}

TYPED_TEST(CsrSortRows, IsSortedEqualsAReference) {
  int unsorted = 0;
  for (auto const& pattern : battery()) {
    auto const host = with_numbers_of<TypeParam>(pattern, Numbers::reals);
    bool const want = is_sorted(host);
    EXPECT_EQ(is_sorted_by_column(Space(), host.on_device()), want) << pattern.name;
    unsorted += !want;
  }
  EXPECT_GE(unsorted, 2);
}

TEST(CsrSortedByColumn, DetectsOneSwapAnywhere) {
  auto const host = with_numbers<double>(random_pattern(60, 50, 2), Numbers::integers);
  ASSERT_TRUE(is_sorted_by_column(Space(), host.on_device()));
  for (std::size_t i = 0; i < host.rows(); ++i)
    for (auto k = host.begin(i) + 1; k < host.end(i); k += 5) {
      auto swapped = host;
      std::swap(swapped.columns[k - 1], swapped.columns[k]);
      EXPECT_FALSE(is_sorted_by_column(Space(), swapped.on_device())) << "entry " << k;
    }
}

TEST(CsrSortedByColumn, OfAMatrixWithoutOffsets) {
  Csr<double, int, int, Device> const A{0, 7, {}, {}, {}};
  EXPECT_TRUE(is_sorted_by_column(Space(), A));
  auto const B = sort_rows(Space(), A);
  EXPECT_NO_THROW(validate(Space(), B));
  EXPECT_EQ(B.num_cols, 7);
}

template <class C>
class CsrPermute : public testing::Test {};
TYPED_TEST_SUITE(CsrPermute, IndexPairs);

/// A random permutation of 0 .. n - 1.
template <class Ordinal>
std::vector<Ordinal> shuffled(std::size_t n, std::uint64_t seed) {
  std::vector<Ordinal> list(n);
  std::iota(list.begin(), list.end(), Ordinal(0));
  for (std::size_t i = n; i > 1; --i) std::swap(list[i - 1], list[noise(i, seed) % i]);
  return list;
}

TYPED_TEST(CsrPermute, EntryIJIsEntryPOfIQOfJ) {
  using Ordinal = typename TypeParam::Ordinal;
  for (auto const& pattern : battery()) {
    SCOPED_TRACE(pattern.name);
    auto const host = with_numbers_of<TypeParam>(pattern, Numbers::reals);
    auto const p = shuffled<Ordinal>(host.rows(), 5), q = shuffled<Ordinal>(host.cols(), 6);
    std::vector<Ordinal> new_column(host.cols());
    for (std::size_t j = 0; j < q.size(); ++j)
      new_column[static_cast<std::size_t>(q[j])] = static_cast<Ordinal>(j);
    HostMatrixOf<TypeParam> want{host.num_rows, host.num_cols, {typename TypeParam::Offset(0)}, {}, {}};
    for (auto const row : p) {
      auto const i = static_cast<std::size_t>(row);
      for (auto k = host.begin(i); k < host.end(i); ++k) {
        want.columns.push_back(new_column[host.column(k)]);
        want.values.push_back(host.values[k]);
      }
      want.offsets.push_back(static_cast<typename TypeParam::Offset>(want.values.size()));
    }

    auto const B = permute(Space(), host.on_device(), to_device(p), to_device(q));

    expect_same(to_host(B), want);
  }
}

TEST(CsrPermuted, MapsProducts) {
  auto const host = with_numbers<double>(random_pattern(90, 70, 3), Numbers::integers);
  auto const p = shuffled<int>(90, 1), q = shuffled<int>(70, 2);
  auto const x = numbers<double>(Numbers::integers, 70, 4);
  std::vector<double> new_x(70);
  for (std::size_t j = 0; j < 70; ++j) new_x[j] = x[static_cast<std::size_t>(q[j])];
  auto const want = row_sums<double>(host, x).sum;
  auto const y = to_device(std::vector<double>(90));

  spmv(Space(), 1.0, permute(Space(), host.on_device(), to_device(p), to_device(q)), to_device(new_x), 0.0, y);

  auto const got = to_host(y);
  for (std::size_t i = 0; i < 90; ++i)
    EXPECT_EQ(static_cast<long double>(got[i]), want[static_cast<std::size_t>(p[i])]) << i;
}

TEST(CsrPermuted, ByLengthGivesDecreasingLengths) {
  auto const A = with_numbers<double>(random_pattern(90, 70, 3), Numbers::integers).on_device();
  std::vector<int> same(70);
  std::iota(same.begin(), same.end(), 0);

  auto const B = to_host(permute(Space(), A, rows_by_length(Space(), A), to_device(same)));

  for (std::size_t i = 1; i < B.rows(); ++i)
    EXPECT_GE(B.end(i - 1) - B.begin(i - 1), B.end(i) - B.begin(i)) << i;
}

TEST(CsrPermuted, InvalidPermutationThrows) {
  auto const A = with_numbers<double>(random_pattern(40, 30, 1), Numbers::integers).on_device();
  auto const p = shuffled<int>(40, 1), q = shuffled<int>(30, 2);
  auto const refused = [&](std::size_t at, int value, std::vector<std::string> const& parts, bool of_rows) {
    auto bad = of_rows ? p : q;
    bad[at] = value;
    return throws<InvalidStructure>(
        [&] { (void)permute(Space(), A, to_device(of_rows ? bad : p), to_device(of_rows ? q : bad)); }, parts);
  };
  EXPECT_TRUE(refused(7, 40, {"rows(7) is 40", "0 .. 40 - 1"}, true));
  EXPECT_TRUE(refused(7, -1, {"rows(7) is -1"}, true));
  EXPECT_TRUE(refused(7, p[3], {"rows(7) is " + std::to_string(p[3]), "twice"}, true));
  EXPECT_TRUE(refused(3, p[7], {"rows(7) is " + std::to_string(p[7]), "twice"}, true));
  EXPECT_TRUE(refused(29, 30, {"columns(29) is 30", "0 .. 30 - 1"}, false));
  EXPECT_TRUE(refused(29, q[0], {"columns(29)", "twice"}, false));
  EXPECT_TRUE(throws<DimensionMismatch>([&] { (void)permute(Space(), A, to_device(q), to_device(q)); },
                                        {"rows has extent(0) = 30", "expected 40"}));
  EXPECT_TRUE(throws<DimensionMismatch>([&] { (void)permute(Space(), A, to_device(p), to_device(p)); },
                                        {"columns has extent(0) = 40", "expected 30"}));
}

}  // namespace
}  // namespace einkorn::test
