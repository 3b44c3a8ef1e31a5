// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The selection of an SpMV algorithm, a kernel and lanes: tables of cases, for GPUs too.

#include <einkorn/formats/csr/choose_spmv.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace einkorn::test {
namespace {

using Lengths = RowLengths<int, std::int64_t>;
using enum SpmvAlgorithm;

TEST(ChooseSpmv, AlgorithmFromRowLengths) {
  constexpr int rows = 1000;
  constexpr std::int64_t max_split = max_nonzero_split_entries;
  struct Case {
    Arch arch;
    std::int64_t longest, entries;
    std::size_t concurrency;
    SpmvAlgorithm expected;
  };
  for (Case const& c :
       {Case{Arch::hopper, 0, 0, 1, row_team},           // no entries
        Case{Arch::hopper, 34, 20 * rows, 1, row_team},  // one batch of 32 entries, or nearly
        Case{Arch::hopper, 35, 20 * rows, 1, nonzero_split}, Case{Arch::hopper, 8, 4 * rows, 1, row_team},
        Case{Arch::hopper, 9, 4 * rows, 1, nonzero_split},
        Case{Arch::hopper, 632, 150 * rows, 1, row_bins},  // long rows of similar length
        Case{Arch::hopper, 632, 150 * rows - 1, 1, nonzero_split},
        Case{Arch::hopper, 633, 150 * rows, 1, nonzero_split},
        Case{Arch::mi300, 10000, max_split, 1, nonzero_split},
        Case{Arch::hopper, 2048, max_cached_entries + 1, 1, row_team},  // too large for the caches
        Case{Arch::hopper, 2049, max_cached_entries + 1, 1, nonzero_split},
        Case{Arch::hopper, 20000, max_split, 1, nonzero_split},
        Case{Arch::mi300, 20000, max_split + 1, 1, segmented_sum}, Case{Arch::host, 0, 0, 8, row_team},
        Case{Arch::host, 100, 16 * 100 * 8, 8, row_team},
        Case{Arch::host, 100, 16 * 100 * 8 - 1, 8, segmented_sum},
        Case{Arch::host, 100, 16 * 100, 1, row_team}})
    EXPECT_EQ(choose_spmv(Lengths{rows, 0, c.longest, c.entries}, c.arch, c.concurrency), c.expected)
        << "longest row " << c.longest << ", entries " << c.entries;
  EXPECT_EQ(choose_spmv(Lengths{10 * rows, 0, 120, 24 * 10 * rows}, Arch::hopper, 1), row_bins);
  EXPECT_EQ(choose_spmv(Lengths{10 * rows, 0, 120, 23 * 10 * rows}, Arch::hopper, 1), nonzero_split);
  EXPECT_EQ(choose_spmv(Lengths{}, Arch::hopper, 1), row_team);
}

TEST(ChooseSpmv, KernelOfAnAlgorithm) {
  struct Case {
    SpmvAlgorithm algorithm;
    Arch arch;
    bool has_row_order, has_bins, has_blocks;
    SpmvKernel expected;
  };
  for (Case const& c : {Case{row_thread, Arch::host, false, false, false, SpmvKernel::row_split},
                        Case{sorted_rows, Arch::host, true, false, false, SpmvKernel::row_split},
                        Case{row_bins, Arch::host, false, true, false, SpmvKernel::row_split},
                        Case{nonzero_split, Arch::host, false, false, true, SpmvKernel::row_split},
                        Case{segmented_sum, Arch::host, false, false, false, SpmvKernel::segmented_sum},
                        Case{automatic, Arch::cuda, false, false, false, SpmvKernel::row_team},
                        Case{row_thread, Arch::cuda, false, false, false, SpmvKernel::row_team},
                        Case{sorted_rows, Arch::cuda, true, false, false, SpmvKernel::sorted_rows},
                        Case{sorted_rows, Arch::cuda, false, false, false, SpmvKernel::row_team},
                        Case{row_bins, Arch::cuda, false, true, false, SpmvKernel::row_bins},
                        Case{row_bins, Arch::cuda, false, false, false, SpmvKernel::row_team},
                        Case{nonzero_split, Arch::cuda, false, false, true, SpmvKernel::nonzero_split},
                        Case{nonzero_split, Arch::cuda, false, false, false, SpmvKernel::row_team},
                        Case{segmented_sum, Arch::hip, false, false, false, SpmvKernel::segmented_sum}})
    EXPECT_EQ(choose_spmv_kernel(c.algorithm, c.arch, c.has_row_order, c.has_bins, c.has_blocks), c.expected)
        << name_of(c.algorithm);
}

TEST(ChooseSpmv, LanesPerRow) {
  struct Case {
    SpmvAlgorithm algorithm;
    int lanes;
    Arch arch;
    double mean;
    int expected;
  };
  for (Case const& c :
       {Case{row_thread, 8, Arch::hopper, 100.0, 1}, Case{row_team, 8, Arch::hopper, 100.0, 8},
        Case{row_team, 64, Arch::hopper, 100.0, 32}, Case{row_team, 64, Arch::mi300, 100.0, 64},
        Case{row_team, 64, Arch::host, 100.0, 2}, Case{row_team, 0, Arch::host, 100.0, 2},
        Case{automatic, 0, Arch::host, 100.0, 2}, Case{automatic, 0, Arch::hopper, 4.0, 1},
        Case{row_team, 0, Arch::hopper, 4.0, 2}, Case{automatic, 0, Arch::hopper, 5.0, 2},
        Case{automatic, 0, Arch::hopper, 27.0, 8}, Case{automatic, 0, Arch::hopper, 48.0, 8},
        Case{automatic, 0, Arch::hopper, 81.0, 16}, Case{automatic, 0, Arch::hopper, 1000.0, 32},
        Case{automatic, 0, Arch::mi300, 1000.0, 64}})
    EXPECT_EQ(choose_lanes({.algorithm = c.algorithm, .lanes = c.lanes}, c.arch, c.mean), c.expected)
        << name_of(c.algorithm) << ", mean " << c.mean;
}

TEST(ChooseSpmv, RowsPerGroup) {
  EXPECT_EQ(rows_per_group(2, 4, 4 * 256 * 2048, 256), 4);
  EXPECT_EQ(rows_per_group(2, 4, 4 * 256 * 2047, 256), 1);
  EXPECT_EQ(rows_per_group(16, 6, 4 * 16 * 2048, 16), 4);
  EXPECT_EQ(rows_per_group(16, 8, 4 * 16 * 2048, 16), 1);
}

}  // namespace
}  // namespace einkorn::test
