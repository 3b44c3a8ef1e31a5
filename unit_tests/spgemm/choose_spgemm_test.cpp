// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The decisions of SpGEMM as tables: path of the pattern, path of the values, accumulators, scatter map.

#include <einkorn/formats/spgemm/choose.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace einkorn::test {
namespace {

using namespace einkorn::detail;

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

SpgemmSizes square(std::size_t rows, bool on_host) {
  return {rows, rows, 5 * rows, 5 * rows, 4, on_host};
}

TEST(ChooseSpgemm, Path) {
  using enum SpgemmPath;
  using A = SpgemmAlgorithm;
  using R = SpgemmRowClasses;
  SpgemmSizes const host = square(1000, true), gpu = square(1000, false);
  SpgemmSizes empty_A = gpu, empty_B = host, few_A = gpu, few_B = gpu;
  empty_A.nnz_A = 0;
  empty_B.nnz_B = 0;
  few_A.rows_A = 3;
  few_B.rows_B = 3;
  std::size_t const classes_fit = row_class_search_bytes(gpu) + row_team_bytes(gpu);
  struct Case {
    SpgemmSizes sizes;
    A algorithm;
    R classes;
    std::size_t limit;
    SpgemmPath path;
  };
  for (Case const& c : {
           Case{host, A::automatic, R::detect, no_limit, host_rows},
           Case{host, A::host_rows, R::detect, no_limit, host_rows},
           Case{host, A::automatic, R::detect, 0, host_rows},
           Case{host, A::row_teams, R::detect, no_limit, row_classes},
           Case{host, A::row_teams, R::off, no_limit, row_teams},
           Case{gpu, A::automatic, R::detect, no_limit, row_classes},
           Case{gpu, A::automatic, R::off, no_limit, row_teams},
           Case{gpu, A::automatic, R::detect, classes_fit, row_classes},
           Case{gpu, A::automatic, R::detect, classes_fit - 1, row_teams},
           Case{gpu, A::automatic, R::detect, 0, row_teams},
           Case{few_A, A::automatic, R::detect, no_limit, row_teams},
           Case{few_B, A::automatic, R::detect, no_limit, row_teams},
           Case{empty_A, A::automatic, R::detect, no_limit, empty},
           Case{empty_B, A::host_rows, R::detect, no_limit, empty},
       }) {
    SpgemmOptions options;
    options.algorithm = c.algorithm;
    options.row_classes = c.classes;
    options.workspace_limit = c.limit;
    EXPECT_EQ(choose_spgemm(c.sizes, options), c.path)
        << "on_host " << c.sizes.on_host << ", algorithm " << static_cast<int>(c.algorithm) << ", limit "
        << c.limit;
  }
}

TEST(ChooseSpgemm, NumericPath) {
  using enum SpgemmNumericPath;
  using S = SpgemmSums;
  EXPECT_EQ(choose_spgemm_numeric(SpgemmPath::host_rows, false, true, S::ordered), host_dense);
  EXPECT_EQ(choose_spgemm_numeric(SpgemmPath::host_rows, false, false, S::unordered), host_hash);
  EXPECT_EQ(choose_spgemm_numeric(SpgemmPath::row_teams, false, false, S::ordered), hash_ordered);
  EXPECT_EQ(choose_spgemm_numeric(SpgemmPath::row_teams, false, false, S::unordered), hash_atomic);
  EXPECT_EQ(choose_spgemm_numeric(SpgemmPath::row_classes, false, false, S::ordered), hash_ordered);
  EXPECT_EQ(choose_spgemm_numeric(SpgemmPath::row_classes, false, false, S::unordered), hash_atomic);
  EXPECT_EQ(choose_spgemm_numeric(SpgemmPath::row_classes, true, false, S::ordered), scatter_map);
  EXPECT_EQ(choose_spgemm_numeric(SpgemmPath::row_classes, true, false, S::unordered), scatter_map);
}

TEST(ChooseSpgemm, ScatterMap) {
  SpgemmTuning const tuning;
  struct Case {
    SpgemmRows rows;
    std::uint64_t max_row_length;
    int lanes, scalar_bytes;
    ScatterMapChoice choice;
  };
  for (Case const& c : {
           Case{SpgemmRows::sorted, 125, 32, 8, {true, true}},
           Case{SpgemmRows::sorted, 192, 32, 8, {true, true}},   // 4 rows of 192 sums are 6 KiB
           Case{SpgemmRows::sorted, 193, 32, 8, {true, false}},  // batches of 2 rows
           Case{SpgemmRows::sorted, 125, 16, 8, {true, false}},  // half a warp
           Case{SpgemmRows::sorted, 125, 1, 8, {true, false}},   // repeated columns
           Case{SpgemmRows::sorted, 384, 32, 4, {true, true}},   // 4 floats are a vector
           Case{SpgemmRows::sorted, 96, 32, 16, {true, true}},   // a complex number is a vector
           Case{SpgemmRows::sorted, 97, 32, 16, {true, false}},
           Case{SpgemmRows::sorted, 1024, 32, 8, {true, false}},
           Case{SpgemmRows::sorted, 1025, 32, 8, {false, false}},
           Case{SpgemmRows::sorted, std::uint64_t(1) << 40, 32, 8, {false, false}},
           Case{SpgemmRows::unsorted, 125, 32, 8, {false, false}},
       })
    EXPECT_EQ(choose_scatter_map(tuning, c.rows, c.max_row_length, c.lanes, c.scalar_bytes), c.choice)
        << c.max_row_length << ", " << c.lanes << " lanes, " << c.scalar_bytes << " bytes";

  EXPECT_EQ(scatter_batch_rows(tuning, 8, 192), 4);
  EXPECT_EQ(scatter_batch_rows(tuning, 8, 193), 2);
  EXPECT_EQ(scatter_batch_rows(tuning, 8, 385), 1);
  EXPECT_EQ(rows_per_vector(4, 4), 4);
  EXPECT_EQ(rows_per_vector(4, 8), 2);
  EXPECT_EQ(rows_per_vector(1, 8), 1);
  EXPECT_EQ(rows_per_vector(4, 16), 1);
}

TEST(ChooseSpgemm, RowClasses) {
  EXPECT_EQ(max_row_classes(3), 0u);
  EXPECT_EQ(max_row_classes(4), 1u);
  EXPECT_EQ(max_row_classes(65536), 16384u);
  EXPECT_EQ(max_row_classes(1000000), 16384u);
  EXPECT_EQ(row_class_slots(1), 4u);
  EXPECT_EQ(row_class_slots(2), 4u);
  EXPECT_EQ(row_class_slots(3), 8u);
  EXPECT_EQ(row_class_slots(16384), 32768u);
  EXPECT_EQ(row_class_table_bytes(3), 17 * 8u);
  EXPECT_EQ(row_class_search_bytes({1000, 500, 0, 0, 4, false}), 8000u + 8 * 500 + 4 * 1000 + 1025 * 8);
}

TEST(ChooseSpgemm, CompressionAndSample) {
  EXPECT_TRUE(uses_compressed_B(66, 100, 528, 528));
  EXPECT_FALSE(uses_compressed_B(67, 100, 536, 1000));
  EXPECT_FALSE(uses_compressed_B(66, 100, 528, 527));

  EXPECT_EQ(choose_compression(0.125), 0.125);
  EXPECT_EQ(choose_compression(0.5), 1.0);
  EXPECT_EQ(choose_compression(0.0), 1.0);

  EXPECT_TRUE(samples_rows(8192, 256, 4, no_limit));
  EXPECT_FALSE(samples_rows(8191, 256, 4, no_limit));
  EXPECT_TRUE(samples_rows(8192, 256, 4, 20 * 256));
  EXPECT_FALSE(samples_rows(8192, 256, 4, 20 * 256 - 1));
}

TEST(ChooseSpgemm, LimitsOnProducts) {
  constexpr std::uint64_t one = 1;
  EXPECT_TRUE(keeps_symbolic_bins(one << 28));
  EXPECT_FALSE(keeps_symbolic_bins((one << 28) + 1));
  EXPECT_FALSE(searches_row_classes(one << 25));
  EXPECT_TRUE(searches_row_classes((one << 25) + 1));
  EXPECT_FALSE(may_compress_B(one << 23));
  EXPECT_TRUE(may_compress_B((one << 23) + 1));
  EXPECT_FALSE(counts_while_writing(one << 23, false, no_limit));
  EXPECT_TRUE(counts_while_writing((one << 23) + 1, false, no_limit));
  EXPECT_FALSE(counts_while_writing((one << 23) + 1, true, no_limit));
  EXPECT_FALSE(counts_while_writing((one << 23) + 1, false, no_limit - 1));
  EXPECT_FALSE(counts_while_writing((one << 28) + 1, false, no_limit));
  EXPECT_TRUE(concatenates_segments(1499, 1000));
  EXPECT_FALSE(concatenates_segments(1500, 1000));
  EXPECT_FALSE(may_have_row_classes(256, 127));
  EXPECT_TRUE(may_have_row_classes(128, 256));
}

TEST(ChooseSpgemm, SymbolicBins) {
  SpgemmTuning const tuning;
  constexpr std::uint64_t many_keys = std::uint64_t(1) << 30;
  EXPECT_EQ(symbolic_bin(tuning, 25, many_keys, 256), 0);
  EXPECT_EQ(symbolic_bin(tuning, 26, many_keys, 256), 1);
  EXPECT_EQ(symbolic_bin(tuning, 25, many_keys, 257), 2);  // many insertions: a whole warp
  EXPECT_EQ(symbolic_bin(tuning, 25, many_keys, 2048), 2);
  EXPECT_EQ(symbolic_bin(tuning, 409, many_keys, 2048), 4);
  EXPECT_EQ(symbolic_bin(tuning, 25, many_keys, 2049), SpgemmTuning::group_bins);  // many insertions: a team
  EXPECT_EQ(symbolic_bin(tuning, 25, 400, 2049), SpgemmTuning::bitmap_bin);
  EXPECT_EQ(symbolic_bin(tuning, 410, 6560, 2048), SpgemmTuning::bitmap_bin);  // a sixteenth of all keys
  EXPECT_EQ(symbolic_bin(tuning, 410, 6561, 2048), SpgemmTuning::group_bins);
}

TEST(ChooseSpgemm, NumericBins) {
  SpgemmTuning const tuning;
  EXPECT_EQ(numeric_bin(tuning, 32, 25, 512), 0);
  EXPECT_EQ(numeric_bin(tuning, 32, 26, 512), 1);
  EXPECT_EQ(numeric_bin(tuning, 512, 410, 512), 7);
  EXPECT_EQ(numeric_bin(tuning, 513, 17, 1), SpgemmTuning::chunk_bin);
  EXPECT_EQ(numeric_bin(tuning, 1, 1, 513), SpgemmTuning::chunk_bin);  // a long row of A
  EXPECT_EQ(numeric_bin(tuning, 0, 0, 513), 0);
}

TEST(ChooseSpgemm, HostAccumulators) {
  EXPECT_TRUE(uses_dense_accumulator(8192, 8, 64, 0));  // 64 KiB per thread
  EXPECT_FALSE(uses_dense_accumulator(8196, 8, 64, 0));
  EXPECT_TRUE(uses_dense_accumulator(40000, 8, 2, 20000));  // four columns per entry of a thread
  EXPECT_FALSE(uses_dense_accumulator(40004, 8, 2, 20000));
  EXPECT_TRUE(uses_dense_accumulator(40000, 8, 0, 10000));

  std::size_t const columns = std::size_t(1) << 27;  // 1 GiB
  EXPECT_TRUE(uses_dense_sums(columns, 8, 2, columns, std::size_t(2) << 30));
  EXPECT_FALSE(uses_dense_sums(columns, 8, 2, columns, (std::size_t(2) << 30) - 1));
  EXPECT_FALSE(uses_dense_sums(columns + 1, 8, 2, columns, no_limit));
}

}  // namespace
}  // namespace einkorn::test
