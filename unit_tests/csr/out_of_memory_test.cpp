// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// OutOfMemory names the purpose and the bytes. The matrices have few entries and more columns than memory.

#include "../support/host_matrix.hpp"
#include "../support/throws.hpp"

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/csr/from_triplets.hpp>
#include <einkorn/formats/csr/sort_rows.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/csr/transpose.hpp>
#include <einkorn/formats/spgemm/spgemm.hpp>
#include <einkorn/solvers/engine/progress_flag.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

using Wide = HostMatrix<double, std::int64_t, std::size_t>;

/// Sizes beyond 64 bits (detected by the library), and sizes that an allocator refuses.
std::vector<std::int64_t> column_counts() {
#ifdef __SANITIZE_ADDRESS__  // the sanitizer ends the program where an allocator refuses
  return {std::int64_t(1) << 62};
#else
  return {std::int64_t(1) << 62, std::int64_t(1) << 50};
#endif
}
Wide wide(std::int64_t columns) {
  return {2, columns, {0, 1, 3}, {1, 0, 7}, {1.0, 2.0, 3.0}};
}

TEST(OutOfMemoryOf, ATranspose) {
  for (auto const columns : column_counts()) {
    auto const A = wide(columns).on_device();
    EXPECT_TRUE(throws<OutOfMemory>([&] { (void)transpose(Space(), A); },
                                    {"einkorn::transpose::row_offsets", "bytes requested"}));
    EXPECT_TRUE(throws<OutOfMemory>([&] { (void)sort_rows(Space(), A); }, {"einkorn::transpose::row_offsets"}));
  }
}

TEST(OutOfMemoryOf, APlanForTheTranspose) {
  for (auto const columns : column_counts()) {
    auto const A = wide(columns).on_device();
    SpmvOptions options;
    options.op = Op::transpose;
    EXPECT_TRUE(throws<OutOfMemory>([&] { (void)make_spmv_plan(Space(), A, options); },
                                    {"einkorn::transpose::row_offsets"}));
  }
}

TEST(OutOfMemoryOf, CsrFromTriplets) {
  for (auto const columns : column_counts()) {
    Triplets<double, std::int64_t> of_columns, of_rows;
    of_columns.num_rows = of_rows.num_cols = 2;
    of_columns.num_cols = of_rows.num_rows = columns;
    using Triple = Triplets<double, std::int64_t>;
    for (Triple* const triplets : {&of_columns, &of_rows}) {
      triplets->rows = triplets->columns = {1};
      triplets->values = {1.0};
      EXPECT_TRUE(throws<OutOfMemory>([&] { (void)csr_from_triplets<std::size_t, Device>(*triplets); },
                                      {"einkorn::csr_from_triplets: counts",
                                       columns == std::int64_t(1) << 50 ? "9007199254741000" : "bytes"}));
    }
  }
}

TEST(OutOfMemoryOf, AllocateNamesThePurposeAndTheBytes) {
  using Table = Kokkos::View<double**, Kokkos::LayoutRight, Device>;
  std::size_t const half = std::size_t(1) << 32;
  for (auto const rows : {half, half / 4})  // Kokkos multiplies extents modulo 2^64: half * half * 8 is 0 there
    EXPECT_TRUE(
        throws<OutOfMemory>([&] { (void)allocate<Table>(Space(), "a table", rows, half); }, {"a table"}));
  EXPECT_TRUE(
      throws<OutOfMemory>([&] { (void)allocate_zeros<Table>(Space(), "a table", half, half); }, {"a table"}));
  EXPECT_TRUE(throws<OutOfMemory>([&] { (void)allocate_zeros<Table>("a table", half, half); }, {"a table"}));
  EXPECT_TRUE(throws<OutOfMemory>([&] { (void)allocate_vector<int>("a list", half << 29); },
                                  {"a list", "9223372036854775808"}));
  std::vector<double> list;
  EXPECT_TRUE(throws<OutOfMemory>([&] { reserve(list, "a list", half << 29); }, {"a list"}));
  EXPECT_EQ(allocate_zeros<Table>(Space(), "a table", 3, 4).size(), 12u);
  EXPECT_EQ(allocate_vector<int>("a list", 3, 7), (std::vector<int>{7, 7, 7}));
}

TEST(OutOfMemoryOf, AHistoryOfResiduals) {
  EXPECT_TRUE(throws<OutOfMemory>([&] { detail::ProgressFlag<Space>(std::size_t(1) << 62); },
                                  {"einkorn::ProgressFlag::history"}));
}

}  // namespace
}  // namespace einkorn::test
