// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Translation-equivalent rows of C: detected, computed once, the same bits as row by row.

#include "../support/battery.hpp"
#include "../support/near.hpp"
#include "../support/watch.hpp"
#include "spgemm_oracle.hpp"

#include <einkorn/formats/spgemm/spgemm.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace einkorn::test {
namespace {

using Host = HostMatrix<double>;

struct Box {
  std::int64_t x, y, z;
};

/// Every point of a box with those whose distance in every direction is at most 1, `unknowns` per point.
Pattern points_27(Box const& box, std::int64_t unknowns = 1) {
  Pattern pattern;
  pattern.num_rows = pattern.num_cols = box.x * box.y * box.z * unknowns;
  for (std::int64_t row = 0; row < pattern.num_rows; ++row) {
    std::int64_t const point = row / unknowns;
    std::int64_t const x = point % box.x, y = point / box.x % box.y, z = point / (box.x * box.y);
    for (auto k = std::max<std::int64_t>(z - 1, 0); k <= std::min(z + 1, box.z - 1); ++k)
      for (auto j = std::max<std::int64_t>(y - 1, 0); j <= std::min(y + 1, box.y - 1); ++j)
        for (auto i = std::max<std::int64_t>(x - 1, 0); i <= std::min(x + 1, box.x - 1); ++i)
          for (std::int64_t u = 0; u < unknowns; ++u)
            pattern.columns.push_back(((k * box.y + j) * box.x + i) * unknowns + u);
    pattern.offsets.push_back(static_cast<std::int64_t>(pattern.columns.size()));
  }
  return pattern;
}

/// Rows i -> columns i / 2 - 1 .. i / 2 + 1: an interpolation with two row classes and a shift of half a column
/// per row.
Pattern interpolation(std::int64_t rows) {
  Pattern pattern;
  pattern.num_rows = rows;
  pattern.num_cols = rows / 2 + 1;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = i / 2 - (i % 2); j <= i / 2 + 1; ++j)
      if (j >= 0 && j < pattern.num_cols) pattern.columns.push_back(j);
    pattern.offsets.push_back(static_cast<std::int64_t>(pattern.columns.size()));
  }
  return pattern;
}

SpgemmTeamOptions with(SpgemmRowClasses row_classes) {
  SpgemmTeamOptions options;
  options.algorithm = SpgemmAlgorithm::row_teams;
  options.row_classes = row_classes;
  return options;
}

/// With and without row classes C is equal to the last bit. Returns the report with row classes.
template <class A, class B>
SpgemmReport expect_the_same(A const& a, B const& b, bool use_oracle = true) {
  auto const on_device_A = a.on_device();
  auto const on_device_B = b.on_device();
  auto const plan = spgemm_symbolic(Space(), on_device_A, on_device_B, with(SpgemmRowClasses::detect));
  auto const got = to_host(spgemm_numeric(Space(), plan, on_device_A, on_device_B));
  auto const want = to_host(spgemm(Space(), on_device_A, on_device_B, with(SpgemmRowClasses::off)));

  EXPECT_EQ(got.offsets, want.offsets);
  EXPECT_EQ(got.columns, want.columns);
  EXPECT_TRUE(same_numbers(got.values, want.values));
  if (use_oracle) {
    EXPECT_TRUE(is_product(got, a, b, false));
  }
  return plan.report();
}

template <class C>
class SpgemmRowClassesOf : public testing::Test {};
using Types = TestTypes<Config<double, int, int>, Config<float, int, std::size_t>,
                        Config<Complex, std::int64_t, std::size_t>>;
TYPED_TEST_SUITE(SpgemmRowClassesOf, Types);

TYPED_TEST(SpgemmRowClassesOf, Grid) {
  auto const A = with_numbers_of<TypeParam>(points_27({9, 8, 7}), Numbers::reals);

  auto const report = expect_the_same(A, A);

  EXPECT_EQ(report.num_row_classes, 125u);
  EXPECT_TRUE(report.has_scatter_map);
}

/// Segments longer than a warp, and classes of three consecutive rows.
TYPED_TEST(SpgemmRowClassesOf, GridOfVectors) {
  auto const A = with_numbers_of<TypeParam>(points_27({7, 6, 6}, 3), Numbers::reals);

  auto const report = expect_the_same(A, A);

  EXPECT_EQ(report.num_row_classes, 125u);
  EXPECT_TRUE(report.has_scatter_map);
}

/// Rectangular, with different shifts of columns and rows.
TYPED_TEST(SpgemmRowClassesOf, GalerkinProduct) {
  auto const A = with_numbers_of<TypeParam>(points_27({640, 1, 1}), Numbers::integers);
  auto const P = with_numbers_of<TypeParam>(interpolation(640), Numbers::integers);
  auto const R = transposed(P);

  EXPECT_GT(expect_the_same(A, P).num_row_classes, 0u);
  auto const AP = to_host(spgemm(Space(), A.on_device(), P.on_device()));
  EXPECT_GT(expect_the_same(R, AP).num_row_classes, 0u);
}

/// Empty rows, rows of empty rows, and one row without an equivalent.
TYPED_TEST(SpgemmRowClassesOf, MixedRows) {
  auto pattern = points_27({400, 1, 1});
  std::vector<std::int64_t> columns, offsets{0};
  for (std::size_t i = 0; i < 400; ++i) {
    auto const begin = pattern.columns.begin() + pattern.offsets[i],
               end = pattern.columns.begin() + pattern.offsets[i + 1];
    if (i == 77)
      for (std::int64_t j = 0; j < 400; j += 7) columns.push_back(j);
    else if (i % 50 > 2)
      columns.insert(columns.end(), begin, end);
    offsets.push_back(static_cast<std::int64_t>(columns.size()));
  }
  pattern.columns = columns;
  pattern.offsets = offsets;
  auto const A = with_numbers_of<TypeParam>(pattern, Numbers::reals);

  EXPECT_GT(expect_the_same(A, A).num_row_classes, 5u);
}

/// Equivalent rows that are unsorted or repeat columns.
TYPED_TEST(SpgemmRowClassesOf, UnsortedRows) {
  using HostM = HostMatrixOf<TypeParam>;
  HostM A = with_numbers_of<TypeParam>(points_27({300, 1, 1}), Numbers::integers), repeated = A;
  for (std::size_t i = 0; i < A.rows(); ++i) {
    std::swap(A.columns[A.begin(i)], A.columns[A.end(i) - 1]);
    repeated.columns[A.begin(i)] = repeated.columns[A.end(i) - 1];
  }

  EXPECT_GT(expect_the_same(A, A).num_row_classes, 0u);
  EXPECT_GT(expect_the_same(repeated, A).num_row_classes, 0u);
  EXPECT_GT(expect_the_same(A, repeated).num_row_classes, 0u);
  EXPECT_GT(expect_the_same(repeated, repeated).num_row_classes, 0u);

  auto unordered = with(SpgemmRowClasses::detect);
  unordered.sums = SpgemmSums::unordered;
  auto const C = to_host(spgemm(Space(), A.on_device(), repeated.on_device(), unordered));
  EXPECT_TRUE(is_product(C, A, repeated, false));
}

TEST(SpgemmRowClasses, NotFoundInRandomRows) {
  auto const A = with_numbers<double>(random_pattern(300, 300, 7), Numbers::reals);

  auto const report = expect_the_same(A, A);

  EXPECT_EQ(report.num_row_classes, 0u);
  EXPECT_FALSE(report.has_scatter_map);
}

/// No scatter map for rows of C that exceed its limit, nor for unsorted rows.
TEST(SpgemmRowClasses, WithoutScatterMap) {
  auto const few = with_numbers<double>(points_27({200, 1, 1}), Numbers::integers);
  Host dense{200, 4000, {0}, {}, {}};
  for (std::size_t i = 0; i < 200; ++i) {
    for (int j = 0; j < 1100; ++j) {
      dense.columns.push_back(static_cast<int>(i) + 2 * j);
      dense.values.push_back(j % 3 - 1.0);
    }
    dense.offsets.push_back(static_cast<int>(dense.columns.size()));
  }

  auto const report = expect_the_same(few, dense);

  EXPECT_EQ(report.num_row_classes, 2u);  // two rows of `dense`, or three
  EXPECT_FALSE(report.has_scatter_map);

  auto options = with(SpgemmRowClasses::detect);
  options.rows = SpgemmRows::unsorted;
  auto const plan = spgemm_symbolic(Space(), few.on_device(), few.on_device(), options);
  EXPECT_EQ(plan.report().num_row_classes, 5u);
  EXPECT_FALSE(plan.report().has_scatter_map);
  auto C = to_host(spgemm_numeric(Space(), plan, few.on_device(), few.on_device()));
  EXPECT_EQ(C.nnz(), to_host(spgemm(Space(), few.on_device(), few.on_device())).nnz());
}

TEST(SpgemmRowClasses, NewValuesAllocateNothing) {
  auto const pattern = points_27({8, 8, 8});
  auto const first = with_numbers<double>(pattern, Numbers::integers, 1),
             second = with_numbers<double>(pattern, Numbers::integers, 2);
  auto const A = second.on_device(), B = first.on_device();
  auto const plan = spgemm_symbolic(Space(), B, B, with(SpgemmRowClasses::detect));
  auto const C = spgemm_numeric(Space(), plan, B, B);
  EXPECT_TRUE(is_product(to_host(C), first, first, true));
  ASSERT_TRUE(plan.report().has_scatter_map);

  std::size_t allocations = 0;
  {
    Watch const watch;
    spgemm_numeric(Space(), plan, A, B, C);
    Space().fence();
    allocations = watch.seen().allocations.size();
  }

  EXPECT_EQ(allocations, 0u);
  EXPECT_TRUE(is_product(to_host(C), second, first, true));
}

TEST(SpgemmRowClasses, NotDetectedWithinASmallLimit) {
  auto const A = with_numbers<double>(points_27({10, 10, 10}), Numbers::integers);
  auto options = with(SpgemmRowClasses::detect);
  options.workspace_limit = 3 * A.rows() * sizeof(int);

  auto const plan = spgemm_symbolic(Space(), A.on_device(), A.on_device(), options);

  EXPECT_EQ(plan.report().num_row_classes, 0u);
  EXPECT_LE(plan.report().workspace, options.workspace_limit);
  EXPECT_TRUE(is_product(to_host(spgemm_numeric(Space(), plan, A.on_device(), A.on_device())), A, A, true));
}

/// find_row_classes() on the columns of a matrix.
struct Classes {
  using Matrix = Csr<double, int, int, Device>;
  using Rows = detail::RowsByColumns<Matrix>;
  using Hashes = Kokkos::View<std::uint64_t*, Device>;

  Matrix A;
  Rows rows;
  Hashes hashes;

  explicit Classes(Matrix const& of)
      : A(of),
        rows{A, Kokkos::View<detail::RowClass<int>*, Device>("classes", static_cast<std::size_t>(A.num_rows))},
        hashes("hashes", static_cast<std::size_t>(A.num_rows)) {}

  [[nodiscard]] bool find(std::size_t max_classes, int lanes) const {
    Hashes const table("table", detail::row_class_table_bytes(max_classes) / sizeof(std::uint64_t));
    bool const found =
        detail::find_row_classes(Space(), rows, hashes.extent(0), lanes, max_classes, hashes, table);
    Space().fence();
    return found;
  }
  [[nodiscard]] std::vector<int> representatives() const {
    std::vector<int> result;
    for (auto const& row_class : to_host(rows.classes)) result.push_back(row_class.representative);
    return result;
  }
};

TEST(FindRowClasses, RowsThatDifferByAShift) {
  //            0          1          2       3      4          5   6       7
  Host const A{8,
               40,
               {0, 3, 6, 8, 11, 14, 14, 14, 17},
               {0, 1, 5, 10, 11, 15, 0, 1, 0, 2, 5, 34, 35, 39, 5, 0, 1},
               std::vector<double>(17, 1.0)};
  for (int const lanes : {1, 4, 32}) {
    Classes const classes(A.on_device());

    EXPECT_FALSE(classes.find(4, lanes));
    ASSERT_TRUE(classes.find(5, lanes));

    EXPECT_EQ(classes.representatives(), (std::vector<int>{0, 0, 2, 3, 0, 5, 5, 7}));
    auto const row_class = to_host(classes.rows.classes);
    EXPECT_EQ(row_class[4].base, 34);
    EXPECT_EQ(row_class[5].base, -1);
  }
}

/// A row whose hash collides with another class is its own representative.
TEST(FindRowClasses, CollidingHashes) {
  Host const A{4, 9, {0, 2, 4, 6, 8}, {0, 1, 4, 5, 0, 2, 5, 7}, std::vector<double>(8, 1.0)};
  Classes const classes(A.on_device());
  using Table = detail::RowClassTable<Device>;
  Table const table{Classes::Hashes("numbers", 2 * 4 + 1), 4, 4};
  Kokkos::deep_copy(classes.hashes, 12345u);
  Kokkos::parallel_for(Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(0, 4),
                       detail::InsertRow<Lanes<Space>, Table, Classes::Hashes>{table, classes.hashes, 2});

  for_each_by_lanes(
      Space(), "row classes", 4, 2,
      detail::AssignRowClass<Classes::Rows, Table, Classes::Hashes>{classes.rows, table, classes.hashes});

  EXPECT_EQ(classes.representatives(), (std::vector<int>{0, 0, 2, 3}));
}

/// Many classes, whose rows are far apart.
TEST(FindRowClasses, ManyClasses) {
  std::size_t const num_classes = 500;
  Host A{static_cast<int>(4 * num_classes), 2000, {0}, {}, {}};
  for (std::size_t i = 0; i < A.rows(); ++i) {
    auto const class_id = static_cast<int>(i * 7 % num_classes);
    A.columns.insert(A.columns.end(), {static_cast<int>(i % 90), static_cast<int>(i % 90) + 1 + class_id});
    A.values.resize(A.columns.size());
    A.offsets.push_back(static_cast<int>(A.columns.size()));
  }
  Classes const classes(A.on_device());

  EXPECT_FALSE(classes.find(num_classes - 1, 2));
  ASSERT_TRUE(classes.find(num_classes, 2));

  auto const found = classes.representatives();
  for (std::size_t i = 0; i < A.rows(); ++i) EXPECT_EQ(found[i], static_cast<int>(i % num_classes));
}

/// A sample is tested first.
TEST(FindRowClasses, SampleOfManyRows) {
  for (bool const equivalent : {true, false}) {
    Host A{1 << 17, 1 << 18, {0}, {}, {}};
    for (int i = 0; i < A.num_rows; ++i) {
      A.columns.insert(A.columns.end(), {i, i + 1 + (equivalent ? i % 3 : i)});
      A.offsets.push_back(static_cast<int>(A.columns.size()));
    }
    A.values.resize(A.columns.size());
    Classes const classes(A.on_device());

    ASSERT_EQ(classes.find(std::size_t(1) << 14, 2), equivalent);

    if (!equivalent) continue;
    auto const found = classes.representatives();
    for (std::size_t i = 0; i < A.rows(); ++i) ASSERT_EQ(found[i], static_cast<int>(i % 3));
  }
}

}  // namespace
}  // namespace einkorn::test
