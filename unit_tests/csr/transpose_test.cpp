// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The transpose and what a matrix is made from: triplets. Row statistics, fingerprints.

#include "../support/battery.hpp"
#include "../support/throws.hpp"

#include <einkorn/core/mix64.hpp>
#include <einkorn/formats/csr/from_triplets.hpp>
#include <einkorn/formats/csr/row_lengths.hpp>
#include <einkorn/formats/csr/transpose.hpp>
#include <einkorn/formats/fingerprint.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

template <class C>
class CsrTranspose : public testing::Test {};
using IndexPairs = Configs<double>;
TYPED_TEST_SUITE(CsrTranspose, IndexPairs);

TYPED_TEST(CsrTranspose, EqualsASequentialReference) {
  for (auto const& pattern : battery()) {
    SCOPED_TRACE(pattern.name);
    auto const host = with_numbers_of<TypeParam>(pattern, Numbers::reals);
    auto const want = transposed(host);

    auto const T = transpose(Space(), host.on_device());

    auto const got = to_host(T.matrix);
    EXPECT_EQ(got.num_rows, want.num_rows);
    EXPECT_EQ(got.num_cols, want.num_cols);
    EXPECT_TRUE(got.offsets == want.offsets);
    EXPECT_TRUE(got.columns == want.columns);
    EXPECT_TRUE(got.values == want.values);
    auto const source = to_host(T.source);
    ASSERT_EQ(source.size(), want.values.size());
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < source.size(); ++k)
      wrong += host.values[static_cast<std::size_t>(source[k])] != want.values[k];
    EXPECT_EQ(wrong, 0u);
  }
}

TYPED_TEST(CsrTranspose, UpdatesValues) {
  auto const pattern = random_pattern(70, 90, 5);
  auto const new_host = with_numbers_of<TypeParam>(pattern, Numbers::reals, 99);
  auto const T = transpose(Space(), with_numbers_of<TypeParam>(pattern, Numbers::reals).on_device());

  update_values(Space(), T, new_host.on_device());

  EXPECT_EQ(to_host(T.matrix).values, transposed(new_host).values);
}

TYPED_TEST(CsrTranspose, StatisticsOfTheBattery) {
  for (auto const& pattern : battery()) {
    auto const host = with_numbers_of<TypeParam>(pattern, Numbers::reals);
    std::size_t longest = 0, empty = 0;
    for (std::size_t i = 0; i < host.rows(); ++i) {
      longest = std::max(longest, host.end(i) - host.begin(i));
      empty += host.end(i) == host.begin(i);
    }

    auto const lengths = row_lengths(Space(), host.on_device());

    EXPECT_EQ(static_cast<std::size_t>(lengths.longest), longest) << pattern.name;
    EXPECT_EQ(static_cast<std::size_t>(lengths.empty_rows), empty) << pattern.name;
    EXPECT_EQ(static_cast<std::size_t>(lengths.entries), host.values.size()) << pattern.name;
    auto const mean = host.rows() == 0 ? 0.0 : double(host.values.size()) / double(host.rows());
    EXPECT_DOUBLE_EQ(lengths.mean(), mean) << pattern.name;
  }
}

TYPED_TEST(CsrTranspose, FingerprintsDistinguishStructures) {
  auto const host = with_numbers_of<TypeParam>(random_pattern(70, 90, 5), Numbers::reals, 1);
  auto const same = with_numbers_of<TypeParam>(random_pattern(70, 90, 5), Numbers::reals, 2);
  auto const print = fingerprint(Space(), host.on_device());
  EXPECT_EQ(print, fingerprint(Space(), same.on_device()));
  auto swapped = host;
  std::swap(swapped.columns[3], swapped.columns[4]);
  EXPECT_NE(print, fingerprint(Space(), swapped.on_device()));
  auto wider = host;
  ++wider.num_cols;
  EXPECT_NE(print, fingerprint(Space(), wider.on_device()));
}

/// The fingerprint of 8 columns in one row.
template <class O, class F>
Fingerprint print_of(std::vector<O> const& columns, F nnz) {
  return fingerprint(Space(),
                     Csr<double, O, F, Device>{1, O(100), to_device(std::vector<F>{0, nnz}), to_device(columns),
                                               to_device(std::vector<double>(columns.size(), 1.0))});
}

TEST(CsrFingerprint, ChangesWithEveryEntryAndEverySwap) {
  for (std::size_t const size : {1u, 2u, 5u, 8u, 11u}) {
    std::vector<int> columns(size);
    for (std::size_t k = 0; k < size; ++k) columns[k] = static_cast<int>(7 * k % 64);
    auto const print = print_of(columns, static_cast<int>(size));
    for (std::size_t i = 0; i < size; ++i) {
      for (int const step : {1, 2, 8, 32}) {
        auto changed = columns;
        changed[i] += step;
        EXPECT_NE(print, print_of(changed, static_cast<int>(size))) << "entry " << i << " of " << size;
      }
      for (std::size_t j = 0; j < i; ++j) {
        auto swapped = columns;
        std::swap(swapped[i], swapped[j]);
        EXPECT_NE(print, print_of(swapped, static_cast<int>(size))) << "entries " << i << " and " << j;
      }
    }
  }
}

TEST(CsrFingerprint, EqualsTheFormulaForEveryIntegerWidth) {
  // sum over fours of mix64(k (g + 1) + k0 e0 + k1 e1 + k2 e2 + k3 e3)
  std::vector<int> const columns{3, 1, 4, 1, 5, 9};
  std::vector<std::int64_t> const wide(columns.begin(), columns.end());
  std::uint64_t const k[] = {0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu,
                             0x6a09e667f3bcc90fu};
  auto const four = [&](std::uint64_t g, std::vector<std::uint64_t> const& e) {
    std::uint64_t word = 0xd1342543de82ef95u * (g + 1);
    for (std::size_t j = 0; j < e.size(); ++j) word += k[j] * e[j];
    return detail::mix64(word);
  };

  auto const print = print_of(columns, 6);

  EXPECT_EQ(print.columns, four(0, {3, 1, 4, 1}) + four(1, {5, 9}));
  EXPECT_EQ(print.offsets, four(0, {0, 6}));
  EXPECT_EQ(print, print_of(columns, std::size_t(6)));
  EXPECT_EQ(print, print_of(wide, std::size_t(6)));
  EXPECT_EQ(print, print_of(wide, 6));
}

TEST(CsrFingerprint, IsIndependentOfAlignment) {
  auto const A = with_numbers<double>(random_pattern(70, 90, 5), Numbers::reals);
  auto const print = fingerprint(Space(), A.on_device());
  for (std::size_t shift = 1; shift < 5; ++shift) {
    auto shifted = A;
    shifted.columns.insert(shifted.columns.begin(), shift, 77);
    shifted.offsets.insert(shifted.offsets.begin(), shift, 88);
    auto B = A.on_device();
    B.columns = Kokkos::subview(to_device(shifted.columns), std::pair(shift, shifted.columns.size()));
    B.row_offsets = Kokkos::subview(to_device(shifted.offsets), std::pair(shift, shifted.offsets.size()));

    EXPECT_EQ(fingerprint(Space(), B), print) << "shift " << shift;
  }
}

TEST(CsrFromTriplets, SortsAndAddsInTheOrderOfTheList) {
  Triplets<double, int> const triplets{3, 4, {2, 0, 2, 0, 2, 0}, {1, 3, 0, 0, 1, 3}, {1e16, 1, 2, 3, 1, 4}};

  auto const A = to_host(csr_from_triplets<std::size_t, Device>(triplets));

  EXPECT_EQ(A.num_rows, 3);
  EXPECT_EQ(A.num_cols, 4);
  EXPECT_EQ(A.offsets, (std::vector<std::size_t>{0, 2, 2, 4}));
  EXPECT_EQ(A.columns, (std::vector<int>{0, 3, 0, 1}));
  EXPECT_EQ(A.values, (std::vector<double>{3, 5, 2, 1e16 + 1}));
}

TEST(CsrFromTriplets, RestoresMatricesWithSortedRows) {
  for (auto const& pattern : battery()) {
    if (pattern.name == "columns not sorted" || pattern.name == "positions that repeat") continue;
    auto const host = with_numbers<double>(pattern, Numbers::reals);
    Triplets<double, int> triplets{host.num_rows, host.num_cols, {}, {}, {}};
    for (std::size_t i = host.rows(); i-- > 0;)  // the last row first
      for (auto k = host.begin(i); k < host.end(i); ++k) {
        triplets.rows.push_back(static_cast<int>(i));
        triplets.columns.push_back(host.columns[k]);
        triplets.values.push_back(host.values[k]);
      }

    auto const A = to_host(csr_from_triplets<int, Device>(triplets));

    EXPECT_TRUE(A.offsets == host.offsets && A.columns == host.columns && A.values == host.values)
        << pattern.name;
  }
}

TEST(CsrFromTriplets, IndexOutOfRangeThrows) {
  using List = Triplets<double, int>;
  auto const make = [](List const& triplets) { return [&] { csr_from_triplets<int, Device>(triplets); }; };
  for (List const& outside : {List{3, 4, {0, 3}, {0, 0}, {1, 1}}, List{3, 4, {0, 0}, {0, 4}, {1, 1}},
                              List{3, 4, {0, -1}, {0, 0}, {1, 1}}, List{3, 4, {0, 0}, {0, -1}, {1, 1}}})
    EXPECT_TRUE(throws<InvalidStructure>(make(outside), {"entry 1 lies at (", "3 x 4"}));
  EXPECT_TRUE(throws<InvalidStructure>(make({3, 4, {0, 1}, {0}, {1, 1}}), {"differ in length"}));
  EXPECT_TRUE(throws<InvalidStructure>(make({-3, 4, {}, {}, {}}), {"negative"}));
}

}  // namespace
}  // namespace einkorn::test
