// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The GPU kernels that find and fill blocks, emulated on the host with several threads per block row.

#include "../support/battery.hpp"
#include "../support/lockstep.hpp"
#include "bsr_of.hpp"
#include "count_blocks.hpp"

#include <einkorn/formats/bsr/detail/fill_blocks.hpp>
#include <einkorn/formats/bsr/detail/find_blocks.hpp>
#include <einkorn/formats/bsr/detail/sample_blocks.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

void expect_blocks_of_host(Pattern const& pattern, int b) {
  SCOPED_TRACE(pattern.name + ", b = " + std::to_string(b));
  auto const A = with_numbers<double>(pattern, Numbers::reals).on_device();
  auto const F = bsr_of(A, b);
  Kokkos::View<int*, Device> const counts("counts", F.row_offsets.extent(0));
  Kokkos::View<int*, Device> const columns("columns", F.columns.extent(0));
  auto const values = to_host(F.values);

  detail::find_blocks_in_teams<false>(Lockstep(), "test", A, b, F.num_block_rows, counts, counts);
  detail::find_blocks_in_teams<true>(Lockstep(), "test", A, b, F.num_block_rows, F.row_offsets, columns);
  Kokkos::deep_copy(F.values, 77.0);
  detail::fill_blocks_in_teams(Lockstep(), "test", F, A);
  EXPECT_TRUE(to_host(F.values) == values);
  EXPECT_EQ(detail::is_known_block_size(b), b <= 8);
  if (F.has_full_blocks && detail::is_known_block_size(b)) {
    Kokkos::deep_copy(F.values, 77.0);
    detail::fill_full_blocks<false>(Lockstep(), "test", F, A);
    EXPECT_TRUE(to_host(F.values) == values);
    Kokkos::View<int*, Device> const written("columns", F.columns.extent(0));
    Kokkos::deep_copy(F.values, 77.0);
    detail::fill_full_blocks<true>(Lockstep(), "test", F, A, written);
    EXPECT_TRUE(to_host(written) == to_host(F.columns));
  }

  int before = 0;
  auto sums = to_host(counts);
  for (auto& count : sums) before += std::exchange(count, before);
  EXPECT_TRUE(sums == to_host(F.row_offsets));
  EXPECT_TRUE(to_host(columns) == to_host(F.columns));
  EXPECT_TRUE(to_host(F.values) == values);
}

TEST(BsrLockstep, SeveralThreadsPerBlockRow) {
  std::vector<std::int64_t> const blocks_of_81(60, 81), long_rows{3000, 2, 2900, 0, 3100, 1},
      mixed{0, 1, 40, 0, 7, 200, 3};
  for (int const b : {1, 2, 3, 4, 8, 9, 33}) {
    expect_blocks_of_host(from_lengths("81 per row", blocks_of_81, 400), b);
    expect_blocks_of_host(from_lengths("not in scratch", long_rows, 5003), b);
    expect_blocks_of_host(from_lengths("mixed", mixed, 500), b);
  }
}

TEST(BsrLockstep, BlocksOfAMesh) {
  Pattern mesh = from_lengths("27 blocks of 3 x 3 per block row", {}, 3 * 600);
  mesh.num_rows = 3 * 600;
  for (std::int64_t i = 0; i < mesh.num_rows; ++i) {
    for (std::int64_t block = i / 3 - 39; block <= i / 3 + 39; block += 3)
      for (std::int64_t j = 0; j < 3; ++j)
        if (block >= 0 && block < 600) mesh.columns.push_back(3 * block + j);
    mesh.offsets.push_back(static_cast<std::int64_t>(mesh.columns.size()));
  }
  for (int const b : {2, 3, 6}) expect_blocks_of_host(mesh, b);
}

TEST(BsrLockstep, CountsAllBlockSizesInOneLaunch) {
  for (auto const& pattern : battery()) {
    SCOPED_TRACE(pattern.name);
    if (pattern.is_large() || pattern.num_rows == 0 || pattern.name == "columns not sorted" ||
        pattern.name == "positions that repeat")
      continue;
    auto const host = with_numbers<double>(pattern, Numbers::reals);
    std::int64_t const groups =
        (pattern.num_rows + detail::sampled_group_rows - 1) / detail::sampled_group_rows;
    std::vector<std::uint64_t> words(max_detected_block_size + 1, 0);

    detail::launch_sample_blocks(Lockstep(), host.on_device(), detail::RowGroups{groups, groups}, words.data());

    EXPECT_EQ(words[0], host.nnz());
    for (int b = 2; b <= 8; ++b)
      EXPECT_EQ(words[static_cast<std::size_t>(b)], count_blocks(host, b)) << "b = " << b;
  }
}

}  // namespace
}  // namespace einkorn::test
