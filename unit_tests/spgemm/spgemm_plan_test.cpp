// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Plans: new values on a known pattern, invalid arguments, limits, all symbolic and numeric bins,
// repeatability.

#include "../support/battery.hpp"
#include "../support/near.hpp"
#include "../support/throws.hpp"
#include "../support/watch.hpp"
#include "spgemm_oracle.hpp"

#include <einkorn/formats/spgemm/spgemm.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

namespace einkorn::test {
namespace {

using Host = HostMatrix<double>;

SpgemmTeamOptions by(SpgemmAlgorithm algorithm) {
  SpgemmTeamOptions options;
  options.algorithm = algorithm;
  return options;
}

TEST(SpgemmPlan, NewValuesAllocateNothing) {
  auto const pattern = random_pattern(200, 200, 11);
  auto const first = with_numbers<double>(pattern, Numbers::integers, 1),
             second = with_numbers<double>(pattern, Numbers::integers, 2);
  for (auto const algorithm : algorithms()) {
    auto const plan = spgemm_symbolic(Space(), first.on_device(), first.on_device(), by(algorithm));
    auto const C = spgemm_numeric(Space(), plan, first.on_device(), first.on_device());
    EXPECT_TRUE(is_product(to_host(C), first, first, true));
    auto const A = second.on_device(), B = first.on_device();

    std::size_t allocations = 0;
    {
      Watch const watch;
      spgemm_numeric(Space(), plan, A, B, C);
      Space().fence();
      allocations = watch.seen().allocations.size();
    }

    EXPECT_EQ(allocations, 0u);
    EXPECT_TRUE(is_product(to_host(C), second, first, true));
    EXPECT_EQ(plan.report().products, count_products(first, first));
    EXPECT_EQ(static_cast<std::size_t>(plan.nnz()), to_host(C).nnz());
  }
}

TEST(SpgemmPlan, OtherMatricesThrow) {
  auto const A = with_numbers<double>(random_pattern(30, 40, 1), Numbers::reals),
             B = with_numbers<double>(random_pattern(40, 20, 2), Numbers::reals);
  auto const plan = spgemm_symbolic(Space(), A.on_device(), B.on_device());
  auto moved = B;
  for (std::size_t i = 0; i < moved.rows(); ++i)
    if (moved.end(i) > moved.begin(i)) {
      auto& column = moved.columns[moved.end(i) - 1];
      column = column == 19 ? (moved.end(i) - moved.begin(i) == 1 ? 0 : column) : 19;
      if (moved.columns != B.columns) break;
    }
  ASSERT_NE(moved.columns, B.columns);
  auto const wide = with_numbers<double>(random_pattern(30, 41, 1), Numbers::reals);

  EXPECT_TRUE(throws<StalePlan>([&] { spgemm_numeric(Space(), plan, A.on_device(), moved.on_device()); },
                                {"entries lie elsewhere"}));
  EXPECT_TRUE(throws<StalePlan>([&] { spgemm_numeric(Space(), plan, wide.on_device(), B.on_device()); },
                                {"made for A of 30 x 40"}));
  EXPECT_TRUE(throws<StalePlan>([&] { spgemm_numeric(Space(), plan, wide.on_device(), B.on_device()); },
                                {"given 30 x 41"}));
  EXPECT_TRUE(throws<StalePlan>(
      [&] {
        spgemm_numeric(Space(), plan, A.on_device(), B.on_device(),
                       spgemm(Space(), A.on_device(), B.on_device()));
      },
      {"not made with this plan"}));
}

TEST(Spgemm, MismatchedShapesThrow) {
  auto const A = with_numbers<double>(random_pattern(30, 40, 1), Numbers::reals).on_device();

  EXPECT_TRUE(throws<DimensionMismatch>([&] { spgemm(Space(), A, A); }, {"A is 30 x 40, B is 30 x 40"}));
}

TEST(Spgemm, InvalidStructureThrows) {
  auto A = with_numbers<double>(random_pattern(30, 30, 1), Numbers::reals).on_device();
  auto const good = A;
  set(A.columns, 3, 30);

  EXPECT_TRUE(throws<InvalidStructure>([&] { spgemm(Space(), good, A); }, {"column 30"}));
  EXPECT_TRUE(throws<InvalidStructure>([&] { spgemm(Space(), A, good); }, {"column 30"}));
}

/// Both types of options mean the same on a GPU.
TEST(Spgemm, RowTeamsOnTheHostNeedTheirOptions) {
  auto const A = with_numbers<double>(random_pattern(30, 30, 1), Numbers::reals).on_device();
  SpgemmOptions const options{.algorithm = SpgemmAlgorithm::row_teams};
  auto const plan = spgemm_symbolic(Space(), A, A, by(SpgemmAlgorithm::row_teams));
  static_assert(is_gpu<Space> ==
                std::is_same_v<decltype(plan), decltype(spgemm_symbolic(Space(), A, A)) const>);

  if (is_gpu<Space>) {
    EXPECT_EQ(spgemm(Space(), A, A, options).nnz(), plan.nnz());
    return;
  }
  EXPECT_TRUE(
      throws<InvalidArgument>([&] { spgemm(Space(), A, A, options); }, {"row_teams", "SpgemmTeamOptions"}));
  EXPECT_TRUE(throws<InvalidArgument>([&] { spgemm_symbolic(Space(), A, A, options); },
                                      {"row_teams", "SpgemmTeamOptions"}));
}

TEST(Spgemm, OverlappingValuesThrow) {
  auto const A = with_numbers<double>(random_pattern(30, 30, 1), Numbers::reals).on_device();
  auto const plan = spgemm_symbolic(Space(), A, A);
  auto C = spgemm_numeric(Space(), plan, A, A);
  auto inside = A;
  inside.values = Kokkos::subview(C.values, Kokkos::make_pair(std::size_t(0), A.values.extent(0)));

  EXPECT_TRUE(throws<InvalidArgument>([&] { spgemm_numeric(Space(), plan, inside, A, C); }, {"overlap"}));
}

/// A column of n ones; times its transpose it has n^2 entries.
Host column_of_ones(int n) {
  auto const size = static_cast<std::size_t>(n);
  Host column{n, 1, std::vector<int>(size + 1), std::vector<int>(size, 0), std::vector<double>(size, 1.0)};
  std::iota(column.offsets.begin(), column.offsets.end(), 0);
  return column;
}

TEST(Spgemm, OverflowNamesASufficientOffset) {
  auto const column = column_of_ones(200);
  auto const A = column.on_device(), B = transposed(column).on_device();
  for (auto const algorithm : algorithms())
    EXPECT_TRUE(
        throws<OverflowError>([&] { spgemm<std::int16_t>(Space(), A, B, by(algorithm)); },
                              {"40000 entries, which its Offset does not hold; spgemm<std::int64_t>()"}));
}

/// 2^32 entries exceed an int; nothing is allocated.
TEST(Spgemm, CountsMoreEntriesThanAnInt) {
  auto const column = column_of_ones(65536);

  EXPECT_TRUE(throws<OverflowError>(
      [&] { spgemm(Space(), column.on_device(), transposed(column).on_device()); }, {"4294967296 entries"}));
}

TEST(Spgemm, WiderOffset) {
  auto const A = with_numbers<double>(random_pattern(60, 60, 9), Numbers::integers);

  auto const C = spgemm<std::size_t>(Space(), A.on_device(), A.on_device());

  static_assert(std::is_same_v<decltype(C)::offset_type, std::size_t>);
  EXPECT_TRUE(is_product(to_host(C), A, A, true));
}

/// Rows of up to `width` adjacent columns, which compress well.
Host band(int n, int width) {
  Host A{n, n, {0}, {}, {}};
  for (int i = 0; i < n; ++i) {
    for (int j = std::max(0, i - width / 2); j < std::min(n, i + width / 2); ++j) {
      A.columns.push_back(j);
      A.values.push_back(static_cast<double>((i + 3 * j) % 7 - 3));
    }
    A.offsets.push_back(static_cast<int>(A.columns.size()));
  }
  return A;
}

TEST(Spgemm, WorkspaceLimit) {
  auto const A = band(3000, 40);  // B is compressed unless the limit is too small
  for (auto const algorithm : algorithms()) {
    auto options = by(algorithm);
    auto const free = spgemm_symbolic(Space(), A.on_device(), A.on_device(), options).report().workspace;
    std::size_t within_limit = 0, refused = 0;
    for (std::size_t const percent : {99u, 75u, 60u, 50u, 40u, 30u, 20u, 10u, 1u}) {
      options.workspace_limit = free * percent / 100;
      try {
        auto const plan = spgemm_symbolic(Space(), A.on_device(), A.on_device(), options);
        auto const C = spgemm_numeric(Space(), plan, A.on_device(), A.on_device());

        EXPECT_LE(plan.report().workspace, options.workspace_limit) << percent << " %";
        EXPECT_TRUE(percent < 75 || is_product(to_host(C), A, A, true));
        ++within_limit;
        EXPECT_EQ(refused, 0u) << "a smaller limit succeeded";
      } catch (OutOfMemory const& error) {
        EXPECT_NE(
            std::string(error.what()).find("a workspace_limit of " + std::to_string(free * percent / 100)),
            std::string::npos)
            << error.what();
        ++refused;
      }
    }
    EXPECT_GE(within_limit, 2u);
    EXPECT_GE(refused, 1u);
  }
}

/// One row of A per length, with columns at distance `apart`; A I has rows of these lengths.
Host rows_of_lengths(std::vector<std::size_t> const& lengths, std::size_t apart, std::size_t columns) {
  Host A{static_cast<int>(lengths.size()), static_cast<int>(columns), {0}, {}, {}};
  for (std::size_t const length : lengths) {
    for (std::size_t k = 0; k < length; ++k) {
      A.columns.push_back(static_cast<int>(k * apart));
      A.values.push_back(static_cast<double>(k % 5) - 2.0);
    }
    A.offsets.push_back(static_cast<int>(A.columns.size()));
  }
  return A;
}
Host identity(std::size_t n) {
  Host I{static_cast<int>(n), static_cast<int>(n), std::vector<int>(n + 1), std::vector<int>(n),
         std::vector<double>(n, 1.0)};
  std::iota(I.offsets.begin(), I.offsets.end(), 0);
  std::iota(I.columns.begin(), I.columns.end(), 0);
  return I;
}

/// The sampled rows have a tenth of their upper bound, as most rows do. One row reaches it: its first table is
/// too small.
TEST(Spgemm, RecountsRowsUnlikeTheSample) {
  int const n = 60000, unlike = 5;  // so many products that B is compressed
  auto A = band(n, 12);
  Host const B = A;
  std::vector<int> columns;
  std::vector<double> values;
  for (int j = 0; j < 90; ++j) {
    columns.push_back(100 * j + 50);
    values.push_back(j % 3 + 1.0);
  }
  auto const begin = A.offsets[unlike], end = A.offsets[unlike + 1];
  A.columns.erase(A.columns.begin() + begin, A.columns.begin() + end);
  A.values.erase(A.values.begin() + begin, A.values.begin() + end);
  A.columns.insert(A.columns.begin() + begin, columns.begin(), columns.end());
  A.values.insert(A.values.begin() + begin, values.begin(), values.end());
  for (int i = unlike + 1; i <= n; ++i)
    A.offsets[static_cast<std::size_t>(i)] += static_cast<int>(columns.size()) - (end - begin);

  auto options = by(SpgemmAlgorithm::row_teams);
  options.row_classes = SpgemmRowClasses::off;
  // Too little memory to keep the bins, as for more products than keeps_symbolic_bins() allows.
  auto const compressed =
      spgemm_symbolic(Space(), A.on_device(), B.on_device(), options).report().compressed_nnz_B;
  options.workspace_limit = 8 * compressed + sizeof(int) * (4 * std::size_t(n) + 1);
  auto const plan = spgemm_symbolic(Space(), A.on_device(), B.on_device(), options);
  auto const C = spgemm_numeric(Space(), plan, A.on_device(), B.on_device());

  EXPECT_EQ(plan.report().num_recounted_rows, 1u);
  EXPECT_EQ(plan.report().symbolic_bins, (std::array<std::uint64_t, 8>{59999, 1, 0, 1, 0, 0, 0, 0}));
  EXPECT_TRUE(is_product(to_host(C), A, B, true));
}

/// Rows that just fit and just exceed each table, from the smallest to the bitmap, with scattered columns.
TEST(Spgemm, EverySymbolicBinAndItsLimits) {
  constexpr SpgemmTuning tuning = spgemm_tuning(arch_of<Space>);
  std::vector<std::size_t> lengths{0, 1};
  auto const around = [&](int slots) {
    for (std::size_t const more : {0, 1})
      lengths.push_back(static_cast<std::size_t>(detail::max_filled_slots(slots)) + more);
  };
  for (int const slots : tuning.group_slots) around(slots);
  for (int const slots : tuning.team_slots) around(slots);
  std::size_t const longest = lengths.back(),
                    columns = 32 * 17 * longest;  // too many keys for the bitmap instead of a table
  auto const A = rows_of_lengths(lengths, 32 * 17, columns);
  auto const I = identity(columns);
  auto const options = by(SpgemmAlgorithm::row_teams);

  auto const plan = spgemm_symbolic(Space(), A.on_device(), I.on_device(), options);

  EXPECT_EQ(plan.report().symbolic_bins, (std::array<std::uint64_t, 8>{3, 2, 2, 2, 2, 2, 2, 1}));
  EXPECT_TRUE(is_product(to_host(spgemm_numeric(Space(), plan, A.on_device(), I.on_device())), A, I, true));
}

/// Long rows of A times short rows of B: few entries of C, one of none.
TEST(Spgemm, LongRowsOfA) {
  auto const A = rows_of_lengths({513, 512, 1, 700, 0}, 1, 700);
  Host B{700, 3, {0}, {}, {}};
  for (int i = 0; i < 700; ++i) {
    B.columns.push_back(i % 3);
    B.values.push_back(i % 5 - 2.0);
    B.offsets.push_back(i + 1);
  }

  auto const plan = spgemm_symbolic(Space(), A.on_device(), B.on_device(), by(SpgemmAlgorithm::row_teams));

  EXPECT_EQ(plan.report().numeric_bins, (std::array<std::uint64_t, 9>{3, 0, 0, 0, 0, 0, 0, 0, 2}));
  EXPECT_TRUE(is_product(to_host(spgemm_numeric(Space(), plan, A.on_device(), B.on_device())), A, B, true));
}

TEST(Spgemm, EveryNumericBinAndItsLimits) {
  constexpr SpgemmTuning tuning = spgemm_tuning(arch_of<Space>);
  std::vector<std::size_t> lengths{1};
  for (int const sums : tuning.accumulator_sizes)
    for (std::size_t const more : {0, 1}) lengths.push_back(static_cast<std::size_t>(sums) + more);
  lengths.push_back(
      4 * static_cast<std::size_t>(tuning.accumulator_sizes[SpgemmTuning::num_accumulator_sizes - 1]) + 5);
  for (std::size_t const apart : {1, 32}) {
    SCOPED_TRACE(apart);
    auto const A = rows_of_lengths(lengths, apart, lengths.back() * apart);
    auto const I = identity(lengths.back() * apart);

    auto const plan = spgemm_symbolic(Space(), A.on_device(), I.on_device(), by(SpgemmAlgorithm::row_teams));

    auto const want = apart == 1 ? std::array<std::uint64_t, 9>{2, 0, 2, 0, 2, 0, 2, 0, 2}
                                 : std::array<std::uint64_t, 9>{1, 1, 1, 1, 1, 1, 1, 1, 2};
    EXPECT_EQ(plan.report().numeric_bins, want);
    EXPECT_TRUE(is_product(to_host(spgemm_numeric(Space(), plan, A.on_device(), I.on_device())), A, I, true));
  }
}

TEST(Spgemm, SameBitsOnEveryRunAndByEveryAlgorithm) {
  auto const A = with_numbers<double>(random_pattern(500, 500, 21), Numbers::reals);
  auto const first = to_host(spgemm(Space(), A.on_device(), A.on_device(), by(algorithms().front())));
  for (auto const algorithm : algorithms())
    for (int run = 0; run < 3; ++run) {
      auto const again = to_host(spgemm(Space(), A.on_device(), A.on_device(), by(algorithm)));
      EXPECT_TRUE(first.columns == again.columns);
      EXPECT_TRUE(same_numbers(again.values, first.values));
    }
}

TEST(Spgemm, UnorderedSums) {
  auto const A = with_numbers<double>(random_pattern(500, 500, 22), Numbers::reals);
  for (auto const algorithm : algorithms()) {
    auto options = by(algorithm);
    options.sums = SpgemmSums::unordered;
    EXPECT_TRUE(is_product(to_host(spgemm(Space(), A.on_device(), A.on_device(), options)), A, A, false));
  }
}

/// The same matrix after sorting.
TEST(Spgemm, UnsortedRows) {
  std::vector<std::int64_t> lengths(40, 60);
  auto const A = with_numbers<double>(from_lengths("long rows", lengths, 40000), Numbers::integers),
             B = with_numbers<double>(random_pattern(40000, 30000, 5), Numbers::integers);
  for (auto const algorithm : algorithms()) {
    auto options = by(algorithm);
    options.rows = SpgemmRows::unsorted;

    auto C = to_host(spgemm(Space(), A.on_device(), B.on_device(), options));

    for (std::size_t i = 0; i < C.rows(); ++i) {
      std::vector<std::pair<int, double>> row;
      for (auto p = C.begin(i); p < C.end(i); ++p) row.emplace_back(C.columns[p], C.values[p]);
      std::sort(row.begin(), row.end());
      for (auto p = C.begin(i); p < C.end(i); ++p) {
        C.columns[p] = row[p - C.begin(i)].first;
        C.values[p] = row[p - C.begin(i)].second;
      }
    }
    EXPECT_TRUE(is_product(C, A, B, true));
  }
}

}  // namespace
}  // namespace einkorn::test
