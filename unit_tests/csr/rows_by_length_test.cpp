// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Rows ordered by length, and the SpMV that uses them: SpmvAlgorithm::sorted_rows.

#include "../support/battery.hpp"
#include "../support/near.hpp"
#include "../support/throws.hpp"

#include <einkorn/formats/csr/rows_by_length.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace einkorn::test {
namespace {

template <class C>
class CsrRowLengthOrder : public testing::Test {};
using IndexPairs = Configs<double>;
TYPED_TEST_SUITE(CsrRowLengthOrder, IndexPairs);

/// Lengths around the largest that a window on the host counts (512), in an order that is not sorted.
Pattern rows_of_many_entries() {
  Pattern pattern;
  pattern.name = "lengths around 512";
  pattern.num_cols = 3000;
  pattern.offsets = {0};
  for (int const length : {511, 2000, 512, 0, 513, 1, 2000, 512, 511, 3000, 513, 7}) {
    for (int column = 0; column < length; ++column) pattern.columns.push_back(column);
    pattern.offsets.push_back(static_cast<std::int64_t>(pattern.columns.size()));
  }
  pattern.num_rows = static_cast<std::int64_t>(pattern.offsets.size()) - 1;
  return pattern;
}

TYPED_TEST(CsrRowLengthOrder, EqualsAStableSort) {
  using Ordinal = typename TypeParam::Ordinal;
  auto patterns = battery();
  patterns.push_back(rows_of_many_entries());
  for (auto const& pattern : patterns)
    for (std::int64_t const window : {0, 1, 7, 64, 1 << 21}) {
      SCOPED_TRACE(pattern.name + ", window " + std::to_string(window));
      auto const host = with_numbers_of<TypeParam>(pattern, Numbers::integers);
      std::vector<Ordinal> want(host.rows());
      std::iota(want.begin(), want.end(), Ordinal(0));
      auto const length = [&](Ordinal row) {
        return host.end(static_cast<std::size_t>(row)) - host.begin(static_cast<std::size_t>(row));
      };
      auto const size = static_cast<std::int64_t>(want.size()), step = window == 0 ? size : window;
      for (std::int64_t first = 0; first < size; first += step)
        std::stable_sort(want.begin() + first, want.begin() + std::min(first + step, size),
                         [&](Ordinal a, Ordinal b) { return length(a) > length(b); });

      auto const got = to_host(rows_by_length(Space(), host.on_device(), window));

      EXPECT_TRUE(got == want);
    }
}

TEST(CsrRowsByLength, OfAMatrixWithoutOffsets) {
  EXPECT_EQ(rows_by_length(Space(), Csr<double, int, int, Device>{}).extent(0), 0u);
}

TEST(CsrRowsByLength, RefusesANegativeWindow) {
  auto const A = with_numbers<double>(random_pattern(40, 30, 1), Numbers::integers).on_device();
  EXPECT_TRUE(throws<InvalidArgument>([&] { (void)rows_by_length(Space(), A, -3); }, {"window is -3"}));
}

TEST(CsrSortedRows, SameBitsAsRowTeam) {
  for (auto const& pattern : battery()) {
    SCOPED_TRACE(pattern.name);
    auto const A = with_numbers<double>(pattern, Numbers::reals).on_device();
    auto const x = to_device(numbers<double>(Numbers::reals, static_cast<std::size_t>(A.num_cols), 2));
    auto const before = numbers<double>(Numbers::reals, static_cast<std::size_t>(A.num_rows), 3);
    std::vector<std::vector<double>> results;
    for (auto const algorithm : {SpmvAlgorithm::row_team, SpmvAlgorithm::sorted_rows}) {
      auto const plan = make_spmv_plan(Space(), A, {.algorithm = algorithm, .lanes = 8});
      auto const y = to_device(before);

      spmv(Space(), plan, 0.75, x, 0.5, y);

      EXPECT_EQ(plan.algorithm(), algorithm);
      results.push_back(to_host(y));
    }
    EXPECT_TRUE(same_numbers(results[1], results[0]));
  }
}

TEST(CsrSortedRows, PlanStoresTheOrder) {
  auto const A = with_numbers<double>(random_pattern(90, 80, 5), Numbers::integers).on_device();
  for (auto const op : {Op::none, Op::transpose}) {
    auto const plan = make_spmv_plan(Space(), A, {.op = op, .algorithm = SpmvAlgorithm::sorted_rows});
    auto const without = make_spmv_plan(Space(), A, {.op = op, .algorithm = SpmvAlgorithm::row_team});
    std::size_t const rows = is_gpu<Space> ? (op == Op::none ? 90 : 80) : 0;  // empty on the host
    EXPECT_EQ(plan.row_order().extent(0), rows);
    EXPECT_EQ(plan.bytes(), without.bytes() + rows * sizeof(int));
    if (rows > 0) {
      EXPECT_EQ(to_host(plan.row_order()), to_host(rows_by_length(Space(), plan.matrix())));
    }
  }
}

TEST(CsrSortedRows, NeedsAPlanAndIsNeverAutomatic) {
  auto const host = with_numbers<double>(random_pattern(90, 80, 5), Numbers::integers);
  auto const A = host.on_device();
  auto const before = numbers<double>(Numbers::integers, 90, 3);
  auto const x = to_device(numbers<double>(Numbers::integers, 80, 2)), y = to_device(before);

  for (double const alpha : {0.0, 1.0})
    EXPECT_TRUE(throws<InvalidArgument>(
        [&] { spmv(Space(), alpha, A, x, 0.0, y, {.algorithm = SpmvAlgorithm::sorted_rows}); },
        {"sorted_rows needs a plan", "make_spmv_plan"}));
  EXPECT_EQ(to_host(y), before);
  for (auto const& pattern : battery())
    EXPECT_NE(make_spmv_plan(Space(), with_numbers<double>(pattern, Numbers::integers).on_device()).algorithm(),
              SpmvAlgorithm::sorted_rows);
  EXPECT_STREQ(name_of(SpmvAlgorithm::sorted_rows), "sorted_rows");
}

}  // namespace
}  // namespace einkorn::test
